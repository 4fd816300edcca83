/* template.h - the frame around texts: special tokens, the order and the types of the texts, and
 * what is cut where there is a limit. Internal to the tokenizer; grammar and formula: section TOKN
 * of weights/FORMAT.md.
 */
#ifndef MODEL_TEMPLATE_H
#define MODEL_TEMPLATE_H

#include "model/tokenizer/tokenizer.h"

/* Reads "101:0 A:0 102:0"; n_texts 1 or 2. False where it is no such template; *template is then
 * unchanged. */
bool template_parse(struct token_template *template, const char *text, size_t len, size_t n_texts);

/* A decimal number without sign, blanks or anything else, up to INT32_MAX; -1 if it is none. */
int32_t template_number(const char *text, size_t len);

/* The tokens of a text that the answer has: the first `skipped` are left out, then at most `kept`
 * taken. */
struct text_cut {
    size_t skipped, kept;
};

/* How many tokens a text has, and two counts of whole words and added tokens. */
struct text_count {
    size_t n;
    size_t enough;      /* asked for: tokens that are enough */
    size_t reached;     /* tokens up to the first word that ends with so many; or SIZE_MAX */
    size_t most_before; /* asked for: a place, in tokens */
    size_t before;      /* tokens before the last word that does not start behind it; or 0 */
};

/* Shares out room among the texts, which have counts[i] tokens (counts[1] is 0 where there is
 * none). NULL, or a static string that says why it cannot be done so. */
const char *template_truncate(enum truncation truncation, bool has_pair, const size_t counts[2],
                              size_t room, size_t kept[2]);

/* Writes the pieces in order: special tokens (if asked), and the tokens of the texts, cut.
 * Returns the tokens of the answer. */
size_t template_fill(const struct tokenizer *tokenizer, const struct token_input *input,
                     bool special, const struct text_cut cuts[2], struct token *out, size_t cap,
                     void *scratch, struct text_count counts[2]);

#endif
