/* unigram.h - a word to pieces by a unigram language model (Kudo 2018): of all ways to compose the
 * word from pieces, the one with the largest sum of scores. Pieces and scores: section PIEC of
 * weights/FORMAT.md. Internal to the tokenizer.
 */
#ifndef MODEL_UNIGRAM_H
#define MODEL_UNIGRAM_H

#include "model/arena.h"
#include "model/tokenizer/word.h"

/* The end of a character: the best path to it. */
struct unigram_node {
    double score;
    int32_t id;       /* of its last piece */
    uint16_t n_chars; /* of that piece; 0: no piece ends here yet */
    uint16_t root;    /* the node where the path starts */
};

/* Bytes and characters of a word that are in memory at a time, and how often per text such a long
 * word may be undecided: some 3,000 characters each time. */
enum { UNIGRAM_CHARS = 4096, UNIGRAM_TURNS = 1024 };

/* The word being read, as far as it has no tokens yet. */
struct unigram {
    struct unigram_node *nodes; /* [UNIGRAM_CHARS + 1], n_nodes in use, from the last certain one */
    size_t n_nodes;
    size_t next;       /* the first character from which no piece was tried */
    size_t base;       /* the node where the next tokens to be added start */
    bool in_unknown;   /* the last tokens in the sink are for unknown characters: */
    size_t first;      /* the first such token */
    size_t begin, end; /* and their bytes of the text */
    /* Turns: the word filled the memory and nothing was certain, so its start is dropped, and each
     * of `width` nodes may be the one to continue from. */
    uint16_t *roots;  /* [UNIGRAM_TURNS, width] node of the turn before, on the best path to each */
    uint16_t *chosen; /* [UNIGRAM_TURNS] the right node, known later */
    size_t width, n_turns;
    size_t first_lost;            /* turns from here on are undecided */
    bool is_lost, is_second_time; /* the text is read again, with `chosen` */
};

void unigram_carve(struct unigram *unigram, const struct unigram_pieces *pieces,
                   struct arena *arena);

/* Starts a text or, if there were turns in it, its second reading. */
void unigram_begin(struct unigram *unigram, bool is_second_time);

/* Call when the word fills the memory: adds the tokens of its start that are certain. */
void unigram_add_part(struct word *word);

/* Ends the word: adds its tokens. */
void unigram_add(struct word *word);

#endif
