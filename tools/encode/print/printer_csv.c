/* printer_csv.c - RFC 4180: a header row, lines that end in CR LF, fields with a comma, a quote or
 * a line end in quotes. Texts and tokens count from 0, as rows of an array do. What there is not is
 * an empty field: the text of ids, the second text of one that is alone, the span of a token that
 * was made of no part of the text (begin, end, in_pair). */
#include "tools/encode/print/printer.h"

#include <string.h>

/* ---- What stands in front of every row ---- */

static const char TOKEN_TITLES[] = "token_index,token,id,begin,end,in_pair,masked";
static const char TEXT_TITLES[] = "text,pair";

static void write_index_titles(struct printer *printer)
{
    csv_write_fields(&printer->csv, "text_index");
    if (printer->encoder->request.is_chunked)
        csv_write_fields(&printer->csv, "window,window_begin,window_end");
}

static void write_index(struct printer *printer, const struct item *item)
{
    struct csv_writer *csv = &printer->csv;
    const struct window *window = &item->window;
    csv_write_integer(csv, (int64_t)item->number - 1);
    if (window->of) {
        csv_write_integer(csv, (int64_t)window->index);
        csv_write_integer(csv, (int64_t)window->begin);
        csv_write_integer(csv, (int64_t)window->end);
    }
}

static void write_span(struct csv_writer *csv, size_t begin, size_t end, bool in_pair)
{
    csv_write_integer(csv, (int64_t)begin);
    csv_write_integer(csv, (int64_t)end);
    csv_write_integer(csv, in_pair);
}

static void write_token_span(struct csv_writer *csv, const struct item *item, size_t i)
{
    const engine_token *token = &item->tokens[i];
    if (item_has_span(item, i))
        write_span(csv, token->begin, token->end, token->in_pair);
    else
        csv_write_fields(csv, ",,");
}

static void write_texts(struct printer *printer, const struct item *item)
{
    engine_input shown = item_shown(item);
    write_index(printer, item);
    csv_write_string(&printer->csv, shown.text, shown.text_len);
    csv_write_string(&printer->csv, shown.pair, shown.pair_len);
}

static void write_token(struct printer *printer, const struct item *item, size_t i)
{
    struct csv_writer *csv = &printer->csv;
    size_t len;
    const char *text = encoder_token_text(printer->encoder, item, i, &len);
    write_index(printer, item);
    csv_write_integer(csv, (int64_t)i);
    csv_write_string(csv, text, len);
    csv_write_integer(csv, item->tokens[i].id);
    write_token_span(csv, item, i);
    csv_write_integer(csv, item_is_masked(item, i));
}

/* ---- Vectors and tokens ---- */

static void write_vectors(struct printer *printer, const struct item *item)
{
    size_t width = printer->encoder->width;
    bool is_pooled = item->rows && printer->encoder->is_pooled;
    size_t n_rows = is_pooled ? 1 : item->n_tokens;
    for (size_t i = 0; i < n_rows; i++) {
        if (is_pooled)
            write_texts(printer, item);
        else
            write_token(printer, item, i);
        for (size_t k = 0; item->rows && k < width; k++)
            csv_write_float(&printer->csv, item->rows[i * width + k]);
        csv_end_row(&printer->csv);
    }
}

/* ---- Sparse weights: a row for each, the heaviest of a text first ---- */

static void write_weights(struct printer *printer, const struct item *item)
{
    struct csv_writer *csv = &printer->csv;
    const struct ranked *weights = printer->ranked;
    size_t n = rank_weights(item->rows, printer->encoder->width, printer->ranked);
    for (size_t i = 0; i < n; i++) {
        size_t len;
        const char *text = encoder_id_text(printer->encoder, (int32_t)weights[i].index, &len);
        write_index(printer, item);
        csv_write_string(csv, text, len);
        csv_write_integer(csv, (int64_t)weights[i].index);
        csv_write_float(csv, weights[i].score);
        csv_end_row(csv);
    }
}

/* ---- Labels: a row for the best of each text or token, or for every one of them ---- */

