/* product_int8.h - a linear layer's product in int8: exact sums, by register tiles, and scales.
 *
 * k is in groups of four, of a row x and of a panel of 16 columns. With K = 6:
 *
 *     x      q0 q1 q2 q3                                      q4 q5 0 0
 *     panel  column 0's w0 w1 w2 w3, column 1's, ... 15's     column 0's w4 w5 0 0, column 1's, ...
 *
 * One instruction multiplies a group of x, repeated, by those of several columns, and adds up the
 * four products of each column:
 *
 *     VNNI         vpdpbusd      "Bytes"           NEON         smull    "Bytes"
 *     AVX2 alone   vpmaddubsw    "Bytes"           with SDOT    sdot     "Bytes"
 *       or, if that may saturate,                  with I8MM    smmla    "Pairs of rows"
 *                  vpmaddwd      "Words"           others                "Plain loops"
 *
 * Twin of all: the loops in tests/model/kernels/test_product_int8.c. */
#ifndef MODEL_KERNELS_PRODUCT_INT8_H
#define MODEL_KERNELS_PRODUCT_INT8_H

#include "model/kernels/kernels.h"
#include "model/kernels/tile.h"
#include "model/kernels/vector.h"

/* ---- Scales ---- of the sums, exact in int32, of rows x ≈ (q - zero)·sx and columns W = w·sw;
 * the few columns kept in f32 are added one by one:
 *
 *     out[r, c] = (Σ_k q·w - zero[r] · Σ_k w) · sx[r] · sw[c] (+ Σ_i kept[r, i] · W[c, i])
 *                 (+ bias[c]) (+ residual[r, c])
 *
 * It is rounded step by step, never fused, so that every instruction set gives the same bits. */

#if defined(__AVX512VNNI__) || defined(__AVXVNNI__)
#define HAS_VNNI 1
#else
#define HAS_VNNI 0
#endif

#if defined(__AVX2__) && !HAS_VNNI
#define HAS_WORDS 1
#else
#define HAS_WORDS 0
#endif

/* A panel holds k in groups of four, [⌈K/4⌉, 16, 4]: the 64 bytes of VNNI's dot product. */
enum { GROUP = 4, GROUP_BYTES = GROUP * PANEL_WIDTH };

INLINE ivec load_integers(const void *at)
{
    ivec v;
    memcpy(&v, at, sizeof v);
    return v;
}

INLINE ivec splat_integer(int32_t value)
{
    return value - (ivec){0};
}

/* Numbers of one vector of columns; those that the product lacks are not read. */
struct column_terms {
    uvec sums;
    vec scale, kept[KEPT], bias;
};

INLINE struct column_terms column_terms(const struct product *p, size_t column)
{
    struct column_terms terms = {.scale = load(p->scales + column)};
    if (p->column_sums != NULL)
        terms.sums = (uvec)load_integers(p->column_sums + column);
    if (p->kept_panels != NULL)
        UNROLL (i, (size_t)KEPT)
            terms.kept[i] = load(p->kept_panels + (column / PANEL_WIDTH * KEPT + i) * PANEL_WIDTH +
                                 column % PANEL_WIDTH);
    if (p->bias != NULL)
        terms.bias = load(p->bias + column);
    return terms;
}

/* Scales Σ q·w of one row and the columns of the terms, and stores it. The subtraction is unsigned:
 * it may wrap around, but the difference fits. */
INLINE void scale_sum(const struct product *p, const struct column_terms *terms, size_t row,
                      size_t column, ivec sum, float *to)
{
    const struct quantization *x = &p->x_quantization[row];
    if (p->column_sums != NULL)
        sum = (ivec)((uvec)sum - terms->sums * (uint32_t)x->zero);
    vec y = __builtin_convertvector(sum, vec) * x->scale;
    y = y * terms->scale;
    if (p->kept_panels != NULL)
        UNROLL (i, (size_t)KEPT)
            y += terms->kept[i] * x->kept[i];
    if (p->bias != NULL)
        y += terms->bias;
    if (p->residual != NULL)
        y += load(p->residual + row * p->out_stride + column);
    store(to, y);
}

