/* attention.c - one head: for each block of queries scores, softmax, mix.
 *
 * The two products go one of two ways. The linear kernel reads its second operand in panels: keys are packed as the
 * rows of a "weight" matrix [T, K], with 1/√K put into them, and v [T, K] as panels of 16 columns; each
 * element is a sum by itself, so that no element depends on T. OpenBLAS needs no packing, and was measured faster
 * between BLAS_MIN and BLAS_MAX tokens; look-ahead masks do without it.
 *
 * A query that sees at most EXACT_KEYS keys mixes their values in double: so short texts show what attention itself
 * does to a change of order, free of rounding.
 */
#include "model/attention.h"

#include "model/blas.h"
#include "model/mask.h"

#include <math.h>
#include <string.h>

enum { QUERY_BLOCK = 48, BLAS_MIN = EXACT_KEYS + 1, BLAS_MAX = 128 };

struct scratch {
    float *weights; /* [QUERY_BLOCK, row_stride(T)] */
    float *keys;    /* [⌈T/16⌉, K, 16] */
    float *values;  /* [⌈K/16⌉, T, 16] */
    float *context; /* [QUERY_BLOCK, row_stride(K)] */
    size_t floats;
};

static struct scratch carve(float *base, size_t n_tokens, size_t head_width)
{
    size_t weights = QUERY_BLOCK * row_stride(n_tokens);
    size_t keys = row_stride(n_tokens) * head_width;
    size_t values = row_stride(head_width) * n_tokens;
    size_t context = QUERY_BLOCK * row_stride(head_width);
    struct scratch scratch = {.floats = weights + keys + values + context};
    if (base != NULL) {
        scratch.weights = base;
        scratch.keys = scratch.weights + weights;
        scratch.values = scratch.keys + keys;
        scratch.context = scratch.values + values;
    }
    return scratch;
}

size_t attention_scratch(size_t n_tokens, size_t head_width)
{
    return carve(NULL, n_tokens, head_width).floats;
}

static float score_scale(const struct attention_head *head)
{
    return (float)(1 / sqrt((double)head->head_width));
}

static void pack_keys(const struct attention_head *head, float *keys)
{
    float scale = score_scale(head);
    for (size_t t = 0; t < row_stride(head->n_tokens); t++) {
        float *panel = keys + t / PANEL * head->head_width * PANEL + t % PANEL;
        const float *row = head->k + t * head->stride;
        for (size_t i = 0; i < head->head_width; i++)
            panel[i * PANEL] = t < head->n_tokens ? row[i] * scale : 0;
    }
}

static void pack_values(const struct attention_head *head, float *values)
{
    for (size_t i = 0; i < head->head_width; i += PANEL) {
        size_t columns = head->head_width - i < PANEL ? head->head_width - i : PANEL;
        float *panel = values + i * head->n_tokens;
        for (size_t t = 0; t < head->n_tokens; t++, panel += PANEL) {
            memcpy(panel, head->v + t * head->stride + i, columns * sizeof *panel);
            memset(panel + columns, 0, (PANEL - columns) * sizeof *panel);
        }
    }
}

/* A block of queries and the keys that any of them may see. */
struct block {
    size_t first, n_queries, n_keys;
};

/* weights [n_queries, n_keys] = q·kᵀ / √K */
static void score(const struct kernels *kernels, const struct attention_head *head, bool blas,
                  const struct block *block, const struct scratch *scratch)
{
    size_t stride = row_stride(head->n_tokens), width = head->head_width;
    const float *q = head->q + block->first * head->stride;
    if (blas) {
        blas_product_transposed(block->n_queries, block->n_keys, width, score_scale(head), q,
                                head->stride, head->k, head->stride, scratch->weights, stride);
        return;
    }
    struct product product = {
        .x = q, .x_stride = head->stride,
        .panels = scratch->keys, .panel_stride = width * PANEL, .k = width,
        .out = scratch->weights, .out_stride = stride,
        .n_rows = block->n_queries, .n_panels = row_stride(block->n_keys) / PANEL,
    };
    kernels->product(&product);
}

