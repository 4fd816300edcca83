/* attention.c - one head: scores, softmax, mix; in one step for few keys, block by block for many.
 * Plain twins: plain_score and plain_mix in engine/plain/attention.c.
 *
 * Scores are transposed, a row per key and a column per query: maximum and sum of a softmax then
 * run down the rows. Queries, times the scale, are packed as the panels of a "weight" matrix, and
 * keys are the rows of the linear kernel's x; each score is one sum over K, so no score depends on
 * T.
 *
 * Many keys: blocks of queries by blocks of keys with a running maximum and sum (Milakov and
 * Gimelshein 2018; Dao et al. 2022). The blocks of keys range from the first query's first visible
 * key to the last query's last. A hidden key counts exactly 0, so that a query under a look-ahead
 * mask is computed the same way for any number of later tokens.
 *
 * In bfloat16 texts of any length are computed by attend_bf16.h, but maps and disentangled scores
 * in f32. OpenBLAS may compute the two products of a block (blas.h), except under look-ahead masks.
 *
 * Texts of at most EXACT_KEYS tokens, and as many first tokens under a look-ahead mask, sum in
 * double: so short texts show how attention itself responds to a change of order, free of rounding.
 */
#include "model/layers/attention.h"

#include "model/kernels/blas.h"

#include <float.h>
#include <string.h>

struct kept_tokens mask_kept(const uint8_t *mask, size_t n)
{
    struct kept_tokens kept = {0};
    if (mask == NULL) /* n may be anything: it is checked later */
        return (struct kept_tokens){.n_kept = n, .span = n};
    for (size_t i = 0; i < n; i++) {
        if (!mask_keeps(mask, i))
            continue;
        if (kept.n_kept++ == 0)
            kept.first = i;
        kept.span = i - kept.first + 1;
    }
    return kept;
}

/* A head, and the biases computed for it. */
struct task {
    const struct kernels *kernels;
    const struct attention_head *head;
    const struct attention_work *work;
    size_t n_keys; /* tokens that queries see, the first */
    struct disentangled_work positions;
    const float *bias; /* bias[i - j] of query i and key j, or NULL */
};

/* What scores are computed of, and where. Not by OpenBLAS under look-ahead masks: a row's bits must
 * not depend on later tokens. */
struct operands {
    const float *keys;
    size_t stride;
    const float *queries; /* in panels */
    float *scores;
    bool by_blas;
};

/* Computes the scores of keys from `key` on and queries from `query` on; positions add to them. */
static struct score_block score(const struct task *task, const struct operands *of, size_t query,
                                size_t n_queries, size_t key, size_t n_keys)
{
    const struct attention_head *head = task->head;
    const size_t width = head->head_width, stride = row_stride(n_queries);
    const ptrdiff_t ahead = (ptrdiff_t)query - (ptrdiff_t)key;
    const bool is_begun = head->positions != NULL;
    const struct score_block scores = {
        .scores = of->scores,
        .stride = stride,
        .n_keys = n_keys,
        .n_queries = n_queries,
        .first = ahead - (ptrdiff_t)head->band.before,
        .last = ahead + (ptrdiff_t)head->band.after,
        .bias = task->bias != NULL ? task->bias + ahead : NULL,
    };
    if (is_begun)
        disentangled_fill(task->kernels, head->positions, &scores, query, key, &task->positions);
    if (of->by_blas)
        blas_multiply(head->blas, n_keys, n_queries, width, head->scale,
                      (struct blas_operand){of->keys + key * of->stride, of->stride, false},
                      (struct blas_operand){head->q + query * head->stride, head->stride, true},
                      is_begun, of->scores, stride);
    else
        task->kernels->product(&(struct product){
            .x = of->keys + key * of->stride,
            .x_stride = of->stride,
            .panels = of->queries,
            .panel_stride = width * PANEL,
            .k = width,
            .residual = is_begun ? of->scores : NULL,
            .out = of->scores,
            .out_stride = stride,
            .n_rows = n_keys,
            .n_panels = stride / PANEL,
        });
    return scores;
}

