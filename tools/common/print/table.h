/* table.h - columns that are as wide as their widest cell. Rows are written to a stream first, a
 * tab after each cell but the last and a line end after each row; text goes there by display_text,
 * which has neither. The first row may hold titles. */
#ifndef TOOLS_TABLE_H
#define TOOLS_TABLE_H

#include <stddef.h>
#include <stdio.h>

struct table {
    FILE *rows; /* where rows are written */
    char *text; /* what was written */
    size_t len;
};

void table_begin(struct table *table);

/* Prints the rows and frees the table. `columns` has a letter for each column: '<' to the left,
 * '>' to the right, two blanks between neighbours; '.' as it is, right behind the cell before it.
 */
void table_print(struct table *table, FILE *stream, const char *columns);

#endif
