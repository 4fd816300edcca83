/* printer_text.c - tables for people: a line per token, or a line per text where vectors are
 * pooled. */
#include "tools/display.h"
#include "tools/options.h"
#include "tools/printer.h"

#include <math.h>
#include <string.h>

enum {
    FIRST_VALUES = 4,   /* shown of a vector, unless all are asked for */
    TOKEN_COLUMNS = 24, /* longest token shown whole */
    WORD_COLUMNS = 16,  /* longest unknown word behind its token */
    TEXT_COLUMNS = 30,  /* of the text in a table of texts */
    TITLE_COLUMNS = 70  /* of the text above a table of tokens */
};

/* ---- Heading ---- */

static bool has_length_1(const struct encoder *encoder)
{
    bool is_models = encoder->options.pooling == ENGINE_POOLING_MODEL;
    return encoder->is_pooled &&
           (encoder->options.normalize || (is_models && encoder->info.normalize));
}

void print_heading(FILE *stream, const struct encoder *encoder)
{
    const engine_info *info = &encoder->info;
    bool has_positions = strcmp(encoder->position, "none") != 0;

    display_text(stream, encoder->name, strlen(encoder->name), TITLE_COLUMNS);
    fprintf(stream, ": %zu layer%s, width %zu, %zu head%s, feed-forward %zu, vocabulary %zu\n",
            info->n_layers, plural(info->n_layers), info->width, info->n_heads,
            plural(info->n_heads), info->feed_forward, info->n_vocabulary);
    if (!encoder->width) {
        fprintf(stream, "%s tokenizer\n", info->tokenizer);
        return;
    }
    fprintf(stream, "%s positions, %s mask, %s%s%s, at most %zu token%s\n",
            has_positions ? encoder->position : "no", encoder->mask,
            encoder->is_pooled ? encoder->pooling : "one vector per token",
            encoder->is_pooled ? " pooling" : "", has_length_1(encoder) ? " to length 1" : "",
            encoder->token_limit, plural(encoder->token_limit));
}

/* ---- Vectors ---- */

static size_t n_shown(const struct printer *printer)
{
    size_t width = printer->encoder->width;
    return printer->all_values || width < FIRST_VALUES ? width : FIRST_VALUES;
}

static double norm(const float *values, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += (double)values[i] * (double)values[i];
    return sqrt(sum);
}

static void print_vector(const struct printer *printer, const float *values)
{
    size_t n = n_shown(printer), width = printer->encoder->width;
    for (size_t i = 0; i < n; i++) {
        putc(' ', printer->stream);
        display_number(printer->stream, (double)values[i]);
    }
    fputs(n < width ? " … " : "   ", printer->stream);
    display_number(printer->stream, norm(values, width));
}

static void print_vector_title(const struct printer *printer)
{
    char title[64];
    size_t n = n_shown(printer), width = printer->encoder->width;
    size_t columns = n * (1 + DISPLAY_NUMBER) + 3;
    if (n == width)
        snprintf(title, sizeof title, "value%s", plural(n));
    else
        snprintf(title, sizeof title, "first %zu of %zu values", n, width);
    fprintf(printer->stream, "  %-*s%*s", (int)columns - 2, title, DISPLAY_NUMBER, "norm");
}

/* ---- Tokens ---- */

struct columns {
    int index, token, id, span;
};

static int n_digits(size_t number)
{
    return snprintf(NULL, 0, "%zu", number);
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
        columns.id = larger(columns.id, n_digits((size_t)item->tokens[i].id));
        columns.span = larger(columns.span, print_span(NULL, 0, item, i));
    }
    return columns;
}

static void print_token(const struct printer *printer, const struct item *item, size_t i,
                        const struct columns *columns)
{
    FILE *stream = printer->stream;
    char span[64];
    size_t width = printer->encoder->width;

    fprintf(stream, "%*zu  ", columns->index, i);
    print_label(printer, item, i, (size_t)columns->token);
    print_span(span, sizeof span, item, i);
    fprintf(stream, "  %*d  %*s", columns->id, (int)item->tokens[i].id, columns->span, span);
    if (item->vectors)
        print_vector(printer, item->vectors + i * width);
    putc('\n', stream);
}

static void print_input(FILE *stream, const engine_input *input)
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

static void print_title(const struct printer *printer, const struct item *item)
{
    fprintf(printer->stream, "text %zu: ", item->number);
    print_input(printer->stream, &item->record.input);
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
    if (item->vectors)
        print_vector_title(printer);
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

static void print_pooled(struct printer *printer, const struct item *item)
{
    const engine_input *input = &item->record.input;
    fprintf(printer->stream, "%6zu  ", item->number);
    if (input->ids)
        display_cell(printer->stream, "(token ids)", 11, TEXT_COLUMNS);
    else if (input->pair)
        print_pair(printer->stream, input);
    else
        display_cell(printer->stream, input->text, input->text_len, TEXT_COLUMNS);
    print_vector(printer, item->vectors);
    putc('\n', printer->stream);
}

static bool begin(struct printer *printer)
{
    const struct encoder *encoder = printer->encoder;
    print_heading(printer->stream, encoder);
    if (encoder->width && encoder->is_pooled) {
        fprintf(printer->stream, "\n%6s  %-*s", "#", TEXT_COLUMNS, "text");
        print_vector_title(printer);
        putc('\n', printer->stream);
    }
    return true;
}

static bool print_item(struct printer *printer, const struct item *item)
{
    if (item->vectors && printer->encoder->is_pooled)
        print_pooled(printer, item);
    else
        print_tokens(printer, item);
    return true;
}

const struct printer_kind PRINTER_TEXT = {.begin = begin, .item = print_item};
