/* reader.c - arguments and lines as inputs; see reader.h. */
#include "tools/common/texts/reader.h"

#include "tools/common/alloc.h"
#include "tools/common/options.h"
#include "tools/common/output.h"
#include "tools/common/print/display.h"
#include "tools/common/texts/json_input.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

void reader_open(struct reader *reader, char *const *texts, size_t n_texts, bool is_json)
{
    *reader = (struct reader){.n_texts = n_texts, .is_json = is_json};
    if (n_texts > 0) {
        reader->texts = texts;
        return;
    }
    input_remember("-");
    line_reader_begin(&reader->lines, STDIN_FILENO);
}

/* Reports an invalid line; the next call continues after it. */
static enum reader_state fail_in_line(struct reader *reader, size_t line, const char *reason,
                                      struct record *record)
{
    if (reader->keeps_going) {
        *record = (struct record){.line = line, .fault = alloc_text("%s", reason)};
        return READER_RECORD;
    }
    reader->has_bad_line = true;
    snprintf(reader->message, sizeof reader->message, "line %zu of stdin%s", line, reason);
    return READER_FAILED;
}

/* Reads a line of JSON. Only the last may be empty: skipping one would shift all after it. */
static enum reader_state read_json(struct reader *reader, const char *line, size_t len,
                                   struct record *record)
{
    char reason[2 + JSON_MESSAGE_BYTES] = ": ";
    size_t number = reader->lines.n_lines;
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

/* The first line may have a byte order mark. If it looks like JSON, --input jsonl was forgotten,
 * and the vectors would be those of braces and quotes. */
static enum reader_state read_line(struct reader *reader, const char *line, size_t len,
                                   struct record *record)
{
    const size_t number = reader->lines.n_lines;
    const char *format, *converter = number == 1 ? utf8_converter(line, len, &format) : NULL;
    const size_t mark_len = number == 1 ? utf8_mark_len(line, len) : 0;
    enum reader_state state = READER_RECORD;
    if (converter) {
        snprintf(reader->message, sizeof reader->message,
                 "stdin is %s, and texts are UTF-8: convert it first: %s FILE | ...", format,
                 converter);
        return READER_FAILED;
    }
    line += mark_len;
    len -= mark_len;
    if (number == 1 && !reader->is_json && len > 2 && memcmp(line, "{\"", 2) == 0 &&
        line[len - 1] == '}')
        program_note("line 1 of stdin looks like JSON, and is read as text; encode and "
                     "encode-search read JSON with --input jsonl");
    alloc_for("line %zu of stdin", number);
    if (reader->is_json) {
        state = read_json(reader, line, len, record);
    } else {
        char *copy = memcpy(alloc_zeros(len, 1), line, len);
        *record = (struct record){
            .input = {.text = copy, .text_len = len}, .storage = copy, .line = number};
        record->is_repaired = !utf8_is_valid(line, len);
    }
    return state;
}

static enum reader_state fail_to_read(struct reader *reader)
{
    snprintf(reader->message, sizeof reader->message, "cannot read line %zu of stdin: %s",
             reader->lines.n_lines + 1, strerror(reader->lines.error));
    return READER_FAILED;
}

static enum reader_state fail_long_line(struct reader *reader, struct record *record)
{
    char reason[96];
    const size_t line = reader->lines.n_lines + 1;
    snprintf(reason, sizeof reason, " is longer than %zu MiB, the longest that is read",
             LINE_BYTES_MAX >> 20);
    if (reader->keeps_going && line_reader_pass(&reader->lines) != LINE_READ)
        return fail_to_read(reader);
    return fail_in_line(reader, line, reason, record);
}

static enum reader_state next_line(struct reader *reader, bool wait, struct record *record)
{
    for (;;) {
        char *line = NULL;
        size_t len = 0;
        switch (line_reader_next(&reader->lines, wait, &line, &len)) {
        case LINE_READ:
            if (reader->is_json && len == 0 && !reader->empty_line) {
                reader->empty_line = true;
                continue;
            }
            return read_line(reader, line, len, record);
        case LINE_PENDING: return READER_PENDING;
        case LINE_END: return READER_END;
        case LINE_TOO_LONG: return fail_long_line(reader, record);
        default: return fail_to_read(reader);
        }
    }
}

enum reader_state reader_next(struct reader *reader, bool wait, struct record *record)
{
    if (!reader->texts) {
        const enum reader_state state = next_line(reader, wait, record);
        if (state == READER_RECORD)
            reader->place = reader->lines.place;
        return state;
    }
    if (reader->n_read == reader->n_texts)
        return READER_END;
    const char *text = reader->texts[reader->n_read++], *pair = reader->pair;
    if (reader->two_by_two)
        pair = reader->texts[reader->n_read++];
    const size_t text_len = strlen(text), pair_len = pair ? strlen(pair) : 0;
    *record = (struct record){
        .input = {.text = text, .text_len = text_len, .pair = pair, .pair_len = pair_len},
        .is_repaired = !utf8_is_valid(text, text_len) || (pair && !utf8_is_valid(pair, pair_len)),
    };
    return READER_RECORD;
}

bool reader_skip(struct reader *reader, struct line_place done, size_t n_lines)
{
    switch (line_reader_skip(&reader->lines, done.bytes)) {
    case LINE_READ: break;
    case LINE_END:
        snprintf(reader->message, sizeof reader->message,
                 "stdin is another input, or was cut: it ends before the %llu bytes that were "
                 "done: give the same one, or start over with --restart",
                 (unsigned long long)done.bytes);
        return false;
    default: fail_to_read(reader); return false;
    }
    reader->place = reader->lines.place;
    reader->lines.n_lines = n_lines;
    if (reader->place.sum != done.sum)
        snprintf(reader->message, sizeof reader->message,
                 "stdin is another input: give the same one, or start over with --restart (its "
                 "first %llu bytes are not those that were done)",
                 (unsigned long long)done.bytes);
    return reader->place.sum == done.sum;
}
