/* compare.c - encode --compare A B: which vectors of the words that both texts have differ, and
 * why.
 *
 * Words are paired by their id (unknown words, which share one, by their spelling too), repeated
 * words in the order they occur; special tokens are excluded. Each pair gives the cosine of its two
 * vectors and their largest difference, max over i of |a[i] - b[i]|.
 */
#include "tools/encode/compare.h"

#include "tools/common/print/display.h"
#include "tools/encode/print/printer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool comparison_is_only(const struct comparison *comparison, int side, size_t i)
{
    return !comparison->is_paired[side][i] && !comparison->items[side].tokens[i].special;
}

bool comparison_is_unknown(const struct comparison *comparison, int side, size_t i)
{
    size_t len;
    return encoder_unknown_word(comparison->encoder, &comparison->items[side], i, &len) != NULL;
}

const char *comparison_word(const struct comparison *comparison, int side, size_t i, size_t *len)
{
    const struct item *item = &comparison->items[side];
    const char *word = encoder_unknown_word(comparison->encoder, item, i, len);
    return word ? word : encoder_token_text(comparison->encoder, item, i, len);
}

/* ---- Pairing ---- */

static bool is_same_word(const struct comparison *comparison, size_t a, size_t b)
{
    const struct item *items = comparison->items;
    const engine_token *in_a = &items[0].tokens[a], *in_b = &items[1].tokens[b];
    size_t len = in_a->end - in_a->begin;

    if (in_a->special || in_b->special || in_a->id != in_b->id)
        return false;
    return in_a->id != comparison->encoder->unknown ||
           (len == in_b->end - in_b->begin &&
            memcmp(items[0].record.input.text + in_a->begin,
                   items[1].record.input.text + in_b->begin, len) == 0);
}

static void measure_pair(struct comparison *comparison, struct pair *pair)
{
    size_t width = comparison->encoder->width;
    const float *a = comparison->items[0].rows + pair->a * width;
    const float *b = comparison->items[1].rows + pair->b * width;

    for (size_t i = 0; i < width; i++) {
        pair->difference = fmax(pair->difference, fabs((double)a[i] - (double)b[i]));
        comparison->largest_value = fmax(comparison->largest_value, fabs((double)a[i]));
    }
    pair->cosine = engine_cosine(a, b, width);
    comparison->largest = fmax(comparison->largest, pair->difference);
    if (pair->a == pair->b) {
        comparison->most_kept = fmax(comparison->most_kept, pair->difference);
        return;
    }
    if (comparison->n_moved++ == 0)
        comparison->least_moved = pair->difference;
    comparison->least_moved = fmin(comparison->least_moved, pair->difference);
    comparison->most_moved = fmax(comparison->most_moved, pair->difference);
}

static void pair_words(struct comparison *comparison)
{
    const struct item *items = comparison->items;
    for (size_t a = 0; a < items[0].n_tokens; a++)
        for (size_t b = 0; b < items[1].n_tokens; b++)
            if (!comparison->is_paired[1][b] && is_same_word(comparison, a, b)) {
                struct pair *pair = &comparison->pairs[comparison->n_pairs++];
                *pair = (struct pair){.a = a, .b = b};
                comparison->is_paired[0][a] = comparison->is_paired[1][b] = 1;
                measure_pair(comparison, pair);
                break;
            }
    for (int side = 0; side < 2; side++)
        for (size_t i = 0; i < items[side].n_tokens; i++)
            comparison->n_only[side] += comparison_is_only(comparison, side, i);
}

/* ---- Printing ---- */

enum { WORD_COLUMNS = 24, TEXT_COLUMNS = 70, SENTENCE_COLUMNS = 80 };

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

static void print_text(const struct comparison *comparison, struct rows *rows)
{
    FILE *stream = rows->stream;
    char conclusion[COMPARISON_SENTENCE_BYTES], *unknown = comparison_unknown_words(comparison);
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
    comparison_conclude(comparison, conclusion);
    putc('\n', stream);
    if (unknown)
        display_sentence(stream, unknown, strlen(unknown), SENTENCE_COLUMNS);
    display_sentence(stream, conclusion, strlen(conclusion), SENTENCE_COLUMNS);
    free(unknown);
}

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

static void print_json(const struct comparison *comparison, struct rows *rows)
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

/* ---- The complete command ---- */

/* Reads two texts. Ends the program if there are fewer or more. */
static void read_two(struct comparison *comparison, struct reader *reader)
{
    struct record more;
    enum reader_state state = READER_RECORD;
    size_t n = 0;
    for (; n < 2 && state == READER_RECORD; n += state == READER_RECORD) {
        state = reader_next(reader, true, &comparison->items[n].record);
        comparison->items[n].number = n + 1;
    }
    if (n == 2 && (state = reader_next(reader, true, &more)) == READER_END)
        return;
    if (state == READER_FAILED)
        program_die("%s", reader->message);
    program_die("--compare takes two texts; stdin has %s", n == 2   ? "more than two lines"
                                                           : n == 1 ? "one line"
                                                                    : "none");
}

static void prepare(struct comparison *comparison, struct job *job)
{
    struct encoder *encoder = job->encoder;
    read_two(comparison, &job->reader);
    for (size_t side = 0; side < 2; side++) {
        struct item *item = &comparison->items[side];
        if (!encoder_tokenize(encoder, item))
            program_die("%s", encoder->message);
        if (item->n_dropped)
            program_note("%s was cut to %zu of its %zu tokens", item_name(item), item->n_tokens,
                         item->n_tokens + item->n_dropped);
        comparison->is_paired[side] = alloc_zeros(item->n_tokens, 1);
    }
    comparison->pairs = alloc_zeros(comparison->items[0].n_tokens, sizeof *comparison->pairs);
    if (encoder_encode(encoder, comparison->items, 2) < 2)
        program_die("%s", encoder->message);
}

int compare_texts(struct job *job)
{
    struct comparison comparison = {.encoder = job->encoder};
    prepare(&comparison, job);
    pair_words(&comparison);
    (job->rows.format == ROWS_JSON ? print_json : print_text)(&comparison, &job->rows);
    for (int side = 0; side < 2; side++) {
        item_free(&comparison.items[side]);
        free(comparison.is_paired[side]);
    }
    free(comparison.pairs);
    return PROGRAM_DONE;
}
