/* bpe.h - a word to pieces by byte pair encoding (Sennrich et al. 2016): its characters are the
 * first pieces, and pairs of them are merged in the order of the merges (vocabulary.h). Internal to
 * the tokenizer, but for writing.
 */
#ifndef MODEL_BPE_H
#define MODEL_BPE_H

#include "model/arena.h"
#include "model/tokenizer/word.h"

/* ---- The table ---- */

/* Returns the merge of two tokens, or NULL. */
const struct merge *merges_find(const struct merges *merges, int32_t left, int32_t right);

static inline bool merges_make_whole(const struct merges *merges, int32_t id)
{
    return (uint32_t)id < merges->n_ids && (merges->whole[id / 32] >> id % 32 & 1);
}

/* ---- Words ---- */

/* A part of a word that is one token so far: characters first .. last. */
struct symbol {
    int32_t id;
    uint32_t first, last;
    uint32_t previous, next; /* indexes of symbols, or SYMBOL_NONE */
    uint32_t order;          /* of the merge with the next one, or 0 */
    int32_t merged;          /* the id of that merge */
};

#define SYMBOL_NONE UINT32_MAX

/* The symbols of a word, and the pairs of them that merge, as order << 32 | index of the left one:
 * a heap whose top is the least. */
struct merge_work {
    struct symbol *symbols; /* [cap], n of them in use */
    uint64_t *queue; /* [2 * cap]: every merge removes one and adds at most two; n_queued in use */
    size_t n, n_queued;
};

static inline void merge_work_carve(struct merge_work *work, size_t cap, struct arena *arena)
{
    work->symbols = arena_cut(arena, cap, sizeof *work->symbols);
    work->queue = arena_cut(arena, cap, 2 * sizeof *work->queue);
}

/* Least number of characters of a word that are merged together; of a longer word, the characters
 * before the last quarter become tokens, repeatedly. */
enum { BPE_CHARS = 2048 };

/* Returns BPE_CHARS, or more if tokens are that long: a bound for each token's characters. */
size_t bpe_cap_chars(const struct tokenizer *tokenizer);

/* Adds the pieces of a word, or of the rest of one; its bytes are consumed. */
void bpe_add(struct word *word);

/* Adds the first pieces of a word that fills its memory, and leaves the rest. */
void bpe_add_part(struct word *word);

/* ---- Writing ---- */

/* Affixes of a token's text: `prefix` before each character of a word but the first, `suffix` after
 * the last. */
struct merge_affixes {
    struct text_view prefix, suffix;
};

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
