/* printer_text.c - for reading: a line per text where vectors are pooled, else a table for each
 * text, of its tokens, its entities, or the words for its mask tokens. */
#include "tools/common/options.h"
#include "tools/common/print/display.h"
#include "tools/encode/print/printer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    FIRST_VALUES = 4, /* shown of a vector, unless all are asked for */
    CANDIDATE_COLUMNS = 32,
    TEXT_COLUMNS = 30,  /* of the text in a table of texts */
    WINDOW_COLUMNS = 7, /* "window", and the bytes it covers */
    SPAN_COLUMNS = 13,
    TITLE_COLUMNS = 70 /* of the text above a table of its own */
};

/* ---- Above the table of a text ---- */

static void print_title(FILE *stream, const struct item *item)
{
    const struct window *window = &item->window;
    engine_input shown = item_shown(item);
    fprintf(stream, "text %zu", item->number);
    if (window->of > 1)
        fprintf(stream, ", window %zu of %zu, %sbytes %zu-%zu", window->index + 1, window->of,
                window->in_pair ? "pair " : "", window->begin, window->end);
    fputs(": ", stream);
    print_input(stream, &shown, TITLE_COLUMNS);
    if (item->n_dropped)
        fprintf(stream, "  (%zu of %zu tokens)", item_n_visible(item),
                item_n_visible(item) + item->n_dropped);
    putc('\n', stream);
}

/* ---- The end of a line: of a vector its first values, or all, and its norm; or labels and scores,
 * ---- best first ---- */

static void print_labels(FILE *stream, const struct printer *printer, const float *scores)
{
    const struct encoder *encoder = printer->encoder;
    rank_scores(scores, encoder->width, printer->ranked);
    for (size_t i = 0; i < (printer->all_values ? encoder->width : 1); i++) {
        const char *name = encoder_label(encoder, printer->ranked[i].index);
        fputs("  ", stream);
        display_cell(stream, name, strlen(name), printer->label_columns);
        putc(' ', stream);
        display_number(stream, (double)printer->ranked[i].score);
    }
}

/* row NULL: a text without tokens, which has no label. */
static void print_row(FILE *stream, const struct printer *printer, const float *row)
{
    const size_t width = printer->encoder->width;
    double sum = 0;
    if (row == NULL) {
        fprintf(stream, "  %-*s %*s", (int)printer->label_columns, "-", DISPLAY_NUMBER, "-");
        return;
    }
    if (printer->encoder->request.task == TASK_LABELS) {
        print_labels(stream, printer, row);
        return;
    }
    for (size_t i = 0; i < width; i++) {
        sum += (double)row[i] * (double)row[i];
        if (i < printer->n_shown) {
            putc(' ', stream);
            display_number(stream, (double)row[i]);
        }
    }
    fputs(printer->n_shown < width ? " … " : "   ", stream);
    display_number(stream, sqrt(sum));
}

/* ---- Words for mask tokens ---- */

static void print_masks(struct printer *printer, const struct item *item)
{
    FILE *stream = printer->stream;
    if (item->n_candidates == 0)
        fputs("(no mask token)\n", stream);
    for (size_t i = 0; i < item->n_candidates; i += printer->encoder->top) {
        size_t at = item->candidates[i].token, len;
        const engine_token *token = &item->tokens[at];
        const char *text = encoder_token_text(printer->encoder, item, at, &len);
        display_text(stream, text, len, CANDIDATE_COLUMNS);
        fprintf(stream, " at token %zu", at);
        if (item_has_span(item, at))
            fprintf(stream, ", %sbytes %zu-%zu", token->in_pair ? "pair " : "", token->begin,
                    token->end);
        putc('\n', stream);
        print_candidates(printer, item, &item->candidates[i]);
    }
}

/* ---- A line per text ---- */

/* "I ride | dog" in TEXT_COLUMNS; a text that needs less than half leaves the rest to the other. */
static void print_pair(FILE *stream, const engine_input *input)
{
    const size_t both = TEXT_COLUMNS - strlen(" | "), half = both / 2;
    size_t text_columns = display_width(input->text, input->text_len, both);
    size_t pair_columns = display_width(input->pair, input->pair_len, both);
    if (text_columns + pair_columns > both) {
        size_t smaller = text_columns < pair_columns ? text_columns : pair_columns;
        size_t fair = smaller < half ? smaller : half;
        text_columns = text_columns == smaller ? fair : both - fair;
        pair_columns = both - text_columns;
    }
    display_text(stream, input->text, input->text_len, text_columns);
    fputs(" | ", stream);
    display_cell(stream, input->pair, input->pair_len, TEXT_COLUMNS - text_columns - strlen(" | "));
}

