/* product_bf16.h - a product of bfloat16 with sums in float, 32 rows by two panels at a time. A
 * sum C starts as +0. Each step of 32 k adds two chains to it, of even and odd k:
 *
 *     e = o = +0;   for pair p ascending:  e = fma(x[2p], w[2p], e),  o = fma(x[2p+1], w[2p+1], o)
 *     C = C + (e + o)      rounded to nearest even; subnormal results are zeros of their sign
 *
 * So adds Intel's tdpbf16ps; all other instruction sets give its bits. Plain twin: plain_pairs in
 * tests/model/plain.c.
 */
#ifndef MODEL_KERNELS_PRODUCT_BF16_H
#define MODEL_KERNELS_PRODUCT_BF16_H

#include "model/kernels/tile.h"
#if defined(KERNELS_AMX)
#include "model/kernels/product_amx.h"

/* After half a microsecond without products, the next takes a third of one more (measured on a Xeon
 * with AMX): KEEP_AWAKE is a product that nothing reads. */
#define BEGIN_TILES shape_tiles(AMX_SIDE, AMX_SIDE)
#define KEEP_AWAKE  _tile_dpbf16ps(5, 4, 6)
#define END_TILES   _tile_release()
#else
#define BEGIN_TILES (void)0
#define KEEP_AWAKE  (void)0
#define END_TILES   (void)0
#endif

/* Of x86's MXCSR: subnormal results and operands are zeros. */
enum { FLUSH_SUBNORMALS = 0x8040 };

/* A block of sums [16 or 32, 32] of a product. Those of a last panel are computed twice. Rows are
 * in tiles [16, 32]: x_step is the distance to the next k, x_below to the lower 16 rows. */
struct pair_block {
    const uint16_t *x, *w;
    float *sums;
    size_t x_step, x_below, w_stride, n_steps; /* w_stride: to the right panel */
    size_t row, end, column, n_columns;        /* row: the next to be finished */
    bool add;                                  /* to the sums */
};

/* out = act(sums (+ bias) (+ residual)) (· gate), for the next row. gelu is near enough: what
 * follows is rounded. */
static void finish_row(const struct product *p, struct pair_block *block)
{
    const size_t row = block->row++, at = row * p->out_stride + block->column;
    for (size_t c = 0; c < block->n_columns; c += LANES) {
        vec v = load(block->sums + c);
        if (p->bias != NULL)
            v += load(p->bias + block->column + c);
        if (p->residual != NULL)
            v += load(p->residual + at + c);
        if (p->activated)
            v = p->activation == ACTIVATION_GELU ? gelu_near_vec(v)
                                                 : activation_vec(p->activation, v);
        if (p->gate != NULL)
            v *= load(p->gate + at + c);
        store(p->out + at + c, v);
    }
    block->sums += BF16_SIDE;
}

#if defined(KERNELS_AMX)
/* ---- Sums by AMX ----
 * The sums by tdpbf16ps: two by two tiles. */

enum { PAIRS_EMULATED = false };

/* Finishes rows of the block before between the steps, so that tiles and vectors work at the same
 * time. Few rows leave the memory no time for more than what it fetches by itself. */
static void sum_block(const struct pair_block *block, bool lower, const struct product *p,
                      struct pair_block *before, struct fetch *fetch)
{
    const size_t at_once = (BF16_SIDE + block->n_steps - 1) / block->n_steps;
    const size_t bytes = BF16_SIDE * sizeof(float);
    const uint16_t *x = block->x, *w = block->w;
    float *below = block->sums + PANEL * BF16_SIDE;
    compiler_barrier();
    if (block->add) {
        _tile_loadd(0, block->sums, bytes);
        _tile_loadd(1, block->sums + PANEL, bytes);
        _tile_loadd(2, below, bytes);
        _tile_loadd(3, below + PANEL, bytes);
    } else {
        _tile_zero(0);
        _tile_zero(1);
        _tile_zero(2);
        _tile_zero(3);
    }
    for (size_t i = 0; i < block->n_steps; i++, x += block->x_step, w += PANEL * BF16_STEP) {
        _tile_loadd(6, w, AMX_K);
        _tile_loadd(4, x, AMX_K);
        _tile_dpbf16ps(0, 4, 6);
        _tile_loadd(7, w + block->w_stride, AMX_K);
        _tile_dpbf16ps(1, 4, 7);
        if (lower) {
            _tile_loadd(5, x + block->x_below, AMX_K);
            _tile_dpbf16ps(2, 5, 6);
            _tile_dpbf16ps(3, 5, 7);
            fetch_ahead(fetch);
        }
        for (size_t n = 0; n < at_once && before->row < before->end; n++)
            finish_row(p, before);
    }
    _tile_stored(0, block->sums, bytes);
    _tile_stored(1, block->sums + PANEL, bytes);
    if (lower) {
        _tile_stored(2, below, bytes);
        _tile_stored(3, below + PANEL, bytes);
    }
    compiler_barrier();
}

