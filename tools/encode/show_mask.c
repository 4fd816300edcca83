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

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Of all matrices N × N together: some hundred megabytes of output. */
static const size_t MOST_CELLS = (size_t)1 << 26;

struct masks {
    struct encoder *encoder;
    struct kept texts;
    size_t n_places; /* N */
    bool is_causal;
    double *row; /* [N], of one of the matrices */
};

/* ---- Reading ---- */

static int keep_batch(void *task, struct batch *batch)
{
    struct masks *masks = task;
    if (batch_tokenize(batch, NULL) < batch->n_items)
        return program_fail("%s", masks->encoder->message);
    batch_keep(batch, &masks->texts);
    return PROGRAM_DONE;
}

/* The look-ahead mask, and what is seen in each text. */
static void check_cells(const struct masks *masks)
{
    const size_t n = masks->n_places;
    double n_cells = (double)n * (double)n * (double)(masks->texts.n + 1);
    if (n == 0)
        program_die("--show-mask: there is no token to show a mask for; --pad-to N makes places");
    if (n_cells > (double)MOST_CELLS)
        program_die("--show-mask: masks of %zu text%s of %zu places have %.0f cells; at most %zu "
                    "are shown: give fewer or shorter texts, or a smaller --pad-to",
                    masks->texts.n, plural(masks->texts.n), n, n_cells, MOST_CELLS);
}

