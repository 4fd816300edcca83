/* plot_cases.c - see the header. */
#include "tests/tools/plot/plot_cases.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool has_gnuplot(void)
{
    return shell("command -v gnuplot >/dev/null")->code == 0;
}

/* Splitting changes this copy. */
struct table *read_table(const char *text, size_t index)
{
    static char *copy;
    static struct table table;
    free(copy);
    free(table.values);
    table = (struct table){0};
    copy = strdup(text);
    char *at = copy, *line;
    for (size_t i = 0; i <= index; i++) {
        at = strstr(at, "\nname\t");
        assert_non_null(at);
        at++;
    }
    line = strsep(&at, "\n");
    strsep(&line, "\t");
    for (char *name; (name = strsep(&line, "\t")) != NULL;)
        table.columns[table.n_columns++] = name;
    table.values = calloc(ROWS_MOST * table.n_columns, sizeof(double));
    while (at && (line = strsep(&at, "\n")) != NULL && line[0]) {
        table.names[table.n_rows] = strsep(&line, "\t");
        for (size_t i = 0; i < table.n_columns; i++) {
            char *number = strsep(&line, "\t"), *end;
            assert_non_null(number);
            table.values[table.n_rows * table.n_columns + i] = strtod(number, &end);
            assert_true(*number && !*end);
        }
        assert_null(line);
        table.n_rows++;
    }
    return &table;
}

double table_value(const struct table *table, size_t row, size_t column)
{
    return table->values[row * table->n_columns + column];
}

size_t name_index(char *const *names, size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(names[i], name) == 0)
            return i;
    fail_msg("there is no '%s'", name);
    return 0;
}

void assert_close(double got, double expected, double tolerance)
{
    if (!(fabs(got - expected) <= tolerance))
        fail_msg("%.9g, expected %.9g", got, expected);
}

void plot_setup(void)
{
    char source[4096];
    assert_non_null(getcwd(source, sizeof source));
    setenv("SOURCE", source, 1);
    shell_set_program("PLOT", "encode-plot");
    shell_setup();
}