#elif defined(KERNELS_DOT)
/* ---- Sums by dot products ----
 * The sums by vdpbf16ps, which is two links of one chain:
 *
 *     sum = fma(x.low, w.low, fma(x.high, w.high, sum))     each rounded to nearest even, subnormal
 *                                                           operands and results zeros
 *
 * So its pairs are of (low: k + 2, high: k) and (low: k + 3, high: k + 1), PAIR_LOW and PAIR_HIGH
 * of attend_bf16.h: an instruction adds two numbers to the even chain, the next two to the odd. */

enum { PAIRS_EMULATED = false, DOT_ROWS = 4, STEP_DOTS = BF16_STEP / 4 };

/* Adds a chain of a step, even or odd, to sums [DOT_ROWS][2] that begin as 0. */
INLINE void add_dots(const struct pair_block *block, const uint16_t *x, const uint16_t *w,
                     __m512 sums[DOT_ROWS][2])
{
    UNROLL (i, (size_t)STEP_DOTS) {
        const uint16_t *weights = w + 2 * i * BF16_STEP;
        const __m512bh left = (__m512bh)_mm512_loadu_si512(weights);
        const __m512bh right = (__m512bh)_mm512_loadu_si512(weights + block->w_stride);
        UNROLL (r, (size_t)DOT_ROWS) {
            int32_t pair;
            memcpy(&pair, x + r * BF16_STEP + 4 * i, sizeof pair);
            const __m512bh both = (__m512bh)_mm512_set1_epi32(pair);
            sums[r][0] = _mm512_dpbf16_ps(sums[r][0], both, left);
            sums[r][1] = _mm512_dpbf16_ps(sums[r][1], both, right);
        }
    }
}

/* Rows row .. row + DOT_ROWS - 1 of a block: their sums stay in registers over all steps. */
INLINE void sum_rows(const struct pair_block *block, size_t row)
{
    float *sums = block->sums + row * BF16_SIDE;
    const uint16_t *x = block->x + row / PANEL * block->x_below + row % PANEL * BF16_STEP;
    const uint16_t *w = block->w;
    __m512 total[DOT_ROWS][2] = {{{0}}};
    if (block->add)
        UNROLL (i, (size_t)DOT_ROWS * 2)
            total[i / 2][i % 2] = _mm512_loadu_ps(sums + i * PANEL);
    for (size_t i = 0; i < block->n_steps; i++, x += block->x_step, w += PANEL * BF16_STEP) {
        __m512 even[DOT_ROWS][2] = {{{0}}}, odd[DOT_ROWS][2] = {{{0}}};
        add_dots(block, x, w, even);
        add_dots(block, x + 2, w + BF16_STEP, odd);
        UNROLL (r, (size_t)DOT_ROWS)
            UNROLL (v, (size_t)2)
                total[r][v] += even[r][v] + odd[r][v];
    }
    UNROLL (i, (size_t)DOT_ROWS * 2)
        _mm512_storeu_ps(sums + i * PANEL, total[i / 2][i % 2]);
}

/* Not inlined: no arithmetic of the caller may move to where subnormal numbers are zeros. */
__attribute__((noinline)) static void sum_block(const struct pair_block *block, bool lower,
                                                const struct product *p, struct pair_block *before,
                                                struct fetch *fetch)
{
    const unsigned mode = _mm_getcsr();
    const size_t n_left = block->end - block->row, n_all = lower ? BF16_SIDE : PANEL;
    const size_t n_rows = p != NULL && n_left < n_all ? n_left : n_all;
    const size_t n_turns = (n_rows + DOT_ROWS - 1) / DOT_ROWS;
    (void)before;
    _mm_setcsr(mode | FLUSH_SUBNORMALS);
    for (size_t turn = 0; turn < n_turns; turn++) {
        sum_rows(block, turn * DOT_ROWS);
        for (size_t i = 0; i < block->n_steps; i += n_turns)
            fetch_ahead(fetch);
    }
    _mm_setcsr(mode);
}

#else
/* ---- Sums by multiply-adds ----
 * The sums where no instruction adds pairs: each k is one multiply-add of numbers widened to
 * float. */

enum {
    PAIRS_EMULATED = true,
    CHAIN_ROWS = LANES == 16 ? 4 : 2,
    CHAIN_VECTORS = 2,
    STEP_PAIRS = BF16_STEP / 2
};

/* Returns x·w + sum. Subnormal numbers become zeros by the processor's mode, or by comparison: in
 * double products of bfloat16 are exact, and sums, though rounded twice, are those rounded once, as
 * 53 bits are more than twice 24 and one. */
INLINE vec chain_link(vec x, vec w, vec sum)
{
#if defined(__FMA__)
    return multiply_add(x, w, sum);
#else
    for (int i = 0; i < LANES; i++) {
        const double exact = (double)x[i] * (double)w[i] + (double)sum[i];
        const bool is_tiny = fabs(exact) < 0x1p-126 - 0x1p-151; /* more rounds to 2^-126 */
        sum[i] = (float)(is_tiny ? copysign(0, exact) : exact);
    }
    return sum;
#endif
}

/* The numbers of a step, widened: even k, odd k. */
struct wide_step {
    _Alignas(64) float x[BF16_SIDE][2][STEP_PAIRS], w[2][STEP_PAIRS][BF16_SIDE];
};

