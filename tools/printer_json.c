/* printer_json.c - one JSON object per text and line (man/encode.1 names the keys). */
#include "tools/json_output.h"
#include "tools/printer.h"

static void put_truth(FILE *stream, bool truth)
{
    fputs(truth ? "true" : "false", stream);
}

static void put_token(struct printer *printer, const struct item *item, size_t i)
{
    FILE *stream = printer->stream;
    const engine_input *input = &item->record.input;
    const engine_token *token = &item->tokens[i];
    size_t len;
    const char *text = encoder_token_text(printer->encoder, item, i, &len);

    fputs("{\"text\": ", stream);
    json_put_string(stream, text, len);
    fprintf(stream, ", \"id\": %d, \"span\": ", (int)token->id);
    if (input->ids)
        fputs("null", stream);
    else
        fprintf(stream, "[%zu, %zu]", token->begin, token->end);
    fputs(", \"special\": ", stream);
    put_truth(stream, token->special);
    if (token->in_pair)
        fputs(", \"pair\": true", stream);
    if (item_is_masked(item, i))
        fputs(", \"masked\": true", stream);
    putc('}', stream);
}

static void put_input(FILE *stream, const engine_input *input)
{
    fputs("{\"text\": ", stream);
    if (input->ids)
        fputs("null", stream);
    else
        json_put_string(stream, input->text, input->text_len);
    if (input->pair) {
        fputs(", \"pair\": ", stream);
        json_put_string(stream, input->pair, input->pair_len);
    }
}

static void put_vectors(struct printer *printer, const struct item *item)
{
    FILE *stream = printer->stream;
    size_t width = printer->encoder->width;

    if (printer->encoder->is_pooled) {
        fputs(", \"vector\": ", stream);
        json_put_floats(stream, item->vectors, width);
        return;
    }
    fputs(", \"vectors\": [", stream);
    for (size_t i = 0; i < item->n_tokens; i++) {
        if (i)
            fputs(", ", stream);
        json_put_floats(stream, item->vectors + i * width, width);
    }
    putc(']', stream);
}

static bool print_item(struct printer *printer, const struct item *item)
{
    FILE *stream = printer->stream;
    put_input(stream, &item->record.input);
    fputs(", \"tokens\": [", stream);
    for (size_t i = 0; i < item->n_tokens; i++) {
        if (i)
            fputs(", ", stream);
        put_token(printer, item, i);
    }
    putc(']', stream);
    if (item->vectors)
        put_vectors(printer, item);
    fputs(", \"truncated\": ", stream);
    put_truth(stream, item->n_dropped > 0);
    fputs("}\n", stream);
    return true;
}

const struct printer_kind PRINTER_JSON = {.item = print_item};