/* The same for n_rows rows of 16 columns whose sums are in memory, [n_rows, 16]. It copies the
 * product, and so do the tiles: stores could alias it, and every field would be read again. */
INLINE void scale_sums(const struct product *all, size_t row, size_t n_rows, size_t panel,
                       const int32_t *sums, struct tile_target target)
{
    const struct product p = *all;
    for (size_t lane = 0; lane < PANEL_WIDTH; lane += LANES) {
        const size_t column = panel * PANEL_WIDTH + lane;
        const struct column_terms terms = column_terms(&p, column);
        for (size_t r = 0; r < n_rows; r++)
            scale_sum(&p, &terms, row + r, column, load_integers(sums + r * PANEL_WIDTH + lane),
                      target.to + r * target.stride + lane);
    }
}

/* ---- Plain loops ---- for any processor and any length: what the tiles below compute. */

#if !HAS_VNNI && !defined(KERNELS_NEON)
static void product_plain(const struct product *p)
{
    float buffer[PANEL_WIDTH];
    for (size_t panel = 0; panel < p->n_panels; panel++)
        for (size_t row = 0; row < p->n_rows; row++) {
            size_t column = panel * PANEL_WIDTH;
            struct tile_target target = tile_target(p, row, column, PANEL_WIDTH, buffer);
            int32_t sums[PANEL_WIDTH] = {0};
            const int8_t *x = (const int8_t *)p->x + row * p->x_stride;
            const int8_t *w = (const int8_t *)p->panels + panel * p->panel_stride;
            for (size_t g = 0; g < (p->k + GROUP - 1) / GROUP; g++, x += GROUP, w += GROUP_BYTES)
                for (int c = 0; c < PANEL_WIDTH; c++)
                    for (int i = 0; i < GROUP; i++)
                        sums[c] += x[i] * w[c * GROUP + i];
            scale_sums(p, row, 1, panel, sums, target);
            if (has_activation(p))
                activate_tile(p, row, 1, column, PANEL_WIDTH, buffer);
        }
}
#endif

/* ---- Bytes ---- a lane of the tile is a column, and takes the four k of a group at once.
 *
 * VNNI multiplies one unsigned operand: the weights + 128, and 128·Σq is subtracted again. Without
 * VNNI x is the unsigned operand: the sum of two products must fit the 16 bits of vpmaddubsw's
 * results, as with 7 bits, at most 2·127·128, or by fits_pairs(). NEON multiplies signed bytes. */

#if defined(__AVX2__) || defined(KERNELS_NEON)
/* With 5 rows instead of 6, AVX2 has a register for the ones of add_dots: 15 % faster. */
enum { GROUP_STEP = 4, ROWS_OF_BYTES = LANES == 8 && !HAS_VNNI ? 5 : TILE_ROWS };

/* Four bytes of a row: in every lane, except for SDOT, which takes them from one lane. */
#if defined(__ARM_FEATURE_DOTPROD)
typedef int32_t quad;
#else
typedef ivec quad;
#endif

INLINE quad quad_of(const int8_t *x)
{
    int32_t four;
    memcpy(&four, x, sizeof four);
#if defined(__ARM_FEATURE_DOTPROD)
    return four;
#else
    return splat_integer(four);
#endif
}

/* acc[c] += Σ_i weights[c, i] · x[i], i < 4; ones are of 16 bits. With intrinsics, gcc 12 copies
 * the accumulators of a large tile about and spills them: 310 against 440 GOP/s with VNNI, 400
 * against 480 without. */
