/* printer_text.c - tables for people: a line per token, or a line per text where vectors are
 * pooled. */
#include "tools/common/display.h"
#include "tools/encode/print/printer.h"

#include <string.h>

enum {
    TOKEN_COLUMNS = 24, /* longest token shown whole */
    WORD_COLUMNS = 16,  /* longest unknown word behind its token */
    TEXT_COLUMNS = 30,  /* of the text in a table of texts */
    WINDOW_COLUMNS = 7, /* "window", and the bytes it covers */
    SPAN_COLUMNS = 13,
    TITLE_COLUMNS = 70 /* of the text above a table of tokens */
};

/* ---- Tokens ---- */

struct columns {
    int index, token, id, span;
};

static int n_digits(size_t number)
{
    return snprintf(NULL, 0, "%zu", number);
}

static int n_id_digits(int32_t id)
{
    return snprintf(NULL, 0, "%d", (int)id);
}

static int larger(int a, int b)
{
    return a > b ? a : b;
}

static int print_span(char *out, size_t cap, const struct item *item, size_t i)
{
    const engine_token *token = &item->tokens[i];
    if (item_is_masked(item, i))
        return snprintf(out, cap, "padding");
    if (!item_has_span(item, i))
        return snprintf(out, cap, "-");
    return snprintf(out, cap, "%s%zu-%zu", token->in_pair ? "pair " : "", token->begin, token->end);
}

/* "bike", or "[UNK] (zoo)": the token for unknown words tells which word it stands for. */
static size_t label_width(const struct printer *printer, const struct item *item, size_t i)
{
    size_t len;
    const char *text = encoder_token_text(printer->encoder, item, i, &len);
    size_t width = display_width(text, len, TOKEN_COLUMNS);
    const char *word = encoder_unknown_word(printer->encoder, item, i, &len);
    return word ? width + display_width(word, len, WORD_COLUMNS) + strlen(" ()") : width;
}

static void print_label(const struct printer *printer, const struct item *item, size_t i,
                        size_t columns)
{
    FILE *stream = printer->stream;
    size_t len;
    const char *text = encoder_token_text(printer->encoder, item, i, &len);
    display_text(stream, text, len, TOKEN_COLUMNS);
    const char *word = encoder_unknown_word(printer->encoder, item, i, &len);
    if (word) {
        fputs(" (", stream);
        display_text(stream, word, len, WORD_COLUMNS);
        putc(')', stream);
    }
    fprintf(stream, "%*s", (int)(columns - label_width(printer, item, i)), "");
}

static struct columns measure(const struct printer *printer, const struct item *item)
{
    struct columns columns = {n_digits(item->n_tokens), 5, 2, 4};
    for (size_t i = 0; i < item->n_tokens; i++) {
        columns.token = larger(columns.token, (int)label_width(printer, item, i));
        columns.id = larger(columns.id, n_id_digits(item->tokens[i].id));
        columns.span = larger(columns.span, print_span(NULL, 0, item, i));
    }
    return columns;
}

static void print_token(const struct printer *printer, const struct item *item, size_t i,
                        const struct columns *columns)
{
    FILE *stream = printer->stream;
    char span[64];

    fprintf(stream, "%*zu  ", columns->index, i);
    print_label(printer, item, i, (size_t)columns->token);
    print_span(span, sizeof span, item, i);
    fprintf(stream, "  %*d  %*s", columns->id, (int)item->tokens[i].id, columns->span, span);
    if (item->rows)
        print_row(printer, item->rows + i * printer->encoder->width);
    putc('\n', stream);
}

void print_input(FILE *stream, const engine_input *input)
{
    if (input->ids) {
        fputs("(token ids)", stream);
        return;
    }
    if (input->text_len)
        display_text(stream, input->text, input->text_len, TITLE_COLUMNS);
    if (input->pair) {
        fputs(" | ", stream);
        display_text(stream, input->pair, input->pair_len, TITLE_COLUMNS);
    }
}

