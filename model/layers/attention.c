/* attention.c - one head: scores, softmax, mix; in one step for few keys, block by block for many.
 * Plain twin: plain_attention in tests/model/plain.c.
 *
 * Scores are transposed, a row per key and a column per query: maximum and sum of a softmax then
 * run down the rows. Queries, times 1/√K, are packed as the panels of a "weight" matrix, and keys
 * are the rows of the linear kernel's x; each score is one sum over K, so that none depends on T.
 *
 * Many keys: blocks of queries by blocks of keys with a running maximum and sum (Milakov and
 * Gimelshein 2018; Dao et al. 2022). The borders of the blocks of keys are multiples of KEY_BLOCK,
 * and a hidden key counts exactly 0, so that a query under a look-ahead mask is computed the same
 * way however many tokens follow.
 *
 * The two products of a block may also be OpenBLAS' (blas.h); look-ahead masks do without it.
 *
 * A query that sees at most EXACT_KEYS keys sums in double: so short texts show what attention
 * itself does to a change of order, free of rounding.
 */
#include "model/layers/attention.h"

#include "model/kernels/blas.h"
#include "model/layers/mask.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { QUERY_BLOCK = 96, KEY_BLOCK = 96 };

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Parts of the scratch are multiples of 64 bytes. */
static void *take(float *base, size_t *at, size_t n_floats)
{
    float *part = base != NULL ? base + *at : NULL;
    *at += row_stride(n_floats);
    return part;
}

/* 1/√K */
static float score_scale(const struct attention_head *head)
{
    return (float)(1 / sqrt((double)head->head_width));
}

/* ---- Few keys ---- */

struct few {
    float *queries;  /* [⌈T/16⌉, K, 16] */
    float *scores;   /* [T, row_stride(T)] */
    double *weights; /* [T, row_stride(T)] */
    double *values;  /* [T, row_stride(K)] */
    double *share;   /* [row_stride(T)] */
};

static size_t carve_few(struct few *few, float *base, size_t n_tokens, size_t head_width)
{
    size_t columns = row_stride(n_tokens), floats = 0;
    few->queries = take(base, &floats, columns * head_width);
    few->scores = take(base, &floats, n_tokens * columns);
    few->weights = take(base, &floats, 2 * n_tokens * columns);
    few->values = take(base, &floats, 2 * n_tokens * row_stride(head_width));
    few->share = take(base, &floats, 2 * columns);
    return floats;
}

/* The first n tokens among themselves. */
static void attend_few(const struct kernels *kernels, const struct attention_head *head, size_t n,
                       float *base)
{
    struct few few;
    size_t width = head->head_width, columns = row_stride(n);
    carve_few(&few, base, n, width);
    kernels->pack_rows(head->q, head->stride, n, width, score_scale(head), few.queries);
    kernels->product(&(struct product){
        .x = head->k,
        .x_stride = head->stride,
        .panels = few.queries,
        .panel_stride = width * PANEL,
        .k = width,
        .out = few.scores,
        .out_stride = columns,
        .n_rows = n,
        .n_panels = columns / PANEL,
    });
    kernels->softmax_exactly(
        &(struct score_block){
            .scores = few.scores,
            .stride = columns,
            .n_keys = n,
            .n_queries = n,
            .causal = head->mask == MASK_CAUSAL,
        },
        few.weights, few.share);
    kernels->mix_exactly(&(struct exact_mix){
        .weights = few.weights,
        .weights_stride = columns,
        .share = few.share,
        .v = head->v,
        .v_stride = head->stride,
        .values = few.values,
        .n_keys = n,
        .n_queries = n,
        .width = width,
        .out = head->out,
        .out_stride = head->out_stride,
    });
    if (head->map == NULL)
        return;
    for (size_t i = 0; i < n; i++) {
        float *row = head->map + i * head->n_tokens;
        memset(row, 0, head->n_tokens * sizeof *row);
        for (size_t j = 0; j < n; j++)
            row[j] = (float)(few.weights[j * columns + i] * few.share[i]);
    }
}