/* Softmax over the keys that one query may see; the others get exactly 0. */
static void weigh_keys(const struct kernels *kernels, struct key_range visible, size_t n_keys,
                       float *weights)
{
    memset(weights, 0, visible.begin * sizeof *weights);
    if (visible.end > visible.begin)
        kernels->softmax(weights + visible.begin, visible.end - visible.begin);
    memset(weights + visible.end, 0, (n_keys - visible.end) * sizeof *weights);
}

/* The first queries of the block, as many as see few enough keys: out [K] = weights·v, in double. Returns how
 * many there are. */
static size_t mix_short(const struct kernels *kernels, const struct attention_head *head,
                        const struct block *block, const float *weights)
{
    size_t i = 0;
    for (; i < block->n_queries; i++) {
        struct key_range visible = mask_visible(head->mask, block->first + i, head->n_tokens);
        if (visible.end - visible.begin > EXACT_KEYS)
            break;
        kernels->mix_exactly(weights + i * row_stride(head->n_tokens) + visible.begin,
                             head->v + visible.begin * head->stride, head->stride,
                             visible.end - visible.begin, head->head_width,
                             head->out + (block->first + i) * head->out_stride);
    }
    return i;
}

/* out [n_queries, K] = weights·v */
static void mix(const struct kernels *kernels, const struct attention_head *head, bool blas,
                const struct block *block, const struct scratch *scratch)
{
    size_t stride = row_stride(head->n_tokens), width = head->head_width;
    size_t done = mix_short(kernels, head, block, scratch->weights), rest = block->n_queries - done;
    const float *weights = scratch->weights + done * stride;
    float *out = head->out + (block->first + done) * head->out_stride;
    if (rest == 0)
        return;
    if (blas) {
        blas_product(rest, width, block->n_keys, weights, stride, head->v, head->stride, out,
                     head->out_stride);
        return;
    }
    struct product product = {
        .x = weights, .x_stride = stride,
        .panels = scratch->values, .panel_stride = head->n_tokens * PANEL, .k = block->n_keys,
        .out = scratch->context, .out_stride = row_stride(width),
        .n_rows = rest, .n_panels = row_stride(width) / PANEL,
    };
    kernels->product(&product);
    for (size_t i = 0; i < rest; i++)
        memcpy(out + i * head->out_stride, scratch->context + i * row_stride(width),
               width * sizeof *out);
}

static void write_map(const struct attention_head *head, const struct block *block,
                      const float *weights)
{
    for (size_t i = 0; i < block->n_queries; i++) {
        float *row = head->map + (block->first + i) * head->n_tokens;
        memcpy(row, weights + i * row_stride(head->n_tokens), block->n_keys * sizeof *row);
        memset(row + block->n_keys, 0, (head->n_tokens - block->n_keys) * sizeof *row);
    }
}

void attention_head(const struct kernels *kernels, const struct attention_head *head, float *base)
{
    size_t n_tokens = head->n_tokens;
    struct scratch scratch = carve(base, n_tokens, head->head_width);
    bool blas = head->blas && head->mask == MASK_FULL && n_tokens >= BLAS_MIN && n_tokens <= BLAS_MAX;
    if (!blas)
        pack_keys(head, scratch.keys);
    if (!blas && n_tokens > EXACT_KEYS)
        pack_values(head, scratch.values);
    for (size_t first = 0; first < n_tokens; first += QUERY_BLOCK) {
        struct block block = {.first = first, .n_queries = n_tokens - first};
        block.n_queries = block.n_queries < QUERY_BLOCK ? block.n_queries : QUERY_BLOCK;
        block.n_keys = mask_visible(head->mask, first + block.n_queries - 1, n_tokens).end;

        score(kernels, head, blas, &block, &scratch);
        for (size_t i = 0; i < block.n_queries; i++)
            weigh_keys(kernels, mask_visible(head->mask, first + i, n_tokens), block.n_keys,
                       scratch.weights + i * row_stride(n_tokens));
        if (head->map != NULL)
            write_map(head, &block, scratch.weights);
        mix(kernels, head, blas, &block, &scratch);
    }
}