/* All texts as long as the longest. */
static void pad_all(struct masks *masks)
{
    struct encoder *encoder = masks->encoder;
    masks->n_places = encoder->padding.n;
    for (size_t i = 0; i < masks->texts.n; i++)
        if (masks->texts.items[i].n_tokens > masks->n_places)
            masks->n_places = masks->texts.items[i].n_tokens;
    check_cells(masks);
    encoder->padding.n = masks->n_places;
    masks->row = alloc_zeros(masks->n_places, sizeof *masks->row);
    for (size_t i = 0; i < masks->texts.n; i++)
        padding_apply(&encoder->padding, &masks->texts.items[i]);
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

static double key_score(const struct item *item, size_t key)
{
    if (item_is_masked(item, key))
        return -INFINITY;
    return item->record.input.ids ? (double)item->tokens[key].id : 0.0;
}

/* exp(s - max) / sum; a row of -infinity alone has no maximum, and gives zeros. */
static void softmax(const struct masks *masks, const struct item *item, double *weights)
{
    double most = -INFINITY, sum = 0;
    for (size_t i = 0; i < masks->n_places; i++)
        most = fmax(most, key_score(item, i));
    for (size_t i = 0; i < masks->n_places; i++) {
        weights[i] = most > -INFINITY ? exp(key_score(item, i) - most) : 0;
        sum += weights[i];
    }
    for (size_t i = 0; i < masks->n_places && sum > 0; i++)
        weights[i] /= sum;
}

/* The matrices; what is seen is one of each text. */
enum matrix { PADDING, LOOK_AHEAD, SEEN, SOFTMAX };

/* The numbers of a row: that of a text, or of the query `row` in the item. */
static const double *row_of(const struct masks *masks, enum matrix matrix, const struct item *item,
                            size_t row)
{
    if (matrix == SOFTMAX) {
        softmax(masks, &masks->texts.items[row], masks->row);
        return masks->row;
    }
    for (size_t i = 0; i < masks->n_places; i++)
        masks->row[i] = matrix == PADDING      ? !item_is_masked(&masks->texts.items[row], i)
                        : matrix == LOOK_AHEAD ? looks_ahead(row, i)
                                               : sees(masks, item, row, i);
    return masks->row;
}

static size_t n_rows(const struct masks *masks, enum matrix matrix)
{
    return matrix == PADDING || matrix == SOFTMAX ? masks->texts.n : masks->n_places;
}

/* ---- Text ---- */

enum { WEIGHT_COLUMNS = 11, TITLE_COLUMNS = 70 };

static void print_cells(const double *row, size_t n, enum matrix matrix, FILE *stream)
{
    for (size_t i = 0; i < n; i++) {
        if (matrix == LOOK_AHEAD)
            fputs(row[i] > 0 ? "  True" : " False", stream);
        else if (matrix == SOFTMAX)
            fprintf(stream, " %*.6g", WEIGHT_COLUMNS, row[i]);
        else
            fputs(row[i] > 0 ? " 1" : " 0", stream);
    }
}

/* Rows of texts count from 1, places from 0. */
static void print_matrix(const struct masks *masks, enum matrix matrix, const struct item *item,
                         FILE *stream)
{
    const size_t first = matrix == PADDING || matrix == SOFTMAX ? 1 : 0;
    for (size_t row = 0; row < n_rows(masks, matrix) && !ferror(stream); row++) {
        fprintf(stream, "%6zu ", first + row);
        print_cells(row_of(masks, matrix, item, row), masks->n_places, matrix, stream);
        if (matrix == PADDING) {
            fputs("  ", stream);
            print_input(stream, &masks->texts.items[row].record.input, TITLE_COLUMNS);
        }
        if (matrix == SEEN && item_is_masked(item, row))
            fputs("  padding: not computed", stream);
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
    print_matrix(masks, SEEN, item, stream);
}

static void print_masks_text(const struct masks *masks, FILE *stream)
{
    const size_t n = masks->texts.n, n_places = masks->n_places;
    print_heading(stream, masks->encoder);
    fprintf(stream, "\npadding mask [%zu, %zu], text × place: 1 is a token, 0 is padding\n", n,
            n_places);
    print_matrix(masks, PADDING, NULL, stream);
    fprintf(stream, "\nlook-ahead mask [%zu, %zu], query × key: True is hidden, False is seen\n",
            n_places, n_places);
    print_matrix(masks, LOOK_AHEAD, NULL, stream);
    for (size_t i = 0; i < n && !ferror(stream); i++)
        print_seen(masks, &masks->texts.items[i], stream);
    if (masks->encoder->window > 0)
        fprintf(stream,
                "\nIn layers with a window a query sees fewer keys: those at most %zu away.\n",
                masks->encoder->window);
    fprintf(stream,
            "\nsoftmax [%zu, %zu] of scores: the ids, where these were given, else 0; -inf for "
            "padding\n",
            n, n_places);
    print_matrix(masks, SOFTMAX, NULL, stream);
    fputs("Padding gets exactly 0, because exp(-inf) is 0. Where -1e9 is added in its place, the\n"
          "score itself is lost: float32 numbers of that size are 64 apart. As long as one key is\n"
          "seen that does no harm; where all are hidden the weights become equal, not zeros.\n",
          stream);
}

/* ---- JSON ---- */

static void write_matrix(const struct masks *masks, enum matrix matrix, const struct item *item,
                         const char *key, struct json_writer *json)
{
    json_begin_array(json, key);
    for (size_t r = 0; r < n_rows(masks, matrix) && !ferror(json->stream); r++) {
        const double *row = row_of(masks, matrix, item, r);
        json_begin_array(json, NULL);
        for (size_t i = 0; i < masks->n_places; i++) {
            if (matrix == LOOK_AHEAD)
                json_write_truth(json, NULL, row[i] > 0);
            else if (matrix == SOFTMAX)
                json_write_float(json, NULL, (float)row[i]);
            else
                json_write_integer(json, NULL, row[i] > 0);
        }
        json_end_array(json);
    }
    json_end_array(json);
}

static void print_masks_json(const struct masks *masks, FILE *stream)
{
    struct json_writer json = {.stream = stream};
    json_begin_object(&json, NULL);
    write_inputs_json(&json, &masks->texts);
    json_write_count(&json, "places", masks->n_places);
    json_write_text(&json, "mask", masks->encoder->mask);
    write_matrix(masks, PADDING, NULL, "padding_mask", &json);
    write_matrix(masks, LOOK_AHEAD, NULL, "look_ahead_mask", &json);
    json_begin_array(&json, "seen");
    for (size_t i = 0; i < masks->texts.n; i++)
        write_matrix(masks, SEEN, &masks->texts.items[i], NULL, &json);
    json_end_array(&json);
    write_matrix(masks, SOFTMAX, NULL, "softmax", &json);
    write_truncated_json(&json, &masks->texts);
    json_end_object(&json);
}

/* ---- All of it ---- */

int show_masks(struct job *job)
{
    struct masks masks = {.encoder = job->encoder,
                          .is_causal = strcmp(job->encoder->mask, "causal") == 0};
    int code = batch_run(job, keep_batch, &masks);
    if (code == PROGRAM_DONE) {
        pad_all(&masks);
        if (job->options->format == FORMAT_JSON)
            print_masks_json(&masks, job->output.stream);
        else
            print_masks_text(&masks, job->output.stream);
    }
    kept_free(&masks.texts);
    free(masks.row);
    return code;
}
