/* template.h - the frame around texts (special tokens, the order and the types of the texts), and
 * the tokens each text keeps under a limit. Grammar and formula: section TOKN of weights/FORMAT.md.
 */
#ifndef MODEL_TEMPLATE_H
#define MODEL_TEMPLATE_H

#include "engine/engine_types.h"
#include "model/tokenizer/list.h"

enum { TEMPLATE_PIECES = 16 };
enum { TEMPLATE_A = -2, TEMPLATE_B = -3 }; /* instead of ids: the pieces that are the texts */

struct template_piece {
    int32_t id; /* a special token, or TEMPLATE_A, TEMPLATE_B */
    int32_t type;
};

struct token_template {
    struct template_piece pieces[TEMPLATE_PIECES];
    size_t n_pieces, n_special;
};

/* Reads "101:0 A:0 102:0"; n_texts is 1 or 2. Returns false, *template unchanged, if invalid. */
bool template_parse(struct token_template *template, struct text_view text, size_t n_texts);

/* Divides `room` tokens among the texts, which have counts[i] tokens (counts[1] is 0 without a
 * pair). Returns NULL on success, else a static string that says why it is impossible. */
const char *template_truncate(engine_truncation truncation, bool has_pair, const size_t counts[2],
                              size_t room, size_t kept[2]);

#endif