/* ---- Many keys ---- */

struct many {
    float *keys;               /* [T, K] */
    float *values;             /* [T, row_stride(K)] */
    float *queries;            /* [QUERY_BLOCK / 16, K, 16] */
    float *scores;             /* [KEY_BLOCK, QUERY_BLOCK] */
    float *context;            /* [QUERY_BLOCK, row_stride(K)] */
    float *max, *sum, *factor; /* [QUERY_BLOCK] */
};

static size_t carve_many(struct many *many, float *base, size_t n_tokens, size_t head_width)
{
    size_t floats = 0;
    many->keys = take(base, &floats, n_tokens * head_width);
    many->values = take(base, &floats, n_tokens * row_stride(head_width));
    many->queries = take(base, &floats, QUERY_BLOCK * head_width);
    many->scores = take(base, &floats, KEY_BLOCK * QUERY_BLOCK);
    many->context = take(base, &floats, QUERY_BLOCK * row_stride(head_width));
    many->max = take(base, &floats, QUERY_BLOCK);
    many->sum = take(base, &floats, QUERY_BLOCK);
    many->factor = take(base, &floats, QUERY_BLOCK);
    return floats;
}

/* to [T, to_stride] = from [T, K], zeros after K. */
static void gather(const float *from, const struct attention_head *head, float *to,
                   size_t to_stride)
{
    for (size_t t = 0; t < head->n_tokens; t++, to += to_stride) {
        memcpy(to, from + t * head->stride, head->head_width * sizeof *to);
        memset(to + head->head_width, 0, (to_stride - head->head_width) * sizeof *to);
    }
}

/* A block of queries, and the keys that any of them may see. */
struct block {
    size_t first, n_queries, n_keys;
};

static bool use_blas(const struct attention_head *head)
{
    return head->blas != NULL && head->mask == MASK_FULL;
}

/* Scores of the keys from `key` on, to the end of their block. */
static struct score_block score(const struct kernels *kernels, const struct attention_head *head,
                                const struct block *block, const struct many *many, size_t key)
{
    size_t width = head->head_width;
    struct score_block scores = {
        .scores = many->scores,
        .stride = row_stride(block->n_queries),
        .n_keys = smaller(block->n_keys - key, KEY_BLOCK),
        .n_queries = block->n_queries,
        .causal = head->mask == MASK_CAUSAL,
        .ahead = (ptrdiff_t)block->first - (ptrdiff_t)key,
    };
    if (use_blas(head)) {
        blas_product_transposed(head->blas, scores.n_keys, block->n_queries, width,
                                score_scale(head), many->keys + key * width, width,
                                head->q + block->first * head->stride, head->stride, scores.scores,
                                scores.stride);
        return scores;
    }
    kernels->product(&(struct product){
        .x = many->keys + key * width,
        .x_stride = width,
        .panels = many->queries,
        .panel_stride = width * PANEL,
        .k = width,
        .out = scores.scores,
        .out_stride = scores.stride,
        .n_rows = scores.n_keys,
        .n_panels = scores.stride / PANEL,
    });
    return scores;
}

static void mix_by_blas(const struct blas *blas, const struct mix *m, float *context)
{
    if (m->context != NULL)
        for (size_t i = 0; i < m->n_queries; i++)
            for (size_t c = 0; c < m->width; c++)
                context[i * m->context_stride + c] *= m->factor[i];
    blas_transposed_product(blas, m->n_queries, m->width, m->n_keys, m->weights, m->weights_stride,
                            m->values, m->values_stride, m->context != NULL, context,
                            m->context_stride);
    if (m->sum != NULL)
        for (size_t i = 0; i < m->n_queries; i++)
            for (size_t c = 0; c < m->width; c++)
                m->out[i * m->out_stride + c] = context[i * m->context_stride + c] / m->sum[i];
}

