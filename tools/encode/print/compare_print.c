/* compare_print.c - a comparison as a table or as a JSON object; see compare.h. */
#include "tools/common/print/display.h"
#include "tools/encode/compare.h"
#include "tools/encode/print/printer.h"

#include <stdlib.h>
#include <string.h>

enum { WORD_COLUMNS = 24, TEXT_COLUMNS = 70, SENTENCE_COLUMNS = 80 };

/* ---- Shared words ---- */

static void print_pairs(const struct comparison *comparison, struct rows *rows)
{
    const bool is_table = rows->format == ROWS_TABLE;
    rows_begin(rows, "shared", "word\tin A\tin B\tcosine\tlargest difference");
    for (size_t i = 0; i < comparison->n_pairs; i++) {
        const struct pair *pair = &comparison->pairs[i];
        size_t len;
        const char *text = comparison_word(comparison, 0, pair->a, &len);
        row_begin(rows);
        row_text(rows, ROWS_ALL, "word", text, len, WORD_COLUMNS);
        if (is_table)
            print_bytes(rows->cells, comparison->encoder, &comparison->items[0], pair->a);
        row_flag(rows, ROWS_JSON, "unknown", comparison_is_unknown(comparison, 0, pair->a));
        row_count(rows, ROWS_ALL, "position_a", pair->a);
        row_count(rows, ROWS_ALL, "position_b", pair->b);
        if (is_table) {
            fprintf(rows->cells, "\t%9.6f\t%.*g", pair->cosine, pair->difference < 1e-3 ? 2 : 4,
                    pair->difference);
        } else {
            json_write_double(&rows->json, "cosine", "%.9g", pair->cosine);
            json_write_float(&rows->json, "largest_difference", (float)pair->difference);
        }
        row_end(rows);
    }
    rows_end(rows, "<>>>>");
}

/* ---- Text ---- */

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
            print_bytes(stream, comparison->encoder, item, i);
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

void comparison_print_text(const struct comparison *comparison, struct rows *rows)
{
    FILE *stream = rows->stream;
    print_heading(stream, comparison->encoder);
    for (int side = 0; side < 2; side++) {
        const engine_input *input = &comparison->items[side].record.input;
        fprintf(stream, side ? "B: " : "\nA: ");
        display_text(stream, input->text, input->text_len, TEXT_COLUMNS);
        putc('\n', stream);
    }
    if (comparison->n_pairs) {
        putc('\n', stream);
        print_pairs(comparison, rows);
    }
    if (comparison->n_only[0] + comparison->n_only[1])
        putc('\n', stream);
    print_only(comparison, 0, stream);
    print_only(comparison, 1, stream);
    print_meaning(comparison, stream);
}

/* ---- JSON ---- */

static void write_only(const struct comparison *comparison, int side, struct json_writer *json)
{
    json_begin_array(json, side ? "only_b" : "only_a");
    for (size_t i = 0; i < comparison->items[side].n_tokens; i++)
        if (comparison_is_only(comparison, side, i)) {
            size_t len;
            const char *text = comparison_word(comparison, side, i, &len);
            json_begin_object(json, NULL);
            json_write_string(json, "word", text, len);
            if (comparison_is_unknown(comparison, side, i))
                json_write_truth(json, "unknown", true);
            json_write_count(json, "position", i);
            json_end_object(json);
        }
    json_end_array(json);
}

void comparison_print_json(const struct comparison *comparison, struct rows *rows)
{
    char conclusion[COMPARISON_SENTENCE_BYTES];
    const engine_input *a = &comparison->items[0].record.input;
    const engine_input *b = &comparison->items[1].record.input;
    struct json_writer *json = &rows->json;

    comparison_conclude(comparison, conclusion);
    json_begin_object(json, NULL);
    json_write_string(json, "a", a->text, a->text_len);
    json_write_string(json, "b", b->text, b->text_len);
    json_write_text(json, "position", comparison->encoder->position);
    json_write_text(json, "mask", comparison->encoder->mask);
    print_pairs(comparison, rows);
    write_only(comparison, 0, json);
    write_only(comparison, 1, json);
    json_write_float(json, "largest_difference", (float)comparison->largest);
    json_write_text(json, "conclusion", conclusion);
    json_end_object(json);
}
