/* compare_print.c - a comparison as a table or as a JSON object; see comparison.h. */
#include "tools/encode/comparison.h"

#include "tools/common/display.h"
#include "tools/common/json_output.h"
#include "tools/encode/print/printer.h"

#include <stdlib.h>
#include <string.h>

enum { WORD_COLUMNS = 24, TEXT_COLUMNS = 70, SENTENCE_COLUMNS = 80 };

/* ---- Text ---- */

static void print_pairs(const struct comparison *comparison, FILE *stream)
{
    size_t columns = 4, len;
    for (size_t i = 0; i < comparison->n_pairs; i++) {
        const char *text = comparison_word(comparison, 0, comparison->pairs[i].a, &len);
        size_t width = display_width(text, len, WORD_COLUMNS);
        columns = width > columns ? width : columns;
    }
    fprintf(stream, "\n%-*s  in A  in B     cosine  largest difference\n", (int)columns, "word");
    for (size_t i = 0; i < comparison->n_pairs; i++) {
        const struct pair *pair = &comparison->pairs[i];
        const char *text = comparison_word(comparison, 0, pair->a, &len);
        display_cell(stream, text, len, columns);
        fprintf(stream, "  %4zu  %4zu  %9.6f  %18.*g\n", pair->a, pair->b, pair->cosine,
                pair->difference < 1e-3 ? 2 : 4, pair->difference);
    }
}

static void print_only(const struct comparison *comparison, int side, FILE *stream)
{
    const struct item *item = &comparison->items[side];
    if (comparison->n_only[side] == 0)
        return;
    fprintf(stream, "only in %c:", "AB"[side]);
    for (size_t i = 0; i < item->n_tokens; i++)
        if (comparison_is_only(comparison, side, i)) {
            size_t len;
            const char *text = comparison_word(comparison, side, i, &len);
            putc(' ', stream);
            display_text(stream, text, len, WORD_COLUMNS);
        }
    putc('\n', stream);
}

static void print_meaning(const struct comparison *comparison, FILE *stream)
{
    char conclusion[COMPARISON_SENTENCE_BYTES];
    char *unknown = comparison_unknown_words(comparison);
    comparison_conclude(comparison, conclusion);
    putc('\n', stream);
    if (unknown)
        display_sentence(stream, unknown, strlen(unknown), SENTENCE_COLUMNS);
    display_sentence(stream, conclusion, strlen(conclusion), SENTENCE_COLUMNS);
    free(unknown);
}

void comparison_print_text(const struct comparison *comparison, FILE *stream)
{
    print_heading(stream, comparison->encoder);
    for (int side = 0; side < 2; side++) {
        const engine_input *input = &comparison->items[side].record.input;
        fprintf(stream, side ? "B: " : "\nA: ");
        display_text(stream, input->text, input->text_len, TEXT_COLUMNS);
        putc('\n', stream);
    }
    if (comparison->n_pairs)
        print_pairs(comparison, stream);
    if (comparison->n_only[0] + comparison->n_only[1])
        putc('\n', stream);
    print_only(comparison, 0, stream);
    print_only(comparison, 1, stream);
    print_meaning(comparison, stream);
}

/* ---- JSON ---- */

static void put_word(const struct comparison *comparison, int side, size_t i, FILE *stream)
{
    size_t len;
    const char *text = comparison_word(comparison, side, i, &len);
    fputs("{\"word\": ", stream);
    json_put_string(stream, text, len);
    if (comparison_is_unknown(comparison, side, i))
        fputs(", \"unknown\": true", stream);
}

static void put_pairs(const struct comparison *comparison, FILE *stream)
{
    for (size_t i = 0; i < comparison->n_pairs; i++) {
        const struct pair *pair = &comparison->pairs[i];
        fputs(i ? ", " : "", stream);
        put_word(comparison, 0, pair->a, stream);
        fprintf(stream,
                ", \"position_a\": %zu, \"position_b\": %zu, \"cosine\": %.9g, "
                "\"largest_difference\": ",
                pair->a, pair->b, pair->cosine);
        json_put_float(stream, (float)pair->difference);
        putc('}', stream);
    }
}

static void put_only(const struct comparison *comparison, int side, FILE *stream)
{
    const struct item *item = &comparison->items[side];
    const char *separator = "";
    for (size_t i = 0; i < item->n_tokens; i++)
        if (comparison_is_only(comparison, side, i)) {
            fputs(separator, stream);
            put_word(comparison, side, i, stream);
            fprintf(stream, ", \"position\": %zu}", i);
            separator = ", ";
        }
}

void comparison_print_json(const struct comparison *comparison, FILE *stream)
{
    char conclusion[COMPARISON_SENTENCE_BYTES];
    const engine_input *a = &comparison->items[0].record.input;
    const engine_input *b = &comparison->items[1].record.input;

    comparison_conclude(comparison, conclusion);
    fputs("{\"a\": ", stream);
    json_put_string(stream, a->text, a->text_len);
    fputs(", \"b\": ", stream);
    json_put_string(stream, b->text, b->text_len);
    fprintf(stream, ", \"position\": \"%s\", \"mask\": \"%s\", \"shared\": [",
            comparison->encoder->position, comparison->encoder->mask);
    put_pairs(comparison, stream);
    fputs("], \"only_a\": [", stream);
    put_only(comparison, 0, stream);
    fputs("], \"only_b\": [", stream);
    put_only(comparison, 1, stream);
    fputs("], \"largest_difference\": ", stream);
    json_put_float(stream, (float)comparison->largest);
    fputs(", \"conclusion\": ", stream);
    json_put_string(stream, conclusion, strlen(conclusion));
    fputs("}\n", stream);
}
