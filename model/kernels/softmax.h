/* softmax.h - softmax over the keys of a block of scores. A row of scores is a key, a lane is a
 * query: maxima and sums run down the rows, and nothing is ever summed across a vector.
 *
 * Over several blocks of keys (Milakov and Gimelshein 2018): where a later block raises a query's
 * maximum from m to m', what was summed so far counts e^(m - m') times.
 * Plain twin: plain_softmax in tests/model/plain.c.
 */
#ifndef MODEL_KERNELS_SOFTMAX_H
#define MODEL_KERNELS_SOFTMAX_H

#include "model/kernels/kernels.h"
#include "model/kernels/vector.h"
#include "model/kernels/wide.h"

#include <float.h>

/* For x ≤ 0; below -87.3 it stays e^-87.3. */
INLINE vec exp_negative(vec x)
{
    return exp_between(larger(splat(-87.3f), x));
}

/* Which of the queries query .. query + LANES - 1 may see a key. */
INLINE ivec sees(ptrdiff_t query, ptrdiff_t key)
{
    ivec lane;
    for (int i = 0; i < LANES; i++)
        lane[i] = i;
    return lane >= (int32_t)(key - query);
}

/* Keys before the first one that a query of the panel that starts at `query` may not see. */
INLINE size_t keys_seen_by_all(const struct score_block *s, size_t query)
{
    ptrdiff_t n = s->causal ? s->ahead + (ptrdiff_t)query + 1 : (ptrdiff_t)s->n_keys;
    return n < 0 ? 0 : (size_t)n < s->n_keys ? (size_t)n : s->n_keys;
}

/* The largest score of each query from `query` on, and largest. */
INLINE vec largest_scores(const struct score_block *s, size_t query, vec largest)
{
    size_t seen = keys_seen_by_all(s, query), j = 0;
    const float *scores = s->scores + query;
    vec other = largest;
    for (; j + 2 <= seen; j += 2) {
        largest = larger(load(scores + j * s->stride), largest);
        other = larger(load(scores + (j + 1) * s->stride), other);
    }
    for (; j < seen; j++)
        largest = larger(load(scores + j * s->stride), largest);
    for (; j < s->n_keys; j++) {
        ivec mask = sees(s->ahead + (ptrdiff_t)query, (ptrdiff_t)j);
        other = larger(choose(mask, load(scores + j * s->stride), splat(-FLT_MAX)), other);
    }
    return larger(largest, other);
}

/* e^(score - largest) of key j in place of the score, 0 where the mask hides it. */
INLINE vec exp_score(const struct score_block *s, size_t query, size_t j, vec largest,
                     const int masked)
{
    vec e = exp_negative(load(s->scores + j * s->stride + query) - largest);
    if (masked)
        e = choose(sees(s->ahead + (ptrdiff_t)query, (ptrdiff_t)j), e, (vec){0});
    return e;
}

static void softmax_block(const struct score_block *block, float *max, float *sum, float *factor)
{
    /* A copy: stores could alias *block, and every field would be read again. */
    const struct score_block s = *block;
    for (size_t query = 0; query < s.n_queries; query += LANES) {
        vec before = load(max + query), largest = largest_scores(&s, query, before);
        size_t seen = keys_seen_by_all(&s, query), j = 0;
        float *scores = s.scores + query;
        vec sums[2] = {{0}};
        for (; j + 2 <= seen; j += 2)
            UNROLL (i, (size_t)2) {
                vec e = exp_score(&s, query, j + i, largest, 0);
                store(scores + (j + i) * s.stride, e);
                sums[i] += e;
            }
        for (; j < s.n_keys; j++) {
            vec e = exp_score(&s, query, j, largest, j >= seen);
            store(scores + j * s.stride, e);
            sums[j % 2] += e;
        }
        vec scale = exp_negative(before - largest);
        store(factor + query, scale);
        store(sum + query, multiply_add(load(sum + query), scale, sums[0] + sums[1]));
        store(max + query, largest);
    }
}

/* Key j of softmax_exactly: its weights as doubles, and what the sums of them gain. */
INLINE void widen_exp(vec e, double *weights, dvec *sums)
{
    const struct halves halves = halves_of(e);
    dvec low = widen(halves.low), high = widen(halves.high);
    store_wide(weights, low);
    store_wide(weights + DOUBLE_LANES, high);
    sums[0] += low;
    sums[1] += high;
}

static void softmax_exactly(const struct score_block *block, double *weights, double *share)
{
    const struct score_block s = *block;
    for (size_t query = 0; query < s.n_queries; query += LANES) {
        vec largest = largest_scores(&s, query, splat(-FLT_MAX));
        size_t seen = keys_seen_by_all(&s, query), j = 0;
        dvec sums[2] = {{0}};
        for (; j < seen; j++)
            widen_exp(exp_score(&s, query, j, largest, 0), weights + j * s.stride + query, sums);
        for (; j < s.n_keys; j++)
            widen_exp(exp_score(&s, query, j, largest, 1), weights + j * s.stride + query, sums);
        store_wide(share + query, 1.0 / sums[0]);
        store_wide(share + query + DOUBLE_LANES, 1.0 / sums[1]);
    }
}

#endif
