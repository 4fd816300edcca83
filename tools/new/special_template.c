/* special_template.c - templates of special tokens; see special_template.h and TOKN in
 * weights/FORMAT.md. */
#include "tools/new/special_template.h"

#include "tools/common/options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct piece {
    const char *name; /* A, B, an id or a token, [name_len] */
    size_t name_len;
    size_t type;
};

static bool is_number(const char *text, size_t len)
{
    return len > 0 && len <= 9 && strspn(text, "0123456789") >= len;
}

static bool split_piece(const char *text, size_t len, struct piece *piece)
{
    size_t colon = len;
    while (colon > 0 && text[colon - 1] != ':')
        colon--;
    if (colon < 2 || !is_number(text + colon, len - colon))
        return false;
    *piece = (struct piece){
        .name = text, .name_len = colon - 1, .type = (size_t)strtoul(text + colon, NULL, 10)};
    return true;
}

static bool is_text(const struct piece *piece, char letter)
{
    return piece->name_len == 1 && piece->name[0] == letter;
}

static size_t special_id(const struct piece *piece, const struct word_list *words)
{
    size_t id = WORD_NONE;
    if (is_number(piece->name, piece->name_len))
        id = (size_t)strtoul(piece->name, NULL, 10);
    else
        id = word_list_find(words, piece->name, piece->name_len);
    return id < words->n ? id : WORD_NONE;
}

static int add_piece(const char *option, const struct piece *piece, const struct word_list *words,
                     size_t n_types, char *out)
{
    size_t used = strlen(out), left = TEMPLATE_TEXT_BYTES - used;
    const char *blank = used > 0 ? " " : "";
    if (piece->type >= (n_types > 0 ? n_types : 1))
        return program_misuse("%s: '%.*s' has the type %zu, but the model has %zu token type%s",
                              option, (int)piece->name_len, piece->name, piece->type, n_types,
                              plural(n_types));
    if (is_text(piece, 'A') || is_text(piece, 'B')) {
        snprintf(out + used, left, "%s%c:%zu", blank, piece->name[0], piece->type);
        return PROGRAM_DONE;
    }
    size_t id = special_id(piece, words);
    if (id == WORD_NONE)
        return program_misuse("%s: '%.*s' is no token of this tokenizer (--add-token adds one)",
                              option, (int)piece->name_len, piece->name);
    snprintf(out + used, left, "%s%zu:%zu", blank, id, piece->type);
    return PROGRAM_DONE;
}

int special_template_resolve(const char *option, const char *text, bool is_pair,
                             const struct word_list *words, size_t n_types,
                             char out[TEMPLATE_TEXT_BYTES])
{
    size_t n = 0, n_a = 0, n_b = 0;
    out[0] = '\0';
    for (text += strspn(text, " "); *text != '\0'; text += strspn(text, " ")) {
        size_t len = strcspn(text, " ");
        struct piece piece;
        if (!split_piece(text, len, &piece))
            return program_misuse("%s: '%.*s' is not a piece like A:0 or [SEP]:1", option, (int)len,
                                  text);
        if (++n > TEMPLATE_PIECES_MOST)
            return program_misuse("%s: more than %d pieces", option, TEMPLATE_PIECES_MOST);
        int code = add_piece(option, &piece, words, n_types, out);
        if (code != PROGRAM_DONE)
            return code;
        n_a += is_text(&piece, 'A');
        n_b += is_text(&piece, 'B');
        text += len;
    }
    if (n_a != 1 || n_b != (is_pair ? 1 : 0))
        return program_misuse(is_pair ? "%s needs A once and B once" : "%s needs A once and no B",
                              option);
    return PROGRAM_DONE;
}
