/* printer_json.c - one JSON object per text, or window of one, and line (man/encode.1 names the
 * keys). */
#include "tools/common/json_output.h"
#include "tools/encode/print/printer.h"

#include <string.h>

static void put_truth(FILE *stream, bool truth)
{
    fputs(truth ? "true" : "false", stream);
}

/* ---- The input ---- */

static void put_window(FILE *stream, const struct item *item)
{
    const struct window *window = &item->window;
    fprintf(stream, ", \"window\": {\"index\": %zu, \"of\": %zu, \"span\": ", window->index,
            window->of);
    if (item->record.input.ids)
        fputs("null", stream);
    else
        fprintf(stream, "[%zu, %zu]", window->begin, window->end);
    fputs(window->in_pair ? ", \"pair\": true}" : "}", stream);
}

static void put_input(const struct printer *printer, const struct item *item)
{
    FILE *stream = printer->stream;
    engine_input shown = item_shown(item);
    fputs("{\"text\": ", stream);
    if (shown.ids)
        fputs("null", stream);
    else
        json_put_string(stream, shown.text, shown.text_len);
    if (shown.pair) {
        fputs(", \"pair\": ", stream);
        json_put_string(stream, shown.pair, shown.pair_len);
    }
    if (item->prompt_len) {
        fputs(", \"prompt\": ", stream);
        json_put_string(stream, printer->encoder->prompt.text, item->prompt_len);
    }
    if (item->window.of)
        put_window(stream, item);
}

/* ---- Labels ---- */

static void put_label(const struct printer *printer, const struct ranked *ranked)
{
    char scratch[LABEL_NAME_BYTES];
    const char *name = encoder_label(printer->encoder, ranked->index, scratch);
    fputs("\"label\": ", printer->stream);
    json_put_string(printer->stream, name, strlen(name));
    fputs(", \"score\": ", printer->stream);
    json_put_float(printer->stream, ranked->score);
}

/* NULL: there is none. */
static void put_labels(const struct printer *printer, const float *scores)
{
    FILE *stream = printer->stream;
    if (scores == NULL) {
        fputs(", \"label\": null, \"score\": null", stream);
        fputs(printer->all_values ? ", \"labels\": []" : "", stream);
        return;
    }
    size_t n = printer->encoder->width;
    rank_scores(scores, n, printer->ranked);
    fputs(", ", stream);
    put_label(printer, &printer->ranked[0]);
    if (!printer->all_values)
        return;
    fputs(", \"labels\": [", stream);
    for (size_t i = 0; i < n; i++) {
        fputs(i ? ", {" : "{", stream);
        put_label(printer, &printer->ranked[i]);
        putc('}', stream);
    }
    putc(']', stream);
}

/* ---- Tokens ---- */

static void put_span(FILE *stream, const struct item *item, size_t i)
{
    const engine_token *token = &item->tokens[i];
    fputs(", \"span\": ", stream);
    if (item->record.input.ids)
        fputs("null", stream);
    else
        fprintf(stream, "[%zu, %zu]", token->begin, token->end);
}

static void put_token(const struct printer *printer, const struct item *item, size_t i)
{
    FILE *stream = printer->stream;
    const struct encoder *encoder = printer->encoder;
    const engine_token *token = &item->tokens[i];
    size_t len;
    const char *text = encoder_token_text(encoder, item, i, &len);

    fputs("{\"text\": ", stream);
    json_put_string(stream, text, len);
    fprintf(stream, ", \"id\": %d", (int)token->id);
    put_span(stream, item, i);
    fputs(", \"special\": ", stream);
    put_truth(stream, token->special);
    if (token->in_pair)
        fputs(", \"pair\": true", stream);
    if (item_is_masked(item, i))
        fputs(", \"masked\": true", stream);
    if (encoder->task == TASK_LABELS && !encoder->is_pooled)
        put_labels(printer, item->rows + i * encoder->width);
    putc('}', stream);
}

