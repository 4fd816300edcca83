/* shared_words.c - encode-compare words A B: which vectors of the words that both texts have
 * differ, and why.
 *
 * Words are paired by their id (unknown words, which share one, by their spelling too), repeated
 * words in the order they occur; special tokens are excluded. Each pair gives the cosine of its two
 * vectors and their largest difference, max over i of |a[i] - b[i]|.
 */
#include "tools/common/print/display.h"
#include "tools/common/texts/request_options.h"
#include "tools/study/compare/compare.h"

#include <math.h>
#include <string.h>

/* Vectors that differ by no more than this part of their largest value are the same: float32 sums
 * of a few hundred terms, taken in another order, differ by less. */
static const double ROUNDING = 1e-5;

struct pair {
    size_t a, b; /* tokens */
    double cosine, difference;
};

struct two {
    const struct text_encoder *encoder;
    struct item items[2];
    struct pair *pairs; /* [n_pairs], in the order of A */
    size_t n_pairs;
    char *is_paired[2]; /* [n_tokens] of each text */
    size_t n_only[2];
    double largest, largest_value, rounding;  /* no more than rounding: the same vectors */
    size_t n_moved;                           /* pairs at other positions */
    bool same_words, has_positions, sees_all; /* a word sees all, at any position */
    bool loses_index;                         /* its only positions are taken out by a norm */
};

enum { WORD_COLUMNS = 24, TEXT_COLUMNS = 70, SENTENCE_COLUMNS = 80 };

/* Returns whether token i of a text is a word that the other text does not have. */
static bool is_only(const struct two *two, int side, size_t i)
{
    return !two->is_paired[side][i] && !two->items[side].tokens[i].special;
}

/* Returns the text of token i, and whether the vocabulary lacks its word. In JSON the text is that
 * word; tables show it in brackets, print_meaning's. */
static const char *word_at(const struct two *two, int side, size_t i, bool is_table, size_t *len,
                           bool *is_unknown)
{
    const struct item *item = &two->items[side];
    const char *word = encoder_unknown_word(two->encoder, item, i, len);
    *is_unknown = word != NULL;
    return word && !is_table ? word : encoder_token_text(two->encoder, item, i, len);
}

/* ---- Pairing ---- */

static bool is_same_word(const struct two *two, size_t a, size_t b)
{
    const struct item *items = two->items;
    const engine_token *in_a = &items[0].tokens[a], *in_b = &items[1].tokens[b];
    size_t len = in_a->end - in_a->begin;

    if (in_a->special || in_b->special || in_a->id != in_b->id)
        return false;
    return in_a->id != two->encoder->unknown ||
           (len == in_b->end - in_b->begin &&
            memcmp(items[0].record.input.text + in_a->begin,
                   items[1].record.input.text + in_b->begin, len) == 0);
}

static void measure_pair(struct two *two, struct pair *pair)
{
    size_t width = two->encoder->width;
    const float *a = two->items[0].rows + pair->a * width;
    const float *b = two->items[1].rows + pair->b * width;

    for (size_t i = 0; i < width; i++) {
        pair->difference = fmax(pair->difference, fabs((double)a[i] - (double)b[i]));
        two->largest_value = fmax(two->largest_value, fabs((double)a[i]));
    }
    pair->cosine = engine_cosine(a, b, width);
    two->largest = fmax(two->largest, pair->difference);
    two->n_moved += pair->a != pair->b;
}

static void pair_words(struct two *two)
{
    const struct item *items = two->items;
    for (size_t a = 0; a < items[0].n_tokens; a++)
        for (size_t b = 0; b < items[1].n_tokens; b++)
            if (!two->is_paired[1][b] && is_same_word(two, a, b)) {
                struct pair *pair = &two->pairs[two->n_pairs++];
                *pair = (struct pair){.a = a, .b = b};
                two->is_paired[0][a] = two->is_paired[1][b] = 1;
                measure_pair(two, pair);
                break;
            }
    for (int side = 0; side < 2; side++)
        for (size_t i = 0; i < items[side].n_tokens; i++)
            two->n_only[side] += is_only(two, side, i);
    two->same_words = two->n_only[0] + two->n_only[1] == 0;
    two->rounding = ROUNDING * fmax(1, two->largest_value);
}

/* ---- What it means ---- */

/* It follows from the numbers, and from what the model was asked to do about positions and
 * masks. */
static const char *conclude(const struct two *two)
{
    const bool is_same = two->largest <= two->rounding;
    if (two->n_pairs == 0)
        return "The texts share no word.";
    if (is_same && two->same_words && two->n_moved > 0 && two->loses_index && two->sees_all)
        return "Index positions add one number to all columns, which the norm takes out again, and "
               "every word sees all others: the order of the words makes no difference.";
    if (is_same && two->same_words && two->n_moved > 0 && !two->has_positions && two->sees_all)
        return "Without positions, and where every word sees all others, the order of the words "
               "makes no difference: the same words have the same vectors, up to rounding.";
    if (is_same)
        return "The shared words have the same vectors, up to rounding.";
    if (two->same_words && two->has_positions)
        return "With positions the same word in another place has another vector, and so may the "
               "words that see it.";
    if (two->same_words && two->sees_all)
        return "The same words should have the same vectors here, but they differ by more than "
               "rounding.";
    return two->encoder->info.n_layers == 0
               ? "Without layers a vector is made of its word and its place, and here places "
                 "differ."
               : "A word's vector takes in all words that it sees, and here these differ.";
}

