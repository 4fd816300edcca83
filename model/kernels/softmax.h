/* softmax.h - softmax over the keys of a block of scores. A row of scores is a key, a lane is a
 * query: maxima and sums run down the rows, and nothing is ever summed across a vector.
 *
 * Over several blocks of keys (Milakov and Gimelshein 2018): if a later block raises a query's
 * maximum from m to m', earlier sums are multiplied by e^(m - m'). Plain twin: plain_softmax in
 * tests/model/plain.c.
 */
#ifndef MODEL_KERNELS_SOFTMAX_H
#define MODEL_KERNELS_SOFTMAX_H

#include "model/kernels/kernels.h"
#include "model/kernels/vector.h"

#include <float.h>

/* e^x for x ≤ 0; e^-87.3 for x below -87.3. */
INLINE vec exp_negative(vec x)
{
    return exp_between(larger(splat(-87.3f), x));
}

/* Returns a mask of the queries query .. query + LANES - 1 that see key j. */
INLINE ivec sees(const struct score_block *s, size_t query, size_t j)
{
    int32_t key = (int32_t)((ptrdiff_t)j - (ptrdiff_t)query);
    ivec lane;
    for (int i = 0; i < LANES; i++)
        lane[i] = i;
    return (lane >= key - (int32_t)s->last) & (lane <= key - (int32_t)s->first);
}

/* Keys of a block that queries query .. query + LANES - 1 see: keys begin .. end - 1 are seen by
 * any of them, keys all_begin .. all_end - 1 by all. all_begin is even, so that the same keys are
 * summed together for any LANES. */
struct seen_keys {
    size_t begin, all_begin, all_end, end;
};

INLINE size_t key_within(const struct score_block *s, ptrdiff_t key)
{
    return key < 0 ? 0 : (size_t)key < s->n_keys ? (size_t)key : s->n_keys;
}

INLINE struct seen_keys seen_keys(const struct score_block *s, size_t query)
{
    ptrdiff_t first = (ptrdiff_t)query + s->first, end = (ptrdiff_t)query + s->last + 1;
    struct seen_keys seen = {key_within(s, first), key_within(s, first + LANES - 1),
                             key_within(s, end), key_within(s, end + LANES - 1)};
    seen.all_begin += seen.all_begin % 2;
    if (seen.all_begin > seen.all_end)
        seen.all_begin = seen.all_end = seen.end;
    return seen;
}

INLINE void add_bias(const struct score_block *s, const struct seen_keys *seen, size_t query)
{
    for (size_t j = seen->begin; j < seen->end; j++) {
        float *scores = s->scores + j * s->stride + query;
        store(scores, load(scores) + load(s->bias + (ptrdiff_t)query - (ptrdiff_t)j));
    }
}

/* Returns the scores of key j, -FLT_MAX for queries that do not see it. */
INLINE vec seen_score(const struct score_block *s, size_t query, size_t j)
{
    return choose(sees(s, query, j), load(s->scores + j * s->stride + query), splat(-FLT_MAX));
}

/* Returns the maximum of largest and the scores of each query from `query` on. */
INLINE vec largest_scores(const struct score_block *s, const struct seen_keys *seen, size_t query,
                          vec largest)
{
    const float *scores = s->scores + query;
    size_t j = seen->all_begin;
    vec other = largest;
    for (; j + 2 <= seen->all_end; j += 2) {
        largest = larger(load(scores + j * s->stride), largest);
        other = larger(load(scores + (j + 1) * s->stride), other);
    }
    for (; j < seen->all_end; j++)
        largest = larger(load(scores + j * s->stride), largest);
    for (j = seen->begin; j < seen->all_begin; j++)
        other = larger(seen_score(s, query, j), other);
    for (j = seen->all_end; j < seen->end; j++)
        other = larger(seen_score(s, query, j), other);
    return larger(largest, other);
}

/* e^(score - largest) of key j, 0 where the mask hides it. */
INLINE vec exp_score(const struct score_block *s, size_t query, size_t j, vec largest,
                     const int masked)
{
    vec e = exp_negative(load(s->scores + j * s->stride + query) - largest);
    return masked ? choose(sees(s, query, j), e, (vec){0}) : e;
}

