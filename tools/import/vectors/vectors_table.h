/* vectors_table.h - the words of a file of vectors with their ids, and the rows of the table. */
#ifndef TOOLS_IMPORT_VECTORS_TABLE_H
#define TOOLS_IMPORT_VECTORS_TABLE_H

#include "tools/common/weights/word_list.h"
#include "tools/import/vectors/vectors_file.h"

struct vectors_table {
    size_t width;
    float *rows; /* [n_rows, width]: zeros, then as they stand in the file; room for cap rows */
    size_t n_rows, cap;
    size_t *row_of;          /* [n_ids] of wanted words: 0 without a vector; NULL: id i has row i */
    struct word_list passed; /* with a limit: words that are not wanted, so that each counts once */
    size_t n_ids;
    size_t cased; /* id of the first word with a capital; 0: there is none */
};

/* Reads the first `limit` words (0: all) with their vectors. `words` is empty and receives them
 * from id 1 on; or, with is_wanted, has the words that are wanted, and others are passed over. */
void vectors_table_read(struct vectors_table *table, struct vectors_file *file,
                        struct word_list *words, bool is_wanted, size_t limit);
void vectors_table_free(struct vectors_table *table);

/* The row of an id, [width]. */
const float *vectors_table_row(const struct vectors_table *table, size_t id);

#endif