INLINE void add_dots(ivec *acc, ivec weights, quad x, ivec ones)
{
    (void)ones;
#if defined(__AVX512VNNI__)
    __asm__("vpdpbusd %2, %1, %0" : "+v"(*acc) : "v"(weights), "v"(x));
#elif defined(__AVXVNNI__)
    __asm__("%{vex%} vpdpbusd %2, %1, %0" : "+x"(*acc) : "x"(weights), "x"(x));
#elif defined(__ARM_FEATURE_DOTPROD)
    __asm__("sdot %0.4s, %1.16b, %2.4b[0]" : "+w"(*acc) : "w"(weights), "w"(x));
#elif defined(KERNELS_NEON)
    int16x8_t low = vmull_s8(vget_low_s8((int8x16_t)weights), vget_low_s8((int8x16_t)x));
    int16x8_t high = vmull_high_s8((int8x16_t)weights, (int8x16_t)x);
    *acc += (ivec)vpaddq_s32(vpaddlq_s16(low), vpaddlq_s16(high));
#else
    ivec pairs;
    __asm__("vpmaddubsw %2, %3, %1\n\t"
            "vpmaddwd %4, %1, %1\n\t"
            "vpaddd %1, %0, %0"
            : "+v"(*acc), "=&v"(pairs)
            : "v"(weights), "v"(x), "v"(ones));
#endif
}

INLINE ivec weights_of_group(const char *group)
{
    ivec weights = load_integers(group);
    return HAS_VNNI ? weights ^ INT32_C(-0x7F7F7F80) /* bytes of 0x80 */ : weights;
}

/* Adds some groups of k: x are the bases of the rows, w the panels. */
INLINE void add_groups(ivec acc[TILE_ROWS][TILE_PANELS * VECTORS],
                       const int8_t *x[BASES(TILE_ROWS)], size_t *x_stride, const char **w,
                       size_t *panel_stride, const int groups, const int rows, const int panels,
                       ivec ones)
{
    UNROLL (g, groups) {
        ivec weights[TILE_PANELS * VECTORS];
        OPAQUE(*x_stride);
        OPAQUE(*panel_stride);
        UNROLL (v, panels * VECTORS)
            weights[v] = weights_of_group(*w + (size_t)(v / VECTORS) * *panel_stride +
                                          (size_t)(g * GROUP_BYTES + v % VECTORS * LANES * GROUP));
        UNROLL (r, rows) {
            quad value =
                quad_of(x[r / ROWS_PER_BASE] + (size_t)(r % ROWS_PER_BASE) * *x_stride + g * GROUP);
            UNROLL (v, panels * VECTORS)
                add_dots(&acc[r][v], weights[v], value, ones);
        }
        if (HAS_VNNI || LANES == 16) /* AVX2's pairs need the register */
            UNROLL (v, panels * VECTORS)
                KEEP(weights[v]);
    }
    UNROLL (b, BASES(rows)) {
        x[b] += groups * GROUP;
        OPAQUE(x[b]);
    }
    *w += groups * GROUP_BYTES;
}

/* Scales the sums of a tile's panels. Not inlined: of 16 registers its code would take some from
 * the sums; with 32 they are scaled where they are. */
__attribute__((noinline)) static void scale_panels(const struct product *p, size_t row,
                                                   size_t n_rows, size_t panel, size_t n_panels,
                                                   const int32_t *sums, struct tile_target target)
{
    for (size_t i = 0; i < n_panels; i++, target.to += PANEL_WIDTH)
        scale_sums(p, row, n_rows, panel + i, sums + i * TILE_ROWS * PANEL_WIDTH, target);
}

INLINE void tile_of_bytes(const struct product *p, size_t row, size_t panel, struct fetch fetch,
                          struct tile_target target, const int rows, const int panels)
{
    ivec acc[TILE_ROWS][TILE_PANELS * VECTORS];
    const int8_t *x[BASES(TILE_ROWS)];
    const char *w = (const char *)p->panels + panel * p->panel_stride;
    size_t x_stride = p->x_stride, panel_stride = p->panel_stride;
    const size_t n_groups = (p->k + GROUP - 1) / GROUP;
    UNROLL (b, BASES(rows))
        x[b] = (const int8_t *)p->x + (row + (size_t)(b * ROWS_PER_BASE)) * p->x_stride;
    UNROLL (r, rows) {
        uint32_t sum = (uint32_t)p->x_quantization[row + (size_t)r].sum; /* may wrap around */
        int32_t offset = HAS_VNNI ? (int32_t)(-128u * sum) : 0;
        UNROLL (v, panels * VECTORS)
            acc[r][v] = splat_integer(offset);
    }