static struct head_rows rows_of(const struct attention_head *head, const float *first)
{
    return (struct head_rows){first, head->stride, head->head_width};
}

/* ---- Few keys ---- */

/* Computes attention among the first n tokens. */
static void attend_few(const struct task *task, size_t n)
{
    const struct kernels *kernels = task->kernels;
    const struct attention_head *head = task->head;
    float *queries = task->work->few.queries;
    double *weights = task->work->few.weights, *share = task->work->few.share;
    size_t width = head->head_width, columns = row_stride(n), n_keys = smaller(n, task->n_keys);
    const struct operands operands = {head->k, head->stride, queries, task->work->few.scores,
                                      false};
    kernels->pack_rows(head->q, head->stride, n, width, head->scale, queries);
    if (head->positions != NULL)
        disentangled_queries(kernels, head->positions, rows_of(head, head->q), 0, n,
                             &task->positions);
    const struct score_block scores = score(task, &operands, 0, n, 0, n_keys);
    kernels->softmax_exactly(&scores, weights, share);
    kernels->mix_exactly(&(struct exact_mix){
        .weights = weights,
        .weights_stride = columns,
        .share = share,
        .v = head->v,
        .v_stride = head->stride,
        .values = task->work->few.values,
        .n_keys = n_keys,
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
        for (size_t j = 0; j < n_keys; j++)
            row[j] = (float)(weights[j * columns + i] * share[i]);
    }
}

/* ---- Many keys ---- */

/* to [T, to_stride] = from [T, K], zeros after K. */
static void gather(const float *from, const struct attention_head *head, float *to,
                   size_t to_stride)
{
    for (size_t t = 0; t < head->n_tokens; t++, to += to_stride) {
        memcpy(to, from + t * head->stride, head->head_width * sizeof *to);
        memset(to + head->head_width, 0, (to_stride - head->head_width) * sizeof *to);
    }
}

/* A block of queries, and the range of keys that any of them sees. */
struct block {
    size_t first, n_queries;
    struct key_range keys;
};

static struct operands many_keys(const struct task *task)
{
    const struct attention_head *head = task->head;
    return (struct operands){task->work->many.keys, head->head_width, task->work->many.queries,
                             task->work->many.scores, head->blas != NULL && head->band.after > 0};
}

/* Adds a block of keys to the context by OpenBLAS, and divides it after the last block. */
static void mix_by_blas(const struct blas *blas, float *context, const struct mix *m)
{
    for (size_t i = 0; m->context != NULL && i < m->n_queries; i++)
        for (size_t c = 0; m->factor[i] != 1 && c < m->width; c++)
            context[i * m->context_stride + c] *= m->factor[i];
    blas_multiply(blas, m->n_queries, m->width, m->n_keys, 1,
                  (struct blas_operand){m->weights, m->weights_stride, true},
                  (struct blas_operand){m->values, m->values_stride, false}, m->context != NULL,
                  context, m->context_stride);
    if (m->sum != NULL)
        for (size_t i = 0; i < m->n_queries; i++)
            for (size_t c = 0; c < m->width; c++)
                m->out[i * m->out_stride + c] = context[i * m->context_stride + c] / m->sum[i];
}

static void attend_block(const struct task *task, const struct block *block)
{
    const struct attention_work *work = task->work;
    const struct kernels *kernels = task->kernels;
    const struct attention_head *head = task->head;
    const struct operands operands = many_keys(task);
    size_t values_stride = row_stride(head->head_width);
    for (size_t i = 0; i < row_stride(block->n_queries); i++) {
        work->many.max[i] = -FLT_MAX;
        work->many.sum[i] = 0;
    }
    if (!operands.by_blas)
        kernels->pack_rows(head->q + block->first * head->stride, head->stride, block->n_queries,
                           head->head_width, head->scale, work->many.queries);
    if (head->positions != NULL)
        disentangled_queries(kernels, head->positions, rows_of(head, head->q), block->first,
                             block->n_queries, &task->positions);
    for (size_t key = block->keys.begin; key < block->keys.end; key += KEY_BLOCK) {
        struct score_block scores = score(task, &operands, block->first, block->n_queries, key,
                                          smaller(block->keys.end - key, KEY_BLOCK));
        bool last = key + scores.n_keys == block->keys.end;
        kernels->softmax_block(&scores, work->many.max, work->many.sum, work->many.factor);
        struct mix mix = {
            .weights = scores.scores,
            .weights_stride = scores.stride,
            .values = work->many.values + key * values_stride,
            .values_stride = values_stride,
            .n_keys = scores.n_keys,
            .n_queries = block->n_queries,
            .width = head->head_width,
            .context = key > block->keys.begin ? work->many.context : NULL,
            .context_stride = values_stride,
            .factor = work->many.factor,
            .sum = last ? work->many.sum : NULL,
            .out = last ? head->out + block->first * head->out_stride : work->many.context,
            .out_stride = last ? head->out_stride : values_stride,
        };
        if (operands.by_blas)
            mix_by_blas(head->blas, work->many.context, &mix);
        else
            kernels->mix(&mix);
    }
}

/* Writes the weights of the block of queries just computed, from recomputed scores. */
static void write_map(const struct task *task, const struct block *block)
{
    const struct attention_work *work = task->work;
    const struct operands operands = many_keys(task);
    float share[QUERY_BLOCK];
    size_t n_tokens = task->head->n_tokens;
    float *map = task->head->map + block->first * n_tokens;
    memset(map, 0, block->n_queries * n_tokens * sizeof *map);
    for (size_t i = 0; i < block->n_queries; i++)
        share[i] = 1 / work->many.sum[i];
    for (size_t key = block->keys.begin; key < block->keys.end; key += KEY_BLOCK) {
        struct score_block scores = score(task, &operands, block->first, block->n_queries, key,
                                          smaller(block->keys.end - key, KEY_BLOCK));
        task->kernels->softmax_block(&scores, work->many.max, work->many.sum, work->many.factor);
        for (size_t i = 0; i < block->n_queries; i++) {
            float *row = map + i * n_tokens + key;
            for (size_t j = 0; j < scores.n_keys; j++)
                row[j] = scores.scores[j * scores.stride + i] * share[i];
        }
    }
}

/* Computes attention for the tokens from `first` on. */
static void attend_many(const struct task *task, size_t first)
{
    const struct attention_head *head = task->head;
    size_t n_tokens = head->n_tokens;
    /* Fewer queries with a window, as the keys that only some of them see are computed for all. */
    size_t most = head->band.before < ALL_TOKENS ? QUERY_BLOCK / 2 : QUERY_BLOCK;
    gather(head->k, head, task->work->many.keys, head->head_width);
    gather(head->v, head, task->work->many.values, row_stride(head->head_width));
    for (size_t n_queries; first < n_tokens; first += n_queries) {
        n_queries = smaller(n_tokens - first, most);
        struct block block = {
            .first = first,
            .n_queries = n_queries,
            .keys = {.begin = mask_visible(head->band, first, task->n_keys).begin,
                     .end = mask_visible(head->band, first + n_queries - 1, task->n_keys).end},
        };
        attend_block(task, &block);
        if (head->map != NULL)
            write_map(task, &block);
    }
}

/* ---- In bfloat16 ---- */

static void attend_in_bf16(const struct task *task)
{
    const struct attention_head *head = task->head;
    const size_t n = head->n_tokens;
    struct pair_attention pairs = {
        head->q,          head->k,          head->v,           head->stride,     n,
        head->head_width, head->scale,      head->band.before, head->band.after, task->bias,
        head->out,        head->out_stride, .query = 0};
    pairs.keys = task->work->pairs.keys;
    pairs.values = task->work->pairs.values;
    pairs.scratch = task->work->pairs.scratch;
    task->kernels->pairs->round_keys(&pairs);
    for (; pairs.query < n; pairs.query += BF16_SIDE) {
        pairs.n_queries = smaller(n - pairs.query, BF16_SIDE);
        pairs.begin = mask_visible(head->band, pairs.query, n).begin / BF16_STEP * BF16_STEP;
        pairs.end = mask_visible(head->band, pairs.query + pairs.n_queries - 1, n).end;
        task->kernels->pairs->attend(&pairs);
    }
}

/* ---- A head ---- */

/* Returns the floats of a row of biases, which is read up to a panel past its end. */
static size_t bias_floats(size_t n_tokens)
{
    return row_stride(2 * n_tokens + PANEL);
}

void attention_work_carve(struct attention_work *work, size_t n_tokens, size_t head_width,
                          bool has_bias, bool bf16, struct arena *arena)
{
    size_t n_few = smaller(n_tokens, EXACT_KEYS), few_columns = row_stride(n_few);
    size_t n_many = n_tokens > EXACT_KEYS ? n_tokens : 0, block = n_many > 0 ? QUERY_BLOCK : 0;
    size_t n_pairs = bf16 ? round_up(n_tokens, BF16_STEP) : 0;
    size_t value_stride = row_stride(head_width), pair_width = round_up(head_width, BF16_STEP);
    work->bias = arena_floats(arena, 1, has_bias ? bias_floats(n_tokens) : 0);
    work->few.queries = arena_floats(arena, few_columns, head_width);
    work->few.scores = arena_floats(arena, n_few, few_columns);
    work->few.weights = arena_matrix(arena, n_few, few_columns, sizeof(double));
    work->few.values = arena_matrix(arena, n_few, value_stride, sizeof(double));
    work->few.share = arena_cut(arena, few_columns, sizeof(double));
    work->many.keys = arena_floats(arena, n_many, head_width);
    work->many.values = arena_floats(arena, n_many, value_stride);
    work->many.queries = arena_floats(arena, block, head_width);
    work->many.scores = arena_floats(arena, block, KEY_BLOCK);
    work->many.context = arena_floats(arena, block, value_stride);
    work->many.max = arena_floats(arena, 1, block);
    work->many.sum = arena_floats(arena, 1, block);
    work->many.factor = arena_floats(arena, 1, block);
    work->pairs.keys = arena_matrix(arena, n_pairs, pair_width, sizeof(uint16_t));
    work->pairs.values = arena_matrix(arena, n_pairs, pair_width, sizeof(uint16_t));
    work->pairs.scratch = arena_floats(arena, pair_width, bf16 ? BF16_SIDE / 2 * 3 : 0);
}

void attention_head(const struct kernels *kernels, const struct attention_head *head,
                    const struct attention_work *work)
{
    struct task task = {
        .kernels = kernels, .head = head, .work = work, .positions = work->positions};
    size_t n_tokens = head->n_tokens, n_few = n_tokens;
    task.n_keys = n_tokens - (head->n_unseen < n_tokens ? head->n_unseen : 0);
    if (n_few > EXACT_KEYS) /* queries that see no later keys see few */
        n_few = head->band.after > 0 ? 0 : EXACT_KEYS;
    if (head->bias != NULL && n_tokens > 0) {
        size_t n_biases = 2 * n_tokens - 1, n_floats = bias_floats(n_tokens);
        distance_bias_row(head->bias, n_tokens, work->bias);
        memset(work->bias + n_biases, 0, (n_floats - n_biases) * sizeof *work->bias);
        task.bias = work->bias + n_tokens - 1;
    }
    if (head->positions != NULL && n_tokens > 0)
        disentangled_begin(kernels, head->positions, rows_of(head, head->k), n_tokens,
                           &task.positions);
    const bool in_bf16 = head->bf16 && head->positions == NULL && head->n_unseen == 0;
    const bool exactly = !in_bf16 || head->map != NULL;
    if (exactly && n_few > 0)
        attend_few(&task, n_few);
    if (exactly && n_few < n_tokens)
        attend_many(&task, n_few);
    if (in_bf16)
        attend_in_bf16(&task);
}
