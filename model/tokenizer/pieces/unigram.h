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
    uint16_t n_chars; /* of that; 0: no piece ends here yet */
    uint16_t root;    /* the node that the way begins at */
};

/* Bytes and characters of a word that are kept at a time, and how often a text may have words of
 * which nothing is certain when they are so long: some 3,000 characters each time. */
enum { UNIGRAM_CHARS = 4096, UNIGRAM_TURNS = 1024 };

/* The word that is being read, as far as it has no tokens yet. */
struct unigram {
    struct unigram_node *nodes; /* [UNIGRAM_CHARS + 1], n_nodes in use, from the last certain one */
    size_t n_nodes;
    size_t next;       /* the first character from which no piece was tried */
    size_t base;       /* the node at which the tokens begin that are still to be taken */
    bool in_word;      /* some of the word's tokens are in the sink already: */
    size_t n_before;   /* tokens before it */
    bool in_unknown;   /* the last of them are those of unknown characters: */
    size_t first;      /* the first such token */
    size_t begin, end; /* and the bytes of the text that they are for */
    /* Turns: the word filled the memory and nothing was certain, so its beginning is forgotten, and
     * each of `width` nodes may be the one to go on from. */
    uint16_t *roots;  /* [UNIGRAM_TURNS, width] at the turn before, the node of the best way here */
    uint16_t *chosen; /* [UNIGRAM_TURNS] the node that was right, known later */
    size_t width, n_turns;
    size_t first_lost;            /* turns from here on are not decided */
    bool is_lost, is_second_time; /* the text is read again, with what was chosen */
};

/* Gives the parts of the memory (aligned to 16) out, or counts its bytes where it is NULL. */
size_t unigram_carve(struct unigram *unigram, const struct unigram_pieces *pieces, char *memory);

/* A text begins, or begins a second time. */
void unigram_begin(struct unigram *unigram, bool is_second_time);

/* At the end of a text: it must be read a second time, for its tokens were not certain. */
bool unigram_wants_second_time(const struct unigram *unigram);

/* The word is as long as the memory: takes the tokens of its beginning that are certain. */
void unigram_make_room(struct word_sink *sink, struct unigram *unigram, struct pretoken *word);

/* The word ends: takes its tokens. */
void unigram_add(struct word_sink *sink, struct unigram *unigram, struct pretoken *word);

#endif