/* ---- Printing ---- */

static void print_pairs(const struct two *two, struct rows *rows)
{
    const bool is_table = rows->format == ROWS_TABLE;
    rows_begin(rows, "shared", "word\tin A\tin B\tcosine\tlargest difference");
    for (size_t i = 0; i < two->n_pairs; i++) {
        const struct pair *pair = &two->pairs[i];
        bool is_unknown;
        size_t len;
        const char *text = word_at(two, 0, pair->a, is_table, &len, &is_unknown);
        row_begin(rows);
        row_text(rows, ROWS_ALL, "word", text, len, WORD_COLUMNS);
        if (is_table)
            print_meaning(rows->cells, two->encoder, &two->items[0], pair->a);
        row_flag(rows, ROWS_JSON, "unknown", is_unknown);
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

/* Prints the words that one text alone has: a line, or an array of JSON. */
static void print_only(const struct two *two, int side, struct rows *rows)
{
    const struct item *item = &two->items[side];
    const bool is_table = rows->format == ROWS_TABLE;
    if (is_table && two->n_only[side] == 0)
        return;
    if (is_table)
        fprintf(rows->stream, "only in %c:", "AB"[side]);
    rows_begin(rows, side ? "only_b" : "only_a", NULL);
    for (size_t i = 0; i < item->n_tokens; i++) {
        bool is_unknown;
        size_t len;
        const char *text = word_at(two, side, i, is_table, &len, &is_unknown);
        if (!is_only(two, side, i))
            continue;
        if (is_table) {
            putc(' ', rows->stream);
            display_text(rows->stream, text, len, WORD_COLUMNS);
            print_meaning(rows->stream, two->encoder, item, i);
            continue;
        }
        row_begin(rows);
        row_text(rows, ROWS_JSON, "word", text, len, 0);
        row_flag(rows, ROWS_JSON, "unknown", is_unknown);
        row_count(rows, ROWS_JSON, "position", i);
        row_end(rows);
    }
    if (is_table)
        putc('\n', rows->stream);
    else
        rows_end(rows, NULL);
}

static void print_text(const struct two *two, struct rows *rows)
{
    const char *conclusion = conclude(two);
    FILE *stream = rows->stream;
    print_heading(stream, two->encoder);
    for (int side = 0; side < 2; side++) {
        const engine_input *input = &two->items[side].record.input;
        fprintf(stream, side ? "B: " : "\nA: ");
        display_text(stream, input->text, input->text_len, TEXT_COLUMNS);
        putc('\n', stream);
    }
    if (two->n_pairs) {
        putc('\n', stream);
        print_pairs(two, rows);
    }
    if (!two->same_words)
        putc('\n', stream);
    print_only(two, 0, rows);
    print_only(two, 1, rows);
    if (two->n_pairs)
        fprintf(stream, "\nlargest difference %.3g", two->largest);
    putc('\n', stream);
    display_sentence(stream, conclusion, strlen(conclusion), SENTENCE_COLUMNS);
}

static void print_json(const struct two *two, struct rows *rows)
{
    const engine_input *a = &two->items[0].record.input;
    const engine_input *b = &two->items[1].record.input;
    struct json_writer *json = &rows->json;

    json_begin_object(json, NULL);
    json_write_string(json, "a", a->text, a->text_len);
    json_write_string(json, "b", b->text, b->text_len);
    json_write_text(json, "position", engine_position_name(two->encoder->position));
    json_write_text(json, "mask", engine_mask_name(two->encoder->mask));
    print_pairs(two, rows);
    print_only(two, 0, rows);
    print_only(two, 1, rows);
    json_write_float(json, "largest_difference", (float)two->largest);
    json_write_text(json, "conclusion", conclude(two));
    json_end_object(json);
}

/* ---- The complete command ---- */

static void read_two(struct two *two, struct comparison *comparison)
{
    comparison_two(comparison, two->items);
    for (size_t side = 0; side < 2; side++)
        two->is_paired[side] = alloc_zeros(two->items[side].n_tokens, 1);
    two->pairs = alloc_zeros(two->items[0].n_tokens, sizeof *two->pairs);
    comparison_encode(comparison, two->items, 2);
}

/* Index positions shift all columns, and a norm after them shifts these back. */
void compare_words(struct comparison *comparison)
{
    const struct text_encoder *encoder = &comparison->encoder;
    const char *norm = model_setting(encoder->model, ENGINE_SETTINGS_CONFIG, "embedding_norm");
    const bool loses_index =
        encoder->position == ENGINE_POSITION_INDEX && norm && strcmp(norm, "layer") == 0;
    struct two two = {
        .encoder = encoder,
        .has_positions = (encoder->position != ENGINE_POSITION_NONE &&
                          encoder->numbers.position_scale != 0 && !loses_index) ||
                         encoder->attention_position,
        .loses_index = loses_index && !encoder->attention_position,
        .sees_all = encoder->mask == ENGINE_MASK_FULL && encoder->window == 0,
    };
    read_two(&two, comparison);
    pair_words(&two);
    (comparison->rows.format == ROWS_JSON ? print_json : print_text)(&two, &comparison->rows);
}
