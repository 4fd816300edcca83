/* compare.h - two texts, word by word: compare.c measures and prints, compare_sentence.c puts the
 * result into words. */
#ifndef TOOLS_COMPARE_H
#define TOOLS_COMPARE_H

#include "tools/common/texts/encoder_tokens.h"

struct pair {
    size_t a, b; /* tokens */
    double cosine, difference;
};

struct comparison {
    const struct encoder *encoder;
    struct item items[2];
    struct pair *pairs; /* [n_pairs], in the order of A */
    size_t n_pairs;
    char *is_paired[2]; /* [n_tokens] of each text */
    size_t n_only[2];
    /* Over all pairs; over those at another position, and at the same. */
    double largest, largest_value;
    size_t n_moved;
    double least_moved, most_moved, most_kept;
};

/* Returns whether token i of a text is a word that the other text does not have. */
bool comparison_is_only(const struct comparison *comparison, int side, size_t i);

/* Returns whether it is a word that the vocabulary does not have; and the word itself. */
bool comparison_is_unknown(const struct comparison *comparison, int side, size_t i);
const char *comparison_word(const struct comparison *comparison, int side, size_t i, size_t *len);

enum { COMPARISON_SENTENCE_BYTES = 512 };

/* Writes the conclusion from the numbers, one sentence. */
void comparison_conclude(const struct comparison *comparison, char out[COMPARISON_SENTENCE_BYTES]);

/* Returns "fahre, ich are not in the vocabulary: …", to be freed; NULL if every word is in it. */
char *comparison_unknown_words(const struct comparison *comparison);

#endif
