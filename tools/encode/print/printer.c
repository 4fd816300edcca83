/* printer.c - the rows that tables, JSON and CSV share: entities, words for mask tokens, sparse
 * weights; results for reading; and which printer a format has. Results for programs are in
 * printer_data.c and printer_numpy.c. */
#include "tools/encode/print/printer.h"

#include "tools/common/options.h"
#include "tools/common/print/display.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_WEIGHTS = 10 }; /* in tables, unless all are asked for */
enum { ENTITY_COLUMNS = 40, WORD_COLUMNS = 32, TOKEN_COLUMNS = 24, LABEL_COLUMNS = 24 };

void rank_labels(struct printer *printer, const float *scores)
{
    const size_t n = printer->encoder->width;
    for (size_t i = 0; i < n; i++)
        printer->ranked[i] = (struct ranked){scores[i], i};
    qsort(printer->ranked, n, sizeof *printer->ranked, ranked_compare);
}

const float *item_row(const struct text_encoder *encoder, const struct item *item, size_t i)
{
    if (!item->rows || !encoder->is_pooled)
        return item->rows ? item->rows + i * encoder->width : NULL;
    return encoder->request.task == TASK_LABELS && item_n_visible(item) == 0 ? NULL : item->rows;
}

/* ---- Rows of any format ---- */

void begin_item_row(struct printer *printer, const struct item *item)
{
    const struct window *window = &item->window;
    const unsigned where = window->of ? ROWS_CSV : 0;
    row_begin(&printer->rows);
    row_count(&printer->rows, ROWS_CSV, "index", item->number - 1);
    row_count(&printer->rows, where, "window", window->index);
    row_count(&printer->rows, where, "window_begin", window->begin);
    row_count(&printer->rows, where, "window_end", window->end);
}

void print_entities(struct printer *printer, const struct item *item)
{
    struct rows *rows = &printer->rows;
    rows_begin(rows, "entities", "entity\tlabel\tscore\tspan");
    for (size_t i = 0; i < item->n_entities; i++) {
        const engine_entity *entity = &item->entities[i];
        const engine_input *input = &item->record.input;
        const char *label = encoder_label(printer->encoder, entity->label);
        const char *dash = strchr(label, '-'); /* after a tag: its place in the entity */
        if (dash && printer->encoder->options.strategy != ENGINE_STRATEGY_NONE)
            label = dash + 1;
        begin_item_row(printer, item);
        row_text(rows, ROWS_ALL, "text",
                 (entity->in_pair ? input->pair : input->text) + entity->begin,
                 entity->end - entity->begin, ENTITY_COLUMNS);
        row_text(rows, ROWS_ALL, "label", label, strlen(label), LABEL_COLUMNS);
        row_float(rows, ROWS_ALL, "score", entity->score);
        row_span(rows, ROWS_ALL, "span",
                 (struct row_span){entity->begin, entity->end, entity->in_pair, false});
        row_end(rows);
    }
    rows_end(rows, "<<><");
}

void print_candidates(struct printer *printer, const struct item *item,
                      const engine_candidate *candidates)
{
    struct rows *rows = &printer->rows;
    const struct text_encoder *encoder = printer->encoder;
    const engine_token *token = &item->tokens[candidates->token];
    const bool has_span = item_has_span(item, candidates->token);
    rows_begin(rows, "candidates",
               encoder->options.raw_scores ? "\tword\t      id\t      logit"
                                           : "\tword\t      id\tprobability");
    for (size_t i = 0; i < encoder->top; i++) {
        size_t len;
        char word[ENCODER_WORD_BYTES];
        const char *text = encoder_word(encoder, candidates[i].id, word, &len);
        begin_item_row(printer, item);
        row_count(rows, ROWS_CSV, "token_index", candidates->token);
        row_span(rows, ROWS_CSV, "",
                 (struct row_span){token->begin, token->end, token->in_pair, !has_span});
        row_text(rows, ROWS_TABLE, "", "", 0, 0);
        row_text(rows, ROWS_ALL, "text", text, len, WORD_COLUMNS);
        row_count(rows, ROWS_ALL, "id", (size_t)candidates[i].id);
        row_float(rows, ROWS_ALL, "score", candidates[i].score);
        row_end(rows);
    }
    rows_end(rows, "<<>>");
}

