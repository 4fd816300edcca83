/* item.h - one input on its way to the output: what was read, its tokens, its vectors. */
#ifndef TOOLS_ITEM_H
#define TOOLS_ITEM_H

#include "tools/record.h"

#include <stdbool.h>
#include <stddef.h>

struct item {
    size_t number; /* of the input, from 1 */
    struct record record;
    engine_token *tokens; /* [n_tokens], owned */
    size_t n_tokens;
    size_t n_dropped;     /* tokens cut away */
    const float *vectors; /* [n_tokens, D], or [D] pooled; the encoder's; NULL: tokens only */
};

void item_free(struct item *item);

/* Tokens that are not padding by the input's mask. */
size_t item_n_visible(const struct item *item);

#endif