    ivec ones = splat_integer(0x10001);
    size_t g = 0;
    for (; g + GROUP_STEP <= n_groups; g += GROUP_STEP) {
        fetch_ahead(&fetch);
        add_groups(acc, x, &x_stride, &w, &panel_stride, GROUP_STEP, rows, panels, ones);
    }
    for (; g < n_groups; g++)
        add_groups(acc, x, &x_stride, &w, &panel_stride, 1, rows, panels, ones);

    if (LANES == 8) {
        int32_t sums[TILE_PANELS][TILE_ROWS * PANEL_WIDTH];
        UNROLL (r, rows)
            UNROLL (v, panels * VECTORS)
                memcpy(sums[v / VECTORS] + r * PANEL_WIDTH + v % VECTORS * LANES, &acc[r][v],
                       sizeof acc[r][v]);
        scale_panels(p, row, (size_t)rows, panel, (size_t)panels, sums[0], target);
        return;
    }
    const struct product last = *p;
    UNROLL (v, panels * VECTORS) {
        const size_t column = panel * PANEL_WIDTH + (size_t)v * LANES;
        const struct column_terms terms = column_terms(&last, column);
        UNROLL (r, rows)
            scale_sum(&last, &terms, row + (size_t)r, column, acc[r][v],
                      target.to + (size_t)r * target.stride + (size_t)v * LANES);
    }
}
#endif

/* ---- Words ----
 * Bytes of 8 bits without VNNI: x was widened to 16 bits before, weights are widened when they are
 * loaded, and neighbours are multiplied and added in pairs, which cannot saturate. A column's four
 * k of a group are two such pairs. */

#if HAS_WORDS
/* Loads half a vector of bytes as words. */
INLINE ivec widen_bytes(const void *bytes)
{
#if defined(__AVX512F__)
    return (ivec)_mm512_cvtepi8_epi16(_mm256_loadu_si256((const __m256i *)bytes));
#else
    return (ivec)_mm256_cvtepi8_epi16(_mm_loadu_si128((const __m128i *)bytes));
#endif
}

INLINE ivec multiply_pairs(ivec a, ivec b)
{
#if defined(__AVX512F__)
    return (ivec)_mm512_madd_epi16((__m512i)a, (__m512i)b);
#else
    return (ivec)_mm256_madd_epi16((__m256i)a, (__m256i)b);
#endif
}

/* Repeats the four words of a group in all lanes. */
INLINE ivec splat_group(const int16_t *x)
{
    typedef int64_t groups __attribute__((vector_size(LANES * 4)));
    int64_t four;
    memcpy(&four, x, sizeof four);
    return (ivec)(four - (groups){0});
}

/* Returns the sums of a's pairs, then of b's pairs. */
INLINE ivec sums_of_pairs(ivec a, ivec b)
{
#if defined(__AVX512F__)
    return __builtin_shufflevector(a, b, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28,
                                   30) +
           __builtin_shufflevector(a, b, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31);
#else
    return __builtin_shufflevector(a, b, 0, 2, 4, 6, 8, 10, 12, 14) +
           __builtin_shufflevector(a, b, 1, 3, 5, 7, 9, 11, 13, 15);
#endif
}

/* A tile of one vector of columns: p->x are words. */
INLINE void half_tile_of_words(const struct product *p, size_t row, size_t column,
                               struct fetch *fetch, struct tile_target target, const int rows)
{
    ivec acc[TILE_ROWS][2];
    const int16_t *x[BASES(TILE_ROWS)];
    const char *w = (const char *)p->panels + column / PANEL_WIDTH * p->panel_stride +
                    column % PANEL_WIDTH * GROUP;
    UNROLL (b, BASES(rows))
        x[b] = (const int16_t *)p->x + (row + (size_t)(b * ROWS_PER_BASE)) * p->x_stride;
    UNROLL (r, rows)
        acc[r][0] = acc[r][1] = (ivec){0};

