/* attention_position.c - angles, biases, and products with positions, by the formulas of
 * attention_position.h. Angles and slopes are in double: in float, the angle of token 511 would be
 * off by 3e-5. Plain twins: plain_turn and plain_score in engine/plain/attention.c.
 */
#include "model/layers/attention_position.h"

#include <math.h>
#include <string.h>

/* ---- Rotary ---- */

struct rotary rotary_of(const struct model_config *config, bool is_local)
{
    return (struct rotary){
        .width = is_local || config->global_head_width == config->head_width
                     ? config->rotary_width
                     : config->global_head_width,
        .interleaved = config->rotary_pairs == ROTARY_INTERLEAVED,
        .base = is_local ? config->rotary_local_base : config->rotary_base,
        .factor = config->rotary_factor,
        .trained = config->rotary_trained,
    };
}

static double base_of_text(const struct rotary *rotary, size_t n_tokens)
{
    double width = (double)rotary->width, times;
    if (rotary->trained == 0)
        return rotary->base * rotary->factor;
    if (n_tokens <= rotary->trained)
        return rotary->base;
    times = rotary->factor * (double)n_tokens / (double)rotary->trained - (rotary->factor - 1);
    return rotary->base * pow(times, width / (width - 2));
}

void rotary_rows(const struct rotary *rotary, const uint32_t *positions, const uint32_t *lengths,
                 size_t n_rows, float *out)
{
    size_t n_pairs = rotary->width / 2, n_tokens = 0;
    double scale = rotary->trained == 0 ? pow(rotary->factor, -2 / (double)rotary->width) : 1;
    for (size_t i = 0; i < n_pairs; i++) {
        double frequency = 0, exponent = -2 * (double)i / (double)rotary->width;
        for (size_t r = 0; r < n_rows; r++) {
            if (r == 0 || lengths[r] != n_tokens) {
                n_tokens = lengths[r];
                frequency = scale * pow(base_of_text(rotary, n_tokens), exponent);
            }
            double angle = (double)positions[r] * frequency;
            out[r * rotary->width + i] = (float)cos(angle);
            out[r * rotary->width + n_pairs + i] = (float)sin(angle);
        }
    }
}

/* Rotates pairs, `step` columns apart: a constant where it is inlined, so that it is vectorized. */
static inline void turn(const float *restrict cosines, const float *restrict sines, size_t n_pairs,
                        size_t step, float *restrict first, float *restrict second)
{
    for (size_t i = 0; i < n_pairs; i++) {
        const float a = first[step * i], b = second[step * i];
        first[step * i] = a * cosines[i] - b * sines[i];
        second[step * i] = b * cosines[i] + a * sines[i];
    }
}

void rotary_turn(const struct rotary *rotary, const float *angles, size_t n_heads,
                 size_t head_width, float *row)
{
    size_t n_pairs = rotary->width / 2;
    for (size_t head = 0; head < n_heads; head++, row += head_width)
        if (rotary->interleaved)
            turn(angles, angles + n_pairs, n_pairs, 2, row, row + 1);
        else
            turn(angles, angles + n_pairs, n_pairs, 1, row, row + n_pairs);
}

/* ---- Biases by distance ---- */

double alibi_slope(size_t head, size_t n_heads)
{
    size_t power = 1;
    while (power <= n_heads / 2)
        power *= 2;
    if (head < power)
        return exp2(-8 * (double)(head + 1) / (double)power);
    return exp2(-8 * (double)(2 * (head - power) + 1) / (double)(2 * power));
}

void distance_bias_of(const struct model_config *config, const float *table, size_t head,
                      struct distance_bias *bias)
{
    size_t reach = config->distances;
    *bias = (struct distance_bias){.reach = reach};
    if (config->attention_position == ATTENTION_POSITION_ALIBI)
        bias->slope = alibi_slope(head, config->heads);
    else
        bias->table = table + head * (2 * reach + 1);
}

/* The table is indexed by the distance j - i, the row by i - j, so the order is reversed. Distances
 * beyond the table have the bias of its farthest distance. */
static void table_row(const struct distance_bias *bias, size_t n_tokens, float *row)
{
    size_t last = n_tokens - 1, reach = last < bias->reach ? last : bias->reach;
    const float *zero = bias->table + bias->reach;
    float *middle = row + last;
    for (size_t i = 0; i <= reach; i++) {
        middle[i] = *(zero - i);
        *(middle - i) = zero[i];
    }
    for (size_t i = reach + 1; i < n_tokens; i++) {
        middle[i] = middle[reach];
        *(middle - i) = *(middle - reach);
    }
}

void distance_bias_row(const struct distance_bias *bias, size_t n_tokens, float *row)
{
    float *middle = row + n_tokens - 1;
    if (bias->table != NULL)
        table_row(bias, n_tokens, row);
    else
        for (size_t distance = 0; distance < n_tokens; distance++)
            middle[distance] = *(middle - distance) = (float)(-bias->slope * (double)distance);
}

