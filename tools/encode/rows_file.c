/* rows_file.c - see rows_file.h. */
#include "tools/encode/rows_file.h"

#include <string.h>

void rows_file_open(struct rows_file *rows, struct job *job)
{
    const struct encoder *encoder = job->encoder;
    rows->json.stream = output_beside(&job->output, job->output.path, OUTPUT_ROWS);
    rows->is_per_token = encoder->width > 0 && !encoder->is_pooled && encoder->padding.n == 0;
}

static void begin_row(struct rows_file *rows, size_t row, size_t line)
{
    json_begin_object(&rows->json, NULL);
    json_write_count(&rows->json, "row", row);
    json_write_count(&rows->json, "line", line);
}

/* A byte of the text as it came in, which is behind the prompt. */
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

/* A row that is the next line and nothing more is only counted, until one has more to say: from
 * there on rows are written, those that were only counted first. */
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
