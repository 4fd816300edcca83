/* printer_csv.c - RFC 4180: a header row, lines that end in CR LF, fields with a comma, a quote or
 * a line end in quotes. Texts and tokens count from 0, as rows of an array do. What there is not is
 * an empty field: the text of ids, the second text of one that is alone, the span of a token that
 * was made of no part of the text (begin, end, in_pair). */
#include "tools/encode/print/printer.h"

#include <string.h>

/* ---- Vectors and tokens ---- */

static void begin_text_row(struct printer *printer, const struct item *item)
{
    engine_input shown = item_shown(item);
    print_index(printer, item);
    row_text(&printer->rows, ROWS_CSV, "text", shown.text, shown.text_len, 0);
    row_text(&printer->rows, ROWS_CSV, "pair", shown.pair, shown.pair_len, 0);
}

static void write_vector_rows(struct printer *printer, const struct item *item)
{
    size_t width = printer->encoder->width;
    bool is_pooled = item->rows && printer->encoder->is_pooled;
    size_t n_rows = is_pooled ? 1 : item->n_tokens;
    for (size_t i = 0; i < n_rows; i++) {
        if (is_pooled)
            begin_text_row(printer, item);
        else
            begin_token_row(printer, item, i);
        for (size_t k = 0; item->rows && k < width; k++)
            row_float(&printer->rows, ROWS_CSV, "v", item->rows[i * width + k]);
        row_end(&printer->rows);
    }
}

/* ---- Labels: a row for the best of each text or token, or for every one of them ---- */

/* The labels of a text, or of its token with this index. A text without tokens has no label. */
static void write_label_rows(struct printer *printer, const struct item *item, size_t token)
{
    struct rows *rows = &printer->rows;
    const struct encoder *encoder = printer->encoder;
    const bool has_scores = !encoder->is_pooled || scores_of(item) != NULL;
    size_t n = printer->all_values && has_scores ? encoder->width : 1;
    if (has_scores)
        rank_scores(item->rows + token * encoder->width, encoder->width, printer->ranked);
    for (size_t i = 0; i < n; i++) {
        const char *name = has_scores ? encoder_label(encoder, printer->ranked[i].index) : "";
        if (encoder->is_pooled)
            begin_text_row(printer, item);
        else
            begin_token_row(printer, item, token);
        row_text(rows, ROWS_CSV, "label", name, strlen(name), 0);
        if (has_scores)
            row_float(rows, ROWS_CSV, "score", printer->ranked[i].score);
        else
            row_text(rows, ROWS_CSV, "score", NULL, 0, 0);
        row_end(rows);
    }
}

/* ---- By task ---- */

static const char *titles_of(const struct encoder *encoder)
{
    const enum task task = encoder->request.task;
    const bool is_pooled = encoder->width && encoder->is_pooled;
    if (task == TASK_ENTITIES)
        return "text,label,score,begin,end,in_pair";
    if (task == TASK_FILL)
        return "token_index,begin,end,in_pair,text,id,score";
    if (encoder->is_sparse && task != TASK_LABELS)
        return "text,id,weight";
    if (task == TASK_LABELS)
        return is_pooled ? "text,pair,label,score"
                         : "token_index,text,id,begin,end,in_pair,masked,label,score";
    return is_pooled ? "text,pair" : "token_index,text,id,begin,end,in_pair,masked";
}

static void begin_csv(struct printer *printer)
{
    const struct encoder *encoder = printer->encoder;
    const bool has_vectors = encoder->request.task == TASK_VECTORS && !encoder->is_sparse;
    char titles[128];
    snprintf(titles, sizeof titles, "index,%s%s",
             encoder->request.is_chunked ? "window,window_begin,window_end," : "",
             titles_of(encoder));
    rows_titles(&printer->rows, titles, has_vectors ? encoder->width : 0, "v");
}

static void print_csv(struct printer *printer, const struct item *item)
{
    switch (printer->encoder->request.task) {
    case TASK_LABELS:
        for (size_t i = 0; i < (printer->encoder->is_pooled ? 1 : item->n_tokens); i++)
            write_label_rows(printer, item, i);
        break;
    case TASK_ENTITIES: print_entities(printer, item); break;
    case TASK_FILL:
        for (size_t i = 0; i < item->n_candidates; i += printer->encoder->top)
            print_candidates(printer, item, &item->candidates[i]);
        break;
    default:
        if (printer->encoder->is_sparse)
            print_weights(printer, item);
        else
            write_vector_rows(printer, item);
    }
}

const struct printer_kind PRINTER_CSV = {.begin = begin_csv, .item = print_csv};
