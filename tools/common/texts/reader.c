/* reader.c - arguments and lines as inputs; see reader.h. */
#include "tools/common/texts/reader.h"

#include "tools/common/alloc.h"
#include "tools/common/options.h"
#include "tools/common/output.h"
#include "tools/common/print/display.h"
#include "tools/common/texts/json_input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void reader_open(struct reader *reader, const struct request_options *request)
{
    *reader = (struct reader){.request = request};
    if (request->n_texts > 0)
        return;
    line_reader_begin(&reader->lines, STDIN_FILENO);
    for (size_t i = 0; i < request->n_files; i++) /* the first, which stdin is, by its name */
        input_remember(request->files[i]);
    input_remember("-");
}

static const char *source_name(const struct reader *reader)
{
    return reader->request->files ? reader->request->files[reader->file] : "stdin";
}

/* Returns what is between the values of a table; 0: the input is none. */
static char separator_of(const struct reader *reader)
{
    static const char SEPARATORS[] = {[INPUT_CSV] = ',', [INPUT_TSV] = '\t'};
    return SEPARATORS[reader->request->input];
}

/* Returns the number of the last line, in its file. */
static size_t line_number(const struct reader *reader)
{
    return reader->lines.n_lines - reader->lines_before;
}

/* Reports an invalid line; the next call continues after it. */
static enum reader_state fail_in_line(struct reader *reader, size_t line, const char *reason,
                                      struct record *record)
{
    if (reader->keeps_going) {
        *record = (struct record){
            .line = line, .source = source_name(reader), .fault = alloc_text("%s", reason)};
        return READER_RECORD;
    }
    reader->has_bad_line = true;
    snprintf(reader->message, sizeof reader->message, "line %zu of %s%s", line, source_name(reader),
             reason);
    return READER_FAILED;
}

/* Makes a record of a text in `storage`, which the record owns. */
static enum reader_state set_text(struct record *record, size_t line, char *storage, char *text,
                                  size_t len)
{
    *record = (struct record){.input = {.text = text, .text_len = len},
                              .is_repaired = !utf8_is_valid(text, len),
                              .storage = storage,
                              .line = line};
    return READER_RECORD;
}

/* Reads a line of JSON. Only the last may be empty: skipping one would shift all after it. */
static enum reader_state read_json(struct reader *reader, const char *line, size_t len,
                                   struct record *record)
{
    char reason[2 + JSON_MESSAGE_BYTES] = ": ";
    size_t number = line_number(reader);
    if (reader->empty_line) {
        line_reader_undo(&reader->lines);
        reader->empty_line = false;
        number--;
        len = 0;
    }
    if (!json_input_read(line, len, record, reason + 2))
        return fail_in_line(reader, number, reason, record);
    record->line = number;
    return READER_RECORD;
}

/* ---- Tables ---- */

enum { TABLE_MESSAGE_BYTES = 256 };

/* Where a line of a record ends; in quotes, the next line continues it. A quote opens a value only
 * as its first character. */
enum table_place { TABLE_AT_VALUE, TABLE_IN_VALUE, TABLE_IN_QUOTES, TABLE_AFTER_QUOTE };

