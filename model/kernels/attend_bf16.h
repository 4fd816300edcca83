/* attend_bf16.h - attention of one head in bfloat16: 32 queries by blocks of PAIR_KEYS keys.
 *
 * Scores are transposed, Sᵀ = K·Qᵀ: a row per key, a column per query, so that softmax runs down
 * the rows (attend.h), and two rows of weights, rounded, are a row of pairs of the next product,
 * Oᵀ = Vᵀ·P. The context is multiplied by e^(m - m') where a block raises a maximum from m to m';
 * where none does, that factor is exactly 1. The sums are of weights before they are rounded.
 */
#ifndef MODEL_KERNELS_ATTEND_BF16_H
#define MODEL_KERNELS_ATTEND_BF16_H

#include "model/kernels/attend.h"
#include "model/kernels/product_bf16.h"

/* ---- Rounding ----
 * Floats rounded to bfloat16, to nearest even; subnormal numbers become zeros, NaN stays
 * NaN. Plain twin: plain_bf16 in tests/model/plain.c. */

INLINE uvec bf16_bits(vec v)
{
    uvec bits = (uvec)v, size = bits & 0x7FFFFFFFu;
    uvec rounded = (bits + 0x7FFFu + (bits >> 16 & 1u)) >> 16;
    uvec is_nan = (uvec)(size > 0x7F800000u), is_tiny = (uvec)(size < 0x00800000u);
    rounded = (rounded & ~is_nan) | ((bits >> 16 | 0x40u) & is_nan);
    return (rounded & ~is_tiny) | (bits >> 31 << 15 & is_tiny);
}

/* Returns pairs of a and b. */
INLINE vec bf16_pairs(vec a, vec b)
{
#if defined(__AVX512BF16__)
    typedef uint16_t halves __attribute__((vector_size(LANES * 4)));
    const halves v = (halves)_mm512_cvtne2ps_pbh((__m512)b, (__m512)a);
    return (vec)__builtin_shufflevector(v, v, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7,
                                        23, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30,
                                        15, 31);
#else
    return (vec)(bf16_bits(a) | bf16_bits(b) << 16);
#endif
}

/* Which two numbers are pair i of a step: neighbours, or as vdpbf16ps needs them. */
#if defined(KERNELS_DOT)
#define PAIR_LOW(i)  ((i) / 2 * 4 + (i) % 2 + 2)
#define PAIR_HIGH(i) ((i) / 2 * 4 + (i) % 2)
#else
#define PAIR_LOW(i)  ((i)*2)
#define PAIR_HIGH(i) ((i)*2 + 1)
#endif

/* out: a row of tiles [16, 32]. */
static void round_pairs(const float *x, size_t n, uint16_t *out)
{
#if defined(KERNELS_DOT)
    const __m512i order =
        _mm512_broadcast_i32x4(_mm_setr_epi8(4, 5, 0, 1, 6, 7, 2, 3, 12, 13, 8, 9, 14, 15, 10, 11));
#endif
    for (size_t i = 0; i < n; i += BF16_STEP, out += PANEL * BF16_STEP) {
#if defined(__AVX512BF16__)
        const vec low = load_some(x + i, n - i);
        const vec high = i + LANES < n ? load_some(x + i + LANES, n - i - LANES) : (vec){0};
        __m512i row = (__m512i)_mm512_cvtne2ps_pbh((__m512)high, (__m512)low);
#if defined(KERNELS_DOT)
        row = _mm512_shuffle_epi8(row, order);
#endif
        _mm512_storeu_si512(out, row);
#else
        typedef uint16_t halves __attribute__((vector_size(LANES * 2), aligned(2), may_alias));
        for (size_t j = i; j < i + BF16_STEP; j += LANES) {
            const vec v = j < n ? load_some(x + j, n - j) : (vec){0};
            *(halves *)(out + (j - i)) = __builtin_convertvector(bf16_bits(v), halves);
        }
#endif
    }
}

/* Returns a vector of pairs, number i of n rows; zeros are below the last row and after the last
 * column. */
INLINE vec pair_of_rows(const float *rows, size_t stride, size_t i, size_t n, size_t n_columns)
{
    const size_t row[2] = {PAIR_LOW(i), PAIR_HIGH(i)};
    vec r[2] = {{0}};
    UNROLL (k, (size_t)2)
        if (row[k] < n)
            r[k] = load_some(rows + row[k] * stride, n_columns);
    return bf16_pairs(r[0], r[1]);
}

static void pair_rows(const float *rows, size_t stride, size_t n, uint16_t *out)
{
    for (size_t j = 0; j < round_up(n, BF16_STEP); j += 2, out += 2 * PANEL)
        for (size_t c = 0; c < PANEL; c += LANES)
            store((float *)(void *)(out + 2 * c), pair_of_rows(rows + c, stride, j / 2, n, LANES));
}

