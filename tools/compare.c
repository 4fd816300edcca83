/* compare.c - encode --compare; see compare.h.
 *
 * Words are paired by their id (unknown words, which share one, by their spelling too), repeated
 * words in the order they occur; special tokens are left out. Each pair gives the cosine of its two
 * vectors and their largest difference, max over i of |a[i] - b[i]|. The closing sentence follows
 * from these numbers and from what the model was asked to do about positions and masks.
 */
#include "tools/compare.h"

#include "tools/display.h"
#include "tools/json_output.h"
#include "tools/options.h"
#include "tools/printer.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Vectors that differ by no more than this part of their largest value are the same: float32 sums
 * of a few hundred terms, taken in another order, differ by less. */
static const double ROUNDING = 1e-5;

enum { WORD_COLUMNS = 24, TEXT_COLUMNS = 70 };

struct pair {
    size_t a, b; /* tokens */
    double cosine, difference;
};

struct comparison {
    const struct encoder *encoder;
    struct item items[2];
    struct pair *pairs; /* [n_pairs], in the order of A */
    size_t n_pairs;
    char *is_paired[2]; /* [n_tokens] of each text */
    size_t n_only[2];
    int32_t unknown; /* id of the token for unknown words, or -1 */
    /* Over all pairs, and over those in the same place and in another. */
    double largest, largest_value;
    size_t n_moved;
    double least_moved, most_moved, most_kept;
};

/* ---- Pairing ---- */

static int32_t unknown_id(const engine_model *model)
{
    const char *key, *value;
    for (size_t i = 0;
         engine_model_setting(model, ENGINE_SETTINGS_TOKENIZER, i, &key, &value, NULL) == ENGINE_OK;
         i++)
        if (strcmp(key, "unknown") == 0)
            return (int32_t)strtol(value, NULL, 10);
    return -1;
}

static bool is_same_word(const struct comparison *comparison, size_t a, size_t b)
{
    const struct item *items = comparison->items;
    const engine_token *in_a = &items[0].tokens[a], *in_b = &items[1].tokens[b];
    size_t len = in_a->end - in_a->begin;

    if (in_a->special || in_b->special || in_a->id != in_b->id)
        return false;
    return in_a->id != comparison->unknown ||
           (len == in_b->end - in_b->begin &&
            memcmp(items[0].record.input.text + in_a->begin,
                   items[1].record.input.text + in_b->begin, len) == 0);
}

static void measure_pair(struct comparison *comparison, struct pair *pair)
{
    size_t width = comparison->encoder->width;
    const float *a = comparison->items[0].vectors + pair->a * width;
    const float *b = comparison->items[1].vectors + pair->b * width;

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
            comparison->n_only[side] +=
                !comparison->is_paired[side][i] && !items[side].tokens[i].special;
}

/* ---- What it means ---- */

static void conclude_same(const struct comparison *comparison, char *out, size_t cap)
{
    const struct encoder *encoder = comparison->encoder;
    bool has_positions = strcmp(encoder->position, "none") != 0;
    bool is_causal = strcmp(encoder->mask, "causal") == 0;
    bool same_words = comparison->n_only[0] + comparison->n_only[1] == 0;
    double largest = comparison->largest;

    if (same_words && comparison->n_moved == 0)
        snprintf(out, cap,
                 "The same words in the same order: the same vectors (largest difference %.2g).",
                 largest);
    else if (same_words && !has_positions && !is_causal)
        snprintf(out, cap,
                 "Without positions and with a full mask the order of the words makes no "
                 "difference: the same words have the same vectors up to rounding (largest "
                 "difference %.2g).",
                 largest);
    else
        snprintf(out, cap,
                 "The shared words have the same vectors up to rounding (largest difference "
                 "%.2g)%s.",
                 largest,
                 is_causal && !same_words ? ": with a causal mask a word sees only itself and "
                                            "what comes before it"
                                          : "");
}

static void conclude_moved(const struct comparison *comparison, char *out, size_t cap)
{
    char range[80], kept[128] = "";
    if (comparison->least_moved < comparison->most_moved)
        snprintf(range, sizeof range, "by %.3g to %.3g", comparison->least_moved,
                 comparison->most_moved);
    else
        snprintf(range, sizeof range, "by %.3g", comparison->most_moved);
    if (comparison->n_moved < comparison->n_pairs)
        snprintf(kept, sizeof kept,
                 ", and those in the same place by up to %.3g because the others moved",
                 comparison->most_kept);
    snprintf(out, cap,
             "With %s positions the same word in another place gets another vector: the words "
             "that moved differ %s%s.",
             comparison->encoder->position, range, kept);
}