/* The labels of a text, or of its token with this index. */
static void write_labels(struct printer *printer, const struct item *item, size_t token)
{
    struct csv_writer *csv = &printer->csv;
    const struct encoder *encoder = printer->encoder;
    size_t n = printer->all_values ? encoder->width : 1;

    if (encoder->is_pooled && scores_of(item) == NULL) { /* no label: empty fields */
        write_texts(printer, item);
        csv_write_fields(csv, ",");
        csv_end_row(csv);
        return;
    }
    rank_scores(item->rows + token * encoder->width, encoder->width, printer->ranked);
    for (size_t i = 0; i < n; i++) {
        const char *name = encoder_label(encoder, printer->ranked[i].index);
        if (encoder->is_pooled)
            write_texts(printer, item);
        else
            write_token(printer, item, token);
        csv_write_string(csv, name, strlen(name));
        csv_write_float(csv, printer->ranked[i].score);
        csv_end_row(csv);
    }
}

/* ---- Entities, and words for mask tokens ---- */

static void write_entity(struct printer *printer, const struct item *item, size_t i)
{
    struct csv_writer *csv = &printer->csv;
    const engine_entity *entity = &item->entities[i];
    const char *label = entity_label(printer->encoder, item, i);
    size_t len;
    const char *text = entity_text(item, i, &len);
    write_index(printer, item);
    csv_write_string(csv, text, len);
    csv_write_string(csv, label, strlen(label));
    csv_write_float(csv, entity->score);
    write_span(csv, entity->begin, entity->end, entity->in_pair);
    csv_end_row(csv);
}

static void write_candidate(struct printer *printer, const struct item *item, size_t i)
{
    struct csv_writer *csv = &printer->csv;
    const engine_candidate *candidate = &item->candidates[i];
    size_t len;
    const char *text = encoder_id_text(printer->encoder, candidate->id, &len);
    write_index(printer, item);
    csv_write_integer(csv, (int64_t)candidate->token);
    write_token_span(csv, item, candidate->token);
    csv_write_string(csv, text, len);
    csv_write_integer(csv, candidate->id);
    csv_write_float(csv, candidate->score);
    csv_end_row(csv);
}

/* ---- By task ---- */

static void begin(struct printer *printer)
{
    struct csv_writer *csv = &printer->csv;
    const struct encoder *encoder = printer->encoder;
    bool is_pooled = encoder->width && encoder->is_pooled;
    write_index_titles(printer);
    switch (encoder->request.task) {
    case TASK_ENTITIES: csv_write_fields(csv, "entity,label,score,begin,end,in_pair"); break;
    case TASK_FILL:
        csv_write_fields(csv, "token_index,begin,end,in_pair,candidate,id,score");
        break;
    case TASK_LABELS:
        csv_write_fields(csv, is_pooled ? TEXT_TITLES : TOKEN_TITLES);
        csv_write_fields(csv, "label,score");
        break;
    default:
        if (encoder->is_sparse) {
            csv_write_fields(csv, "token,id,weight");
            break;
        }
        csv_write_fields(csv, is_pooled ? TEXT_TITLES : TOKEN_TITLES);
        csv_write_numbered(csv, "v", encoder->width);
    }
    csv_end_row(csv);
}

static void print_item(struct printer *printer, const struct item *item)
{
    switch (printer->encoder->request.task) {
    case TASK_LABELS:
        for (size_t i = 0; i < (printer->encoder->is_pooled ? 1 : item->n_tokens); i++)
            write_labels(printer, item, i);
        break;
    case TASK_ENTITIES:
        for (size_t i = 0; i < item->n_entities; i++)
            write_entity(printer, item, i);
        break;
    case TASK_FILL:
        for (size_t i = 0; i < item->n_candidates; i++)
            write_candidate(printer, item, i);
        break;
    default:
        if (printer->encoder->is_sparse)
            write_weights(printer, item);
        else
            write_vectors(printer, item);
    }
}

const struct printer_kind PRINTER_CSV = {.begin = begin, .item = print_item};