void print_weights(struct printer *printer, const struct item *item)
{
    struct rows *rows = &printer->rows;
    struct ranked *weights = printer->ranked; /* of the ids that have one, heaviest first */
    size_t n = 0;
    for (size_t id = 0; id < printer->encoder->width; id++)
        if (item->rows[id] != 0)
            weights[n++] = (struct ranked){item->rows[id], id};
    qsort(weights, n, sizeof *weights, ranked_compare);
    bool is_part = rows->format == ROWS_TABLE && !printer->all_values && n > FIRST_WEIGHTS;
    size_t n_shown = is_part ? FIRST_WEIGHTS : n;
    rows_begin(rows, "weights", "token\tid\tweight");
    for (size_t i = 0; i < n_shown; i++) {
        size_t len;
        const char *text = encoder_id_text(printer->encoder, (int32_t)weights[i].index, &len);
        begin_item_row(printer, item);
        row_text(rows, ROWS_ALL, "text", text, len, WORD_COLUMNS);
        row_count(rows, ROWS_ALL, "id", weights[i].index);
        row_float(rows, ROWS_ALL, "weight", weights[i].score);
        row_end(rows);
    }
    rows_end(rows, "<>>");
    if (is_part)
        fprintf(rows->stream, "and %zu more\n", n - n_shown);
}

/* ---- For reading: a line per text where vectors are pooled, else a table for each text, of its
 * ---- tokens, its entities, or the words for its mask tokens ---- */

/* Of a table of tokens, before those of their numbers, if they have some. */
#define TOKEN_TITLES "#\ttoken\tid\tspan\t"

enum {
    FIRST_VALUES = 4, /* shown of a vector, unless all are asked for */
    MASK_COLUMNS = 32,
    TEXT_COLUMNS = 30,  /* of the text in a table of texts */
    WINDOW_COLUMNS = 7, /* "window", and the bytes it covers */
    SPAN_COLUMNS = 13,
    TITLE_COLUMNS = 70 /* of the text above a table of its own */
};

/* Above the table of a text. */
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

/* Prints the best label and its score, or all of them, best first. */
static void print_best_labels(FILE *stream, struct printer *printer, const float *scores)
{
    const struct text_encoder *encoder = printer->encoder;
    rank_labels(printer, scores);
    for (size_t i = 0; i < (printer->all_values ? encoder->width : 1); i++) {
        const char *name = encoder_label(encoder, printer->ranked[i].index);
        fputs("  ", stream);
        display_cell(stream, name, strlen(name), printer->label_columns);
        putc(' ', stream);
        display_number(stream, (double)printer->ranked[i].score);
    }
}

/* Ends a line: with the first values of a vector, or all, and its norm; or with labels. row NULL: a
 * text without tokens, which has no label. */
