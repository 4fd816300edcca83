/* vectors_table.c - see vectors_table.h. The numbers are held once, as floats, and the text of the
 * file not at all.
 */
#include "tools/import/vectors/vectors_table.h"

#include "tools/common/utf8.h"

#include <stdlib.h>
#include <utf8proc.h>

enum { FIRST_FLOATS = 1 << 20 };

/* ---- Rows ---- */

/* Room for the row behind the last; NULL if there is no memory. It counts when n_rows does. Pages
 * that are not written yet take no memory, so growing by half is cheap. */
static float *next_row(struct vectors_table *table)
{
    if (table->n_rows == table->cap) {
        size_t cap = table->cap + table->cap / 2 + FIRST_FLOATS / table->width + 1;
        float *rows = reallocarray(table->rows, cap, table->width * sizeof *rows);
        if (rows == NULL)
            return NULL;
        table->rows = rows;
        table->cap = cap;
    }
    return table->rows + table->n_rows * table->width;
}

const float *vectors_table_row(const struct vectors_table *table, size_t id)
{
    size_t row = table->row_of != NULL ? table->row_of[id] : id - 1;
    return id == 0 || row == SIZE_MAX ? NULL : table->rows + row * table->width;
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

/* How a word counts. */
enum word_state { WORD_NEW, WORD_REPEATED, WORD_PASSED_AGAIN, WORD_NO_MEMORY };

/* Any word, unless it was there before. */
static enum word_state add_word(struct vectors_table *table, struct word_list *words,
                                const struct text_span *word)
{
    if (word_list_find(words, word->text, word->len) != WORD_NONE)
        return WORD_REPEATED;
    if (!word_list_append(words, word->text, word->len))
        return WORD_NO_MEMORY;
    table->n_rows++;
    if (table->cased == 0 && has_capital(word->text, word->len))
        table->cased = words->n - 1;
    return WORD_NEW;
}

/* A word that is wanted, the first time it comes; of the others each counts once, where a limit
 * makes them count. */
static enum word_state add_wanted(struct vectors_table *table, const struct word_list *words,
                                  const struct text_span *word, bool has_limit)
{
    size_t id = word_list_find(words, word->text, word->len);
    if (id == WORD_NONE) {
        if (!has_limit)
            return WORD_NEW;
        if (word_list_find(&table->passed, word->text, word->len) != WORD_NONE)
            return WORD_PASSED_AGAIN;
        return word_list_append(&table->passed, word->text, word->len) ? WORD_NEW : WORD_NO_MEMORY;
    }
    if (table->row_of[id] != SIZE_MAX)
        return WORD_REPEATED;
    table->row_of[id] = table->n_rows++;
    table->n_absent--;
    return WORD_NEW;
}

static bool read_words(struct vectors_table *table, struct vectors_file *file,
                       struct word_list *words, size_t limit)
{
    for (size_t n = 0; limit == 0 || n < limit;) {
        struct text_span word;
        float *values = next_row(table);
        if (values == NULL)
            return problem_memory(file->problem);
        if (!vectors_file_next(file, &word, values))
            return false;
        if (word.text == NULL)
            return true;
        enum word_state state = table->row_of != NULL ? add_wanted(table, words, &word, limit > 0)
                                                      : add_word(table, words, &word);
        if (state == WORD_NO_MEMORY)
            return problem_memory(file->problem);
        if (state == WORD_REPEATED)
            vectors_file_repeated(file, &word);
        n += state == WORD_NEW;
    }
    return true;
}

/* Row 0 has no text. */
static bool start_wanted(struct vectors_table *table, const struct word_list *words)
{
    table->row_of = malloc((words->n + 1) * sizeof *table->row_of);
    for (size_t id = 0; table->row_of != NULL && id < words->n; id++) {
        table->row_of[id] = SIZE_MAX;
        table->n_absent += words->lens[id] > 0;
    }
    return table->row_of != NULL;
}

bool vectors_table_read(struct vectors_table *table, struct vectors_file *file,
                        struct word_list *words, bool is_wanted, size_t limit)
{
    *table = (struct vectors_table){.width = file->width};
    bool ok = is_wanted ? start_wanted(table, words) : word_list_append(words, NULL, 0);
    ok = ok ? read_words(table, file, words, limit) : problem_memory(file->problem);
    table->n_ids = words->n;
    if (!ok)
        vectors_table_free(table);
    return ok;
}