void print_title(const struct printer *printer, const struct item *item)
{
    const struct window *window = &item->window;
    engine_input shown = item_shown(item);
    fprintf(printer->stream, "text %zu", item->number);
    if (window->of > 1)
        fprintf(printer->stream, ", window %zu of %zu, %sbytes %zu-%zu", window->index + 1,
                window->of, window->in_pair ? "pair " : "", window->begin, window->end);
    fputs(": ", printer->stream);
    print_input(printer->stream, &shown);
    if (item->n_dropped)
        fprintf(printer->stream, "  (%zu of %zu tokens)", item->n_tokens,
                item->n_tokens + item->n_dropped);
    putc('\n', printer->stream);
}

static void print_tokens(struct printer *printer, const struct item *item)
{
    FILE *stream = printer->stream;
    struct columns columns = measure(printer, item);

    putc('\n', stream);
    if (printer->has_titles)
        print_title(printer, item);
    if (item->n_tokens == 0) {
        fputs("(no tokens)\n", stream);
        return;
    }
    fprintf(stream, "%*s  %-*s  %*s  %*s", columns.index, "#", columns.token, "token", columns.id,
            "id", columns.span, "span");
    if (item->rows)
        print_row_title(printer);
    putc('\n', stream);
    for (size_t i = 0; i < item->n_tokens; i++)
        print_token(printer, item, i, &columns);
}

/* ---- Texts ---- */

/* "I ride | dog" in TEXT_COLUMNS; what one of the two leaves is the other's. */
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

/* "2/3" and the bytes that the window covers. */
static void print_window_cells(FILE *stream, const struct window *window)
{
    char place[48], span[64];
    snprintf(place, sizeof place, "%zu/%zu", window->index + 1, window->of);
    snprintf(span, sizeof span, "%s%zu-%zu", window->in_pair ? "pair " : "", window->begin,
             window->end);
    fprintf(stream, "%*s  %*s  ", WINDOW_COLUMNS, place, SPAN_COLUMNS, span);
}

void print_text_cells(const struct printer *printer, const struct item *item)
{
    engine_input shown = item_shown(item);
    fprintf(printer->stream, "%6zu  ", item->number);
    if (item->window.of)
        print_window_cells(printer->stream, &item->window);
    if (shown.ids)
        display_cell(printer->stream, "(token ids)", 11, TEXT_COLUMNS);
    else if (shown.pair)
        print_pair(printer->stream, &shown);
    else
        display_cell(printer->stream, shown.text, shown.text_len, TEXT_COLUMNS);
}

void print_text_titles(const struct printer *printer)
{
    fprintf(printer->stream, "\n%6s  ", "#");
    if (printer->encoder->is_chunked)
        fprintf(printer->stream, "%*s  %*s  ", WINDOW_COLUMNS, "window", SPAN_COLUMNS, "bytes");
    fprintf(printer->stream, "%-*s", TEXT_COLUMNS, "text");
}

static bool begin(struct printer *printer)
{
    const struct encoder *encoder = printer->encoder;
    print_heading(printer->stream, encoder);
    if (encoder->task == TASK_LABELS)
        printer->label_columns = print_label_columns(encoder);
    if (encoder->width && encoder->is_pooled) {
        print_text_titles(printer);
        print_row_title(printer);
        putc('\n', printer->stream);
    }
    return true;
}

static bool print_item(struct printer *printer, const struct item *item)
{
    if (!item->rows || !printer->encoder->is_pooled) {
        print_tokens(printer, item);
        return true;
    }
    print_text_cells(printer, item);
    print_row(printer, printer->encoder->task == TASK_LABELS ? scores_of(item) : item->rows);
    putc('\n', printer->stream);
    return true;
}

const struct printer_kind PRINTER_TEXT = {.begin = begin, .item = print_item};
