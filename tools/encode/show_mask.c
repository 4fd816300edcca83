/* show_mask.c - masks as matrices; see show_mask.h. B texts of N places each.
 *
 *     padding mask     [B, N]     1: a token, 0: padding
 *     look-ahead mask  [N, N]     true: hidden, because the key comes after the query
 *     seen             [B, N, N]  1: the query sees the key: both are tokens, and the model's mask
 *                                 (full, causal) does not hide it
 *     softmax          [B, N]     of a row of scores under the padding mask
 *
 * Scores are the ids where ids are given, and zeros for texts. A hidden key has the score -infinity
 * as in the engine, exp(-infinity) = 0, and a row without keys is zeros.
 */
#include "tools/encode/show_mask.h"

#include "tools/common/json_output.h"
#include "tools/common/options.h"
#include "tools/encode/batch.h"
#include "tools/encode/print/printer.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Of all matrices N × N together: some hundred megabytes of output. */
static const size_t MOST_CELLS = (size_t)1 << 26;

struct masks {
    struct encoder *encoder;
    struct item *items; /* [n] */
    size_t n, cap;
    size_t n_places; /* N */
    bool is_causal;
    double *weights; /* [N] */
};

/* ---- Reading ---- */

/* Takes the items over from the batch. */
static bool take(struct masks *masks, struct batch *batch)
{
    if (batch->n_items > masks->cap - masks->n) {
        size_t cap = 2 * masks->cap + batch->n_items;
        struct item *items = realloc(masks->items, cap * sizeof *items);
        if (!items)
            return false;
        masks->items = items;
        masks->cap = cap;
    }
    for (size_t i = 0; i < batch->n_items; i++) {
        batch_note(batch, &batch->items[i]);
        masks->items[masks->n++] = batch->items[i];
        batch->items[i] = (struct item){0};
    }
    return true;
}

static int read_all(struct masks *masks, struct batch *batch)
{
    enum reader_state state;
    do {
        state = batch_fill(batch);
        if (batch_tokenize(batch) < batch->n_items)
            return batch_fail(batch, masks->encoder->message);
        if (batch->n_items > 0 && !take(masks, batch))
            return batch_fail(batch, "not enough memory");
    } while (state == READER_RECORD || state == READER_PENDING);
    if (state == READER_FAILED)
        return batch_fail(batch, batch->reader->message);
    batch_end(batch);
    return PROGRAM_DONE;
}

/* The look-ahead mask, and what is seen in each text. */
static int check_size(const struct masks *masks, size_t n_places)
{
    double n_cells = (double)n_places * (double)n_places * (double)(masks->n + 1);
    if (n_cells <= (double)MOST_CELLS)
        return PROGRAM_DONE;
    return program_fail("--show-mask: masks of %zu text%s of %zu places have %.0f cells; at most "
                        "%zu are shown: give fewer or shorter texts, or a smaller --pad-to",
                        masks->n, plural(masks->n), n_places, n_cells, MOST_CELLS);
}

/* All texts as long as the longest. */
static int pad_all(struct masks *masks)
{
    struct encoder *encoder = masks->encoder;
    size_t n_places = encoder->padding.n;
    for (size_t i = 0; i < masks->n; i++)
        if (masks->items[i].n_tokens > n_places)
            n_places = masks->items[i].n_tokens;
    if (n_places == 0)
        return program_fail(
            "--show-mask: there is no token to show a mask for; --pad-to N makes places");
    int code = check_size(masks, n_places);
    if (code != PROGRAM_DONE)
        return code;
    encoder->padding.n = masks->n_places = n_places;
    masks->weights = malloc(n_places * sizeof *masks->weights);
    if (!masks->weights)
        return program_fail("not enough memory");
    for (size_t i = 0; i < masks->n; i++)
        if (!encoder_pad(encoder, &masks->items[i]))
            return program_fail("%s", encoder->message);
    return PROGRAM_DONE;
}

/* ---- What the matrices hold ---- */

static bool looks_ahead(size_t query, size_t key)
{
    return key > query;
}

