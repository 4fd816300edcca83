/* compare_print.c - a comparison as a table or as a JSON object; see compare.h. */
#include "tools/common/print/display.h"
#include "tools/common/print/table.h"
#include "tools/encode/compare.h"
#include "tools/encode/print/printer.h"

#include <stdlib.h>
#include <string.h>

enum { WORD_COLUMNS = 24, TEXT_COLUMNS = 70, SENTENCE_COLUMNS = 80 };

/* ---- Text ---- */

static void print_pairs(const struct comparison *comparison, FILE *stream)
{
    struct table table;
    table_begin(&table);
    fputs("word\tin A\tin B\tcosine\tlargest difference\n", table.rows);
    for (size_t i = 0; i < comparison->n_pairs; i++) {
        const struct pair *pair = &comparison->pairs[i];
        size_t len;
        const char *text = comparison_word(comparison, 0, pair->a, &len);
        display_text(table.rows, text, len, WORD_COLUMNS);
        print_bytes(table.rows, comparison->encoder, &comparison->items[0], pair->a);
        fprintf(table.rows, "\t%zu\t%zu\t%9.6f\t%.*g\n", pair->a, pair->b, pair->cosine,
                pair->difference < 1e-3 ? 2 : 4, pair->difference);
    }
    table_print(&table, stream, "<>>>>");
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

void comparison_print_text(const struct comparison *comparison, FILE *stream)
{
    print_heading(stream, comparison->encoder);
    for (int side = 0; side < 2; side++) {
        const engine_input *input = &comparison->items[side].record.input;
        fprintf(stream, side ? "B: " : "\nA: ");
        display_text(stream, input->text, input->text_len, TEXT_COLUMNS);
        putc('\n', stream);
    }
    if (comparison->n_pairs) {
        putc('\n', stream);
        print_pairs(comparison, stream);
    }
    if (comparison->n_only[0] + comparison->n_only[1])
        putc('\n', stream);
    print_only(comparison, 0, stream);
    print_only(comparison, 1, stream);
    print_meaning(comparison, stream);
}

/* ---- JSON ---- */

/* The word's members of an object that is open. */
static void write_word(const struct comparison *comparison, int side, size_t i,
                       struct json_writer *json)
{
    size_t len;
    const char *text = comparison_word(comparison, side, i, &len);
    json_write_string(json, "word", text, len);
    if (comparison_is_unknown(comparison, side, i))
        json_write_truth(json, "unknown", true);
}

static void write_pairs(const struct comparison *comparison, struct json_writer *json)
{
    json_begin_array(json, "shared");
    for (size_t i = 0; i < comparison->n_pairs; i++) {
        const struct pair *pair = &comparison->pairs[i];
        json_begin_object(json, NULL);
        write_word(comparison, 0, pair->a, json);
        json_write_count(json, "position_a", pair->a);
        json_write_count(json, "position_b", pair->b);
        json_write_double(json, "cosine", "%.9g", pair->cosine);
        json_write_float(json, "largest_difference", (float)pair->difference);
        json_end_object(json);
    }
    json_end_array(json);
}

static void write_only(const struct comparison *comparison, int side, struct json_writer *json)
{
    json_begin_array(json, side ? "only_b" : "only_a");
    for (size_t i = 0; i < comparison->items[side].n_tokens; i++)
        if (comparison_is_only(comparison, side, i)) {
            json_begin_object(json, NULL);
            write_word(comparison, side, i, json);
            json_write_count(json, "position", i);
            json_end_object(json);
        }
    json_end_array(json);
}

void comparison_print_json(const struct comparison *comparison, FILE *stream)
{
    char conclusion[COMPARISON_SENTENCE_BYTES];
    const engine_input *a = &comparison->items[0].record.input;
    const engine_input *b = &comparison->items[1].record.input;
    struct json_writer json = {.stream = stream};

    comparison_conclude(comparison, conclusion);
    json_begin_object(&json, NULL);
    json_write_string(&json, "a", a->text, a->text_len);
    json_write_string(&json, "b", b->text, b->text_len);
    json_write_text(&json, "position", comparison->encoder->position);
    json_write_text(&json, "mask", comparison->encoder->mask);
    write_pairs(comparison, &json);
    write_only(comparison, 0, &json);
    write_only(comparison, 1, &json);
    json_write_float(&json, "largest_difference", (float)comparison->largest);
    json_write_text(&json, "conclusion", conclusion);
    json_end_object(&json);
}
