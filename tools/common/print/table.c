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

/* The cell at *text, which moves behind it. */
static const char *next_cell(const char **text, size_t *len)
{
    const char *cell = *text;
    *len = strcspn(cell, "\t\n");
    *text += *len + 1;
    return cell;
}

static void measure(const struct table *table, const char *columns, size_t widths[COLUMNS_MOST])
{
    const char *at = table->text;
    while (at < table->text + table->len)
        for (size_t i = 0; i == 0 || at[-1] == '\t'; i++) {
            size_t len;
            const char *cell = next_cell(&at, &len);
            size_t width = columns[i] == '.' ? 0 : display_width(cell, len, WIDEST_CELL);
            widths[i] = width > widths[i] ? width : widths[i];
        }
}

/* The last cell of a row has no blanks behind it. */
static void print_cell(FILE *stream, const char *cell, size_t len, char column, size_t width)
{
    size_t blanks = column == '.' ? 0 : width - display_width(cell, len, WIDEST_CELL);
    if (column == '>')
        fprintf(stream, "%*s", (int)blanks, "");
    fwrite(cell, 1, len, stream);
    if (column == '<' && cell[len] == '\t')
        fprintf(stream, "%*s", (int)blanks, "");
}

void table_print(struct table *table, FILE *stream, const char *columns)
{
    size_t widths[COLUMNS_MOST] = {0}, len;
    alloc_close(table->rows);
    measure(table, columns, widths);
    for (const char *at = table->text; at < table->text + table->len;) {
        for (size_t i = 0; i == 0 || at[-1] == '\t'; i++) {
            const char *cell = next_cell(&at, &len);
            if (i > 0 && columns[i] != '.')
                fputs("  ", stream);
            print_cell(stream, cell, len, columns[i], widths[i]);
        }
        putc('\n', stream);
    }
    free(table->text);
}
