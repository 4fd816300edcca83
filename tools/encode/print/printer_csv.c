/* printer_csv.c - RFC 4180: a header row, lines that end in CR LF, fields with a comma, a quote or
 * a line end in quotes. Texts and tokens count from 0, as rows of an array do. What there is not is
 * an empty field: the text of ids, the second text of one that is alone, the span of a token that
 * was made of no part of the text (begin, end, in_pair). */
#include "tools/common/csv_output.h"
#include "tools/encode/print/printer.h"
#include "tools/encode/scores.h"

#include <string.h>

/* ---- What stands in front of every row ---- */

static void put_index_title(const struct printer *printer)
{
    fputs("text_index", printer->stream);
    if (printer->encoder->is_chunked)
        fputs(",window,window_begin,window_end", printer->stream);
}

static void put_index(const struct printer *printer, const struct item *item)
{
    fprintf(printer->stream, "%zu", item->number - 1);
    if (item->window.of)
        fprintf(printer->stream, ",%zu,%zu,%zu", item->window.index, item->window.begin,
                item->window.end);
}

static void put_texts(FILE *stream, const struct item *item)
{
    engine_input shown = item_shown(item);
    putc(',', stream);
    csv_put_field(stream, shown.text ? shown.text : "", shown.text_len);
    putc(',', stream);
    csv_put_field(stream, shown.pair ? shown.pair : "", shown.pair_len);
}

static void put_token(struct printer *printer, const struct item *item, size_t i)
{
    FILE *stream = printer->stream;
    const engine_token *token = &item->tokens[i];
    size_t len;
    const char *text = encoder_token_text(printer->encoder, item, i, &len);

    put_index(printer, item);
    fprintf(stream, ",%zu,", i);
    csv_put_field(stream, text, len);
    fprintf(stream, ",%d,", (int)token->id);
    if (item_has_span(item, i))
        fprintf(stream, "%zu,%zu,%d", token->begin, token->end, token->in_pair);
    else
        fputs(",,", stream);
    fputs(item_is_masked(item, i) ? ",1" : ",0", stream);
}

static const char TOKEN_TITLES[] = ",token_index,token,id,begin,end,in_pair,masked";
static const char TEXT_TITLES[] = ",text,pair";

/* ---- Vectors and tokens ---- */

static bool begin_vectors(struct printer *printer)
{
    const struct encoder *encoder = printer->encoder;
    put_index_title(printer);
    fputs(encoder->width && encoder->is_pooled ? TEXT_TITLES : TOKEN_TITLES, printer->stream);
    for (size_t i = 0; i < encoder->width; i++)
        fprintf(printer->stream, ",v%zu", i);
    csv_end_row(printer->stream);
    return true;
}

static void put_vector(FILE *stream, const float *values, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        putc(',', stream);
        csv_put_float(stream, values[i]);
    }
}

static bool print_vectors(struct printer *printer, const struct item *item)
{
    FILE *stream = printer->stream;
    size_t width = printer->encoder->width;
    if (item->rows && printer->encoder->is_pooled) {
        put_index(printer, item);
        put_texts(stream, item);
        put_vector(stream, item->rows, width);
        csv_end_row(stream);
        return true;
    }
    for (size_t i = 0; i < item->n_tokens; i++) {
        put_token(printer, item, i);
        if (item->rows)
            put_vector(stream, item->rows + i * width, width);
        csv_end_row(stream);
    }
    return true;
}

const struct printer_kind PRINTER_CSV = {.begin = begin_vectors, .item = print_vectors};

/* ---- Labels: a row for the best of each text or token, or for every one of them ---- */

static bool begin_labels(struct printer *printer)
{
    put_index_title(printer);
    fputs(printer->encoder->is_pooled ? TEXT_TITLES : TOKEN_TITLES, printer->stream);
    fputs(",label,score", printer->stream);
    csv_end_row(printer->stream);
    return true;
}