/* ---- Attention ---- */

enum { PAIR_KEYS = 128, PAIRED_KEYS = 4 }; /* of a block; whose pairs are made at a time */

/* What is computed of a block of queries. */
struct pair_work {
    _Alignas(64) float scores[PAIR_KEYS * BF16_SIDE];
    _Alignas(64) uint16_t weights[PAIR_KEYS * BF16_SIDE]; /* panels of pairs */
    float max[BF16_SIDE], sum[BF16_SIDE], factor[BF16_SIDE];
    float *context;    /* [width, 32]: transposed */
    uint16_t *queries; /* panels of pairs */
};

static void round_keys(const struct pair_attention *a)
{
    const size_t width = round_up(a->width, BF16_STEP);
    for (size_t j = 0; j < a->n_keys; j++)
        round_pairs(a->k + j * a->stride, a->width, a->keys + bf16_place(j, width));
    for (size_t j = 0; j < round_up(a->n_keys, BF16_STEP); j += 2 * LANES)
        for (size_t c = 0; c < width; c += LANES) {
            uint16_t *to = a->values + (j / BF16_STEP * width + c) * BF16_STEP + j % BF16_STEP;
            const size_t n_columns = c < a->width ? a->width - c : 0;
            vec r[LANES];
            UNROLL (i, (size_t)LANES)
                r[i] = pair_of_rows(a->v + c, a->stride, j / 2 + i, a->n_keys, n_columns);
            transpose(r);
            UNROLL (i, (size_t)LANES)
                store((float *)(void *)(to + i * BF16_STEP), r[i]);
        }
}

/* Multiplies the rows of a block by panels: 32 rows at a time, each n_steps steps of k. */
INLINE void multiply_by_pairs(struct pair_block block, size_t n_rows, size_t row_step)
{
    struct pair_block none = {0};
    struct fetch fetch = {(const char *)block.w, 0};
    for (size_t row = 0; row < n_rows; row += BF16_SIDE, block.x += row_step) {
        sum_block(&block, n_rows - row > PANEL, NULL, &none, &fetch);
        block.sums += BF16_SIDE * BF16_SIDE;
    }
}

/* Returns the scores of the keys from `key` on. */
static struct score_block pair_scores(const struct pair_attention *a, struct pair_work *work,
                                      size_t key)
{
    const size_t width = round_up(a->width, BF16_STEP);
    const ptrdiff_t ahead = (ptrdiff_t)a->query - (ptrdiff_t)key;
    const size_t n = a->end - key < PAIR_KEYS ? a->end - key : PAIR_KEYS;
    const float *bias = a->bias != NULL ? a->bias + ahead : NULL;
    const ptrdiff_t first = ahead - (ptrdiff_t)a->before, last = ahead + (ptrdiff_t)a->after;
    multiply_by_pairs((struct pair_block){a->keys + key * width, work->queries, work->scores,
                                          PANEL * BF16_STEP, PANEL * width,
                                          a->n_queries > PANEL ? width * PANEL : 0,
                                          width / BF16_STEP, .add = false},
                      n, BF16_SIDE * width);
    return (struct score_block){work->scores, BF16_SIDE, n, a->n_queries, first, last, bias};
}

/* 2^x, x at most about 0, within 1e-4 of itself, as the result is rounded to 2^-9; 2^0 = 1; 2^-126
 * for x below that. The polynomial is fitted like that of exp. */
INLINE vec exp2_near(vec x)
{
    const float to_integer = 12582912.0f + 127; /* 1.5 · 2^23: the sum's low bits are n + 127 */
    x = larger(splat(-126), x);
    vec shifted = x + to_integer, r = x - (shifted - to_integer);
    static const float TERMS[] = {0.055008933f, 0.24221097f, 0.6932829f, 1.0f};
    vec p = POLYNOMIAL(TERMS, r);
    return p * (vec)((uvec)shifted << 23);
}

/* Stores the weights of keys begin .. end - 1, two pairs at a time, and adds them to the sums. */
INLINE void weigh_pairs(const struct score_block *s, size_t query, size_t begin, size_t end,
                        vec shift, vec *sums, uint16_t *pairs, const int masked)
{
    const float *scores = s->scores + query;
    for (size_t j = begin; j < end; j += PAIRED_KEYS) {
        vec e[PAIRED_KEYS];
        UNROLL (i, (size_t)PAIRED_KEYS) {
            vec score = load(scores + (j + i) * BF16_SIDE);
            e[i] = exp2_near(multiply_add(score, splat(LOG2_E), shift));
            if (masked)
                e[i] = j + i < s->n_keys ? choose(sees(s, query, j + i), e[i], (vec){0}) : (vec){0};
            sums[i % 2] += e[i];
        }
        UNROLL (i, (size_t)PAIRED_KEYS / 2)
            store((float *)(void *)(pairs + (j + 2 * i) * PANEL),
                  bf16_pairs(e[PAIR_LOW(i)], e[PAIR_HIGH(i)]));
    }
}