static enum table_place table_scan(char separator, enum table_place place, const char *line,
                                   size_t len)
{
    for (size_t i = 0; i < len && separator == ','; i++) {
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
    *value = record + i;
    if (separator == ',' && i < len && record[i] == '"') {
        for (i++; i < len; i++) {
            if (record[i] == '"' && (i + 1 == len || record[i + 1] != '"'))
                break;
            i += record[i] == '"'; /* two quotes are one of the value */
            (*value)[n++] = record[i];
        }
        i++;
    } else {
        for (; i < len && record[i] != separator; i++)
            n++;
    }
    *value_len = n;
    *at = i + 1;
    return i >= len || record[i] == separator;
}

/* Finds the column in the line of names, which this changes. Returns false with the message. */
static bool table_find_column(struct reader *reader, char *names, size_t len,
                              char message[TABLE_MESSAGE_BYTES])
{
    const char *column = reader->request->column, *wanted = column ? column : "text";
    char list[TABLE_MESSAGE_BYTES / 2] = "", *name;
    size_t at = 0, n = 0, name_len;
    for (size_t used = 0; at <= len; n++, used = strlen(list)) {
        if (!next_value(separator_of(reader), names, len, &at, &name, &name_len))
            break;
        if (name_len == strlen(wanted) && memcmp(name, wanted, name_len) == 0) {
            reader->column = n;
            return true;
        }
        snprintf(list + used, sizeof list - used, "%s%.*s", used ? ", " : "", (int)name_len, name);
    }
    reader->column = 0;
    if (!column && n == 1)
        return true;
    if (column)
        snprintf(message, TABLE_MESSAGE_BYTES, "has no column '%.64s'; it has %s", wanted, list);
    else
        snprintf(message, TABLE_MESSAGE_BYTES,
                 "has several columns and none is named text: choose one with --column: %s", list);
    return false;
}

/* Finds the column's value in a record, without its quotes, which this removes in place. Returns
 * false with the message. */
static bool table_value(const struct reader *reader, char *record, size_t len, char **value,
                        size_t *value_len, char message[TABLE_MESSAGE_BYTES])
{
    size_t at = 0;
    for (size_t i = 0; i <= reader->column; i++) {
        if (at > len) {
            snprintf(message, TABLE_MESSAGE_BYTES,
                     " has %zu column%s, and the text is in column %zu", i, i == 1 ? "" : "s",
                     reader->column + 1);
            return false;
        }
        if (!next_value(separator_of(reader), record, len, &at, value, value_len)) {
            snprintf(message, TABLE_MESSAGE_BYTES,
                     ": after a value in quotes comes a comma, or the line's end");
            return false;
        }
    }
    return true;
}

/* Copies a record of a table: a line, and those after it that a value in quotes continues on. *len
 * becomes its own. Returns LINE_READ, or frees the copy and returns why the record has no end. */
static enum line_state copy_record(struct reader *reader, const char *line, size_t *len,
                                   char **copy)
{
    const char separator = separator_of(reader);
    *copy = memcpy(alloc_zeros(*len, 1), line, *len);
    enum table_place place = table_scan(separator, TABLE_AT_VALUE, line, *len);
    size_t n_end = line[*len] == '\r' ? 2 : 1; /* bytes of the line's end, which the value has */
    while (place == TABLE_IN_QUOTES) {
        char *next;
        size_t next_len;
        const enum line_state state = line_reader_next(&reader->lines, true, &next, &next_len);
        if (state != LINE_READ || *len + n_end + next_len > LINE_BYTES_MAX) {
            free(*copy);
            return state == LINE_READ ? LINE_TOO_LONG : state;
        }
        *copy = alloc_resize(*copy, *len + n_end + next_len, 1);
        memcpy(*copy + *len, &"\r\n"[2 - n_end], n_end);
        memcpy(*copy + *len + n_end, next, next_len);
        *len += n_end + next_len;
        n_end = next[next_len] == '\r' ? 2 : 1;
        place = table_scan(separator, place, next, next_len);
    }
    return LINE_READ;
}

/* Reads a record of a table. The first one is the names of the columns, after which READER_PENDING
 * is returned. */
static enum reader_state read_table(struct reader *reader, const char *line, size_t len,
                                    struct record *record)
{
    char reason[TABLE_MESSAGE_BYTES] = "", *copy, *value;
    const size_t number = line_number(reader);
    const enum line_state state = copy_record(reader, line, &len, &copy);
    if (state == LINE_PENDING)
        return READER_PENDING;
    if (state != LINE_READ)
        return fail_in_line(reader, number, " has a quote that is not closed", record);
    if (!reader->has_columns) {
        reader->has_columns = table_find_column(reader, copy, len, reason);
        free(copy);
        if (reader->has_columns)
            return READER_PENDING;
        snprintf(reader->message, sizeof reader->message, "%s %s", source_name(reader), reason);
        return READER_FAILED;
    }
    if (table_value(reader, copy, len, &value, &len, reason))
        return set_text(record, number, copy, value, len);
    free(copy);
    return fail_in_line(reader, number, reason, record);
}

/* ---- Lines and arguments ---- */

/* The first line may have a byte order mark. If it looks like JSON, --input jsonl was forgotten,
 * and the vectors would be those of braces and quotes. */
static enum reader_state read_line(struct reader *reader, const char *line, size_t len,
                                   struct record *record)
{
    const size_t number = line_number(reader);
    const char *format, *converter = number == 1 ? utf8_converter(line, len, &format) : NULL;
    const size_t mark_len = number == 1 ? utf8_mark_len(line, len) : 0;
    enum reader_state state;
    if (converter) {
        snprintf(reader->message, sizeof reader->message,
                 "%s is %s, and texts are UTF-8: convert it first: %s FILE | ...",
                 source_name(reader), format, converter);
        return READER_FAILED;
    }
    line += mark_len;
    len -= mark_len;
    if (number == 1 && reader->request->input == INPUT_TEXT && len > 2 &&
        memcmp(line, "{\"", 2) == 0 && line[len - 1] == '}')
        program_note("line 1 of %s looks like JSON, and is read as text; encode and "
                     "encode-search read JSON with --input jsonl",
                     source_name(reader));
    alloc_for("line %zu of %s", number, source_name(reader));
    if (separator_of(reader)) {
        state = read_table(reader, line, len, record);
    } else if (reader->request->input == INPUT_JSONL) {
        state = read_json(reader, line, len, record);
    } else {
        char *copy = memcpy(alloc_zeros(len, 1), line, len);
        state = set_text(record, number, copy, copy, len);
    }
    if (state == READER_RECORD)
        record->source = source_name(reader);
    return state;
}

static enum reader_state fail_to_read(struct reader *reader)
{
    snprintf(reader->message, sizeof reader->message, "cannot read line %zu of %s: %s",
             line_number(reader) + 1, source_name(reader), strerror(reader->lines.error));
    return READER_FAILED;
}

static enum reader_state fail_long_line(struct reader *reader, struct record *record)
{
    char reason[96];
    const size_t line = line_number(reader) + 1;
    snprintf(reason, sizeof reason, " is longer than %zu MiB, the longest that is read",
             LINE_BYTES_MAX >> 20);
    if (reader->keeps_going && line_reader_pass(&reader->lines) != LINE_READ)
        return fail_to_read(reader);
    return fail_in_line(reader, line, reason, record);
}

void reader_open_file(const char *path)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat file;
    if (fd >= 0 && fstat(fd, &file) == 0 && S_ISDIR(file.st_mode))
        program_die("'%s' is a folder; expected files whose lines are the texts: %s/*", path, path);
    if (fd < 0 || dup2(fd, STDIN_FILENO) < 0)
        program_die("cannot open '%s', whose lines are the texts: %s", path, strerror(errno));
    if (fd != STDIN_FILENO)
        close(fd);
}