/* Replaces the scores of keys begin .. end - 1, which all queries see, by their exp_score, and adds
 * them to the sums. */
INLINE void exp_seen(const struct score_block *s, size_t query, size_t begin, size_t end,
                     vec largest, vec *sums)
{
    float *scores = s->scores + query;
    size_t j = begin;
    for (; j + 2 <= end; j += 2)
        UNROLL (i, (size_t)2) {
            vec e = exp_score(s, query, j + i, largest, 0);
            store(scores + (j + i) * s->stride, e);
            sums[i] += e;
        }
    if (j < end) {
        vec e = exp_score(s, query, j, largest, 0);
        store(scores + j * s->stride, e);
        sums[0] += e;
    }
}

/* The same for keys that only some queries see. */
INLINE void exp_masked(const struct score_block *s, size_t query, size_t begin, size_t end,
                       vec largest, vec *sums)
{
    for (size_t j = begin; j < end; j++) {
        vec e = exp_score(s, query, j, largest, 1);
        store(s->scores + j * s->stride + query, e);
        sums[j % 2] += e;
    }
}

INLINE void clear_scores(const struct score_block *s, size_t query, size_t begin, size_t end)
{
    for (size_t j = begin; j < end; j++)
        store(s->scores + j * s->stride + query, (vec){0});
}

INLINE void softmax_block(const struct score_block *block, float *max, float *sum, float *factor)
{
    /* A copy: stores could alias *block, and every field would be read again. */
    const struct score_block s = *block;
    for (size_t query = 0; query < s.n_queries; query += LANES) {
        const struct seen_keys seen = seen_keys(&s, query);
        if (s.bias != NULL)
            add_bias(&s, &seen, query);
        vec before = load(max + query), largest = largest_scores(&s, &seen, query, before);
        vec sums[2] = {{0}};
        clear_scores(&s, query, 0, seen.begin);
        exp_masked(&s, query, seen.begin, seen.all_begin, largest, sums);
        exp_seen(&s, query, seen.all_begin, seen.all_end, largest, sums);
        exp_masked(&s, query, seen.all_end, seen.end, largest, sums);
        clear_scores(&s, query, seen.end, s.n_keys);
        vec scale = exp_negative(before - largest);
        store(factor + query, scale);
        store(sum + query, multiply_add(load(sum + query), scale, sums[0] + sums[1]));
        store(max + query, largest);
    }
}

/* Stores the weights of a key as doubles and adds them to the sums (softmax_exactly). */
INLINE void widen_exp(vec e, double *weights, dvec *sums)
{
    const struct halves halves = halves_of(e);
    dvec low = widen(halves.low), high = widen(halves.high);
    store_wide(weights, low);
    store_wide(weights + DOUBLE_LANES, high);
    sums[0] += low;
    sums[1] += high;
}

INLINE void softmax_exactly(const struct score_block *block, double *weights, double *share)
{
    const struct score_block s = *block;
    for (size_t query = 0; query < s.n_queries; query += LANES) {
        const struct seen_keys seen = seen_keys(&s, query);
        if (s.bias != NULL)
            add_bias(&s, &seen, query);
        vec largest = largest_scores(&s, &seen, query, splat(-FLT_MAX));
        dvec sums[2] = {{0}};
        size_t j = 0;
        for (; j < seen.all_begin; j++)
            widen_exp(exp_score(&s, query, j, largest, 1), weights + j * s.stride + query, sums);
        for (; j < seen.all_end; j++)
            widen_exp(exp_score(&s, query, j, largest, 0), weights + j * s.stride + query, sums);
        for (; j < s.n_keys; j++)
            widen_exp(exp_score(&s, query, j, largest, 1), weights + j * s.stride + query, sums);
        store_wide(share + query, 1.0 / sums[0]);
        store_wide(share + query + DOUBLE_LANES, 1.0 / sums[1]);
    }
}

#endif
