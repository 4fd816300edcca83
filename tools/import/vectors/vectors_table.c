/* vectors_table.c - see vectors_table.h. The numbers are held once, as floats, and the text of the
 * file not at all.
 */
#include "tools/import/vectors/vectors_table.h"

#include "tools/common/utf8.h"

#include <stdlib.h>
#include <utf8proc.h>

enum { BLOCK_FLOATS = 1 << 20 };

/* ---- Rows ---- */

/* Room for the row behind the last; NULL if there is no memory. It counts when n does. */
static float *next_row(struct vector_rows *rows)
{
    size_t block = rows->n / rows->rows_per_block;
    if (block == rows->n_blocks) {
        float **blocks = realloc(rows->blocks, (block + 1) * sizeof *blocks);
        if (blocks == NULL)
            return NULL;
        rows->blocks = blocks;
        blocks[block] = malloc(rows->rows_per_block * rows->width * sizeof **blocks);
        if (blocks[block] == NULL)
            return NULL;
        rows->n_blocks++;
    }
    return rows->blocks[block] + rows->n % rows->rows_per_block * rows->width;
}

const float *vectors_table_row(const struct vectors_table *table, size_t id)
{
    const struct vector_rows *rows = &table->rows;
    size_t row = table->row_of != NULL ? table->row_of[id] : id - 1;
    if (id == 0 || row == SIZE_MAX)
        return NULL;
    return rows->blocks[row / rows->rows_per_block] + row % rows->rows_per_block * rows->width;
}

void vectors_table_free(struct vectors_table *table)
{
    for (size_t i = 0; i < table->rows.n_blocks; i++)
        free(table->rows.blocks[i]);
    free(table->rows.blocks);
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
static bool add_word(struct vectors_table *table, struct vectors_file *file,
                     struct word_list *words, const struct vector_word *word, bool *is_new,
                     struct problem *problem)
{
    *is_new = word_list_find(words, word->text, word->len) == WORD_NONE;
    if (!*is_new) {
        vectors_file_repeated(file, word);
        return true;
    }
    if (!word_list_append(words, word->text, word->len))
        return problem_memory(problem);
    table->rows.n++;
    if (table->cased == NULL && has_capital(word->text, word->len)) {
        table->cased = words->texts[words->n - 1];
        table->cased_len = word->len;
    }
    return true;
}

/* A word that is not wanted; *is_new is only asked for with a limit. */
static bool pass_over(struct vectors_table *table, const struct vector_word *word, bool has_limit,
                      bool *is_new)
{
    if (!has_limit)
        return true;
    *is_new = word_list_find(&table->passed, word->text, word->len) == WORD_NONE;
    return !*is_new || word_list_append(&table->passed, word->text, word->len);
}

/* A word that is wanted, the first time it comes. */
static bool add_wanted(struct vectors_table *table, struct vectors_file *file,
                       const struct word_list *words, const struct vector_word *word,
                       bool has_limit, bool *is_new, struct problem *problem)
{
    size_t id = word_list_find(words, word->text, word->len);
    if (id == WORD_NONE)
        return pass_over(table, word, has_limit, is_new) || problem_memory(problem);
    *is_new = table->row_of[id] == SIZE_MAX;
    if (!*is_new) {
        vectors_file_repeated(file, word);
        return true;
    }
    table->row_of[id] = table->rows.n++;
    table->n_absent--;
    return true;
}

static bool read_words(struct vectors_table *table, struct vectors_file *file,
                       struct word_list *words, size_t limit, struct problem *problem)
{
    for (size_t n = 0; limit == 0 || n < limit;) {
        struct vector_word word;
        bool is_end, is_new = true;
        float *values = next_row(&table->rows);
        if (values == NULL)
            return problem_memory(problem);
        if (!vectors_file_next(file, &word, values, &is_end, problem))
            return false;
        if (is_end)
            return true;
        if (!(table->row_of != NULL
                  ? add_wanted(table, file, words, &word, limit > 0, &is_new, problem)
                  : add_word(table, file, words, &word, &is_new, problem)))
            return false;
        n += is_new;
    }
    return true;
}

/* Row 0 has no text. */
static bool start_wanted(struct vectors_table *table, const struct word_list *words,
                         struct problem *problem)
{
    table->row_of = malloc((words->n + 1) * sizeof *table->row_of);
    if (table->row_of == NULL)
        return problem_memory(problem);
    for (size_t id = 0; id < words->n; id++) {
        table->row_of[id] = SIZE_MAX;
        table->n_absent += words->lens[id] > 0;
    }
    return true;
}

bool vectors_table_read(struct vectors_table *table, struct vectors_file *file,
                        struct word_list *words, bool is_wanted, size_t limit,
                        struct problem *problem)
{
    size_t rows_per_block = BLOCK_FLOATS / file->width;
    *table = (struct vectors_table){
        .width = file->width,
        .rows = {.width = file->width, .rows_per_block = rows_per_block > 0 ? rows_per_block : 1}};
    bool ok = is_wanted ? start_wanted(table, words, problem)
                        : word_list_append(words, NULL, 0) || problem_memory(problem);
    ok = ok && read_words(table, file, words, limit, problem);
    table->n_ids = words->n;
    if (!ok)
        vectors_table_free(table);
    return ok;
}
