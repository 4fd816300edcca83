/* template.h - the frame around texts: special tokens, the order and the types of the texts, and
 * what is cut where there is a limit. Internal to the tokenizer; grammar and formula: section TOKN
 * of weights/FORMAT.md.
 */
#ifndef MODEL_TEMPLATE_H
#define MODEL_TEMPLATE_H

#include "model/tokenizer.h"

/* Reads "101:0 A:0 102:0"; n_texts 1 or 2. False where it is no such template; *template is then
 * unchanged. */
bool template_parse(struct token_template *template, const char *text, size_t len, size_t n_texts);

/* A decimal number without sign, blanks or anything else, up to INT32_MAX; -1 if it is none. */
int32_t template_number(const char *text, size_t len);

/* How many of a and b tokens are kept where there is room for `room` together. */
void template_truncate(size_t a, size_t b, size_t room, size_t kept[2]);

/* Writes the pieces in order: special tokens (if asked), and the first kept[i] tokens of text i.
 * Returns the tokens of the answer; counts[i] is the number of tokens that text i has. */
size_t template_fill(const struct tokenizer *tokenizer, const struct token_input *input,
                     bool special, const size_t kept[2], struct token *out, size_t cap,
                     void *scratch, size_t counts[2]);

#endif
