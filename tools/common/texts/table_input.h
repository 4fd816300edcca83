/* table_input.h - texts of one column of a table: CSV as RFC 4180 has it, or values between tabs,
 * which have no quotes. The first line has the columns' names. */
#ifndef TOOLS_TABLE_INPUT_H
#define TOOLS_TABLE_INPUT_H

#include <stdbool.h>
#include <stddef.h>

struct table_input {
    char separator;     /* ',' or a tab; 0: no table */
    const char *column; /* its name; NULL: "text", or the only column */
    size_t index;       /* of the column, from 0 */
    bool is_begun;      /* the names are read */
};

enum { TABLE_MESSAGE_BYTES = 256 };

/* Where a line of a record ends; in quotes, the next line continues it. A quote opens a value only
 * as its first character. */
enum table_place { TABLE_AT_VALUE, TABLE_IN_VALUE, TABLE_IN_QUOTES, TABLE_AFTER_QUOTE };
enum table_place table_scan(const struct table_input *table, enum table_place place,
                            const char *line, size_t len);

/* Finds the column in the line of names, which this changes. Returns false with the message. */
bool table_find_column(struct table_input *table, char *names, size_t len,
                       char message[TABLE_MESSAGE_BYTES]);

/* Finds the column's value in a record, without its quotes, which this removes in place. Returns
 * false with the message. */
bool table_value(const struct table_input *table, char *record, size_t len, char **value,
                 size_t *value_len, char message[TABLE_MESSAGE_BYTES]);

#endif
