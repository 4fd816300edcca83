/* mask.c - encode-compare mask: which keys a query sees, as matrices. B texts of N tokens each.
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
#include "tools/common/options.h"
#include "tools/study/compare/compare.h"

#include <math.h>
#include <string.h>

/* Cells of all matrices N × N together: some hundred megabytes of output. */
static const size_t MOST_CELLS = (size_t)1 << 26;

struct masks {
    struct text_encoder *encoder;
    struct item *texts; /* [n_texts] */
    size_t n_texts;
    size_t n_places; /* N */
    bool is_causal;
    double *row; /* [N], of one of the matrices */
};

/* ---- Reading ---- */

/* Pads all texts to the length of the longest. Ends the program if the look-ahead mask and what is
 * seen in each text have too many cells. */
static void pad_all(struct masks *masks)
{
    struct text_encoder *encoder = masks->encoder;
    size_t n = encoder->padding.n;
    for (size_t i = 0; i < masks->n_texts; i++)
        if (masks->texts[i].n_tokens > n)
            n = masks->texts[i].n_tokens;
    const double n_cells = (double)n * (double)n * (double)(masks->n_texts + 1);
    if (n == 0)
        program_die("mask: there is no token to show a mask for; --pad-to N makes places");
    if (n_cells > (double)MOST_CELLS)
        program_die("mask: masks of %zu text%s of %zu places have %.0f cells; at most %zu "
                    "are shown: give fewer or shorter texts, or a smaller --pad-to",
                    masks->n_texts, plural(masks->n_texts), n, n_cells, MOST_CELLS);
    masks->n_places = encoder->padding.n = n;
    masks->row = alloc_zeros(n, sizeof *masks->row);
    for (size_t i = 0; i < masks->n_texts; i++)
        padding_apply(&encoder->padding, &masks->texts[i]);
}

/* ---- Rows of the matrices ---- */

/* What is seen is one matrix of each text. */
enum matrix { PADDING, LOOK_AHEAD, SEEN, SOFTMAX };

/* exp(s - max) / sum; a row of -infinity alone has no maximum, and gives zeros. */
static void softmax(double *row, size_t n)
{
    double most = -INFINITY, sum = 0;
    for (size_t i = 0; i < n; i++)
        most = fmax(most, row[i]);
    for (size_t i = 0; i < n; i++)
        sum += row[i] = most > -INFINITY ? exp(row[i] - most) : 0;
    for (size_t i = 0; i < n && sum > 0; i++)
        row[i] /= sum;
}

/* Returns the numbers of a row: that of a text, or of query `row` of the item. */
static const double *make_row(const struct masks *masks, enum matrix matrix,
                              const struct item *item, size_t row)
{
    if (matrix == PADDING || matrix == SOFTMAX)
        item = &masks->texts[row];
    for (size_t key = 0; key < masks->n_places; key++) {
        const bool is_token = item && !item_is_masked(item, key), is_ahead = key > row;
        double *cell = &masks->row[key];
        switch (matrix) {
        case PADDING: *cell = is_token; break;
        case LOOK_AHEAD: *cell = is_ahead; break;
        case SEEN:
            *cell = is_token && !item_is_masked(item, row) && !(masks->is_causal && is_ahead);
            break;
        case SOFTMAX:
            *cell = !is_token                ? -INFINITY
                    : item->record.input.ids ? (double)item->tokens[key].id
                                             : 0;
        }
    }
    if (matrix == SOFTMAX)
        softmax(masks->row, masks->n_places);
    return masks->row;
}

/* ---- Printing ---- */

enum { WEIGHT_COLUMNS = 11, TITLE_COLUMNS = 70 };

static void print_cell(struct rows *rows, enum matrix matrix, double cell)
{
    const bool is_json = rows->format == ROWS_JSON;
    if (is_json && matrix == LOOK_AHEAD)
        json_write_truth(&rows->json, NULL, cell > 0);
    else if (is_json && matrix == SOFTMAX)
        json_write_float(&rows->json, NULL, (float)cell);
    else if (is_json)
        json_write_integer(&rows->json, NULL, cell > 0);
    else if (matrix == LOOK_AHEAD)
        fputs(cell > 0 ? "  True" : " False", rows->stream);
    else if (matrix == SOFTMAX)
        fprintf(rows->stream, " %*.6g", WEIGHT_COLUMNS, cell);
    else
        fputs(cell > 0 ? " 1" : " 0", rows->stream);
}

