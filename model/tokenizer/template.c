/* template.c - a template is a list of pieces, `A`, `B` or a special token's id, each with a token
 * type: "101:0 A:0 102:0 B:1 102:1". Texts of a and b tokens, a + b > r, keep
 *
 *     n1 = min(a, b);  n2 = max(n1, r - n1);  if n1 + n2 > r: n1 = floor(r / 2), n2 = n1 + r mod 2
 *
 * tokens: n1 of the shorter (the first, if they are equal), n2 of the other. If only one of them is
 * cut, it must keep at least one token.
 */
#include "model/tokenizer/template.h"

bool template_parse(struct token_template *template, struct text_view text, size_t n_texts)
{
    struct token_template parsed = {.n_pieces = 0};
    struct text_view item, id, type;
    size_t n_a = 0, n_b = 0;
    for (size_t at = 0; list_next(text, &at, &item);) {
        if (parsed.n_pieces == TEMPLATE_PIECES || !list_split(item, &id, &type))
            return false;
        struct template_piece *piece = &parsed.pieces[parsed.n_pieces++];
        piece->type = list_number(type);
        piece->id = list_item_is(id, "A")   ? TEMPLATE_A
                    : list_item_is(id, "B") ? TEMPLATE_B
                                            : list_number(id);
        if (piece->type < 0 || piece->id == -1)
            return false;
        n_a += piece->id == TEMPLATE_A;
        n_b += piece->id == TEMPLATE_B;
    }
    if (n_a != 1 || n_b != n_texts - 1)
        return false;
    parsed.n_special = parsed.n_pieces - n_texts;
    *template = parsed;
    return true;
}

static void cut_longest_first(const size_t counts[2], size_t room, size_t kept[2])
{
    const size_t shorter = counts[0] <= counts[1] ? 0 : 1;
    size_t n1 = counts[shorter];
    size_t n2 = room > n1 && room - n1 > n1 ? room - n1 : n1;
    if (n1 > room || n2 > room - n1) {
        n1 = room / 2;
        n2 = n1 + room % 2;
    }
    kept[shorter] = n1;
    kept[1 - shorter] = n2;
}

const char *template_truncate(engine_truncation truncation, bool has_pair, const size_t counts[2],
                              size_t room, size_t kept[2])
{
    const size_t only = truncation == ENGINE_TRUNCATE_ONLY_SECOND;
    kept[0] = counts[0];
    kept[1] = counts[1];
    if (counts[0] <= room && counts[1] <= room - counts[0])
        return NULL;
    if (room == 0) {
        kept[0] = kept[1] = 0;
    } else if (truncation != ENGINE_TRUNCATE_LONGEST_FIRST) {
        if (only == 1 && !has_pair)
            return "only the second text may be cut, but there is only one text";
        if (counts[1 - only] >= room)
            return "the text that may be cut would become empty";
        kept[only] = room - counts[1 - only];
    } else if (has_pair) {
        cut_longest_first(counts, room, kept);
    } else {
        kept[0] = room;
    }
    return NULL;
}
