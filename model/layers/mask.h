/* mask.h - which keys a query may see: every kind of mask is an answer to this question.
 *
 * Look-ahead (causal) mask: query i sees keys 0 .. i. Padding mask: padded tokens are left out of
 * the sequence before anything is computed, so no query can see them; with a look-ahead mask, both
 * hold without more being done.
 */
#ifndef MODEL_MASK_H
#define MODEL_MASK_H

#include "model/config.h"

struct key_range {
    size_t begin, end; /* keys begin .. end - 1 */
};

static inline struct key_range mask_visible(enum mask_kind mask, size_t query, size_t n_keys)
{
    size_t end = mask == MASK_CAUSAL && query + 1 < n_keys ? query + 1 : n_keys;
    return (struct key_range){0, end};
}

/* What a padding mask [n] (NULL: all ones) leaves of a row: n_kept tokens, all of them within
 * first .. first + span - 1. Positions count from `first`. */
struct kept_tokens {
    size_t n_kept, first, span;
};

static inline bool mask_keeps(const uint8_t *mask, size_t i)
{
    return mask == NULL || mask[i] != 0;
}

struct kept_tokens mask_kept(const uint8_t *mask, size_t n);

#endif
