/* spans.h - encode --spans: the spans that a JSON line names, and a vector for each of them. */
#ifndef TOOLS_ENCODE_SPANS_H
#define TOOLS_ENCODE_SPANS_H

#include "tools/common/texts/item.h"

/* Ends the program if the model's vectors cannot be those of a part of a text. */
void spans_check(struct text_encoder *encoder);

/* Reads the "spans" of an item's line: *spans is [*n], to be freed. Returns false after it has set
 * the encoder's message, which names the line and the span. */
bool spans_read(struct text_encoder *encoder, const struct item *item, engine_span **spans,
                size_t *n);

/* Encodes an item whose tokens are set, once: rows is [n, width]. Returns false like spans_read. */
bool spans_encode(struct text_encoder *encoder, const struct item *item, const engine_span *spans,
                  size_t n, float *rows);

/* Returns the item that is printed for span i of n, as if it were a window: it borrows the text,
 * without its prompt, and the row. */
struct item spans_item(const struct item *item, const engine_span *spans, size_t i, size_t n,
                       const float *row);

#endif
