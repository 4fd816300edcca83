/* merges.h - which two tokens merge into which third one, and in which order: byte pair encoding
 * (Sennrich et al. 2016). A hash table of pairs that is read in place in the weight file (section
 * MERG of weights/FORMAT.md), so that opening a file builds nothing.
 *
 * Pure functions on read-only memory; any number of threads.
 */
#ifndef MODEL_MERGES_H
#define MODEL_MERGES_H

#include "model/arena.h"
#include "model/tokenizer/text.h"
#include "model/tokenizer/vocabulary.h"

/* As in the file: left and right become `id`; order: 1 for the first merge; 0: the slot is free. */
struct merge {
    uint32_t left, right, order, id;
};

struct merges {
    const struct merge *slots; /* [n_slots] */
    const uint32_t *whole;     /* bit set [n_ids]: ids whose own text becomes that one token */
    uint32_t n_slots, n_ids;
};

/* Views a section of len bytes (8-byte aligned) for a vocabulary of n_ids, the first of which are
 * the model's own. Returns NULL on success, else a static string that says what is wrong. Checks
 * sizes only: ids are checked where they are used. */
const char *merges_view(struct merges *merges, const void *section, size_t len, uint32_t n_ids);

/* Returns the merge of two tokens, or NULL. */
const struct merge *merges_find(const struct merges *merges, int32_t left, int32_t right);

static inline bool merges_make_whole(const struct merges *merges, int32_t id)
{
    return (uint32_t)id < merges->n_ids && (merges->whole[id / 32] >> id % 32 & 1);
}

/* ---- A word ---- */

/* A part of a word that is one token so far: characters first .. last. */
struct symbol {
    int32_t id;
    uint32_t first, last;
    uint32_t previous, next; /* indexes of symbols, or SYMBOL_NONE */
    uint32_t order;          /* of the merge with the next one, or 0 */
    int32_t merged;          /* the id of that merge */
};

#define SYMBOL_NONE UINT32_MAX

/* The symbols of a word, and the memory for merging them. */
struct merge_work {
    struct symbol *symbols; /* [cap], n of them in use */
    size_t n;
    uint64_t *queue; /* [2 * cap] */
};

static inline void merge_work_carve(struct merge_work *work, size_t cap, struct arena *arena)
{
    work->symbols = arena_cut(arena, cap, sizeof *work->symbols);
    work->queue = arena_cut(arena, cap, 2 * sizeof *work->queue);
}

/* Merges the symbols, fewer than 2^31, until no two neighbours merge: always the pair of the lowest
 * order, of equal ones the leftmost. The remaining ones are moved to the front, in order. Takes
 * n log n steps. */
void merges_apply(const struct merges *merges, struct merge_work *work);

/* ---- Writing ---- */

/* Affixes of a token's text: `prefix` before each character of a word but the first, `suffix` after
 * the last. */
struct merge_affixes {
    struct text_view prefix, suffix;
};

enum { AFFIX_BYTES = 32 };

/* Returns the id of one character of a word with its affixes; -1 if it is not in the vocabulary. */
int32_t merges_symbol(const struct vocabulary *vocabulary, const struct merge_affixes *affixes,
                      const char *character, size_t len, bool is_first, bool is_last);

/* Returns the length of the section, 0 if it exceeds the format. */
size_t merges_bytes(size_t n, uint32_t n_ids);

/* Returns the bytes of memory (aligned to 16) for building the section of a vocabulary. */
size_t merges_build_bytes(const struct vocabulary *vocabulary);

/* Fills `section` of that length: merges in their order, of which `order` is not read. Returns NULL
 * on success, else a static error string; *bad is the index of the wrong merge. */
const char *merges_build(void *section, size_t section_bytes, const struct merge *merges, size_t n,
                         const struct vocabulary *vocabulary, const struct merge_affixes *affixes,
                         void *memory, size_t *bad);

#endif
