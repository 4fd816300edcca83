/* printer_csv.c - RFC 4180: a header row, lines that end in CR LF, fields with a comma, a quote or
 * a line end in quotes. Texts and tokens count from 0, as rows of an array do. What there is not is
 * an empty field: the text of ids, the second text of one that is alone, the span of a token that
 * was made of no part of the text (begin, end, in_pair). */
#include "tools/format_float.h"
#include "tools/printer.h"
#include "tools/utf8.h"

#include <string.h>

static bool needs_quotes(const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (strchr(",\"\r\n", text[i]) && text[i])
            return true;
    return len > 0 && (text[0] == ' ' || text[len - 1] == ' ');
}

/* Valid UTF-8, whatever the text is. */
static void put_field(FILE *stream, const char *text, size_t len)
{
    bool quotes = needs_quotes(text, len);
    if (quotes)
        putc('"', stream);
    for (size_t at = 0; at < len;) {
        uint32_t character;
        char bytes[4];
        at += utf8_next(text + at, len - at, &character);
        fwrite(bytes, 1, utf8_put(character, bytes), stream);
        if (character == '"')
            putc('"', stream);
    }
    if (quotes)
        putc('"', stream);
}

static void put_vector(FILE *stream, const float *values, size_t n)
{
    char text[FORMAT_FLOAT_MAX];
    for (size_t i = 0; i < n; i++) {
        putc(',', stream);
        fwrite(text, 1, format_float(values[i], text), stream);
    }
}

static void end_row(FILE *stream)
{
    fputs("\r\n", stream);
}

static bool begin(struct printer *printer)
{
    const struct encoder *encoder = printer->encoder;
    bool is_pooled = encoder->width && encoder->is_pooled;
    fputs(is_pooled ? "text_index,text,pair"
                    : "text_index,token_index,token,id,begin,end,in_pair,masked",
          printer->stream);
    for (size_t i = 0; i < encoder->width; i++)
        fprintf(printer->stream, ",v%zu", i);
    end_row(printer->stream);
    return true;
}

static void print_token(struct printer *printer, const struct item *item, size_t i)
{
    const engine_token *token = &item->tokens[i];
    size_t len, width = printer->encoder->width;
    const char *text = encoder_token_text(printer->encoder, item, i, &len);

    fprintf(printer->stream, "%zu,%zu,", item->number - 1, i);
    put_field(printer->stream, text, len);
    fprintf(printer->stream, ",%d,", (int)token->id);
    if (item_has_span(item, i))
        fprintf(printer->stream, "%zu,%zu,%d", token->begin, token->end, token->in_pair);
    else
        fputs(",,", printer->stream);
    fputs(item_is_masked(item, i) ? ",1" : ",0", printer->stream);
    if (item->vectors)
        put_vector(printer->stream, item->vectors + i * width, width);
    end_row(printer->stream);
}

static bool print_item(struct printer *printer, const struct item *item)
{
    const engine_input *input = &item->record.input;
    if (!(item->vectors && printer->encoder->is_pooled)) {
        for (size_t i = 0; i < item->n_tokens; i++)
            print_token(printer, item, i);
        return true;
    }
    fprintf(printer->stream, "%zu,", item->number - 1);
    put_field(printer->stream, input->text ? input->text : "", input->text_len);
    putc(',', printer->stream);
    put_field(printer->stream, input->pair ? input->pair : "", input->pair_len);
    put_vector(printer->stream, item->vectors, printer->encoder->width);
    end_row(printer->stream);
    return true;
}

const struct printer_kind PRINTER_CSV = {.begin = begin, .item = print_item};
