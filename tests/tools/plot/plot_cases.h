/* plot_cases.h - what the suites of encode-plot share: the tables it writes, and whether gnuplot is
 * there. */
#ifndef TESTS_TOOLS_PLOT_CASES_H
#define TESTS_TOOLS_PLOT_CASES_H

#include "tests/tools/shell.h"

#include <stdbool.h>
#include <stddef.h>

bool has_gnuplot(void);

#define NEEDS_GNUPLOT()                                                                            \
    do {                                                                                           \
        if (!has_gnuplot()) {                                                                      \
            print_message("skipped: gnuplot is not there\n");                                      \
            skip();                                                                                \
        }                                                                                          \
    } while (0)

enum { COLUMNS_MOST = 600, ROWS_MOST = 600 };

struct table {
    size_t n_rows, n_columns;
    char *names[ROWS_MOST], *columns[COLUMNS_MOST];
    double *values; /* [ROWS_MOST, n_columns] */
};

/* The index-th table of what the last command wrote; good until the next one is read. */
struct table *read_table(const char *text, size_t index);
double table_value(const struct table *table, size_t row, size_t column);
size_t name_index(char *const *names, size_t n, const char *name);
void assert_close(double got, double expected, double tolerance);

/* For cmocka's group: $PLOT and $SOURCE besides what shell_setup leaves. */
void plot_setup(void);

#endif
