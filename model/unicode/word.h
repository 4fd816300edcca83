/* word.h - the words of a text, for search: runs of letters, marks, digits and connectors, in lower
 * case and decomposed (NFD, if marks are in order); each ideograph alone.
 */
#ifndef MODEL_WORD_H
#define MODEL_WORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Finds the next word from text[*at] on, and advances *at past it: *key is the 64-bit FNV-1a hash
 * of its UTF-8. Returns false at the end. */
bool word_next(const char *text, size_t len, size_t *at, uint64_t *key);

#endif
