/* unigram.h - a word to pieces by a unigram language model (Kudo 2018): of all ways to put the word
 * together from pieces, the one whose scores have the largest sum. Pieces and scores: section PIEC
 * of weights/FORMAT.md. Internal to the tokenizer.
 */
#ifndef MODEL_UNIGRAM_H
#define MODEL_UNIGRAM_H

#include "model/tokenizer/trie.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pretoken;
struct word_sink;

/* The pieces, where they lie in the weight file. */
struct unigram_pieces {
    const double *scores; /* [n] by id */
    struct trie trie;     /* the number of a piece's text: its id */
    uint32_t n, longest;  /* bytes of the longest piece */
    double unknown_score; /* of a character that is no piece */
};

enum { UNIGRAM_LONGEST = 1024 };

/* Views a section of len bytes, aligned to 8. NULL when sound; else a static string that says what
 * is wrong. Sizes only: indices are checked where they are used. */
const char *unigram_view(struct unigram_pieces *pieces, const void *section, size_t len);

/* The end of a character: the best way to get there. */
struct unigram_node {
    double score;
    int32_t id;       /* of its last piece */
    uint32_t n_chars; /* of that; 0: no piece ends here yet */
};

/* The word that is being read, as far as it has no tokens yet. */
struct unigram {
    struct unigram_node *nodes; /* [cap_chars of the word + 1]: n_nodes of them are in use */
    size_t n_nodes;
    size_t next;       /* the first character from which no piece was tried */
    bool in_word;      /* some of the word's tokens are in the sink already: */
    size_t n_before;   /* tokens before it */
    bool in_unknown;   /* the last of them are those of unknown characters: */
    size_t first;      /* the first such token */
    size_t begin, end; /* and the bytes of the text that they are for */
};

/* Bytes and characters of a word that are kept at a time. */
enum { UNIGRAM_CHARS = 16 << 10 };

/* The word is as long as the memory: takes the tokens of its beginning, which are certain. */
void unigram_make_room(struct word_sink *sink, struct unigram *unigram, struct pretoken *word);

/* The word ends: takes its tokens. */
void unigram_add(struct word_sink *sink, struct unigram *unigram, struct pretoken *word);

#endif
