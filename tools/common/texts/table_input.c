/* table_input.c - see table_input.h. */
#include "tools/common/texts/table_input.h"

#include <stdio.h>
#include <string.h>

enum table_place table_scan(const struct table_input *table, enum table_place place,
                            const char *line, size_t len)
{
    for (size_t i = 0; i < len && table->separator == ','; i++) {
        const bool is_quote = line[i] == '"';
        if (place == TABLE_IN_QUOTES)
            place = is_quote ? TABLE_AFTER_QUOTE : TABLE_IN_QUOTES;
        else if (is_quote && place != TABLE_IN_VALUE) /* the first one, or one of two */
            place = TABLE_IN_QUOTES;
        else
            place = line[i] == ',' ? TABLE_AT_VALUE : TABLE_IN_VALUE;
    }
    return place;
}

/* Reads the value at *at, removes its quotes in place, and moves *at after the separator, or to
 * len + 1 after the last. Returns false if something follows the closing quote. */
static bool next_value(char separator, char *record, size_t len, size_t *at, char **value,
                       size_t *value_len)
{
    size_t i = *at, n = 0;
    const bool is_quoted = separator == ',' && i < len && record[i] == '"';
    *value = record + i;
    if (!is_quoted) {
        while (i + n < len && record[i + n] != separator)
            n++;
        i += n;
    }
    for (i += is_quoted; is_quoted && i < len; i++) {
        if (record[i] == '"' && (i + 1 == len || record[i + 1] != '"'))
            break;
        i += record[i] == '"';
        (*value)[n++] = record[i];
    }
    i += is_quoted;
    *value_len = n;
    *at = i + 1;
    return i >= len || record[i] == separator;
}

bool table_find_column(struct table_input *table, char *names, size_t len,
                       char message[TABLE_MESSAGE_BYTES])
{
    const char *wanted = table->column ? table->column : "text";
    char list[TABLE_MESSAGE_BYTES / 2] = "", *name;
    size_t at = 0, n = 0, name_len;
    for (size_t used = 0; at <= len; n++, used = strlen(list)) {
        if (!next_value(table->separator, names, len, &at, &name, &name_len))
            break;
        if (name_len == strlen(wanted) && memcmp(name, wanted, name_len) == 0) {
            table->index = n;
            return true;
        }
        snprintf(list + used, sizeof list - used, "%s%.*s", used ? ", " : "", (int)name_len, name);
    }
    table->index = 0;
    if (!table->column && n == 1)
        return true;
    if (table->column)
        snprintf(message, TABLE_MESSAGE_BYTES, "has no column '%.64s'; it has %s", wanted, list);
    else
        snprintf(message, TABLE_MESSAGE_BYTES,
                 "has several columns and none is named text: choose one with --column: %s", list);
    return false;
}

bool table_value(const struct table_input *table, char *record, size_t len, char **value,
                 size_t *value_len, char message[TABLE_MESSAGE_BYTES])
{
    size_t at = 0;
    for (size_t i = 0; i <= table->index; i++) {
        if (at > len) {
            snprintf(message, TABLE_MESSAGE_BYTES,
                     " has %zu column%s, and the text is in column %zu", i, i == 1 ? "" : "s",
                     table->index + 1);
            return false;
        }
        if (!next_value(table->separator, record, len, &at, value, value_len)) {
            snprintf(message, TABLE_MESSAGE_BYTES,
                     ": after a value in quotes comes a comma, or the line's end");
            return false;
        }
    }
    return true;
}