    for (size_t g = 0; g < (p->k + GROUP - 1) / GROUP; g++) {
        ivec left = widen_bytes(w), right = widen_bytes(w + sizeof(ivec) / 2);
        fetch_ahead(fetch);
        UNROLL (r, rows) {
            ivec value =
                splat_group(x[r / ROWS_PER_BASE] + (size_t)(r % ROWS_PER_BASE) * p->x_stride);
            acc[r][0] += multiply_pairs(left, value);
            acc[r][1] += multiply_pairs(right, value);
        }
        UNROLL (b, BASES(rows)) {
            x[b] += GROUP;
            OPAQUE(x[b]);
        }
        w += GROUP_BYTES;
    }

    const struct product last = *p;
    const struct column_terms terms = column_terms(&last, column);
    UNROLL (r, rows)
        scale_sum(&last, &terms, row + (size_t)r, column, sums_of_pairs(acc[r][0], acc[r][1]),
                  target.to + (size_t)r * target.stride);
}
#endif

/* ---- Pairs of rows ----
 * I8MM's instruction multiplies two rows by two columns, eight k at a time: twice SDOT's products.
 * A vector of sums holds row 0's two columns, then row 1's; the eight k of a column come from two
 * groups of its panel. They are brought together once for all tiles of a panel ("squares"), as that
 * takes a third as many instructions as the products of a tile; a tile does so itself if it is the
 * only one, or if a panel is longer than the memory for squares. */

#if defined(__ARM_FEATURE_MATMUL_INT8)
enum { ROW_PAIRS = TILE_ROWS / 2, COLUMN_PAIRS = PANEL_WIDTH / 2, MOST_SQUARES = 4096 };

INLINE void add_square(ivec *acc, ivec x, ivec weights)
{
    __asm__("smmla %0.4s, %1.16b, %2.16b" : "+w"(*acc) : "w"(x), "w"(weights));
}

/* Squares of the columns of vector v from two groups; if last, from one (the last of an odd
 * number). */
INLINE void make_squares(ivec squares[2], const char *group, const int v, const bool last)
{
    ivec a = load_integers(group + v * LANES * GROUP);
    ivec b = last ? (ivec){0} : load_integers(group + GROUP_BYTES + v * LANES * GROUP);
    squares[0] = __builtin_shufflevector(a, b, 0, 4, 1, 5);
    squares[1] = __builtin_shufflevector(a, b, 2, 6, 3, 7);
}

/* Makes the squares of a panel, [⌈K/8⌉, COLUMN_PAIRS]. Returns false if it has too many. */
static bool make_panel_squares(const struct product *p, size_t panel, ivec *squares)
{
    const char *w = (const char *)p->panels + panel * p->panel_stride;
    const size_t n_groups = (p->k + GROUP - 1) / GROUP;
    if ((n_groups + 1) / 2 > MOST_SQUARES / COLUMN_PAIRS)
        return false;
    for (size_t g = 0; g < n_groups; g += 2)
        UNROLL (v, VECTORS)
            make_squares(squares + g * COLUMN_PAIRS / 2 + 2 * v, w + g * GROUP_BYTES, v,
                         g + 1 == n_groups);
    return true;
}

/* Adds groups g and g + 1 of k; if last, group g alone. */
INLINE void add_two_groups(ivec acc[ROW_PAIRS][COLUMN_PAIRS], const struct product *p,
                           const int8_t *x, const char *w, const ivec *squares, size_t g,
                           const int rows, const bool made, const bool last)
{
    ivec values[ROW_PAIRS];
    UNROLL (i, (rows + 1) / 2) {
        const int8_t *row = x + (size_t)(2 * i) * p->x_stride + g * GROUP;
        values[i] =
            (ivec)vcombine_s8(vld1_s8(row), vld1_s8(2 * i + 1 < rows ? row + p->x_stride : row));
    }
    UNROLL (v, VECTORS) {
        ivec own[2];
        if (!made)
            make_squares(own, w + g * GROUP_BYTES, v, last);
        const ivec *two = made ? squares + g * COLUMN_PAIRS / 2 + 2 * v : own;
        UNROLL (i, (rows + 1) / 2) {
            add_square(&acc[i][2 * v], values[i], two[0]);
            add_square(&acc[i][2 * v + 1], values[i], two[1]);
        }
    }
}