static void put_tokens(const struct printer *printer, const struct item *item)
{
    FILE *stream = printer->stream;
    fputs(", \"tokens\": [", stream);
    for (size_t i = 0; i < item->n_tokens; i++) {
        if (i)
            fputs(", ", stream);
        put_token(printer, item, i);
    }
    putc(']', stream);
}

/* ---- Results ---- */

static void put_vectors(const struct printer *printer, const struct item *item)
{
    FILE *stream = printer->stream;
    size_t width = printer->encoder->width;

    if (printer->encoder->is_pooled) {
        fputs(", \"vector\": ", stream);
        json_put_floats(stream, item->rows, width);
        return;
    }
    fputs(", \"vectors\": [", stream);
    for (size_t i = 0; i < item->n_tokens; i++) {
        if (i)
            fputs(", ", stream);
        json_put_floats(stream, item->rows + i * width, width);
    }
    putc(']', stream);
}

static void put_entities(const struct printer *printer, const struct item *item)
{
    FILE *stream = printer->stream;
    fputs(", \"entities\": [", stream);
    for (size_t i = 0; i < item->n_entities; i++) {
        const engine_entity *entity = &item->entities[i];
        char scratch[LABEL_NAME_BYTES];
        const char *label = entity_label(printer->encoder, item, i, scratch);
        size_t len;
        const char *text = entity_text(item, i, &len);
        fputs(i ? ", {\"text\": " : "{\"text\": ", stream);
        json_put_string(stream, text, len);
        fputs(", \"label\": ", stream);
        json_put_string(stream, label, strlen(label));
        fputs(", \"score\": ", stream);
        json_put_float(stream, entity->score);
        fprintf(stream, ", \"span\": [%zu, %zu]", entity->begin, entity->end);
        fputs(entity->in_pair ? ", \"pair\": true}" : "}", stream);
    }
    putc(']', stream);
}

/* The words for one mask token. */
static void put_candidates(const struct printer *printer, const engine_candidate *candidates)
{
    FILE *stream = printer->stream;
    fputs(", \"candidates\": [", stream);
    for (size_t i = 0; i < printer->encoder->top; i++) {
        size_t len;
        const char *text = encoder_id_text(printer->encoder, candidates[i].id, &len);
        fputs(i ? ", {\"text\": " : "{\"text\": ", stream);
        json_put_string(stream, text, len);
        fprintf(stream, ", \"id\": %d, \"score\": ", (int)candidates[i].id);
        json_put_float(stream, candidates[i].score);
        putc('}', stream);
    }
    putc(']', stream);
}

static void put_masks(const struct printer *printer, const struct item *item)
{
    FILE *stream = printer->stream;
    size_t top = printer->encoder->top;
    fputs(", \"masks\": [", stream);
    for (size_t i = 0; i < item->n_candidates; i += top) {
        size_t token = item->candidates[i].token;
        fprintf(stream, i ? ", {\"token\": %zu" : "{\"token\": %zu", token);
        put_span(stream, item, token);
        if (item->tokens[token].in_pair)
            fputs(", \"pair\": true", stream);
        put_candidates(printer, &item->candidates[i]);
        putc('}', stream);
    }
    putc(']', stream);
}

static void put_result(const struct printer *printer, const struct item *item)
{
    switch (printer->encoder->task) {
    case TASK_LABELS:
        if (printer->encoder->is_pooled)
            put_labels(printer, scores_of(item));
        else
            put_tokens(printer, item);
        break;
    case TASK_ENTITIES: put_entities(printer, item); break;
    case TASK_FILL: put_masks(printer, item); break;
    default:
        put_tokens(printer, item);
        if (item->rows)
            put_vectors(printer, item);
    }
}

static bool print_item(struct printer *printer, const struct item *item)
{
    put_input(printer, item);
    put_result(printer, item);
    fputs(", \"truncated\": ", printer->stream);
    put_truth(printer->stream, item->n_dropped > 0);
    fputs("}\n", printer->stream);
    return true;
}

const struct printer_kind PRINTER_JSON = {.item = print_item};
