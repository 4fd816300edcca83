/* vectors_table.c - see vectors_table.h. The numbers are held once, as floats, and the text of the
 * file not at all.
 */
#include "tools/import/vectors/vectors_table.h"

#include "tools/common/alloc.h"
#include "tools/common/print/utf8.h"

#include <stdlib.h>
#include <string.h>
#include <utf8proc.h>

enum { FIRST_FLOATS = 1 << 20 };

/* ---- Rows ---- */

/* Room for the row behind the last, which counts when n_rows does. Pages that are not written yet
 * take no memory, so growing by half is cheap. */
static float *next_row(struct vectors_table *table)
{
    if (table->n_rows == table->cap) {
        table->cap += table->cap / 2 + FIRST_FLOATS / table->width + 1;
        table->rows = alloc_resize(table->rows, table->cap, table->width * sizeof *table->rows);
    }
    return table->rows + table->n_rows * table->width;
}

const float *vectors_table_row(const struct vectors_table *table, size_t id)
{
    return table->rows + (table->row_of != NULL ? table->row_of[id] : id) * table->width;
}

void vectors_table_free(struct vectors_table *table)
{
    free(table->rows);
    free(table->row_of);
    word_list_free(&table->passed);
    *table = (struct vectors_table){0};
}

/* ---- Words ---- */

static bool has_capital(const char *text, size_t len)
{
    for (size_t at = 0; at < len;) {
        uint32_t character;
        at += utf8_next(text + at, len - at, &character);
        if (character < 0x80
                ? character >= 'A' && character <= 'Z'
                : utf8proc_tolower((utf8proc_int32_t)character) != (utf8proc_int32_t)character)
            return true;
    }
    return false;
}

/* Any word, unless it was there before. */
static bool add_word(struct vectors_table *table, struct word_list *words,
                     const struct text_span *word)
{
    if (word_list_find(words, word->text, word->len) != WORD_NONE)
        return false;
    word_list_append(words, word->text, word->len);
    table->n_rows++;
    if (table->cased == 0 && has_capital(word->text, word->len))
        table->cased = words->n - 1;
    return true;
}

/* A word that is wanted, the first time it comes. */
static bool add_wanted(struct vectors_table *table, size_t id)
{
    if (table->row_of[id] != 0)
        return false;
    table->row_of[id] = table->n_rows++;
    return true;
}

/* Whether a word that is not wanted counts: where there is a limit, each does once. */
static bool pass(struct vectors_table *table, const struct text_span *word, size_t limit)
{
    if (limit == 0 || word_list_find(&table->passed, word->text, word->len) != WORD_NONE)
        return false;
    word_list_append(&table->passed, word->text, word->len);
    return true;
}

static void read_words(struct vectors_table *table, struct vectors_file *file,
                       struct word_list *words, size_t limit)
{
    struct text_span word;
    for (size_t n = 0;
         (limit == 0 || n < limit) && vectors_file_next(file, &word, next_row(table));) {
        size_t id = table->row_of != NULL ? word_list_find(words, word.text, word.len) : 0;
        if (id == WORD_NONE) {
            n += pass(table, &word, limit);
            continue;
        }
        bool is_new = table->row_of != NULL ? add_wanted(table, id) : add_word(table, words, &word);
        if (!is_new)
            vectors_file_repeated(file, &word);
        n += is_new;
    }
}

void vectors_table_read(struct vectors_table *table, struct vectors_file *file,
                        struct word_list *words, bool is_wanted, size_t limit)
{
    *table = (struct vectors_table){.width = file->width};
    memset(next_row(table), 0, table->width * sizeof *table->rows);
    table->n_rows = 1;
    if (is_wanted) {
        table->row_of = alloc_zeros(words->n, sizeof *table->row_of);
    } else {
        word_list_append(words, NULL, 0); /* row 0 has no text */
    }
    read_words(table, file, words, limit);
    table->n_ids = words->n;
}