static void print_row(FILE *stream, struct printer *printer, const float *row)
{
    const size_t width = printer->encoder->width;
    double sum = 0;
    if (row == NULL) {
        fprintf(stream, "  %-*s %*s", (int)printer->label_columns, "-", DISPLAY_NUMBER, "-");
        return;
    }
    if (printer->encoder->request.task == TASK_LABELS) {
        print_best_labels(stream, printer, row);
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
static void print_text_line(struct printer *printer, const struct item *item)
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
    print_row(stream, printer, item_row(printer->encoder, item, 0));
    putc('\n', stream);
}

/* Returns the columns of the widest label, or of its title. */
static size_t widest_label(const struct text_encoder *encoder)
{
    size_t widest = strlen("label");
    for (size_t i = 0; i < encoder->width; i++) {
        const char *name = encoder_label(encoder, i);
        const size_t columns = display_width(name, strlen(name), LABEL_COLUMNS);
        widest = columns > widest ? columns : widest;
    }
    return widest;
}

/* Prints the heading, and makes the titles of the lines or tables below it. */
static void begin_text(struct printer *printer)
{
    const struct text_encoder *encoder = printer->encoder;
    const bool are_labels = encoder->request.task == TASK_LABELS;
    const size_t width = encoder->width;
    const size_t n = printer->all_values || width < FIRST_VALUES ? width : FIRST_VALUES;
    const size_t columns = are_labels ? widest_label(encoder) : n * (1 + DISPLAY_NUMBER);
    char title[64] = "label";
    if (!are_labels && n == width)
        snprintf(title, sizeof title, "value%s", plural(n));
    else if (!are_labels)
        snprintf(title, sizeof title, "first %zu of %zu values", n, width);
    printer->n_shown = n;
    printer->label_columns = columns;
    printer->token_titles = width ? alloc_text(TOKEN_TITLES "  %-*s %*s", (int)columns, title,
                                               DISPLAY_NUMBER, are_labels ? "score" : "norm")
                                  : alloc_text(TOKEN_TITLES);
    print_heading(printer->stream, encoder);
    if (!encoder->is_pooled || encoder->is_sparse)
        return;
    fprintf(printer->stream, "\n%6s  ", "#"); /* the titles of lines */
    if (encoder->request.is_chunked || encoder->request.has_spans)
        fprintf(printer->stream, "%*s  %*s  ", WINDOW_COLUMNS, "window", SPAN_COLUMNS, "bytes");
    fprintf(printer->stream, "%-*s%s\n", TEXT_COLUMNS, "text",
            printer->token_titles + strlen(TOKEN_TITLES));
}

/* Prints a row for each token. Beside the token for unknown words is the word, as "[UNK] (zoo)",
 * beside a token of bytes their characters, as "Ã¯ve (ïve)". */
static void print_token_table(struct printer *printer, const struct item *item)
{
    struct rows *rows = &printer->rows;
    rows_begin(rows, "tokens", printer->token_titles);
    for (size_t i = 0; i < item->n_tokens; i++) {
        const engine_token *token = &item->tokens[i];
        const float *row = item_row(printer->encoder, item, i);
        size_t len;
        const char *text = encoder_token_text(printer->encoder, item, i, &len);
        row_begin(rows);
        row_count(rows, ROWS_TABLE, "#", i);
        row_text(rows, ROWS_TABLE, "text", text, len, TOKEN_COLUMNS);
        print_meaning(rows->cells, printer->encoder, item, i);
        row_integer(rows, ROWS_TABLE, "id", token->id);
        if (item_is_masked(item, i))
            row_text(rows, ROWS_TABLE, "span", "padding", 7, 7);
        else if (!item_has_span(item, i))
            row_text(rows, ROWS_TABLE, "span", "-", 1, 1);
        else
            row_span(rows, ROWS_TABLE, "span",
                     (struct row_span){token->begin, token->end, token->in_pair, false});
        row_text(rows, ROWS_TABLE, "", "", 0, 0); /* the column of numbers or a label */
        if (row)
            print_row(rows->cells, printer, row);
        row_end(rows);
    }
    rows_end(rows, "><>>.");
}

/* A title and a table for each mask token. */
static void print_mask_tables(struct printer *printer, const struct item *item)
{
    FILE *stream = printer->stream;
    if (item->n_candidates == 0)
        fputs("(no mask token)\n", stream);
    for (size_t i = 0; i < item->n_candidates; i += printer->encoder->top) {
        const size_t at = item->candidates[i].token;
        const engine_token *token = &item->tokens[at];
        size_t len;
        const char *text = encoder_token_text(printer->encoder, item, at, &len);
        display_text(stream, text, len, MASK_COLUMNS);
        fprintf(stream, " at token %zu", at);
        if (item_has_span(item, at))
            fprintf(stream, ", %sbytes %zu-%zu", token->in_pair ? "pair " : "", token->begin,
                    token->end);
        putc('\n', stream);
        print_candidates(printer, item, &item->candidates[i]);
    }
}

static void print_text_item(struct printer *printer, const struct item *item)
{
    const struct text_encoder *encoder = printer->encoder;
    if (encoder->is_pooled && !encoder->is_sparse) {
        print_text_line(printer, item);
        return;
    }
    putc('\n', printer->stream);
    if (printer->has_titles)
        print_title(printer->stream, item);
    if (encoder->is_sparse)
        print_weights(printer, item);
    else if (encoder->request.task == TASK_ENTITIES)
        print_entities(printer, item);
    else if (encoder->request.task == TASK_FILL)
        print_mask_tables(printer, item);
    else
        print_token_table(printer, item);
}

const struct printer_kind PRINTER_TEXT = {.begin = begin_text, .item = print_text_item};

/* ---- All formats ---- */

#define PRINTER_OF(NAME, TEXT, TASKS) [FORMAT_##NAME] = &PRINTER_##NAME,
static const struct printer_kind *const PRINTERS[] = {OUTPUT_FORMATS(PRINTER_OF)};

void printer_open(struct printer *printer, struct job *job)
{
    const struct encode_options *options = job->options;
    *printer = (struct printer){
        .kind = PRINTERS[options->format],
        .stream = job->output.stream,
        .encoder = job->encoder,
        .rows = job->rows,
        .n_array_rows = &job->progress.array_rows,
        .all_values = options->all_values,
        .npy.type = options->type,
        .has_titles = options->request.n_texts != 1 || options->request.is_chunked,
        .ranked = alloc_zeros(job->encoder->width, sizeof(struct ranked)),
    };
    if (printer->kind->begin)
        printer->kind->begin(printer);
}

int printer_close(struct printer *printer, int code)
{
    const struct printer_kind *kind = printer->kind;
    const bool is_done = code == PROGRAM_DONE;
    if (kind->end && !kind->end(printer, is_done) && is_done)
        code = PROGRAM_FAILED;
    free(printer->ranked);
    free(printer->token_titles);
    return printer->message ? program_fail("%s", printer->message) : code;
}