static bool sees(const struct masks *masks, const struct item *item, size_t query, size_t key)
{
    bool are_tokens = !item_is_masked(item, query) && !item_is_masked(item, key);
    return are_tokens && !(masks->is_causal && looks_ahead(query, key));
}

static double score(const struct item *item, size_t key)
{
    if (item_is_masked(item, key))
        return -INFINITY;
    return item->record.input.ids ? (double)item->tokens[key].id : 0.0;
}

/* exp(s - max) / sum; a row of -infinity alone has no maximum, and gives zeros. */
static const double *softmax(const struct masks *masks, const struct item *item)
{
    double most = -INFINITY, sum = 0, *weights = masks->weights;
    for (size_t i = 0; i < masks->n_places; i++)
        most = fmax(most, score(item, i));
    for (size_t i = 0; i < masks->n_places; i++) {
        weights[i] = most > -INFINITY ? exp(score(item, i) - most) : 0;
        sum += weights[i];
    }
    for (size_t i = 0; i < masks->n_places && sum > 0; i++)
        weights[i] /= sum;
    return weights;
}

/* ---- Text ---- */

enum { WEIGHT_COLUMNS = 11 };

static void print_padding(const struct masks *masks, FILE *stream)
{
    fprintf(stream, "\npadding mask [%zu, %zu], text × place: 1 is a token, 0 is padding\n",
            masks->n, masks->n_places);
    for (size_t row = 0; row < masks->n && !ferror(stream); row++) {
        fprintf(stream, "%6zu ", row + 1);
        for (size_t i = 0; i < masks->n_places; i++)
            fputs(item_is_masked(&masks->items[row], i) ? " 0" : " 1", stream);
        fputs("  ", stream);
        print_input(stream, &masks->items[row].record.input);
        putc('\n', stream);
    }
}

static void print_look_ahead(const struct masks *masks, FILE *stream)
{
    fprintf(stream, "\nlook-ahead mask [%zu, %zu], query × key: True is hidden, False is seen\n",
            masks->n_places, masks->n_places);
    for (size_t query = 0; query < masks->n_places && !ferror(stream); query++) {
        fprintf(stream, "%6zu ", query);
        for (size_t key = 0; key < masks->n_places; key++)
            fputs(looks_ahead(query, key) ? "  True" : " False", stream);
        putc('\n', stream);
    }
}

static void print_seen(const struct masks *masks, const struct item *item, FILE *stream)
{
    fprintf(stream,
            "\npadding and %s mask together [%zu, %zu], query × key: 1 is seen, 0 is hidden\ntext "
            "%zu: ",
            masks->encoder->mask, masks->n_places, masks->n_places, item->number);
    print_input(stream, &item->record.input);
    putc('\n', stream);
    for (size_t query = 0; query < masks->n_places && !ferror(stream); query++) {
        fprintf(stream, "%6zu ", query);
        for (size_t key = 0; key < masks->n_places; key++)
            fputs(sees(masks, item, query, key) ? " 1" : " 0", stream);
        fputs(item_is_masked(item, query) ? "  padding: not computed\n" : "\n", stream);
    }
}

static void print_softmax(const struct masks *masks, FILE *stream)
{
    fprintf(stream,
            "\nsoftmax [%zu, %zu] of scores: the ids, where these were given, else 0; -inf for "
            "padding\n",
            masks->n, masks->n_places);
    for (size_t row = 0; row < masks->n && !ferror(stream); row++) {
        const double *weights = softmax(masks, &masks->items[row]);
        fprintf(stream, "%6zu ", row + 1);
        for (size_t i = 0; i < masks->n_places; i++)
            fprintf(stream, " %*.6g", WEIGHT_COLUMNS, weights[i]);
        putc('\n', stream);
    }
    fputs("Padding gets exactly 0, because exp(-inf) is 0. Where -1e9 is added in its place, the\n"
          "score itself is lost: float32 numbers of that size are 64 apart. As long as one key is\n"
          "seen that does no harm; where all are hidden the weights become equal, not zeros.\n",
          stream);
}

static void print_text(const struct masks *masks, FILE *stream)
{
    print_heading(stream, masks->encoder);
    print_padding(masks, stream);
    print_look_ahead(masks, stream);
    for (size_t i = 0; i < masks->n && !ferror(stream); i++)
        print_seen(masks, &masks->items[i], stream);
    print_softmax(masks, stream);
}