INLINE void widen_pairs(const uint16_t *pairs, float *even, float *odd)
{
    for (size_t i = 0; i < PANEL; i += LANES) {
        uvec bits = (uvec)load((const float *)(const void *)(pairs + 2 * i));
        store(even + i, (vec)(bits << 16));
        store(odd + i, (vec)(bits & 0xFFFF0000u));
    }
}

/* Adds the chains of a step to CHAIN_ROWS rows of CHAIN_VECTORS vectors of sums. */
INLINE void add_chains(const struct wide_step *step, size_t row, size_t column, float *sums)
{
    const vec one = splat(1);
    vec chain[2][CHAIN_ROWS][CHAIN_VECTORS] = {0};
    for (size_t p = 0; p < STEP_PAIRS; p++)
        UNROLL (odd, (size_t)2)
            UNROLL (r, (size_t)CHAIN_ROWS) {
                vec *link = chain[odd][r], x = splat(step->x[row + r][odd][p]);
                UNROLL (v, (size_t)CHAIN_VECTORS)
                    link[v] = chain_link(x, load(&step->w[odd][p][column] + v * LANES), link[v]);
            }
    UNROLL (r, (size_t)CHAIN_ROWS)
        UNROLL (v, (size_t)CHAIN_VECTORS) {
            float *sum = sums + (row + r) * BF16_SIDE + column + v * LANES;
            vec both = chain_link(chain[0][r][v], one, chain[1][r][v]);
            store(sum, chain_link(both, one, load(sum)));
        }
}

/* Not inlined: no arithmetic of the caller may move to where subnormal numbers are zeros. */
__attribute__((noinline)) static void sum_block(const struct pair_block *block, bool lower,
                                                const struct product *p, struct pair_block *before,
                                                struct fetch *fetch)
{
    struct wide_step step;
    const size_t n_rows = lower ? BF16_SIDE : PANEL;
    const uint16_t *x = block->x, *w = block->w;
    (void)p, (void)before, (void)fetch;
#if defined(__FMA__)
    const unsigned mode = _mm_getcsr();
    _mm_setcsr(mode | FLUSH_SUBNORMALS);
#endif
    for (size_t r = 0; r < n_rows && !block->add; r++)
        memset(block->sums + r * BF16_SIDE, 0, BF16_SIDE * sizeof(float));
    for (size_t i = 0; i < block->n_steps; i++, x += block->x_step, w += PANEL * BF16_STEP) {
        for (size_t r = 0; r < n_rows; r++)
            widen_pairs(x + r / PANEL * block->x_below + r % PANEL * BF16_STEP, step.x[r][0],
                        step.x[r][1]);
        for (size_t j = 0; j < BF16_STEP; j++) {
            const size_t pair = j / 2, right = j % 2;
            widen_pairs(w + right * block->w_stride + pair * BF16_STEP,
                        step.w[0][pair] + right * PANEL, step.w[1][pair] + right * PANEL);
        }
        for (size_t r = 0; r < n_rows; r += CHAIN_ROWS)
            for (size_t c = 0; c < BF16_SIDE; c += CHAIN_VECTORS * LANES)
                add_chains(&step, r, c, block->sums);
    }
#if defined(__FMA__)
    _mm_setcsr(mode);
#endif
}

#endif

/* ---- The product ---- */

static void product_pairs(const struct product *p)
{
    _Alignas(64) float sums[2][BF16_SIDE * BF16_SIDE];
    const size_t n_blocks = (p->n_rows + BF16_SIDE - 1) / BF16_SIDE;
    struct pair_block before = {0}, block = {.x_step = PANEL * BF16_STEP,
                                             .x_below = PANEL * p->x_stride,
                                             .n_steps = (p->k + BF16_STEP - 1) / BF16_STEP};
    BEGIN_TILES;
    const size_t n_bytes = 2 * block.n_steps * PANEL * BF16_STEP * sizeof(uint16_t);
    for (size_t panel = 0, turn = 0; panel < p->n_panels && n_blocks > 0; panel += 2) {
        const bool right = panel + 1 < p->n_panels;
        block.w = (const uint16_t *)p->panels + panel * p->panel_stride;
        block.w_stride = right ? p->panel_stride : 0;
        block.column = panel * PANEL;
        block.n_columns = right ? BF16_SIDE : PANEL;
        struct fetch fetch = fetch_share((const char *)(block.w + 2 * p->panel_stride), n_bytes,
                                         block.n_steps, 0, n_blocks);
        for (size_t i = 0; i < n_blocks; i++, turn ^= 1) {
            block.row = i * BF16_SIDE;
            block.end = i + 1 < n_blocks ? block.row + BF16_SIDE : p->n_rows;
            block.x = (const uint16_t *)p->x + block.row * p->x_stride;
            block.sums = sums[turn];
            sum_block(&block, block.end - block.row > PANEL, p, &before, &fetch);
            while (before.row < before.end)
                finish_row(p, &before);
            before = block;
        }
    }
    while (before.row < before.end)
        finish_row(p, &before);
    END_TILES;
}

#endif