/* Of a window "2/3", and the bytes that it covers; ids have none. */
static void print_text_line(const struct printer *printer, const struct item *item)
{
    FILE *stream = printer->stream;
    const struct window *window = &item->window;
    engine_input shown = item_shown(item);
    fprintf(stream, "%6zu  ", item->number);
    if (window->of) {
        char place[48], span[64] = "-";
        snprintf(place, sizeof place, "%zu/%zu", window->index + 1, window->of);
        if (!shown.ids)
            snprintf(span, sizeof span, "%s%zu-%zu", window->in_pair ? "pair " : "", window->begin,
                     window->end);
        fprintf(stream, "%*s  %*s  ", WINDOW_COLUMNS, place, SPAN_COLUMNS, span);
    }
    if (shown.ids)
        display_cell(stream, "(token ids)", 11, TEXT_COLUMNS);
    else if (shown.pair)
        print_pair(stream, &shown);
    else
        display_cell(stream, shown.text, shown.text_len, TEXT_COLUMNS);
    print_row(stream, printer,
              printer->encoder->request.task == TASK_LABELS ? scores_of(item) : item->rows);
    putc('\n', stream);
}

/* ---- By task ---- */

static void begin_text(struct printer *printer)
{
    const struct encoder *encoder = printer->encoder;
    FILE *stream = printer->stream;
    print_heading(stream, encoder);
    printer->n_shown =
        printer->all_values || encoder->width < FIRST_VALUES ? encoder->width : FIRST_VALUES;
    printer->label_columns = strlen("label");
    for (size_t i = 0; encoder->request.task == TASK_LABELS && i < encoder->width; i++) {
        const char *name = encoder_label(encoder, i);
        const size_t width = display_width(name, strlen(name), LABEL_COLUMNS);
        if (width > printer->label_columns)
            printer->label_columns = width;
    }
    const bool are_labels = encoder->request.task == TASK_LABELS;
    const size_t n = printer->n_shown, width = encoder->width;
    const size_t columns = are_labels ? printer->label_columns : n * (1 + DISPLAY_NUMBER);
    char title[64] = "label";
    if (!are_labels && n == width)
        snprintf(title, sizeof title, "value%s", plural(n));
    else if (!are_labels)
        snprintf(title, sizeof title, "first %zu of %zu values", n, width);
    printer->row_title = width == 0 ? alloc_text("%s", "")
                                    : alloc_text("  %-*s %*s", (int)columns, title, DISPLAY_NUMBER,
                                                 are_labels ? "score" : "norm");
    if (!width || !encoder->is_pooled || encoder->is_sparse)
        return;
    fprintf(stream, "\n%6s  ", "#"); /* the titles of lines */
    if (encoder->request.is_chunked)
        fprintf(stream, "%*s  %*s  ", WINDOW_COLUMNS, "window", SPAN_COLUMNS, "bytes");
    fprintf(stream, "%-*s%s\n", TEXT_COLUMNS, "text", printer->row_title);
}

/* Prints a line, or a table with its tokens, entities, words or weights. */
static void print_text_item(struct printer *printer, const struct item *item)
{
    const struct encoder *encoder = printer->encoder;
    const enum task task = encoder->request.task;
    struct rows *rows = &printer->rows;
    if (item->rows && encoder->is_pooled && !encoder->is_sparse) {
        print_text_line(printer, item);
        return;
    }
    putc('\n', printer->stream);
    if (printer->has_titles)
        print_title(printer->stream, item);
    switch (task) {
    case TASK_ENTITIES: print_entities(printer, item); return;
    case TASK_FILL: print_masks(printer, item); return;
    default: break;
    }
    if (encoder->is_sparse) {
        print_weights(printer, item);
        return;
    }
    char *titles = alloc_text("%*s\ttoken\tid\tspan\t%s", snprintf(NULL, 0, "%zu", item->n_tokens),
                              "#", printer->row_title);
    rows_begin(rows, "tokens", titles);
    for (size_t i = 0; i < item->n_tokens; i++) {
        begin_token_row(printer, item, i);
        row_text(rows, ROWS_TABLE, "", "", 0, 0);
        if (item->rows)
            print_row(rows->cells, printer, item->rows + i * encoder->width);
        row_end(rows);
    }
    rows_end(rows, "><>>.");
    free(titles);
}

const struct printer_kind PRINTER_TEXT = {.begin = begin_text, .item = print_text_item};
