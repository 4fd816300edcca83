/* beside.c - see beside.h. */
#include "tools/encode/beside.h"

#include <string.h>

/* ---- Rows ---- */

static void begin_row(struct rows_file *rows, size_t row, size_t line)
{
    json_begin_object(&rows->json, NULL);
    json_write_count(&rows->json, "row", row);
    json_write_count(&rows->json, "line", line);
}

/* Returns the offset in the text as it was read, without the prompt. */
static size_t without_prompt(const struct item *item, size_t at)
{
    const size_t prompt_len = item->window.in_pair ? 0 : item->prompt_len;
    return at > prompt_len ? at - prompt_len : 0;
}

static void write_window(struct json_writer *json, const struct item *item)
{
    const struct window *window = &item->window;
    json_write_count(json, "window", window->index);
    json_write_count(json, "windows", window->of);
    if (item->record.input.ids)
        return;
    json_write_count(json, "begin", without_prompt(item, window->begin));
    json_write_count(json, "end", without_prompt(item, window->end));
    if (window->in_pair)
        json_write_truth(json, "pair", true);
}

/* A row that is the next line and nothing more is only counted, until a row has other fields: then
 * the counted rows are written, and every row from there on. */
void rows_file_add(struct rows_file *rows, struct job *job, const struct item *item)
{
    struct json_writer *json = &rows->json;
    const struct record *record = &item->record;
    size_t *n_rows = &job->progress.rows;
    for (size_t i = 0; i < (rows->is_per_token ? item->n_tokens : 1); i++, ++*n_rows) {
        const bool is_next_line =
            !record->id && !item->window.of && !rows->is_per_token && item->number == *n_rows + 1;
        for (size_t row = 0; !is_next_line && !rows->is_begun && row < *n_rows; row++) {
            begin_row(rows, row, row + 1);
            json_end_object(json);
        }
        rows->is_begun = rows->is_begun || !is_next_line;
        if (!rows->is_begun)
            continue;
        begin_row(rows, *n_rows, item->number);
        if (record->id)
            json_write_raw(json, "id", record->id, record->id_len);
        if (item->window.of)
            write_window(json, item);
        if (rows->is_per_token)
            json_write_count(json, "token", i);
        json_end_object(json);
    }
}

/* ---- Skipped texts ---- */

bool left_out_add(struct left_out *left, const struct item *item)
{
    const struct encoder *encoder = left->job->encoder;
    const struct record *record = &item->record;
    struct json_writer *json = &left->report;
    if (encoder->fault >= FAULT_OF_ALL ||
        !(left->job->options->skips_errors ||
          (encoder->fault == FAULT_OF_LENGTH && encoder->request.skips_long)))
        return false;
    left->job->progress.left_out += left->last != item->number; /* each of its windows may be */
    left->last = item->number;
    if (!json->stream) {
        program_note("left out: %s", encoder->message);
        return true;
    }
    const char *reason = encoder->message + strlen(item_name(item));
    json_begin_object(json, NULL);
    json_write_count(json, record->line ? "line" : "text", item->number);
    if (record->id)
        json_write_raw(json, "id", record->id, record->id_len);
    if (item->window.of > 0)
        json_write_count(json, "window", item->window.index);
    json_write_text(json, "reason", reason + strspn(reason, ": "));
    json_end_object(json);
    return true;
}

void left_out_end(const struct left_out *left)
{
    const struct progress *progress = &left->job->progress;
    const char *report_path = left->job->options->report_path;
    const char *path = report_path ? report_path : left->job->output.path;
    program_note("%zu of %zu text%s %s left out%s%s%s", progress->left_out, progress->lines,
                 plural(progress->lines), progress->left_out == 1 ? "was" : "were",
                 left->report.stream ? ": see " : "", left->report.stream ? path : "",
                 left->report.stream && !report_path ? OUTPUT_LEFT_OUT : "");
}
