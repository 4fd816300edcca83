/* mask.h - which keys a query may see: every kind of mask is an answer to this question.
 *
 * The full mask, the look-ahead (causal) mask and windows are bands: a query sees itself, a number
 * of tokens before it and a number after it. Padding mask: padded tokens are removed from the
 * sequence before anything is computed, so no query can see them; it combines with any band at no
 * cost.
 */
#ifndef MODEL_MASK_H
#define MODEL_MASK_H

#include "model/config.h"

/* More than the tokens of any sequence; twice that still fits into 32 bits. */
enum { ALL_TOKENS = 2 * MOST_TOKENS };

/* Query i sees the keys i - before .. i + after that exist. */
struct band {
    size_t before, after;
};

/* window: a query sees keys at most `window` tokens away; 0: all. */
static inline struct band mask_band(enum mask_kind mask, size_t window)
{
    size_t reach = window > 0 && window < ALL_TOKENS ? window : ALL_TOKENS;
    return (struct band){.before = reach, .after = mask == MASK_CAUSAL ? 0 : reach};
}

struct key_range {
    size_t begin, end; /* keys begin .. end - 1 */
};

static inline struct key_range mask_visible(struct band band, size_t query, size_t n_keys)
{
    size_t begin = query > band.before ? query - band.before : 0, end = query + band.after + 1;
    return (struct key_range){begin < n_keys ? begin : n_keys, end < n_keys ? end : n_keys};
}

/* The unpadded tokens of a row with a padding mask [n] (NULL: all ones): n_kept tokens, all within
 * first .. first + span - 1. Positions count from `first`. */
struct kept_tokens {
    size_t n_kept, first, span;
};

static inline bool mask_keeps(const uint8_t *mask, size_t i)
{
    return mask == NULL || mask[i] != 0;
}

static inline struct kept_tokens mask_kept(const uint8_t *mask, size_t n)
{
    struct kept_tokens kept = {0};
    if (mask == NULL) /* n may be anything: it is checked later */
        return (struct kept_tokens){.n_kept = n, .span = n};
    for (size_t i = 0; i < n; i++) {
        if (!mask_keeps(mask, i))
            continue;
        if (kept.n_kept++ == 0)
            kept.first = i;
        kept.span = i - kept.first + 1;
    }
    return kept;
}

#endif
