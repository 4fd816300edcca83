/* reader.c - arguments and lines as inputs; see reader.h. */
#include "tools/common/texts/reader.h"

#include "tools/common/alloc.h"
#include "tools/common/inputs.h"
#include "tools/common/print/utf8.h"
#include "tools/common/texts/json_input.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Some editors begin a file with it; it is no part of the first text. */
static const char BYTE_ORDER_MARK[] = "\xEF\xBB\xBF";

void reader_from_arguments(struct reader *reader, char *const *texts, size_t n_texts,
                           const char *pair)
{
    *reader = (struct reader){.texts = texts, .n_texts = n_texts, .pair = pair};
}

void reader_from_stdin(struct reader *reader, bool is_json)
{
    *reader = (struct reader){.is_json = is_json};
    input_remember("-");
    line_reader_begin(&reader->lines, STDIN_FILENO);
}

void reader_free(struct reader *reader)
{
    line_reader_free(&reader->lines);
}

static enum reader_state fail_in_line(struct reader *reader, size_t line, const char *reason)
{
    snprintf(reader->message, sizeof reader->message, "line %zu of stdin: %s", line, reason);
    return READER_FAILED;
}

static enum reader_state next_argument(struct reader *reader, struct record *record)
{
    if (reader->n_read == reader->n_texts)
        return READER_END;
    const char *text = reader->texts[reader->n_read++], *pair = reader->pair;
    if (reader->two_by_two)
        pair = reader->texts[reader->n_read++];
    *record = (struct record){.input = {.text = text,
                                        .text_len = strlen(text),
                                        .pair = pair,
                                        .pair_len = pair ? strlen(pair) : 0}};
    record->is_repaired =
        !utf8_is_valid(text, strlen(text)) || (pair && !utf8_is_valid(pair, strlen(pair)));
    return READER_RECORD;
}

static enum reader_state take_text(const struct reader *reader, const char *line, size_t len,
                                   struct record *record)
{
    char *copy = alloc_zeros(len, 1);
    memcpy(copy, line, len);
    *record = (struct record){
        .input = {.text = copy, .text_len = len}, .storage = copy, .line = reader->lines.n_lines};
    return READER_RECORD;
}

/* An empty line is forgiven where it is the last; skipping one would shift what comes after it. */
static enum reader_state take_json(struct reader *reader, const char *line, size_t len,
                                   struct record *record)
{
    char reason[JSON_MESSAGE_BYTES];
    size_t number = reader->lines.n_lines;
    if (reader->empty_line) {
        number--;
        len = 0;
    }
    if (!json_input_read(line, len, record, reason))
        return fail_in_line(reader, number, reason);
    record->line = number;
    return READER_RECORD;
}

static enum reader_state take_line(struct reader *reader, const char *line, size_t len,
                                   struct record *record)
{
    if (reader->lines.n_lines == 1 && len >= 3 && memcmp(line, BYTE_ORDER_MARK, 3) == 0) {
        line += 3;
        len -= 3;
    }
    alloc_for("line %zu of stdin", reader->lines.n_lines);
    enum reader_state state = reader->is_json ? take_json(reader, line, len, record)
                                              : take_text(reader, line, len, record);
    record->is_repaired = !utf8_is_valid(line, len);
    return state;
}

static enum reader_state fail_to_read(struct reader *reader)
{
    snprintf(reader->message, sizeof reader->message, "cannot read line %zu of stdin: %s",
             reader->lines.n_lines + 1, strerror(reader->lines.error));
    return READER_FAILED;
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
            return take_line(reader, line, len, record);
        case LINE_PENDING: return READER_PENDING;
        case LINE_END: return READER_END;
        case LINE_TOO_LONG:
            snprintf(reader->message, sizeof reader->message,
                     "line %zu of stdin is longer than %zu MiB, the longest that is read",
                     reader->lines.n_lines + 1, LINE_BYTES_MAX >> 20);
            return READER_FAILED;
        default: return fail_to_read(reader);
        }
    }
}

enum reader_state reader_next(struct reader *reader, bool wait, struct record *record)
{
    return reader->texts ? next_argument(reader, record) : next_line(reader, wait, record);
}