/* ---- Disentangled positions ---- Each token of a head is multiplied with the positions that its
 * text has, by the kernel of linear layers; then blocks of these products are added to blocks of
 * scores.
 *
 * Of the products of a token, column c + d belongs to the distance d while distances have a column
 * each: a block of them is then a matrix whose stride is one less. Farther away several share a
 * bucket and its column. The block of queries is transposed, as scores are. Plain twin:
 * position_score() in engine/plain/attention.c. */

/* Tokens multiplied at a time, with the positions that any of them needs. */
enum { BAND = 48 };

/* P */
static size_t columns_of(size_t span)
{
    return round_up(2 * span, PANEL);
}

void disentangled_of(const struct model_config *config, const struct layer *layer, size_t head,
                     struct disentangled *positions)
{
    size_t span = config_span(config), at = head * columns_of(span) * layer->head_width;
    *positions = (struct disentangled){
        .keys = layer->position_key != NULL ? layer->position_key + at : NULL,
        .queries = layer->position_query != NULL ? layer->position_query + at : NULL,
        .span = span,
        .buckets = config->position_buckets,
        .reach = config->distances,
    };
}

/* Rounded once, as a good logf() does. */
static float log_of(float x)
{
    return (float)log((double)x);
}

/* The bucket of a distance n: its own up to half of the buckets, else by its logarithm, which
 * decides on which side of a border it falls: in single precision, as published. */
static size_t bucket_of(const struct disentangled *positions, size_t n)
{
    size_t middle = positions->buckets / 2;
    if (positions->buckets == 0 || n <= middle)
        return n;
    float half = (float)middle;
    float share = log_of((float)n / half) / log_of((float)(positions->reach - 1) / half);
    return (size_t)(ceilf(share * (float)(middle - 1)) + half);
}

/* Of rows of products with the positions that n_tokens reach, which may be more than their
 * distances: where few distances have many buckets, a bucket has none. As this may be a large power
 * of two, to which a cache gives few places, a panel more. */
static size_t stride_of(const struct disentangled *positions, size_t n_tokens)
{
    const size_t bucket = bucket_of(positions, n_tokens), all = columns_of(positions->span);
    const size_t reached = bucket < positions->span ? round_up(2 * bucket + PANEL, PANEL) : all;
    return (all < reached ? all : reached) + PANEL;
}

void disentangled_work_carve(struct disentangled_work *work, const struct model_config *config,
                             size_t n_tokens, struct arena *arena)
{
    const struct disentangled positions = {.span = config_span(config),
                                           .buckets = config->position_buckets,
                                           .reach = config->distances};
    size_t n = positions.span > 0 ? n_tokens : 0;
    size_t block = n < QUERY_BLOCK ? n : QUERY_BLOCK;
    work->of_keys.columns = arena_matrix(arena, n, 2, sizeof(int32_t));
    work->stride = stride_of(&positions, n);
    work->of_keys.rows = arena_floats(arena, n, work->stride);
    work->of_queries.columns = arena_matrix(arena, n, 2, sizeof(int32_t));
    work->of_queries.rows = arena_floats(arena, block, work->stride);
    work->square = arena_floats(arena, block, QUERY_BLOCK);
    work->panels = arena_floats(arena, row_stride(block), QUERY_BLOCK);
}

/* Makes columns count from the first panel that has one. */
static void skip_panels(struct position_products *products, size_t n_tokens)
{
    products->skipped = (size_t)products->columns[0] / PANEL;
    for (size_t i = 0; i < 2 * n_tokens - 1; i++)
        products->columns[i] -= (int32_t)(products->skipped * PANEL);
}

/* The column of i - j among the products of key j, and of j - i among those of query i. */
static void find_columns(const struct disentangled *positions, size_t n_tokens,
                         struct disentangled_work *work)
{
    int32_t *of_keys = work->of_keys.columns + n_tokens - 1;
    int32_t *of_queries = work->of_queries.columns + n_tokens - 1;
    size_t span = positions->span, last = 2 * span - 1;
    for (size_t n = 0; n < n_tokens; n++) {
        size_t bucket = bucket_of(positions, n);
        size_t ahead = span + bucket < last ? span + bucket : last;
        size_t behind = bucket < span ? span - bucket : 0;
        of_keys[n] = (int32_t)ahead;
        of_queries[n] = (int32_t)(last - behind);
        *(of_keys - n) = (int32_t)behind;
        *(of_queries - n) = (int32_t)(last - ahead);
    }
    skip_panels(&work->of_keys, n_tokens);
    skip_panels(&work->of_queries, n_tokens);
}