INLINE void tile_of_pairs(const struct product *p, size_t row, size_t panel, const ivec *squares,
                          struct fetch fetch, struct tile_target target, const int rows,
                          const bool made)
{
    ivec acc[ROW_PAIRS][COLUMN_PAIRS];
    const int8_t *x = (const int8_t *)p->x + row * p->x_stride;
    const char *w = (const char *)p->panels + panel * p->panel_stride;
    const size_t n_groups = (p->k + GROUP - 1) / GROUP;
    UNROLL (i, (rows + 1) / 2)
        UNROLL (v, COLUMN_PAIRS)
            acc[i][v] = (ivec){0};

    size_t g = 0;
    for (; g + 4 <= n_groups; g += 4) {
        fetch_ahead(&fetch);
        add_two_groups(acc, p, x, w, squares, g, rows, made, false);
        add_two_groups(acc, p, x, w, squares, g + 2, rows, made, false);
    }
    for (; g + 2 <= n_groups; g += 2)
        add_two_groups(acc, p, x, w, squares, g, rows, made, false);
    if (g < n_groups)
        add_two_groups(acc, p, x, w, squares, g, rows, made, true);

    const struct product last = *p;
    UNROLL (v, VECTORS) {
        const size_t column = panel * PANEL_WIDTH + (size_t)v * LANES;
        const struct column_terms terms = column_terms(&last, column);
        UNROLL (r, rows) {
            ivec a = acc[r / 2][2 * v], b = acc[r / 2][2 * v + 1];
            ivec sum = r % 2 == 0 ? __builtin_shufflevector(a, b, 0, 1, 4, 5)
                                  : __builtin_shufflevector(a, b, 2, 3, 6, 7);
            scale_sum(&last, &terms, row + (size_t)r, column, sum,
                      target.to + (size_t)r * target.stride + (size_t)v * LANES);
        }
    }
}
#endif

/* ---- The product ---- */

#if defined(__AVX2__) || defined(KERNELS_NEON)
INLINE void tile_int8(const struct product *p, size_t row, size_t panel, const ivec *squares,
                      struct fetch fetch, struct tile_target target, const int rows,
                      const int panels, const bool words)
{
#if HAS_WORDS
    if (words) {
        for (size_t lane = 0; lane < PANEL_WIDTH; lane += LANES, target.to += LANES)
            half_tile_of_words(p, row, panel * PANEL_WIDTH + lane, &fetch, target, rows);
        return;
    }
#endif
    (void)words;
#if defined(__ARM_FEATURE_MATMUL_INT8)
    if (rows > 1) { /* a single row would leave half of each product unused */
        if (squares != NULL)
            tile_of_pairs(p, row, panel, squares, fetch, target, rows, true);
        else
            tile_of_pairs(p, row, panel, NULL, fetch, target, rows, false);
        return;
    }
#endif
    (void)squares;
    tile_of_bytes(p, row, panel, fetch, target, rows, panels);
}

INLINE void column_of_tiles_int8(const struct product *p, size_t panel, const int panels,
                                 const bool words)
{
    float buffer[TILE_ROWS * TILE_PANELS * PANEL_WIDTH];
    const size_t column = panel * PANEL_WIDTH, n_columns = (size_t)(panels * PANEL_WIDTH);
    size_t most = words ? TILE_ROWS : ROWS_OF_BYTES, n_tiles = (p->n_rows + most - 1) / most,
           row = 0, n_bytes = (size_t)panels * p->panel_stride;
    size_t n_steps = words ? (p->k + GROUP - 1) / GROUP * VECTORS : p->k / (GROUP * GROUP_STEP);
    const char *next = (const char *)p->panels + panel * p->panel_stride + n_bytes;
    const ivec *squares = NULL;
#if defined(__ARM_FEATURE_MATMUL_INT8)
    ivec all_squares[MOST_SQUARES];
    if (n_tiles > 1 && make_panel_squares(p, panel, all_squares))
        squares = all_squares;
#endif
    for (size_t i = 0; i < n_tiles; i++) {
        size_t end = p->n_rows * (i + 1) / n_tiles;
        struct tile_target target = tile_target(p, row, column, n_columns, buffer);
        struct fetch fetch = fetch_share(next, n_bytes, n_steps, i, n_tiles);
#define TILE(rows) tile_int8(p, row, panel, squares, fetch, target, rows, panels, words)
        SWITCH_ROWS(end - row, words ? TILE_ROWS : ROWS_OF_BYTES, TILE)
#undef TILE
        if (has_activation(p))
            activate_tile(p, row, end - row, column, n_columns, buffer);
        row = end;
    }
}

