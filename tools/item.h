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

/* Padding by the input's mask; tokens that are not. */
bool item_is_masked(const struct item *item, size_t i);
size_t item_n_visible(const struct item *item);

/* Whether the i-th token was made of a part of the text: ids and special tokens were not. The bytes
 * it was made of; none: "". */
bool item_has_span(const struct item *item, size_t i);
const char *item_span_text(const struct item *item, size_t i, size_t *len);

/* What messages call it: "text 2" of the arguments, "line 3 of stdin". Returns out. */
enum { ITEM_NAME_BYTES = 48 };
const char *item_name(const struct item *item, char out[ITEM_NAME_BYTES]);

#endif
