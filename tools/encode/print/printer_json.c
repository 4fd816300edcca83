/* printer_json.c - one JSON object per text, or window of one, and line (man/encode.1 names the
 * keys). */
#include "tools/encode/print/printer.h"

#include <string.h>

/* ---- Inputs ---- */

void write_prompt_json(struct json_writer *json, const struct encoder *encoder)
{
    if (encoder->prompt.len)
        json_write_string(json, "prompt", encoder->prompt.text, encoder->prompt.len);
}

static void write_span(struct json_writer *json, const struct item *item, size_t begin, size_t end)
{
    if (item->record.input.ids) {
        json_write_null(json, "span");
        return;
    }
    json_begin_array(json, "span");
    json_write_count(json, NULL, begin);
    json_write_count(json, NULL, end);
    json_end_array(json);
}

static void write_window(struct json_writer *json, const struct item *item)
{
    const struct window *window = &item->window;
    json_begin_object(json, "window");
    json_write_count(json, "index", window->index);
    json_write_count(json, "of", window->of);
    write_span(json, item, window->begin, window->end);
    if (window->in_pair)
        json_write_truth(json, "in_pair", true);
    json_end_object(json);
}

/* Keys of results, which replace equal keys of the input, and the tasks that have them. */
static const struct result_key {
    const char *key;
    unsigned tasks; /* bits */
} RESULT_KEYS[] = {
    {"prompt", ~0u},
    {"window", ~0u},
    {"truncated", ~0u},
    {"tokens", 1u << TASK_VECTORS | 1u << TASK_TOKENS | 1u << TASK_LABELS},
    {"vector", 1u << TASK_VECTORS},
    {"vectors", 1u << TASK_VECTORS},
    {"weights", 1u << TASK_VECTORS},
    {"label", 1u << TASK_LABELS},
    {"score", 1u << TASK_LABELS},
    {"labels", 1u << TASK_LABELS},
    {"entities", 1u << TASK_ENTITIES},
    {"masks", 1u << TASK_FILL},
    {0},
};

void write_members_json(struct json_writer *json, const struct item *item, enum task task)
{
    for (size_t i = 0; i < item->record.n_members; i++) {
        const struct record_member *member = &item->record.members[i];
        const struct result_key *result = RESULT_KEYS;
        while (result->key && strcmp(result->key, member->key) != 0)
            result++;
        if (!(result->tasks >> task & 1))
            json_write_raw(json, member->key, member->value, member->value_len);
    }
}

static void write_input(struct printer *printer, const struct item *item)
{
    struct json_writer *json = &printer->rows.json;
    engine_input shown = item_shown(item);
    if (shown.ids)
        json_write_null(json, "text");
    else
        json_write_string(json, "text", shown.text, shown.text_len);
    if (shown.pair)
        json_write_string(json, "pair", shown.pair, shown.pair_len);
    if (item->prompt_len)
        json_write_string(json, "prompt", printer->encoder->prompt.text, item->prompt_len);
    if (item->window.of)
        write_window(json, item);
    write_members_json(json, item, printer->encoder->request.task);
}

/* ---- Labels ---- */

static void write_label(struct printer *printer, const struct ranked *ranked)
{
    json_write_text(&printer->rows.json, "label", encoder_label(printer->encoder, ranked->index));
    json_write_float(&printer->rows.json, "score", ranked->score);
}

/* Writes the best label, or all. scores is NULL for a text without tokens. */
static void write_labels(struct printer *printer, const float *scores)
{
    struct json_writer *json = &printer->rows.json;
    size_t n = scores ? printer->encoder->width : 0;
    if (scores) {
        rank_scores(scores, n, printer->ranked);
        write_label(printer, &printer->ranked[0]);
    } else {
        json_write_null(json, "label");
        json_write_null(json, "score");
    }
    if (!printer->all_values)
        return;
    json_begin_array(json, "labels");
    for (size_t i = 0; i < n; i++) {
        json_begin_object(json, NULL);
        write_label(printer, &printer->ranked[i]);
        json_end_object(json);
    }
    json_end_array(json);
}

/* ---- Tokens ---- */

static void write_tokens(struct printer *printer, const struct item *item)
{
    const struct encoder *encoder = printer->encoder;
    rows_begin(&printer->rows, "tokens", NULL);
    for (size_t i = 0; i < item->n_tokens; i++) {
        begin_token_row(printer, item, i);
        if (encoder->request.task == TASK_LABELS && !encoder->is_pooled)
            write_labels(printer, item->rows + i * encoder->width);
        row_end(&printer->rows);
    }
    rows_end(&printer->rows, NULL);
}

/* ---- Results ---- */

static void write_vectors(struct printer *printer, const struct item *item)
{
    struct json_writer *json = &printer->rows.json;
    size_t width = printer->encoder->width;

    if (printer->encoder->is_pooled) {
        json_write_floats(json, "vector", item->rows, width);
        return;
    }
    json_begin_array(json, "vectors");
    for (size_t i = 0; i < item->n_tokens; i++)
        json_write_floats(json, NULL, item->rows + i * width, width);
    json_end_array(json);
}

static void write_masks(struct printer *printer, const struct item *item)
{
    struct json_writer *json = &printer->rows.json;
    json_begin_array(json, "masks");
    for (size_t i = 0; i < item->n_candidates; i += printer->encoder->top) {
        size_t at = item->candidates[i].token;
        const engine_token *token = &item->tokens[at];
        json_begin_object(json, NULL);
        json_write_count(json, "token_index", at);
        write_span(json, item, token->begin, token->end);
        if (token->in_pair)
            json_write_truth(json, "in_pair", true);
        print_candidates(printer, item, &item->candidates[i]);
        json_end_object(json);
    }
    json_end_array(json);
}

static void write_result(struct printer *printer, const struct item *item)
{
    switch (printer->encoder->request.task) {
    case TASK_LABELS:
        if (printer->encoder->is_pooled)
            write_labels(printer, scores_of(item));
        else
            write_tokens(printer, item);
        break;
    case TASK_ENTITIES: print_entities(printer, item); break;
    case TASK_FILL: write_masks(printer, item); break;
    default:
        if (!item->rows || !printer->encoder->is_pooled || printer->encoder->request.with_tokens)
            write_tokens(printer, item);
        if (printer->encoder->is_sparse)
            print_weights(printer, item);
        else if (item->rows)
            write_vectors(printer, item);
    }
}

static void print_json_item(struct printer *printer, const struct item *item)
{
    json_begin_object(&printer->rows.json, NULL);
    write_input(printer, item);
    write_result(printer, item);
    json_write_truth(&printer->rows.json, "truncated", item->n_dropped > 0);
    json_end_object(&printer->rows.json);
}

const struct printer_kind PRINTER_JSON = {.item = print_json_item};
