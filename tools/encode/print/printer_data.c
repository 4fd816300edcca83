/* printer_data.c - results for programs: ids, CSV and JSON. Where JSON has no member, CSV has an
 * empty field: the text of ids, the second text of one that is alone, the span of a token that no
 * part of the text made. In CSV texts and tokens count from 0, as rows of an array do. */
#include "tools/encode/print/printer.h"

#include <string.h>

static void print_ids(struct printer *printer, const struct item *item)
{
    for (size_t i = 0; i < item->n_tokens; i++)
        fprintf(printer->stream, i ? " %d" : "%d", (int)item->tokens[i].id);
    putc('\n', printer->stream);
}

const struct printer_kind PRINTER_IDS = {.item = print_ids};

/* ranked NULL: the text has no label; CSV gets empty fields. */
static void print_label(struct printer *printer, const struct ranked *ranked)
{
    const char *name = ranked ? encoder_label(printer->encoder, ranked->index) : NULL;
    row_text(&printer->rows, ROWS_DATA, "label", name, name ? strlen(name) : 0, 0);
    if (ranked)
        row_float(&printer->rows, ROWS_DATA, "score", ranked->score);
    else
        row_text(&printer->rows, ROWS_CSV, "score", NULL, 0, 0);
}

/* Begins the row of the i-th token with its text, id, span and the like. */
static void begin_token_row(struct printer *printer, const struct item *item, size_t i)
{
    struct rows *rows = &printer->rows;
    const engine_token *token = &item->tokens[i];
    const bool is_json = rows->format == ROWS_JSON;
    size_t len;
    const char *text = encoder_token_text(printer->encoder, item, i, &len);
    begin_item_row(printer, item);
    row_count(rows, ROWS_CSV, "token_index", i);
    row_text(rows, ROWS_DATA, "text", text, len, 0);
    row_integer(rows, ROWS_DATA, "id", token->id);
    row_integer(rows, ROWS_JSON, "type", token->type);
    row_span(rows, ROWS_DATA, "span",
             (struct row_span){token->begin, token->end, token->in_pair && !is_json,
                               is_json ? item->record.input.ids != NULL : !item_has_span(item, i)});
    if (is_json)
        json_write_truth(&rows->json, "special", token->special);
    row_flag(rows, ROWS_JSON, "in_pair", token->in_pair);
    row_flag(rows, ROWS_DATA, "masked", item_is_masked(item, i));
}

/* ---- CSV, RFC 4180: a header row, lines that end in CR LF, fields with a comma, a quote or a line
 * ---- end in quotes ---- */

static void begin_csv(struct printer *printer)
{
    const struct text_encoder *encoder = printer->encoder;
    const struct request_options *request = &encoder->request;
    const bool are_labels = request->task == TASK_LABELS;
    const char *columns =
        encoder->is_pooled ? "text,pair" : "token_index,text,id,begin,end,in_pair,masked";
    if (encoder->is_sparse)
        columns = "text,id,weight";
    else if (request->task == TASK_ENTITIES)
        columns = "text,label,score,begin,end,in_pair";
    else if (request->task == TASK_FILL)
        columns = "token_index,begin,end,in_pair,text,id,score";
    char titles[128];
    snprintf(titles, sizeof titles, "index,%s%s%s",
             request->is_chunked || request->has_spans ? "window,window_begin,window_end," : "",
             columns, are_labels ? ",label,score" : "");
    rows_titles(&printer->rows, titles, are_labels || encoder->is_sparse ? 0 : encoder->width, "v");
}

/* Begins the row of a text, or of its i-th token. */
static void begin_csv_row(struct printer *printer, const struct item *item, size_t i)
{
    const engine_input shown = item_shown(item);
    if (!printer->encoder->is_pooled) {
        begin_token_row(printer, item, i);
        return;
    }
    begin_item_row(printer, item);
    row_text(&printer->rows, ROWS_CSV, "text", shown.text, shown.text_len, 0);
    row_text(&printer->rows, ROWS_CSV, "pair", shown.pair, shown.pair_len, 0);
}

/* A label is a row of its own, the best one or each; without tokens it is empty. */
static void print_csv_labels(struct printer *printer, const struct item *item, size_t i)
{
    const float *scores = item_row(printer->encoder, item, i);
    const size_t n = scores && printer->all_values ? printer->encoder->width : 1;
    if (scores)
        rank_labels(printer, scores);
    for (size_t k = 0; k < n; k++) {
        begin_csv_row(printer, item, i);
        print_label(printer, scores ? &printer->ranked[k] : NULL);
        row_end(&printer->rows);
    }
}

/* A vector is columns of its row. */
static void print_csv_vector(struct printer *printer, const struct item *item, size_t i)
{
    const float *row = item_row(printer->encoder, item, i);
    begin_csv_row(printer, item, i);
    for (size_t k = 0; row && k < printer->encoder->width; k++)
        row_float(&printer->rows, ROWS_CSV, "v", row[k]);
    row_end(&printer->rows);
}

static void print_csv_item(struct printer *printer, const struct item *item)
{
    const struct text_encoder *encoder = printer->encoder;
    const size_t n_rows = encoder->is_pooled ? 1 : item->n_tokens;
    if (encoder->is_sparse)
        print_weights(printer, item);
    else if (encoder->request.task == TASK_ENTITIES)
        print_entities(printer, item);
    else if (encoder->request.task == TASK_FILL)
        for (size_t i = 0; i < item->n_candidates; i += encoder->top)
            print_candidates(printer, item, &item->candidates[i]);
    else if (encoder->request.task == TASK_LABELS)
        for (size_t i = 0; i < n_rows; i++)
            print_csv_labels(printer, item, i);
    else
        for (size_t i = 0; i < n_rows; i++)
            print_csv_vector(printer, item, i);
}