/* Prints an array of arrays, or lines: texts are counted from 1, tokens from 0. */
static void print_matrix(const struct masks *masks, enum matrix matrix, const struct item *item,
                         const char *key, struct rows *rows)
{
    const bool is_json = rows->format == ROWS_JSON;
    const bool is_of_texts = matrix == PADDING || matrix == SOFTMAX;
    const size_t n_rows = is_of_texts ? masks->n_texts : masks->n_places;
    FILE *stream = rows->stream;
    if (is_json)
        json_begin_array(&rows->json, key);
    for (size_t r = 0; r < n_rows && !ferror(stream); r++) {
        const double *row = make_row(masks, matrix, item, r);
        if (is_json)
            json_begin_array(&rows->json, NULL);
        else
            fprintf(stream, "%6zu ", r + is_of_texts);
        for (size_t i = 0; i < masks->n_places; i++)
            print_cell(rows, matrix, row[i]);
        if (is_json) {
            json_end_array(&rows->json);
            continue;
        }
        if (matrix == PADDING) {
            fputs("  ", stream);
            print_input(stream, &masks->texts[r].record.input, TITLE_COLUMNS);
        }
        if (matrix == SEEN && item_is_masked(item, r))
            fputs("  padding: not computed", stream);
        putc('\n', stream);
    }
    if (is_json)
        json_end_array(&rows->json);
}

static void print_masks_text(const struct masks *masks, struct rows *rows)
{
    const size_t n = masks->n_texts, n_places = masks->n_places;
    FILE *stream = rows->stream;
    print_heading(stream, masks->encoder);
    fprintf(stream, "\npadding mask [%zu, %zu], text × place: 1 is a token, 0 is padding\n", n,
            n_places);
    print_matrix(masks, PADDING, NULL, NULL, rows);
    fprintf(stream, "\nlook-ahead mask [%zu, %zu], query × key: True is hidden, False is seen\n",
            n_places, n_places);
    print_matrix(masks, LOOK_AHEAD, NULL, NULL, rows);
    for (size_t i = 0; i < n && !ferror(stream); i++) {
        const struct item *item = &masks->texts[i];
        fprintf(stream,
                "\npadding and %s mask together [%zu, %zu], query × key: 1 is seen, 0 is hidden\n"
                "text %zu: ",
                engine_mask_name(masks->encoder->mask), n_places, n_places, item->number);
        print_input(stream, &item->record.input, TITLE_COLUMNS);
        putc('\n', stream);
        print_matrix(masks, SEEN, item, NULL, rows);
    }
    if (masks->encoder->window > 0)
        fprintf(stream,
                "\nIn layers with a window a query sees fewer keys: those at most %zu away.\n",
                masks->encoder->window);
    fprintf(stream,
            "\nsoftmax [%zu, %zu] of scores: the ids, where these were given, else 0; -inf for "
            "padding\n",
            n, n_places);
    print_matrix(masks, SOFTMAX, NULL, NULL, rows);
    fputs("Padding gets exactly 0, because exp(-inf) is 0. Where -1e9 is added in its place, the\n"
          "score itself is lost: float32 numbers of that size are 64 apart. As long as one key is\n"
          "seen that does no harm; where all are hidden the weights become equal, not zeros.\n",
          stream);
}

static void print_masks_json(const struct masks *masks, struct rows *rows)
{
    struct json_writer *json = &rows->json;
    json_begin_object(json, NULL);
    write_texts_json(json, masks->encoder, masks->texts, masks->n_texts);
    json_write_count(json, "places", masks->n_places);
    json_write_text(json, "mask", engine_mask_name(masks->encoder->mask));
    print_matrix(masks, PADDING, NULL, "padding_mask", rows);
    print_matrix(masks, LOOK_AHEAD, NULL, "look_ahead_mask", rows);
    json_begin_array(json, "seen");
    for (size_t i = 0; i < masks->n_texts; i++)
        print_matrix(masks, SEEN, &masks->texts[i], NULL, rows);
    json_end_array(json);
    print_matrix(masks, SOFTMAX, NULL, "softmax", rows);
    write_truncated_json(json, masks->texts, masks->n_texts);
    json_end_object(json);
}

/* ---- The complete command ---- */

void compare_mask(struct comparison *comparison)
{
    struct masks masks = {.encoder = &comparison->encoder,
                          .is_causal = comparison->encoder.mask == ENGINE_MASK_CAUSAL};
    struct rows *rows = &comparison->rows;
    masks.texts = comparison_all(comparison, &masks.n_texts);
    if (masks.n_texts == 0)
        program_die("mask takes at least one text; stdin has none");
    pad_all(&masks);
    (rows->format == ROWS_JSON ? print_masks_json : print_masks_text)(&masks, rows);
}
