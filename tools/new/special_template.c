/* special_template.c - templates of special tokens; see new_options.h and TOKN in
 * weights/FORMAT.md. */
#include "tools/new/new_options.h"

#include "tools/common/options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Reads a number of at most nine digits; false if the text is another. */
static bool read_number(const char *text, size_t len, size_t *number)
{
    *number = strtoul(text, NULL, 10);
    return len > 0 && len <= 9 && strspn(text, "0123456789") >= len;
}

/* Appends a piece, NAME:TYPE, to the text of the setting. Returns 'A' or 'B' for a text, else 0. */
static char add_piece(const char *option, const char *text, size_t len,
                      const struct word_list *words, size_t n_types, char *out)
{
    const char *colon = memrchr(text, ':', len), *blank = out[0] != '\0' ? " " : "";
    const size_t n_name = colon != NULL ? (size_t)(colon - text) : 0, used = strlen(out);
    const int n = (int)n_name;
    size_t type, id;
    if (n_name == 0 || !read_number(colon + 1, len - n_name - 1, &type))
        program_die_misused("%s: '%.*s' is not a piece like A:0 or [SEP]:1", option, (int)len,
                            text);
    if (type >= (n_types > 0 ? n_types : 1))
        program_die_misused("%s: '%.*s' has the type %zu, but the model has %zu token type%s",
                            option, n, text, type, n_types, plural(n_types));
    if (n_name == 1 && (text[0] == 'A' || text[0] == 'B')) {
        snprintf(out + used, TEMPLATE_TEXT_BYTES - used, "%s%c:%zu", blank, text[0], type);
        return text[0];
    }
    if (!read_number(text, n_name, &id))
        id = word_list_find(words, text, n_name);
    if (id >= words->n)
        program_die_misused("%s: '%.*s' is no token of this tokenizer (--add-token adds one)",
                            option, n, text);
    snprintf(out + used, TEMPLATE_TEXT_BYTES - used, "%s%zu:%zu", blank, id, type);
    return 0;
}

void special_template_resolve(const char *option, const char *text, bool is_pair,
                              const struct word_list *words, size_t n_types,
                              char out[TEMPLATE_TEXT_BYTES])
{
    size_t n = 0, n_a = 0, n_b = 0;
    out[0] = '\0';
    for (text += strspn(text, " "); *text != '\0'; text += strspn(text, " ")) {
        size_t len = strcspn(text, " ");
        if (++n > TEMPLATE_PIECES_MOST)
            program_die_misused("%s: more than %d pieces", option, TEMPLATE_PIECES_MOST);
        char piece = add_piece(option, text, len, words, n_types, out);
        n_a += piece == 'A';
        n_b += piece == 'B';
        text += len;
    }
    if (n_a != 1 || n_b != is_pair)
        program_die_misused(is_pair ? "%s needs A once and B once" : "%s needs A once and no B",
                            option);
}
