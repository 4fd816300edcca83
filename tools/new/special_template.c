/* special_template.c - templates of special tokens; see new_options.h and TOKN in
 * weights/FORMAT.md. */
#include "tools/new/new_options.h"

#include "tools/common/options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct piece {
    const char *name; /* A, B, an id or a token, [name_len] */
    size_t name_len, type;
};

/* A number of at most nine digits; false: it is none. */
static bool read_number(const char *text, size_t len, size_t *number)
{
    *number = strtoul(text, NULL, 10);
    return len > 0 && len <= 9 && strspn(text, "0123456789") >= len;
}

static bool split_piece(const char *text, size_t len, struct piece *piece)
{
    const char *colon = memrchr(text, ':', len);
    if (colon == NULL || colon == text)
        return false;
    piece->name = text;
    piece->name_len = (size_t)(colon - text);
    return read_number(colon + 1, len - piece->name_len - 1, &piece->type);
}

/* Which text it is, 'A' or 'B'; 0: a special token. */
static char text_of(const struct piece *piece)
{
    return piece->name_len == 1 && (piece->name[0] == 'A' || piece->name[0] == 'B') ? piece->name[0]
                                                                                    : 0;
}

/* Appends the piece to the text of the setting. */
static void add_piece(const char *option, const struct piece *piece, const struct word_list *words,
                      size_t n_types, char *out)
{
    size_t used = strlen(out), left = TEMPLATE_TEXT_BYTES - used, id;
    const char *blank = used > 0 ? " " : "";
    if (piece->type >= (n_types > 0 ? n_types : 1))
        program_die_misused("%s: '%.*s' has the type %zu, but the model has %zu token type%s",
                            option, (int)piece->name_len, piece->name, piece->type, n_types,
                            plural(n_types));
    if (text_of(piece) != 0) {
        snprintf(out + used, left, "%s%c:%zu", blank, text_of(piece), piece->type);
        return;
    }
    if (!read_number(piece->name, piece->name_len, &id))
        id = word_list_find(words, piece->name, piece->name_len);
    if (id >= words->n)
        program_die_misused("%s: '%.*s' is no token of this tokenizer (--add-token adds one)",
                            option, (int)piece->name_len, piece->name);
    snprintf(out + used, left, "%s%zu:%zu", blank, id, piece->type);
}

void special_template_resolve(const char *option, const char *text, bool is_pair,
                              const struct word_list *words, size_t n_types,
                              char out[TEMPLATE_TEXT_BYTES])
{
    size_t n = 0, n_a = 0, n_b = 0;
    out[0] = '\0';
    for (text += strspn(text, " "); *text != '\0'; text += strspn(text, " ")) {
        size_t len = strcspn(text, " ");
        struct piece piece;
        if (!split_piece(text, len, &piece))
            program_die_misused("%s: '%.*s' is not a piece like A:0 or [SEP]:1", option, (int)len,
                                text);
        if (++n > TEMPLATE_PIECES_MOST)
            program_die_misused("%s: more than %d pieces", option, TEMPLATE_PIECES_MOST);
        add_piece(option, &piece, words, n_types, out);
        n_a += text_of(&piece) == 'A';
        n_b += text_of(&piece) == 'B';
        text += len;
    }
    if (n_a != 1 || n_b != is_pair)
        program_die_misused(is_pair ? "%s needs A once and B once" : "%s needs A once and no B",
                            option);
}
