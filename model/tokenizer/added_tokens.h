/* added_tokens.h - tokens that are cut from a text verbatim, before anything else is done to it, or
 * (`normalized` ones) before the normalized text is split into words. Settings: `added` in section
 * TOKN of weights/FORMAT.md. Leftmost, then longest match, as in the reference.
 */
#ifndef MODEL_ADDED_TOKENS_H
#define MODEL_ADDED_TOKENS_H

#include "model/tokenizer/normalizer.h"
#include "model/tokenizer/vocabulary.h"

enum added_flag {
    ADDED_NORMALIZED = 1 << 0,
    ADDED_STRIP_LEFT = 1 << 1,  /* includes the blanks before it */
    ADDED_STRIP_RIGHT = 1 << 2, /* includes the blanks after it */
    ADDED_SINGLE_WORD = 1 << 3, /* matches only without word characters next to it */
    ADDED_OUTSIDE = 1 << 4      /* words of a text never become this token */
};

struct added_pattern {
    const char *text;
    uint32_t len, order;
    int32_t id;
    uint8_t flags;
};

/* Patterns sorted by their bytes, without duplicates. */
struct pattern_set {
    const struct added_pattern *patterns; /* [n] */
    size_t n, longest;                    /* longest: bytes */
    uint32_t first_bytes[8];              /* bit set of the bytes that patterns start with */
    int only_first;                       /* the only such byte, or -1 */
    uint32_t first_pairs[16];             /* bit set of hashes of their first two bytes */
    bool strips_blanks;                   /* some patterns include blanks next to them */
};

struct added_tokens {
    struct pattern_set raw, normalized;
    const uint8_t *outside; /* bit set of ids, or NULL */
};

/* Returns whether the list consists of ids with flags, like "101 103:l 30522:nx". */
bool added_tokens_valid(struct text_view list);

/* added_tokens_bytes returns the bytes of memory (aligned to 16) for building the tables of a valid
 * list; added_tokens_build returns NULL on success, else a static error string. */
size_t added_tokens_bytes(struct text_view list, const struct vocabulary *vocabulary,
                          const struct normalizer_plan *plan);
const char *added_tokens_build(struct added_tokens *added, struct text_view list,
                               const struct vocabulary *vocabulary,
                               const struct normalizer_plan *plan, void *memory);

static inline bool pattern_may_start(const struct pattern_set *set, uint8_t byte)
{
    return set->first_bytes[byte / 32] >> byte % 32 & 1;
}

static inline unsigned pattern_pair(uint8_t first, uint8_t second)
{
    return (first * 31u + second) % 512;
}

/* Returns false only if no pattern starts with these two bytes. */
static inline bool pattern_may_start_with(const struct pattern_set *set, uint8_t first,
                                          uint8_t second)
{
    const unsigned pair = pattern_pair(first, second);
    return pattern_may_start(set, first) && (set->first_pairs[pair / 32] >> pair % 32 & 1);
}

/* Returns the longest pattern that text[0 .. len) starts with, or NULL. Sets *goes_on if a longer
 * pattern starts with all of the text. */
const struct added_pattern *pattern_look(const struct pattern_set *set, const char *text,
                                         size_t len, bool *goes_on, struct meter *meter);

/* Returns the first offset from `at` on where a pattern starts, or len, also if the meter ends the
 * text. *pattern: the longest. */
size_t pattern_find(const struct pattern_set *set, const char *text, size_t len, size_t at,
                    const struct added_pattern **pattern, struct meter *meter);

#endif