static void attend_block(const struct kernels *kernels, const struct attention_head *head,
                         const struct block *block, const struct many *many)
{
    size_t values_stride = row_stride(head->head_width);
    for (size_t i = 0; i < row_stride(block->n_queries); i++) {
        many->max[i] = -FLT_MAX;
        many->sum[i] = 0;
    }
    if (!use_blas(head))
        kernels->pack_rows(head->q + block->first * head->stride, head->stride, block->n_queries,
                           head->head_width, score_scale(head), many->queries);
    for (size_t key = 0; key < block->n_keys; key += KEY_BLOCK) {
        struct score_block scores = score(kernels, head, block, many, key);
        bool last = key + scores.n_keys == block->n_keys;
        kernels->softmax_block(&scores, many->max, many->sum, many->factor);
        struct mix mix = {
            .weights = scores.scores,
            .weights_stride = scores.stride,
            .values = many->values + key * values_stride,
            .values_stride = values_stride,
            .n_keys = scores.n_keys,
            .n_queries = block->n_queries,
            .width = head->head_width,
            .context = key > 0 ? many->context : NULL,
            .context_stride = values_stride,
            .factor = many->factor,
            .sum = last ? many->sum : NULL,
            .out = last ? head->out + block->first * head->out_stride : many->context,
            .out_stride = last ? head->out_stride : values_stride,
        };
        if (use_blas(head))
            mix_by_blas(head->blas, &mix, many->context);
        else
            kernels->mix(&mix);
    }
}

/* The weights of the block of queries that has just been attended, from its scores once more. */
static void write_map(const struct kernels *kernels, const struct attention_head *head,
                      const struct block *block, const struct many *many)
{
    float share[QUERY_BLOCK];
    for (size_t i = 0; i < block->n_queries; i++)
        share[i] = 1 / many->sum[i];
    for (size_t key = 0; key < block->n_keys; key += KEY_BLOCK) {
        struct score_block scores = score(kernels, head, block, many, key);
        kernels->softmax_block(&scores, many->max, many->sum, many->factor);
        for (size_t i = 0; i < block->n_queries; i++) {
            float *row = head->map + (block->first + i) * head->n_tokens + key;
            for (size_t j = 0; j < scores.n_keys; j++)
                row[j] = scores.scores[j * scores.stride + i] * share[i];
        }
    }
    for (size_t i = 0; i < block->n_queries; i++)
        memset(head->map + (block->first + i) * head->n_tokens + block->n_keys, 0,
               (head->n_tokens - block->n_keys) * sizeof *head->map);
}

/* The tokens from `first` on. */
static void attend_many(const struct kernels *kernels, const struct attention_head *head,
                        size_t first, float *base)
{
    struct many many;
    size_t n_tokens = head->n_tokens;
    carve_many(&many, base, n_tokens, head->head_width);
    gather(head->k, head, many.keys, head->head_width);
    gather(head->v, head, many.values, row_stride(head->head_width));
    for (; first < n_tokens; first += QUERY_BLOCK) {
        struct block block = {.first = first, .n_queries = smaller(n_tokens - first, QUERY_BLOCK)};
        block.n_keys = mask_visible(head->mask, first + block.n_queries - 1, n_tokens).end;
        attend_block(kernels, head, &block, &many);
        if (head->map != NULL)
            write_map(kernels, head, &block, &many);
    }
}

size_t attention_scratch(size_t n_tokens, size_t head_width)
{
    struct few few;
    struct many many;
    size_t floats = carve_few(&few, NULL, smaller(n_tokens, EXACT_KEYS), head_width);
    size_t more = n_tokens > EXACT_KEYS ? carve_many(&many, NULL, n_tokens, head_width) : 0;
    return more > floats ? more : floats;
}

void attention_head(const struct kernels *kernels, const struct attention_head *head,
                    float *scratch)
{
    size_t n_few = head->n_tokens;
    if (n_few > EXACT_KEYS)
        n_few = head->mask == MASK_CAUSAL ? EXACT_KEYS : 0;
    if (n_few > 0)
        attend_few(kernels, head, n_few, scratch);
    if (n_few < head->n_tokens)
        attend_many(kernels, head, n_few, scratch);
}
