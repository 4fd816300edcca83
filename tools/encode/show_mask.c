/* show_mask.c - encode --show-mask: which keys a query sees, as matrices. B texts of N places each.
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
    size_t n;
    size_t n_places; /* N */
    bool is_causal;
    double *weights; /* [N] */
};

/* ---- Reading ---- */

static int take_batch(void *task, struct batch *batch)
{
    struct masks *masks = task;
    if (batch_tokenize(batch) < batch->n_items)
        return batch_fail(batch, masks->encoder->message);
    for (size_t i = 0; i < batch->n_items; i++)
        notes_of(&batch->notes, &batch->items[i]);
    return batch_keep(batch, &masks->items, &masks->n) ? PROGRAM_DONE
                                                       : batch_fail(batch, "not enough memory");
}

static int read_all(struct masks *masks, struct batch *batch)
{
    int code = batch_run(batch, take_batch, masks);
    if (code == PROGRAM_DONE)
        notes_end(&batch->notes);
    return code;
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

enum { WEIGHT_COLUMNS = 11, TITLE_COLUMNS = 70 };

static void print_padding(const struct masks *masks, FILE *stream)
{
    fprintf(stream, "\npadding mask [%zu, %zu], text × place: 1 is a token, 0 is padding\n",
            masks->n, masks->n_places);
    for (size_t row = 0; row < masks->n && !ferror(stream); row++) {
        fprintf(stream, "%6zu ", row + 1);
        for (size_t i = 0; i < masks->n_places; i++)
            fputs(item_is_masked(&masks->items[row], i) ? " 0" : " 1", stream);
        fputs("  ", stream);
        print_input(stream, &masks->items[row].record.input, TITLE_COLUMNS);
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
    print_input(stream, &item->record.input, TITLE_COLUMNS);
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

static void write_padding(const struct masks *masks, struct json_writer *json)
{
    json_begin_array(json, "padding_mask");
    for (size_t row = 0; row < masks->n && !ferror(json->stream); row++) {
        json_begin_array(json, NULL);
        for (size_t i = 0; i < masks->n_places; i++)
            json_write_integer(json, NULL, !item_is_masked(&masks->items[row], i));
        json_end_array(json);
    }
    json_end_array(json);
}

static void write_look_ahead(const struct masks *masks, struct json_writer *json)
{
    json_begin_array(json, "look_ahead_mask");
    for (size_t query = 0; query < masks->n_places && !ferror(json->stream); query++) {
        json_begin_array(json, NULL);
        for (size_t key = 0; key < masks->n_places; key++)
            json_write_truth(json, NULL, looks_ahead(query, key));
        json_end_array(json);
    }
    json_end_array(json);
}

static void write_seen(const struct masks *masks, struct json_writer *json)
{
    json_begin_array(json, "seen");
    for (size_t row = 0; row < masks->n && !ferror(json->stream); row++) {
        json_begin_array(json, NULL);
        for (size_t query = 0; query < masks->n_places; query++) {
            json_begin_array(json, NULL);
            for (size_t key = 0; key < masks->n_places; key++)
                json_write_integer(json, NULL, sees(masks, &masks->items[row], query, key));
            json_end_array(json);
        }
        json_end_array(json);
    }
    json_end_array(json);
}

static void write_softmax(const struct masks *masks, struct json_writer *json)
{
    json_begin_array(json, "softmax");
    for (size_t row = 0; row < masks->n && !ferror(json->stream); row++) {
        const double *weights = softmax(masks, &masks->items[row]);
        json_begin_array(json, NULL);
        for (size_t i = 0; i < masks->n_places; i++)
            json_write_float(json, NULL, (float)weights[i]);
        json_end_array(json);
    }
    json_end_array(json);
}

static void print_json(const struct masks *masks, FILE *stream)
{
    struct json_writer json = {.stream = stream};
    json_begin_object(&json, NULL);
    write_inputs_json(&json, masks->items, masks->n);
    json_write_count(&json, "places", masks->n_places);
    json_write_text(&json, "mask", masks->encoder->mask);
    write_padding(masks, &json);
    write_look_ahead(masks, &json);
    write_seen(masks, &json);
    write_softmax(masks, &json);
    write_truncated_json(&json, masks->items, masks->n);
    json_end_object(&json);
}

/* ---- Both ---- */

static void print(const struct masks *masks, enum output_format format, FILE *stream)
{
    switch (format) {
    case FORMAT_TEXT: print_text(masks, stream); break;
    case FORMAT_JSON: print_json(masks, stream); break;
    case FORMAT_CSV:
    case FORMAT_NPY:
    case FORMAT_IDS: break; /* encode_options_conflict refuses them */
    }
}

int show_masks(const struct job *job)
{
    struct masks masks = {.encoder = job->encoder,
                          .is_causal = strcmp(job->encoder->mask, "causal") == 0};
    struct batch *batch = batch_new(job);
    int code = batch ? read_all(&masks, batch) : program_fail("not enough memory");
    if (code == PROGRAM_DONE)
        code = pad_all(&masks);
    if (code == PROGRAM_DONE) {
        errno = 0;
        print(&masks, job->options->format, job->output->stream);
        output_check(job->output, false);
    }
    for (size_t i = 0; i < masks.n; i++)
        item_free(&masks.items[i]);
    free(masks.items);
    free(masks.weights);
    batch_free(batch);
    return code;
}