INLINE void product_of_bytes(const struct product *p)
{
    size_t panel = 0;
    for (; panel + TILE_PANELS <= p->n_panels; panel += TILE_PANELS)
        column_of_tiles_int8(p, panel, TILE_PANELS, false);
    for (; panel < p->n_panels; panel++)
        column_of_tiles_int8(p, panel, 1, false);
}

#endif

#if HAS_WORDS

enum { MOST_WORDS = 32 * 1024 };

static void widen_rows(const struct product *p, int16_t *words)
{
    for (size_t row = 0; row < p->n_rows; row++)
        for (size_t k = 0; k < p->k; k += QUANTIZED_STEP)
            UNROLL (i, (size_t)QUANTIZED_STEP / (2 * LANES)) {
                ivec wide =
                    widen_bytes((const int8_t *)p->x + row * p->x_stride + k + i * 2 * LANES);
                memcpy(words, &wide, sizeof wide);
                words += 2 * LANES;
            }
}

static void product_of_words(const struct product *p)
{
    _Alignas(64) int16_t words[MOST_WORDS];
    size_t stride = (p->k + QUANTIZED_STEP - 1) / QUANTIZED_STEP * QUANTIZED_STEP,
           most = MOST_WORDS / (stride > 0 ? stride : 1);
    if (most == 0) {
        product_plain(p);
        return;
    }
    if (most > TILE_ROWS)
        most = most / TILE_ROWS * TILE_ROWS;
    for (size_t row = 0; row < p->n_rows; row += most) {
        struct product part =
            product_rows(p, row, p->n_rows - row < most ? p->n_rows - row : most, sizeof(int8_t));
        widen_rows(&part, words);
        part.x = words;
        part.x_stride = stride;
        for (size_t panel = 0; panel < p->n_panels; panel++)
            column_of_tiles_int8(&part, panel, 1, true);
    }
}

/* vpmaddubsw adds the products of two neighbours of a column: within 255 · 128 < 2^15 if those add
 * up to -128 .. 128. x and its zero are larger by 128, so that wrong column sums, or weights past
 * the end, would count. */
static bool fits_pairs(const struct matrix *panels)
{
    typedef int16_t words __attribute__((vector_size(LANES * 4)));
    const char *group = panels->data, *end;
    ivec wrong = {0};
    if (panels->cols % GROUP != 0)
        return false;
    for (size_t column = 0; column < panels->rows; column += PANEL_WIDTH) {
        ivec sums[VECTORS] = {{0}};
        for (end = group + panels->cols * PANEL_WIDTH; group < end; group += GROUP_BYTES)
            UNROLL (v, (size_t)VECTORS) {
                words four = (words)load_integers(group + v * sizeof(ivec));
                words pairs = (four << 8 >> 8) + (four >> 8);
                wrong |= (ivec)(pairs > 128) | (ivec)(pairs < -128);
                sums[v] += ((ivec)pairs << 16 >> 16) + ((ivec)pairs >> 16);
            }
        UNROLL (v, (size_t)VECTORS)
            wrong |= sums[v] != load_integers(panels->column_sums + column + v * LANES);
    }
    int32_t any = 0;
    for (int lane = 0; lane < LANES; lane++)
        any |= wrong[lane];
    return any == 0;
}

#endif

#if !HAS_VNNI /* else kernels_int8.c has its own */
static inline void product_int8(const struct product *p)
{
#if defined(KERNELS_NEON)
    product_of_bytes(p);
#elif HAS_WORDS
    if (p->is_unsigned)
        product_of_bytes(p);
    else
        product_of_words(p);
#else
    product_plain(p);
#endif
}
#endif

#endif
