/* added_tokens.h - tokens that are cut from a text as they are, before anything else is done to it,
 * or (those that are `normalized`) before the normalized text is split into words. Settings:
 * `added` in section TOKN of weights/FORMAT.md. Leftmost, then longest match, as in the reference.
 */
#ifndef MODEL_ADDED_TOKENS_H
#define MODEL_ADDED_TOKENS_H

#include "model/tokenizer/normalizer.h"
#include "model/tokenizer/vocabulary.h"

enum added_flag {
    ADDED_NORMALIZED = 1 << 0,
    ADDED_STRIP_LEFT = 1 << 1,  /* takes the blanks before it along */
    ADDED_STRIP_RIGHT = 1 << 2, /* and those after it */
    ADDED_SINGLE_WORD = 1 << 3, /* only where no word character is next to it */
    ADDED_OUTSIDE = 1 << 4      /* words of a text never become this token */
};

struct added_pattern {
    const char *text;
    uint32_t len, order;
    int32_t id;
    uint8_t flags;
};

/* Patterns in the order of their bytes, no two the same. */
struct pattern_set {
    const struct added_pattern *patterns; /* [n] */
    size_t n, longest;                    /* longest: bytes */
    uint32_t first_bytes[8];              /* bit set of the bytes that patterns start with */
    int only_first;                       /* the only such byte, or -1 */
    uint32_t first_pairs[16];             /* bit set of hashes of their first two bytes */
    bool takes_blanks;                    /* some take blanks next to them along */
};

struct added_tokens {
    struct pattern_set raw, normalized;
    const uint8_t *outside; /* bit set of ids, or NULL */
};

/* True for ids with flags, like "101 103:l 30522:nx". */
bool added_tokens_valid(struct text_view list);

/* Bytes of memory (aligned to 16) for the tables of a list that is valid, and
 * building them. NULL when done; else a static string that says what is wrong. */
size_t added_tokens_bytes(struct text_view list, const struct vocabulary *vocabulary,
                          const struct normalizer_plan *plan);
const char *added_tokens_build(struct added_tokens *added, struct text_view list,
                               const struct vocabulary *vocabulary,
                               const struct normalizer_plan *plan, void *memory);

static inline bool added_is_outside(const struct added_tokens *added, int32_t id)
{
    return added->outside != NULL && id >= 0 && (added->outside[id / 8] >> id % 8 & 1);
}

static inline bool pattern_may_start(const struct pattern_set *set, uint8_t byte)
{
    return set->first_bytes[byte / 32] >> byte % 32 & 1;
}

static inline unsigned pattern_pair(uint8_t first, uint8_t second)
{
    return (first * 31u + second) % 512;
}

/* False only where no pattern starts with these two bytes. */
static inline bool pattern_may_start_with(const struct pattern_set *set, uint8_t first,
                                          uint8_t second)
{
    const unsigned pair = pattern_pair(first, second);
    return pattern_may_start(set, first) && (set->first_pairs[pair / 32] >> pair % 32 & 1);
}

/* The longest pattern that text[0 .. len) starts with, or NULL. *goes_on: whether there is one that
 * is longer than the text and starts with all of it. */
const struct added_pattern *pattern_look(const struct pattern_set *set, const char *text,
                                         size_t len, bool *goes_on);

/* The first place from `at` on where a pattern starts, and the longest one there; len: none. */
size_t pattern_find(const struct pattern_set *set, const char *text, size_t len, size_t at,
                    const struct added_pattern **pattern);

#endif