const struct printer_kind PRINTER_CSV = {.begin = begin_csv, .item = print_csv_item};

/* ---- JSON: an object per text, or window of one, and line (man/encode.1 names the keys) ---- */

void write_prompt_json(struct json_writer *json, const struct text_encoder *encoder)
{
    if (encoder->prompt.len)
        json_write_string(json, "prompt", encoder->prompt.text, encoder->prompt.len);
}

static void write_window(struct rows *rows, const struct item *item)
{
    const struct window *window = &item->window;
    json_begin_object(&rows->json, "window");
    json_write_count(&rows->json, "index", window->index);
    json_write_count(&rows->json, "of", window->of);
    row_span(rows, ROWS_JSON, "span",
             (struct row_span){window->begin, window->end, window->in_pair,
                               item->record.input.ids != NULL});
    json_end_object(&rows->json);
}

static void write_input(struct printer *printer, const struct item *item)
{
    struct json_writer *json = &printer->rows.json;
    const engine_input shown = item_shown(item);
    if (shown.ids)
        json_write_null(json, "text");
    else
        json_write_string(json, "text", shown.text, shown.text_len);
    if (shown.pair)
        json_write_string(json, "pair", shown.pair, shown.pair_len);
    if (item->prompt_len)
        json_write_string(json, "prompt", printer->encoder->prompt.text, item->prompt_len);
    else if (printer->encoder->request.has_spans)
        write_prompt_json(json, printer->encoder);
    if (item->window.of)
        write_window(&printer->rows, item);
}

/* Writes members of the open object: the best label, null without scores, or every label. */
static void write_labels(struct printer *printer, const float *scores)
{
    struct json_writer *json = &printer->rows.json;
    if (scores) {
        rank_labels(printer, scores);
        print_label(printer, printer->ranked);
    } else {
        json_write_null(json, "label");
        json_write_null(json, "score");
    }
    if (!printer->all_values)
        return;
    json_begin_array(json, "labels");
    for (size_t k = 0; scores && k < printer->encoder->width; k++) {
        json_begin_object(json, NULL);
        print_label(printer, &printer->ranked[k]);
        json_end_object(json);
    }
    json_end_array(json);
}

static void write_tokens(struct printer *printer, const struct item *item)
{
    const struct text_encoder *encoder = printer->encoder;
    rows_begin(&printer->rows, "tokens", NULL);
    for (size_t i = 0; i < item->n_tokens; i++) {
        begin_token_row(printer, item, i);
        if (encoder->request.task == TASK_LABELS)
            write_labels(printer, item_row(encoder, item, i));
        row_end(&printer->rows);
    }
    rows_end(&printer->rows, NULL);
}

static void write_masks(struct printer *printer, const struct item *item)
{
    struct json_writer *json = &printer->rows.json;
    json_begin_array(json, "masks");
    for (size_t i = 0; i < item->n_candidates; i += printer->encoder->top) {
        const size_t at = item->candidates[i].token;
        const engine_token *token = &item->tokens[at];
        json_begin_object(json, NULL);
        json_write_count(json, "token_index", at);
        row_span(&printer->rows, ROWS_JSON, "span",
                 (struct row_span){token->begin, token->end, token->in_pair,
                                   item->record.input.ids != NULL});
        print_candidates(printer, item, &item->candidates[i]);
        json_end_object(json);
    }
    json_end_array(json);
}

static void write_vectors(struct printer *printer, const struct item *item)
{
    struct json_writer *json = &printer->rows.json;
    const size_t width = printer->encoder->width;
    if (printer->encoder->is_pooled) {
        json_write_floats(json, "vector", item->rows, width);
        return;
    }
    json_begin_array(json, "vectors");
    for (size_t i = 0; i < item->n_tokens; i++)
        json_write_floats(json, NULL, item->rows + i * width, width);
    json_end_array(json);
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

static void write_members(struct json_writer *json, const struct item *item,
                          const struct request_options *request)
{
    for (size_t i = 0; i < item->record.n_members; i++) {
        const struct record_member *member = &item->record.members[i];
        const struct result_key *result = RESULT_KEYS;
        while (result->key && strcmp(result->key, member->key) != 0)
            result++;
        if (!(result->tasks >> request->task & 1) &&
            !(request->has_spans && strcmp(member->key, "spans") == 0))
            json_write_raw(json, member->key, member->value, member->value_len);
    }
}

/* Prints the input, those members of its line that no result of the task replaces, and results. */
static void print_json_item(struct printer *printer, const struct item *item)
{
    struct json_writer *json = &printer->rows.json;
    const struct text_encoder *encoder = printer->encoder;
    const struct request_options *request = &encoder->request;
    json_begin_object(json, NULL);
    write_input(printer, item);
    write_members(json, item, request);
    if (request->task == TASK_ENTITIES)
        print_entities(printer, item);
    else if (request->task == TASK_FILL)
        write_masks(printer, item);
    else if (request->task == TASK_LABELS && encoder->is_pooled)
        write_labels(printer, item_row(encoder, item, 0));
    else if (!encoder->is_pooled || request->with_tokens)
        write_tokens(printer, item);
    if (encoder->is_sparse)
        print_weights(printer, item);
    else if (request->task == TASK_VECTORS)
        write_vectors(printer, item);
    json_write_truth(json, "truncated", item->n_dropped > 0);
    json_end_object(json);
}

const struct printer_kind PRINTER_JSON = {.item = print_json_item};
