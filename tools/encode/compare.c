/* compare.c - encode --compare A B: which vectors of the words that both texts have differ, and
 * why.
 *
 * Words are paired by their id (unknown words, which share one, by their spelling too), repeated
 * words in the order they occur; special tokens are left out. Each pair gives the cosine of its two
 * vectors and their largest difference, max over i of |a[i] - b[i]|.
 */
#include "tools/encode/compare.h"

#include "tools/encode/job.h"

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

/* ---- All of it ---- */

/* Two texts, no more and no less. */
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
    (job->rows.format == ROWS_JSON ? comparison_print_json : comparison_print_text)(&comparison,
                                                                                    &job->rows);
    for (int side = 0; side < 2; side++) {
        item_free(&comparison.items[side]);
        free(comparison.is_paired[side]);
    }
    free(comparison.pairs);
    return PROGRAM_DONE;
}
