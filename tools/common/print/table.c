/* table.c - see table.h. */
#include "tools/common/print/table.h"

#include "tools/common/alloc.h"
#include "tools/common/print/display.h"

#include <stdlib.h>
#include <string.h>

enum { COLUMNS_MOST = 8, WIDEST_CELL = 1000 };

void table_begin(struct table *table)
{
    table->rows = alloc_open(&table->text, &table->len);
}

/* Goes through the cells twice, to measure and to print. The last cell of a row has no blanks after
 * it. */
void table_print(struct table *table, FILE *stream, const char *columns)
{
    size_t widths[COLUMNS_MOST] = {0};
    alloc_close(table->rows);
    for (int pass = 0; pass < 2; pass++) {
        size_t column = 0, len;
        for (const char *cell = table->text; cell < table->text + table->len; cell += len + 1) {
            len = strcspn(cell, "\t\n");
            const char side = columns[column], end = cell[len];
            const size_t width = side == '.' ? 0 : display_width(cell, len, WIDEST_CELL);
            if (pass == 0) {
                widths[column] = width > widths[column] ? width : widths[column];
            } else {
                const int blanks = (int)(widths[column] - width);
                fputs(column > 0 && side != '.' ? "  " : "", stream);
                fprintf(stream, "%*s", side == '>' ? blanks : 0, "");
                fwrite(cell, 1, len, stream);
                fprintf(stream, "%*s", side == '<' && end == '\t' ? blanks : 0, "");
                fputs(end == '\n' ? "\n" : "", stream);
            }
            column = end == '\t' ? column + 1 : 0;
        }
    }
    free(table->text);
}
