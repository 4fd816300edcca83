/* text_lower.h - lower case as in the tokenizers of weight files, for programs that make a
 * vocabulary from text: words are then spelled as the tokenizer looks them up. Not part of the
 * installed library.
 */
#ifndef ENGINE_TEXT_LOWER_H
#define ENGINE_TEXT_LOWER_H

#include <stdbool.h>
#include <stddef.h>

/* Writes the text, in lower case if `lower`, each invalid part replaced by U+FFFD. Returns the
 * length; `out` has room for 3 * len bytes, since no character grows more. */
size_t text_lower(const char *text, size_t len, bool lower, char *out);

#endif