/* The labels of a text, or of its token with this index. */
static void put_labels(struct printer *printer, const struct item *item, size_t token)
{
    FILE *stream = printer->stream;
    const struct encoder *encoder = printer->encoder;
    size_t n = printer->all_values ? encoder->width : 1;
    char scratch[LABEL_NAME_BYTES];

    if (encoder->is_pooled && scores_of(item) == NULL) { /* no label: empty fields */
        put_index(printer, item);
        put_texts(stream, item);
        fputs(",,", stream);
        csv_end_row(stream);
        return;
    }
    rank_scores(item->rows + token * encoder->width, encoder->width, printer->ranked);
    for (size_t i = 0; i < n; i++) {
        const char *name = encoder_label(encoder, printer->ranked[i].index, scratch);
        if (encoder->is_pooled) {
            put_index(printer, item);
            put_texts(stream, item);
        } else {
            put_token(printer, item, token);
        }
        putc(',', stream);
        csv_put_field(stream, name, strlen(name));
        putc(',', stream);
        csv_put_float(stream, printer->ranked[i].score);
        csv_end_row(stream);
    }
}

static bool print_labels(struct printer *printer, const struct item *item)
{
    size_t n_rows = printer->encoder->is_pooled ? 1 : item->n_tokens;
    for (size_t i = 0; i < n_rows; i++)
        put_labels(printer, item, i);
    return true;
}

const struct printer_kind PRINTER_CSV_LABELS = {.begin = begin_labels, .item = print_labels};

/* ---- Entities ---- */

static bool begin_entities(struct printer *printer)
{
    put_index_title(printer);
    fputs(",entity,label,score,begin,end,in_pair", printer->stream);
    csv_end_row(printer->stream);
    return true;
}

static bool print_entities(struct printer *printer, const struct item *item)
{
    FILE *stream = printer->stream;
    for (size_t i = 0; i < item->n_entities; i++) {
        const engine_entity *entity = &item->entities[i];
        char scratch[LABEL_NAME_BYTES];
        const char *label = entity_label(printer->encoder, item, i, scratch);
        size_t len;
        const char *text = entity_text(item, i, &len);
        put_index(printer, item);
        putc(',', stream);
        csv_put_field(stream, text, len);
        putc(',', stream);
        csv_put_field(stream, label, strlen(label));
        putc(',', stream);
        csv_put_float(stream, entity->score);
        fprintf(stream, ",%zu,%zu,%d", entity->begin, entity->end, entity->in_pair);
        csv_end_row(stream);
    }
    return true;
}

const struct printer_kind PRINTER_CSV_ENTITIES = {.begin = begin_entities, .item = print_entities};

/* ---- Words for mask tokens ---- */

static bool begin_fill(struct printer *printer)
{
    put_index_title(printer);
    fputs(",token_index,begin,end,in_pair,candidate,id,score", printer->stream);
    csv_end_row(printer->stream);
    return true;
}

static bool print_fill(struct printer *printer, const struct item *item)
{
    FILE *stream = printer->stream;
    for (size_t i = 0; i < item->n_candidates; i++) {
        const engine_candidate *candidate = &item->candidates[i];
        const engine_token *token = &item->tokens[candidate->token];
        size_t len;
        const char *text = encoder_id_text(printer->encoder, candidate->id, &len);
        put_index(printer, item);
        if (item_has_span(item, candidate->token))
            fprintf(stream, ",%zu,%zu,%zu,%d,", candidate->token, token->begin, token->end,
                    token->in_pair);
        else
            fprintf(stream, ",%zu,,,,", candidate->token);
        csv_put_field(stream, text, len);
        fprintf(stream, ",%d,", (int)candidate->id);
        csv_put_float(stream, candidate->score);
        csv_end_row(stream);
    }
    return true;
}

const struct printer_kind PRINTER_CSV_FILL = {.begin = begin_fill, .item = print_fill};