/* Multiplies n rows, of the tokens from `first` on, with the positions of the text's others. */
static void multiply(const struct kernels *kernels, const struct position_products *products,
                     size_t stride, struct head_rows tokens, size_t first, size_t n,
                     size_t n_tokens)
{
    const int32_t *columns = products->columns + n_tokens - 1;
    size_t n_rows;
    for (size_t row = 0; row < n; row += n_rows) {
        n_rows = n - row < BAND ? n - row : BAND;
        size_t token = first + row;
        size_t begin = (size_t) * (columns - (token + n_rows - 1)) / PANEL;
        size_t end = (size_t)columns[n_tokens - 1 - token] / PANEL + 1;
        kernels->product(&(struct product){
            .x = tokens.first + token * tokens.stride,
            .x_stride = tokens.stride,
            .panels = products->panels + (products->skipped + begin) * PANEL * tokens.width,
            .panel_stride = tokens.width * PANEL,
            .k = tokens.width,
            .out = products->rows + row * stride + begin * PANEL,
            .out_stride = stride,
            .n_rows = n_rows,
            .n_panels = end - begin,
        });
    }
}

void disentangled_begin(const struct kernels *kernels, const struct disentangled *positions,
                        struct head_rows keys, size_t n_tokens, struct disentangled_work *work)
{
    work->n_tokens = n_tokens;
    work->near = positions->buckets > 0 ? positions->buckets / 2 + 1 : positions->span;
    work->of_keys.panels = positions->queries;
    work->of_queries.panels = positions->keys;
    find_columns(positions, n_tokens, work);
    if (positions->queries != NULL)
        multiply(kernels, &work->of_keys, work->stride, keys, 0, n_tokens, n_tokens);
}

void disentangled_queries(const struct kernels *kernels, const struct disentangled *positions,
                          struct head_rows queries, size_t query, size_t n_queries,
                          const struct disentangled_work *work)
{
    if (positions->keys != NULL)
        multiply(kernels, &work->of_queries, work->stride, queries, query, n_queries,
                 work->n_tokens);
}

static size_t clamp(ptrdiff_t n, size_t most)
{
    return n < 0 ? 0 : (size_t)n < most ? (size_t)n : most;
}

/* A block of products: row r is of token `token` + r, `row` + r among those stored; column c is for
 * the token c + `ahead` after `token`. */
struct block {
    size_t row, n_rows, n_columns;
    ptrdiff_t ahead;
};

/* to [n_rows, to_stride] = the block */
static void copy_block(const struct disentangled_work *work,
                       const struct position_products *products, size_t stride, struct block block,
                       float *to, size_t to_stride)
{
    const int32_t *columns = products->columns + work->n_tokens - 1 + block.ahead;
    const float *from = products->rows + block.row * stride;
    ptrdiff_t near = (ptrdiff_t)work->near, ahead = block.ahead;
    size_t n = block.n_columns;
    for (size_t r = 0; r < block.n_rows; r++, from += stride, to += to_stride, columns--, ahead--) {
        size_t begin = clamp(1 - near - ahead, n), end = clamp(near - ahead, n);
        for (size_t c = 0; c < begin; c++)
            to[c] = from[columns[c]];
        if (begin < end)
            memcpy(to + begin, from + columns[begin], (end - begin) * sizeof *to);
        for (size_t c = end; c < n; c++)
            to[c] = from[columns[c]];
    }
}

/* Adds the products of queries, transposed. */
static void add_transposed(const struct kernels *kernels, const struct score_block *scores,
                           const float *rows, size_t stride, float *panels)
{
    size_t n = scores->n_keys;
    kernels->pack_rows(rows, stride, scores->n_queries, n, 1, panels);
    for (size_t p = 0; p * PANEL < scores->n_queries; p++) {
        for (size_t j = 0; j < n; j++) {
            float *restrict row = scores->scores + j * scores->stride + p * PANEL;
            const float *restrict more = panels + (p * n + j) * PANEL;
#pragma omp simd
            for (size_t i = 0; i < PANEL; i++)
                row[i] += more[i];
        }
    }
}

void disentangled_fill(const struct kernels *kernels, const struct disentangled *positions,
                       const struct score_block *scores, size_t query, size_t key,
                       const struct disentangled_work *work)
{
    size_t stride = work->stride, n_queries = scores->n_queries;
    size_t n_keys = scores->n_keys;
    ptrdiff_t ahead = (ptrdiff_t)query - (ptrdiff_t)key, near = (ptrdiff_t)work->near;
    size_t unset = positions->queries != NULL ? n_queries : 0; /* padding, or all columns */
    for (size_t j = 0; unset < scores->stride && j < n_keys; j++)
        memset(scores->scores + j * scores->stride + unset, 0,
               (scores->stride - unset) * sizeof *scores->scores);
    if (positions->queries != NULL)
        copy_block(work, &work->of_keys, stride, (struct block){key, n_keys, n_queries, ahead},
                   scores->scores, scores->stride);
    if (positions->keys == NULL)
        return;
    const float *first = work->of_queries.rows;
    if (ahead + (ptrdiff_t)n_queries <= near && (ptrdiff_t)n_keys - ahead <= near) {
        first += work->of_queries.columns[(ptrdiff_t)work->n_tokens - 1 - ahead];
        add_transposed(kernels, scores, first, stride - 1, work->panels);
        return;
    }
    copy_block(work, &work->of_queries, stride, (struct block){0, n_queries, n_keys, -ahead},
               work->square, KEY_BLOCK);
    add_transposed(kernels, scores, work->square, KEY_BLOCK, work->panels);
}
