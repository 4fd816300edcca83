/* special_template.h - where special tokens stand around a text or a pair, as the user writes
 * it. */
#ifndef TOOLS_SPECIAL_TEMPLATE_H
#define TOOLS_SPECIAL_TEMPLATE_H

#include "tools/common/weights/word_list.h"

#include <stdbool.h>
#include <stddef.h>

enum { TEMPLATE_PIECES_MOST = 16, TEMPLATE_TEXT_BYTES = 512 };

/* "[CLS]:0 A:0 [SEP]:0": pieces separated by blanks, each A, B, an id or a token's text, then a
 * colon and the token type. Writes the same with ids for texts, as section TOKN of the weight
 * file has it. Messages name the option. */
void special_template_resolve(const char *option, const char *text, bool is_pair,
                              const struct word_list *words, size_t n_types,
                              char out[TEMPLATE_TEXT_BYTES]);

#endif
