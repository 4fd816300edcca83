/* explanation.h - the score of two texts as a sum over pairs of their words: for encode-compare and
 * encode-search.
 *
 * A vector of a mean is a sum of parts of tokens (engine_encode_parts), so the product of two is a
 * sum over pairs of tokens; MaxSim is one of best matches of vectors of tokens, and the product of
 * sparse weights one over ids. Tokens of one word of the text are taken together. */
#ifndef TOOLS_EXPLANATION_H
#define TOOLS_EXPLANATION_H

#include "tools/common/texts/item.h"

/* What has a share: a word of the text, a special token, the biases of the projections, or of
 * sparse weights an id. */
struct explained_word {
    const char *text; /* [len], borrowed: of the text, else the vocabulary's */
    size_t len;
    size_t begin, end; /* bytes of the text as it was read, without its prompt */
    bool in_pair;      /* of the text's pair */
    bool is_of_text;   /* else it has no span: special, of the prompt, biases */
    double share;      /* the sum of its pairs */
};

/* A text with the rows whose products are summed. */
struct explained_text {
    struct explained_word *words; /* [n_words], owned */
    size_t n_words;
    float *rows; /* [n_rows, width], owned */
    size_t n_rows;
    size_t *word_of; /* [n_rows], owned: the index of each row's word */
    size_t width;
};

struct explanation {
    double score;      /* the sum of all shares */
    double *shares;    /* [words of a, words of b], owned */
    struct word_pair { /* the pairs, the largest magnitudes first, equal ones in order */
        size_t a, b;
        double share;
    } * pairs; /* [n_pairs], owned */
    size_t n_pairs;
};

/* Ends the program, with the reason, if scores of this kind are no sum. name: what was asked for,
 * in messages. */
void explanation_check(struct text_encoder *encoder, engine_metric metric, const char *name);

/* Encodes an item whose tokens are set, and keeps it as words and rows. Its text is borrowed. Ends
 * the program on failure. */
void explained_text_make(struct explained_text *text, struct text_encoder *encoder,
                         struct item *item, engine_role role);
void explained_text_free(struct explained_text *text);

/* Explains the score of a, the query, and b; sets the shares of their words, too. If only_text,
 * pairs are those of words of both texts. */
void explanation_make(struct explanation *explanation, const struct text_encoder *encoder,
                      engine_metric metric, struct explained_text *a, struct explained_text *b,
                      bool only_text);
void explanation_free(struct explanation *explanation);

#endif
