/* printer_text.c - for reading: a line per text where vectors are pooled, else a table for each
 * text, of its tokens, its entities, or the words for its mask tokens. */
#include "tools/common/print/display.h"
#include "tools/common/print/table.h"
#include "tools/encode/print/printer.h"

#include <string.h>

enum {
    TOKEN_COLUMNS = 24, /* longest token shown whole */
    WORD_COLUMNS = 16,  /* longest unknown word behind its token */
    CANDIDATE_COLUMNS = 32,
    TEXT_COLUMNS = 30,  /* of the text in a table of texts */
    WINDOW_COLUMNS = 7, /* "window", and the bytes it covers */
    SPAN_COLUMNS = 13,
    TITLE_COLUMNS = 70 /* of the text above a table of its own */
};

static void put_span(FILE *stream, size_t begin, size_t end, bool in_pair)
{
    fprintf(stream, "%s%zu-%zu", in_pair ? "pair " : "", begin, end);
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
    if (window->of > 1) {
        fprintf(stream, ", window %zu of %zu, %sbytes ", window->index + 1, window->of,
                window->in_pair ? "pair " : "");
        put_span(stream, window->begin, window->end, false);
    }
    fputs(": ", stream);
    print_input(stream, &shown, TITLE_COLUMNS);
    if (item->n_dropped)
        fprintf(stream, "  (%zu of %zu tokens)", item_n_visible(item),
                item_n_visible(item) + item->n_dropped);
    putc('\n', stream);
}

/* ---- Tokens ---- */

static void put_in_brackets(FILE *stream, const char *text, size_t len)
{
    fputs(" (", stream);
    display_text(stream, text, len, WORD_COLUMNS);
    putc(')', stream);
}

void print_bytes(FILE *stream, const struct encoder *encoder, const struct item *item, size_t i)
{
    size_t len;
    const char *text = encoder_bytes_text(encoder, item, i, &len);
    if (text)
        put_in_brackets(stream, text, len);
}

/* "bike", or "[UNK] (zoo)": the token for unknown words tells which word it stands for, and one of
 * bytes which characters, as "Ã¯ve (ïve)". */
static void put_token(FILE *stream, const struct encoder *encoder, const struct item *item,
                      size_t i)
{
    size_t len;
    const char *text = encoder_token_text(encoder, item, i, &len);
    display_text(stream, text, len, TOKEN_COLUMNS);
    const char *word = encoder_unknown_word(encoder, item, i, &len);
    if (word)
        put_in_brackets(stream, word, len);
    else
        print_bytes(stream, encoder, item, i);
}

static void put_token_row(FILE *rows, const struct printer *printer, const struct item *item,
                          size_t i)
{
    const engine_token *token = &item->tokens[i];
    fprintf(rows, "%zu\t", i);
    put_token(rows, printer->encoder, item, i);
    fprintf(rows, "\t%d\t", (int)token->id);
    if (item_is_masked(item, i))
        fputs("padding", rows);
    else if (item_has_span(item, i))
        put_span(rows, token->begin, token->end, token->in_pair);
    else
        putc('-', rows);
    putc('\t', rows);
    if (item->rows)
        print_row(rows, printer, item->rows + i * printer->encoder->width);
    putc('\n', rows);
}

static void print_tokens(struct printer *printer, const struct item *item)
{
    struct table table;
    if (item->n_tokens == 0) {
        fputs("(no tokens)\n", printer->stream);
        return;
    }
    table_begin(&table);
    fprintf(table.rows, "%*s\ttoken\tid\tspan\t", snprintf(NULL, 0, "%zu", item->n_tokens), "#");
    if (item->rows)
        print_row_title(table.rows, printer);
    putc('\n', table.rows);
    for (size_t i = 0; i < item->n_tokens; i++)
        put_token_row(table.rows, printer, item, i);
    table_print(&table, printer->stream, "><>>.");
}

/* ---- Words for mask tokens ---- */

static void print_mask(struct printer *printer, const struct item *item,
                       const engine_candidate *candidates)
{
    FILE *stream = printer->stream;
    size_t at = candidates->token, len;
    const engine_token *token = &item->tokens[at];
    const char *text = encoder_token_text(printer->encoder, item, at, &len);

    display_text(stream, text, len, CANDIDATE_COLUMNS);
    fprintf(stream, " at token %zu", at);
    if (item_has_span(item, at)) {
        fprintf(stream, ", %sbytes ", token->in_pair ? "pair " : "");
        put_span(stream, token->begin, token->end, false);
    }
    putc('\n', stream);
    print_candidates(printer, item, candidates);
}

static void print_masks(struct printer *printer, const struct item *item)
{
    if (item->n_candidates == 0)
        fputs("(no mask token)\n", printer->stream);
    for (size_t i = 0; i < item->n_candidates; i += printer->encoder->top)
        print_mask(printer, item, &item->candidates[i]);
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

/* "2/3" and the bytes that the window covers; ids have none. */
static void print_window_cells(FILE *stream, const struct window *window, bool are_ids)
{
    char place[48], span[64];
    snprintf(place, sizeof place, "%zu/%zu", window->index + 1, window->of);
    snprintf(span, sizeof span, "%s%zu-%zu", window->in_pair ? "pair " : "", window->begin,
             window->end);
    fprintf(stream, "%*s  %*s  ", WINDOW_COLUMNS, place, SPAN_COLUMNS, are_ids ? "-" : span);
}

static void print_text_line(const struct printer *printer, const struct item *item)
{
    FILE *stream = printer->stream;
    engine_input shown = item_shown(item);
    fprintf(stream, "%6zu  ", item->number);
    if (item->window.of)
        print_window_cells(stream, &item->window, shown.ids != NULL);
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

static void print_text_titles(const struct printer *printer)
{
    fprintf(printer->stream, "\n%6s  ", "#");
    if (printer->encoder->request.is_chunked)
        fprintf(printer->stream, "%*s  %*s  ", WINDOW_COLUMNS, "window", SPAN_COLUMNS, "bytes");
    fprintf(printer->stream, "%-*s", TEXT_COLUMNS, "text");
    print_row_title(printer->stream, printer);
    putc('\n', printer->stream);
}

/* ---- By task ---- */

static void begin(struct printer *printer)
{
    const struct encoder *encoder = printer->encoder;
    print_heading(printer->stream, encoder);
    if (encoder->request.task == TASK_LABELS)
        printer->label_columns = widest_label(encoder);
    if (encoder->width && encoder->is_pooled && !encoder->is_sparse)
        print_text_titles(printer);
}

static void print_table(struct printer *printer, const struct item *item)
{
    putc('\n', printer->stream);
    if (printer->has_titles)
        print_title(printer->stream, item);
    switch (printer->encoder->request.task) {
    case TASK_ENTITIES: print_entities(printer, item); break;
    case TASK_FILL: print_masks(printer, item); break;
    default:
        if (printer->encoder->is_sparse)
            print_weights(printer, item);
        else
            print_tokens(printer, item);
    }
}

static void print_item(struct printer *printer, const struct item *item)
{
    if (item->rows && printer->encoder->is_pooled && !printer->encoder->is_sparse)
        print_text_line(printer, item);
    else
        print_table(printer, item);
}

const struct printer_kind PRINTER_TEXT = {.begin = begin, .item = print_item};