/* Opens the next file in place of the one that has ended. Returns false after the last. */
static bool next_file(struct reader *reader)
{
    if (reader->file + 1 >= reader->request->n_files)
        return false;
    reader_open_file(reader->request->files[++reader->file]);
    reader->lines.at_end = false;
    reader->lines_before = reader->lines.n_lines;
    reader->has_columns = reader->empty_line = false;
    return true;
}

static enum reader_state next_line(struct reader *reader, bool wait, struct record *record)
{
    for (;;) {
        char *line = NULL;
        size_t len = 0;
        enum reader_state state;
        bool is_names;
        switch (line_reader_next(&reader->lines, wait, &line, &len)) {
        case LINE_READ:
            if (reader->request->input == INPUT_JSONL && len == 0 && !reader->empty_line) {
                reader->empty_line = true;
                continue;
            }
            is_names = separator_of(reader) && !reader->has_columns;
            state = read_line(reader, line, len, record);
            if (is_names && reader->has_columns)
                continue;
            return state;
        case LINE_PENDING: return READER_PENDING;
        case LINE_END:
            if (next_file(reader))
                continue;
            return READER_END;
        case LINE_TOO_LONG: return fail_long_line(reader, record);
        default: return fail_to_read(reader);
        }
    }
}

enum reader_state reader_next(struct reader *reader, bool wait, struct record *record)
{
    const struct request_options *request = reader->request;
    if (request->n_texts == 0) {
        const enum reader_state state = next_line(reader, wait, record);
        if (state == READER_RECORD)
            reader->place = reader->lines.place;
        return state;
    }
    if (reader->n_read == request->n_texts)
        return READER_END;
    const char *text = request->texts[reader->n_read++], *pair = request->pair;
    if (reader->two_by_two)
        pair = request->texts[reader->n_read++];
    const size_t text_len = strlen(text), pair_len = pair ? strlen(pair) : 0;
    *record = (struct record){
        .input = {.text = text, .text_len = text_len, .pair = pair, .pair_len = pair_len},
        .is_repaired = !utf8_is_valid(text, text_len) || (pair && !utf8_is_valid(pair, pair_len)),
    };
    return READER_RECORD;
}

enum line_state reader_skip_lines(struct reader *reader, uint64_t n_bytes)
{
    struct line_reader *lines = &reader->lines;
    const int wake = lines->wake;
    enum line_state state = LINE_READ;
    struct record record;
    char *line;
    size_t len;
    lines->wake = -1;
    while (lines->place.bytes < n_bytes &&
           (state == LINE_READ || (state == LINE_END && next_file(reader)))) {
        state = line_reader_next(lines, true, &line, &len);
        if (state == LINE_TOO_LONG)
            state = line_reader_pass(lines);
        if (state == LINE_FAILED)
            fail_to_read(reader);
        if (state == LINE_READ && separator_of(reader) && !reader->has_columns &&
            read_line(reader, line, len, &record) == READER_FAILED)
            state = LINE_FAILED;
    }
    lines->wake = wake;
    reader->place = lines->place;
    return state;
}

bool reader_skip(struct reader *reader, struct line_place done)
{
    const enum line_state state = reader_skip_lines(reader, done.bytes);
    const bool is_same = reader->place.bytes == done.bytes && reader->place.sum == done.sum;
    if (state == LINE_END)
        snprintf(reader->message, sizeof reader->message,
                 "%s is another input, or was cut: it ends before the %llu bytes that were "
                 "done: give the same one, or start over with --restart",
                 source_name(reader), (unsigned long long)done.bytes);
    else if (state == LINE_READ && !is_same)
        snprintf(reader->message, sizeof reader->message,
                 "%s is another input: give the same one, or start over with --restart (its "
                 "first %llu bytes are not those that were done)",
                 source_name(reader), (unsigned long long)done.bytes);
    return state == LINE_READ && is_same;
}