/* weights = e^(score - maximum so far), 0 for hidden keys. */
static void softmax_pairs(const struct score_block *block, struct pair_work *work)
{
    const struct score_block s = *block;
    const size_t n = round_up(s.n_keys, BF16_STEP);
    for (size_t query = 0; query < s.n_queries; query += LANES) {
        uint16_t *pairs = work->weights + query / PANEL * PAIR_KEYS * PANEL + query % PANEL * 2;
        const struct seen_keys seen = seen_keys(&s, query);
        const size_t all_end = seen.all_end - seen.all_end % PAIRED_KEYS;
        const size_t from = round_up(seen.all_begin, PAIRED_KEYS);
        const size_t all_begin = from < all_end ? from : all_end;
        if (s.bias != NULL)
            add_bias(&s, &seen, query);
        vec before = load(work->max + query), largest = largest_scores(&s, &seen, query, before);
        /* Of larger scores its rounding would be far beyond 2^x. */
        vec shift = choose(magnitude(largest) < 0x1p30f, largest * -LOG2_E, splat(NAN));
        vec sums[2] = {{0}};
        weigh_pairs(&s, query, 0, all_begin, shift, sums, pairs, 1);
        weigh_pairs(&s, query, all_begin, all_end, shift, sums, pairs, 0);
        weigh_pairs(&s, query, all_end, n, shift, sums, pairs, 1);
        KEEP_AWAKE;
        vec factor = exp2_near((before - largest) * LOG2_E);
        store(work->factor + query, factor);
        store(work->sum + query, multiply_add(load(work->sum + query), factor, sums[0] + sums[1]));
        store(work->max + query, largest);
    }
}

/* context (+)= Vᵀ·P */
static void mix_pairs(const struct pair_attention *a, struct pair_work *work, size_t key,
                      size_t n_keys)
{
    const size_t width = round_up(a->width, BF16_STEP);
    const bool add = key > a->begin;
    for (size_t i = 0; add && i < a->width * BF16_SIDE; i += LANES)
        store(work->context + i, load(work->context + i) * load(work->factor + i % BF16_SIDE));
    multiply_by_pairs((struct pair_block){a->values + key * width, work->weights, work->context,
                                          BF16_STEP * width, PANEL * BF16_STEP,
                                          a->n_queries > PANEL ? PAIR_KEYS * PANEL : 0,
                                          (n_keys + BF16_STEP - 1) / BF16_STEP, .add = add},
                      a->width, BF16_SIDE * BF16_STEP);
}

/* out = context / sum, transposed. */
static void finish_context(const struct pair_attention *a, const struct pair_work *work)
{
    for (size_t query = 0; query < a->n_queries; query += LANES) {
        const vec share = 1 / load(work->sum + query);
        float *out = a->out + (a->query + query) * a->out_stride;
        for (size_t c = 0; c < a->width; c += LANES) {
            vec r[LANES];
            UNROLL (i, (size_t)LANES)
                r[i] = load(work->context + (c + i) * BF16_SIDE + query) * share;
            transpose(r);
            for (size_t i = 0; i < LANES && query + i < a->n_queries; i++)
                if (c + LANES <= a->width)
                    store(out + i * a->out_stride + c, r[i]);
                else
                    store_tail(out + i * a->out_stride + c, r[i], a->width - c);
        }
    }
}

static void attend_pairs(const struct pair_attention *a)
{
    const size_t width = round_up(a->width, BF16_STEP);
    struct pair_work work;
    work.context = a->scratch;
    work.queries = (uint16_t *)(void *)(a->scratch + width * BF16_SIDE);
    for (size_t i = 0; i < BF16_SIDE; i++)
        work.max[i] = -FLT_MAX;
    memset(work.sum, 0, sizeof work.sum);
    /* The context begins later. */
    pack_rows(a->q + a->query * a->stride, a->stride, a->n_queries, a->width, a->scale,
              work.context);
    for (size_t i = 0; i < a->n_queries; i += PANEL)
        pair_rows(work.context + i * a->width, PANEL, a->width, work.queries + i * width);
    BEGIN_TILES;
    for (size_t key = a->begin; key < a->end; key += PAIR_KEYS) {
        const struct score_block s = pair_scores(a, &work, key);
        softmax_pairs(&s, &work);
        mix_pairs(a, &work, key, s.n_keys);
    }
    finish_context(a, &work);
    END_TILES;
}

#define PAIR_KERNELS                                                                               \
    {                                                                                              \
        .product = product_pairs, .round = round_pairs, .pair_rows = pair_rows,                    \
        .round_keys = round_keys, .attend = attend_pairs, .is_emulated = PAIRS_EMULATED            \
    }

#endif