static void conclude_different(const struct comparison *comparison, char *out, size_t cap)
{
    const struct encoder *encoder = comparison->encoder;
    bool has_positions = strcmp(encoder->position, "none") != 0;
    bool is_causal = strcmp(encoder->mask, "causal") == 0;
    bool same_words = comparison->n_only[0] + comparison->n_only[1] == 0;

    if (!same_words)
        snprintf(out, cap,
                 "The texts have different words, and a vector takes in %s%s: those of the shared "
                 "words differ by up to %.3g.",
                 is_causal ? "all that comes before its word" : "the whole text",
                 has_positions && comparison->n_moved ? " and its word's place" : "",
                 comparison->largest);
    else if (has_positions)
        conclude_moved(comparison, out, cap);
    else if (is_causal)
        snprintf(out, cap,
                 "Even without positions a causal mask lets order show, because a word sees only "
                 "itself and what comes before it: the same words differ by up to %.3g.",
                 comparison->largest);
    else
        snprintf(out, cap,
                 "Without positions and with a full mask the same words should have the same "
                 "vectors, but they differ by up to %.3g, which is more than rounding.",
                 comparison->largest);
}

static void conclude(const struct comparison *comparison, char *out, size_t cap)
{
    if (comparison->n_pairs == 0)
        snprintf(out, cap, "The texts share no word: there is nothing to compare.");
    else if (comparison->largest <= ROUNDING * fmax(1, comparison->largest_value))
        conclude_same(comparison, out, cap);
    else
        conclude_different(comparison, out, cap);
}

/* ---- Text ---- */

/* An unknown word's spelling tells more than the token that stands for it. */
static const char *word(const struct comparison *comparison, int side, size_t i, size_t *len)
{
    const struct item *item = &comparison->items[side];
    const engine_token *token = &item->tokens[i];
    if (token->id != comparison->unknown)
        return encoder_token_text(comparison->encoder, item, i, len);
    *len = token->end - token->begin;
    return item->record.input.text + token->begin;
}

static void print_pairs(const struct comparison *comparison, FILE *stream)
{
    size_t columns = 4, len;
    for (size_t i = 0; i < comparison->n_pairs; i++) {
        const char *text = word(comparison, 0, comparison->pairs[i].a, &len);
        size_t width = display_width(text, len, WORD_COLUMNS);
        columns = width > columns ? width : columns;
    }
    fprintf(stream, "\n%-*s  in A  in B     cosine  largest difference\n", (int)columns, "word");
    for (size_t i = 0; i < comparison->n_pairs; i++) {
        const struct pair *pair = &comparison->pairs[i];
        const char *text = word(comparison, 0, pair->a, &len);
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
        if (!comparison->is_paired[side][i] && !item->tokens[i].special) {
            size_t len;
            const char *text = word(comparison, side, i, &len);
            putc(' ', stream);
            display_text(stream, text, len, WORD_COLUMNS);
        }
    putc('\n', stream);
}

static void print_text(const struct comparison *comparison, const char *conclusion, FILE *stream)
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
    fprintf(stream, "\n%s\n", conclusion);
}

/* ---- JSON ---- */

static void put_word(const struct comparison *comparison, int side, size_t i, FILE *stream)
{
    size_t len;
    const char *text = word(comparison, side, i, &len);
    fputs("{\"word\": ", stream);
    json_put_string(stream, text, len);
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
        if (!comparison->is_paired[side][i] && !item->tokens[i].special) {
            fputs(separator, stream);
            put_word(comparison, side, i, stream);
            fprintf(stream, ", \"position\": %zu}", i);
            separator = ", ";
        }
}

static void print_json(const struct comparison *comparison, const char *conclusion, FILE *stream)
{
    const engine_input *a = &comparison->items[0].record.input;
    const engine_input *b = &comparison->items[1].record.input;

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

/* ---- All of it ---- */

static bool prepare(struct comparison *comparison, const struct encode_options *options,
                    struct encoder *encoder)
{
    for (size_t side = 0; side < 2; side++) {
        struct item *item = &comparison->items[side];
        item->number = side + 1;
        item->record.input.text = options->texts[side];
        item->record.input.text_len = strlen(options->texts[side]);
        if (!encoder_tokenize(encoder, item))
            return false;
        if (item->n_dropped)
            program_note("text %zu was cut to %zu of its %zu tokens", item->number, item->n_tokens,
                         item->n_tokens + item->n_dropped);
        comparison->is_paired[side] = calloc(item->n_tokens + 1, 1);
    }
    comparison->pairs = calloc(comparison->items[0].n_tokens + 1, sizeof *comparison->pairs);
    if (!comparison->pairs || !comparison->is_paired[0] || !comparison->is_paired[1]) {
        snprintf(encoder->message, sizeof encoder->message, "not enough memory");
        return false;
    }
    return encoder_encode(encoder, comparison->items, 2);
}

int compare_texts(const struct encode_options *options, struct encoder *encoder,
                  struct output *output)
{
    struct comparison comparison = {.encoder = encoder, .unknown = unknown_id(encoder->model)};
    char conclusion[512];
    int code = PROGRAM_DONE;

    if (prepare(&comparison, options, encoder)) {
        pair_words(&comparison);
        conclude(&comparison, conclusion, sizeof conclusion);
        errno = 0;
        if (options->format == FORMAT_JSON)
            print_json(&comparison, conclusion, output->stream);
        else
            print_text(&comparison, conclusion, output->stream);
        output_check(output, false);
    } else {
        code = program_fail("%s", encoder->message);
    }
    for (int side = 0; side < 2; side++) {
        item_free(&comparison.items[side]);
        free(comparison.is_paired[side]);
    }
    free(comparison.pairs);
    return code;
}
