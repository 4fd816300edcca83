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
    TITLE_COLUMNS = 70, /* of the text above a table of its own */
    NAME_COLUMNS = 70   /* of the model */
};

/* ---- The heading: the model, its shape, what is in force ---- */

static const char *score_kind(const struct encoder *encoder)
{
    bool are_raw = encoder->options.raw_scores || strcmp(encoder->info.scores, "none") == 0;
    return are_raw ? "logits" : encoder->info.scores;
}

/* What is made of a text. */
static void print_result_kind(FILE *stream, const struct encoder *encoder)
{
    const engine_info *info = &encoder->info;
    const engine_pooling pooling = encoder->options.pooling;
    const bool has_length_1 =
        encoder->options.normalize || (pooling == ENGINE_POOLING_MODEL && info->normalize);
    switch (encoder->request.task) {
    case TASK_LABELS:
        fprintf(stream, "%zu label%s per %s (%s)", info->n_labels, plural(info->n_labels),
                encoder->is_pooled ? "text" : "token", score_kind(encoder));
        break;
    case TASK_ENTITIES:
        fprintf(stream, "%zu label%s per token (%s)", info->n_labels, plural(info->n_labels),
                score_kind(encoder));
        break;
    case TASK_FILL:
        fprintf(stream, "%zu word%s per mask token", encoder->top, plural(encoder->top));
        break;
    case TASK_RANK:
    case TASK_SIMILARITY:
        if (encoder->ranks_pairs)
            fprintf(stream, "scores of pairs (%s)", score_kind(encoder));
        else if (pooling == ENGINE_POOLING_COLBERT)
            fputs("MaxSim of vectors of tokens", stream);
        else
            fprintf(stream, "%s of %s %s", metric_words(encoder->metric), encoder->pooling,
                    encoder->is_sparse ? "weights" : "pooling");
        break;
    default:
        if (encoder->is_sparse || pooling == ENGINE_POOLING_COLBERT) {
            fputs(encoder->is_sparse ? "sparse weights" : "vectors of length 1 of tokens", stream);
            break;
        }
        if (!encoder->is_pooled)
            fputs("one vector per token", stream);
        else
            fprintf(stream, "%s pooling%s", encoder->pooling, has_length_1 ? " to length 1" : "");
    }
}

/* "learned positions", "rotary positions", or both, and the numbers that they are computed with,
 * as " (base 50, W2 3)": the requested numbers, and the file's numbers that differ from the
 * format's defaults. */
static void print_positions(FILE *stream, const struct encoder *encoder)
{
    const char *added = encoder->position, *in_attention = encoder->attention_position;
    const bool are_added = strcmp(added, "none") != 0;
    const bool are_in_attention = strcmp(in_attention, "none") != 0;
    const struct position_options *asked = &encoder->request.positions;
    const struct position_numbers *numbers = &encoder->numbers;
    const char *before = " (";
    fprintf(stream, "%s%s%s positions", are_added ? added : "",
            are_added && are_in_attention ? " and " : "",
            are_in_attention ? in_attention
            : are_added      ? ""
                             : "no");
    if ((asked->base != 0 || numbers->base != POSITION_DEFAULT_BASE) && position_uses_base(added)) {
        fprintf(stream, "%sbase %g", before, numbers->base);
        before = ", ";
    }
    if (strcmp(added, "fourier") == 0 && numbers->n_frequencies > 0) {
        fprintf(stream, "%s%zu frequenc%s", before, numbers->n_frequencies,
                numbers->n_frequencies == 1 ? "y" : "ies");
        before = ", ";
    }
    if (asked->has_embedding_scale || numbers->embedding_scale != 1) {
        fprintf(stream, "%sW1 %g", before, numbers->embedding_scale);
        before = ", ";
    }
    if (are_added && (asked->has_position_scale || numbers->position_scale != 1)) {
        fprintf(stream, "%sW2 %g", before, numbers->position_scale);
        before = ", ";
    }
    fputs(before[0] == ',' ? ")" : "", stream);
}

void print_heading(FILE *stream, const struct encoder *encoder)
{
    const engine_info *info = &encoder->info;
    display_text(stream, encoder->name, strlen(encoder->name), NAME_COLUMNS);
    if (info->has_model && info->n_layers == 0)
        fprintf(stream, ": no layers, width %zu, vocabulary %zu\n", info->width,
                info->n_vocabulary);
    else if (info->has_model)
        fprintf(stream, ": %zu layer%s, width %zu, %zu head%s, feed-forward %zu, vocabulary %zu\n",
                info->n_layers, plural(info->n_layers), info->width, info->n_heads,
                plural(info->n_heads), info->feed_forward, info->n_vocabulary);
    else
        fputs(": no model\n", stream);
    if (task_is_tokens(encoder->request.task)) {
        fprintf(stream, "%s tokenizer\n", info->tokenizer);
        return;
    }
    print_positions(stream, encoder);
    fprintf(stream, ", %s mask, ", encoder->mask);
    if (encoder->window > 0)
        fprintf(stream, "window of %zu, ", encoder->window);
    print_result_kind(stream, encoder);
    fprintf(stream, ", at most %zu token%s\n", encoder->options.max_tokens,
            plural(encoder->options.max_tokens));
}

/* ---- Above the table of a text ---- */

void print_input(FILE *stream, const engine_input *input, size_t columns)
{
    if (input->ids) {
        fputs("(token ids)", stream);
        return;
    }
    if (input->text_len)
        display_text(stream, input->text, input->text_len, columns);
    if (input->pair) {
        fputs(" | ", stream);
        display_text(stream, input->pair, input->pair_len, columns);
    }
}

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
    for (size_t i = 0; encoder->request.task == TASK_LABELS && i < encoder->info.n_labels; i++) {
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
    if (task == TASK_ENTITIES || task == TASK_FILL || encoder->is_sparse) {
        (task == TASK_ENTITIES ? print_entities
         : task == TASK_FILL   ? print_masks
                               : print_weights)(printer, item);
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