/* ---- JSON ---- */

static void put_texts(const struct masks *masks, FILE *stream)
{
    fputs("{\"texts\": [", stream);
    for (size_t i = 0; i < masks->n; i++) {
        fputs(i ? ", " : "", stream);
        json_put_input(stream, &masks->items[i].record.input);
    }
    fprintf(stream, "], \"places\": %zu, \"mask\": \"%s\"", masks->n_places, masks->encoder->mask);
}

static void put_padding(const struct masks *masks, FILE *stream)
{
    fputs(", \"padding_mask\": [", stream);
    for (size_t row = 0; row < masks->n && !ferror(stream); row++) {
        fputs(row ? ", [" : "[", stream);
        for (size_t i = 0; i < masks->n_places; i++)
            fprintf(stream, "%s%d", i ? ", " : "", !item_is_masked(&masks->items[row], i));
        putc(']', stream);
    }
    putc(']', stream);
}

static void put_look_ahead(const struct masks *masks, FILE *stream)
{
    fputs(", \"look_ahead_mask\": [", stream);
    for (size_t query = 0; query < masks->n_places && !ferror(stream); query++) {
        fputs(query ? ", [" : "[", stream);
        for (size_t key = 0; key < masks->n_places; key++)
            fprintf(stream, "%s%s", key ? ", " : "", looks_ahead(query, key) ? "true" : "false");
        putc(']', stream);
    }
    putc(']', stream);
}

static void put_seen(const struct masks *masks, FILE *stream)
{
    fputs(", \"seen\": [", stream);
    for (size_t row = 0; row < masks->n && !ferror(stream); row++) {
        fputs(row ? ", [" : "[", stream);
        for (size_t query = 0; query < masks->n_places; query++) {
            fputs(query ? ", [" : "[", stream);
            for (size_t key = 0; key < masks->n_places; key++)
                fprintf(stream, "%s%d", key ? ", " : "",
                        sees(masks, &masks->items[row], query, key));
            putc(']', stream);
        }
        putc(']', stream);
    }
    putc(']', stream);
}

static void put_softmax(const struct masks *masks, FILE *stream)
{
    fputs(", \"softmax\": [", stream);
    for (size_t row = 0; row < masks->n && !ferror(stream); row++) {
        const double *weights = softmax(masks, &masks->items[row]);
        fputs(row ? ", [" : "[", stream);
        for (size_t i = 0; i < masks->n_places; i++) {
            fputs(i ? ", " : "", stream);
            json_put_float(stream, (float)weights[i]);
        }
        putc(']', stream);
    }
    putc(']', stream);
}

static void print_json(const struct masks *masks, FILE *stream)
{
    put_texts(masks, stream);
    put_padding(masks, stream);
    put_look_ahead(masks, stream);
    put_seen(masks, stream);
    put_softmax(masks, stream);
    fputs(", \"truncated\": [", stream);
    for (size_t i = 0; i < masks->n; i++)
        fprintf(stream, "%s%s", i ? ", " : "", masks->items[i].n_dropped ? "true" : "false");
    fputs("]}\n", stream);
}

/* ---- Both ---- */

int show_mask(const struct encode_options *options, struct encoder *encoder, struct reader *reader,
              struct output *output)
{
    struct masks masks = {.encoder = encoder, .is_causal = strcmp(encoder->mask, "causal") == 0};
    struct batch *batch = batch_new(options, encoder, reader);
    int code = batch ? read_all(&masks, batch) : program_fail("not enough memory");
    if (code == PROGRAM_DONE)
        code = pad_all(&masks);
    if (code == PROGRAM_DONE) {
        errno = 0;
        if (options->format == FORMAT_JSON)
            print_json(&masks, output->stream);
        else
            print_text(&masks, output->stream);
        output_check(output, false);
    }
    for (size_t i = 0; i < masks.n; i++)
        item_free(&masks.items[i]);
    free(masks.items);
    free(masks.weights);
    batch_free(batch);
    return code;
}
