/* tags: numbers aarch64 */
/* product_int8 of every instruction set: the same bits everywhere.
 *
 * The sum is a whole number and exact; what follows it is rounded after each step, here in plain C:
 * float(Σ (q - zero)·w) · sx · sw (+ kept x · w, one by one) (+ bias) (+ residual). */
#include "tests/model/plain.h"

#include <math.h>
#include <string.h>

enum {
    MOST_ROWS = 40,
    MOST_PANELS = 5,
    COLUMNS = MOST_PANELS * PANEL,
    OUT_STRIDE = COLUMNS + 16,
    GROUP = 4
};

/* ---- product_int8 ---- */

/* The operands, as large as they get, and what is expected of them. */
struct operands {
    size_t k, x_stride, panel_stride;
    bool is_unsigned;
    int8_t *x, *panels;
    struct quantization quantization[MOST_ROWS];
    int32_t *column_sums; /* or NULL: all zero points are 0 */
    float *scales, *bias, *residual;
    float *kept_panels;       /* or NULL: no column is kept in f32 */
    float *plain, *with_both; /* [MOST_ROWS, OUT_STRIDE] */
};

/* Numbers of all sizes, or the ends of 8 or 7 bits against -128 and 127: the largest sums.
 */
enum filling {
    RANDOM,
    SMALLEST_WEIGHTS,
    LARGEST_WEIGHTS,
    SMALLEST_INPUTS,
    MIXED_EXTREMES,
    SEVEN_BITS,
    SEVEN_BITS_SMALLEST_WEIGHTS,
    SEVEN_BITS_LARGEST_WEIGHTS,
    SEVEN_BITS_MIXED_EXTREMES,
    N_FILLINGS
};

static int8_t value_of(enum filling filling, uint64_t *state, bool is_weight)
{
    size_t random = support_below(state, 256);
    switch (filling) {
    case RANDOM: return (int8_t)(is_weight || random > 0 ? (int)random - 128 : 0);
    case SMALLEST_WEIGHTS: return is_weight ? -128 : 127;
    case LARGEST_WEIGHTS: return is_weight ? 127 : -127;
    case SMALLEST_INPUTS: return is_weight ? 127 : -128;
    case MIXED_EXTREMES: return (int8_t)(random % 2 == 0 ? 127 : is_weight ? -128 : -127);
    case SEVEN_BITS: return (int8_t)(is_weight ? (int)random - 128 : (int)random / 2);
    case SEVEN_BITS_SMALLEST_WEIGHTS: return is_weight ? -128 : 127;
    case SEVEN_BITS_LARGEST_WEIGHTS: return 127;
    default: return (int8_t)(random % 2 == 0 ? 127 : is_weight ? -128 : 0);
    }
}

static void expect(struct operands *o, size_t n_rows, size_t columns)
{
    for (size_t row = 0; row < n_rows; row++)
        for (size_t c = 0; c < columns; c++) {
            const int8_t *w = o->panels + c / PANEL * o->panel_stride + c % PANEL * GROUP;
            int64_t sum = 0;
            for (size_t k = 0; k < o->k; k++)
                sum += (o->x[row * o->x_stride + k] - o->quantization[row].zero) *
                       w[k / GROUP * GROUP * PANEL + k % GROUP];
            assert_true(sum == (int32_t)sum);
            volatile float y = (float)sum; /* volatile: rounded after each step */
            y = y * o->quantization[row].scale;
            y = y * o->scales[c];
            for (size_t i = 0; o->kept_panels != NULL && i < KEPT; i++) {
                volatile float product = o->quantization[row].kept[i] *
                                         o->kept_panels[(c / PANEL * KEPT + i) * PANEL + c % PANEL];
                y = y + product;
            }
            o->plain[row * OUT_STRIDE + c] = y;
            y = y + o->bias[c];
            y = y + o->residual[row * OUT_STRIDE + c];
            o->with_both[row * OUT_STRIDE + c] = y;
        }
}

/* Zero points of all sizes, of rows of random numbers. */
static void set_zeros(struct operands *o, uint64_t *state, size_t n_rows, size_t columns)
{
    o->column_sums = new_bytes(columns * sizeof *o->column_sums);
    for (size_t row = 0; row < n_rows; row++)
        o->quantization[row].zero = value_of(o->is_unsigned ? SEVEN_BITS : RANDOM, state, false);
    for (size_t c = 0; c < columns; c++) {
        const int8_t *w = o->panels + c / PANEL * o->panel_stride + c % PANEL * GROUP;
        o->column_sums[c] = 0;
        for (size_t k = 0; k < o->k; k++)
            o->column_sums[c] += w[k / GROUP * GROUP * PANEL + k % GROUP];
    }
}

/* Zeros follow a row's K numbers; if the row is longer, bytes follow that must not be read. Odd
 * widths have zero points. */
static struct operands new_operands(uint64_t *state, size_t k, size_t n_rows, size_t n_panels,
                                    enum filling filling)
{
    struct operands o = {.k = k,
                         .is_unsigned = filling >= SEVEN_BITS,
                         .x_stride = round_up(k, QUANTIZED_STEP) + 64,
                         .panel_stride = round_up(k, GROUP) * PANEL + 64};
    size_t n_x = extent(n_rows, o.x_stride, round_up(k, QUANTIZED_STEP)),
           n_panel = round_up(k, GROUP) * PANEL;
    o.x = new_bytes(n_x);
    o.panels = new_bytes(extent(n_panels, o.panel_stride, n_panel));
    for (size_t row = 0; row < n_rows; row++) {
        o.quantization[row] =
            (struct quantization){.scale = (float)random_within(state, 0.01) + 0.02f};
        for (size_t i = 0; i < KEPT; i++)
            o.quantization[row].kept[i] = (float)random_within(state, 3);
        for (size_t i = 0; i < k; i++) {
            o.x[row * o.x_stride + i] = value_of(filling, state, false);
            o.quantization[row].sum += o.x[row * o.x_stride + i];
        }
    }
    for (size_t c = 0; c < n_panels * PANEL; c++)
        for (size_t i = 0; i < k; i++)
            o.panels[c / PANEL * o.panel_stride + (i / GROUP * PANEL + c % PANEL) * GROUP +
                     i % GROUP] = value_of(filling, state, true);
    o.scales = random_floats(state, n_panels * PANEL, 0.01);
    o.kept_panels = k % 3 != 0 ? random_floats(state, n_panels * KEPT * PANEL, 1) : NULL;
    o.bias = random_floats(state, n_panels * PANEL, 2);
    o.residual = random_floats(state, n_rows * OUT_STRIDE, 2);
    o.plain = new_floats(n_rows * OUT_STRIDE);
    o.with_both = new_floats(n_rows * OUT_STRIDE);
    if (k % 2 == 1 && (filling == RANDOM || filling == SEVEN_BITS))
        set_zeros(&o, state, n_rows, n_panels * PANEL);
    expect(&o, n_rows, n_panels * PANEL);
    return o;
}

/* The product without bias and residual. */
static struct product product_of(const struct operands *o, size_t n_rows, size_t n_panels,
                                 float *out)
{
    return (struct product){
        .x = o->x,
        .x_stride = o->x_stride,
        .x_quantization = o->quantization,
        .panels = o->panels,
        .panel_stride = o->panel_stride,
        .k = o->k,
        .scales = o->scales,
        .column_sums = o->column_sums,
        .kept_panels = o->kept_panels,
        .is_unsigned = o->is_unsigned,
        .out = out,
        .out_stride = OUT_STRIDE,
        .n_rows = n_rows,
        .n_panels = n_panels,
    };
}

static void check_product(const struct kernels *kernels, const struct operands *o, size_t n_rows,
                          size_t n_panels, bool with_both)
{
    size_t columns = n_panels * PANEL, n_out = extent(n_rows, OUT_STRIDE, columns);
    const float *expected = with_both ? o->with_both : o->plain;
    const size_t mark = owned_mark();
    float *out = new_floats(n_out);
    fill_untouched(out, n_out);
    struct product product = product_of(o, n_rows, n_panels, out);
    product.bias = with_both ? o->bias : NULL;
    product.residual = with_both ? o->residual : NULL;
    kernels->product_int8(&product);
    for (size_t row = 0; row < n_rows; row++) {
        const float *got = out + row * OUT_STRIDE;
        for (size_t c = 0; c < columns; c++)
            if (!same_floats(got + c, expected + row * OUT_STRIDE + c, 1))
                fail_msg("%s: [%zu, %zu] of %zu rows, %zu panels, k %zu: %.9g, expected %.9g",
                         kernels->isa, row, c, n_rows, n_panels, o->k, (double)got[c],
                         (double)expected[row * OUT_STRIDE + c]);
        assert_true(row + 1 == n_rows || untouched(got + columns, OUT_STRIDE - columns));
    }
    owned_release(mark);
}

/* Every number of rows and panels, that is every shape of tile and every rest. */
TEST(tiles)
{
    static const size_t widths[] = {1, 6, 64, 77};
    uint64_t state = 1;
    for (size_t w = 0; w < 2 * sizeof widths / sizeof *widths; w++) {
        struct operands o = new_operands(&state, widths[w / 2], MOST_ROWS, MOST_PANELS,
                                         w % 2 == 0 ? RANDOM : SEVEN_BITS);
        for (size_t s = 0; tested_kernels(s) != NULL; s++)
            for (size_t n_rows = 0; n_rows <= MOST_ROWS; n_rows++)
                for (size_t n_panels = 0; n_panels <= MOST_PANELS; n_panels++)
                    for (int with_both = 0; with_both < 2; with_both++)
                        check_product(tested_kernels(s), &o, n_rows, n_panels, with_both);
    }
}

/* The arrays are as long as the operands, so nothing past them is read. */
TEST(widths)
{
    uint64_t state = 2;
    for (size_t k = 1; k <= 132; k++)
        for (int filling = 0; filling < N_FILLINGS; filling++) {
            size_t width = k == 131   ? 768
                           : k == 132 ? 3072
                                      : k,
                   n_rows = 1 + k % 13, n_panels = 1 + k % 3;
            struct operands o =
                new_operands(&state, width, n_rows, n_panels, (enum filling)filling);
            for (size_t s = 0; tested_kernels(s) != NULL; s++)
                check_product(tested_kernels(s), &o, n_rows, n_panels, true);
        }
}

/* Rows so long that only some are widened to 16 bits at a time. */
TEST(blocks)
{
    static const size_t widths[] = {2000, 10001, 20000};
    uint64_t state = 6;
    for (size_t w = 0; w < sizeof widths / sizeof *widths; w++) {
        struct operands o = new_operands(&state, widths[w], MOST_ROWS, 2, RANDOM);
        for (size_t s = 0; tested_kernels(s) != NULL; s++)
            check_product(tested_kernels(s), &o, MOST_ROWS, 2, true);
    }
}

/* Adds 128 to x and the zero points, or subtracts it again: the same bits are expected. */
static void shift(struct operands *o, int by)
{
    o->is_unsigned = by > 0;
    for (size_t row = 0; row < MOST_ROWS; row++) {
        o->quantization[row].zero += by;
        o->quantization[row].sum += by * (int)o->k;
        for (size_t i = 0; i < o->k; i++)
            o->x[row * o->x_stride + i] = (int8_t)(o->x[row * o->x_stride + i] + by);
    }
}

/* Unsigned x of 8 bits by neighbours that add up to as much as 16 bits hold, and not by others. */
TEST(pairs)
{
    static const int8_t at_limit[][2] = {{127, 1}, {-127, -1}, {-128, 0}, {127, -128}, {64, 64}};
    static const size_t widths[] = {4, 60, 384, 1536};
    enum { PANELS = 3 };
    uint64_t state = 7;
    for (size_t w = 0; w < sizeof widths / sizeof *widths; w++) {
        struct operands o = new_operands(&state, widths[w], MOST_ROWS, PANELS, MIXED_EXTREMES);
        const size_t n_pairs = PANELS * (o.panel_stride = PANEL * o.k) / 2;
        for (size_t i = 0; i < n_pairs; i++)
            memcpy(o.panels + 2 * i, at_limit[support_below(&state, 5)], 2);
        set_zeros(&o, &state, MOST_ROWS, PANELS * PANEL);
        expect(&o, MOST_ROWS, PANELS * PANEL);
        const struct matrix matrix = {
            .data = o.panels, .rows = PANELS * PANEL, .cols = o.k, .column_sums = o.column_sums};
        for (size_t s = 0; tested_kernels(s) != NULL; s++) {
            const struct kernels *kernels = tested_kernels(s);
            check_product(kernels, &o, MOST_ROWS, PANELS, true);
            if (kernels->fits_pairs == NULL)
                continue;
            assert_true(kernels->fits_pairs(&matrix));
            shift(&o, 128);
            for (size_t n_rows = 1; n_rows <= MOST_ROWS; n_rows++)
                check_product(kernels, &o, n_rows, PANELS, n_rows % 2 == 0);
            shift(&o, -128);
            int8_t *pair = o.panels + 2 * support_below(&state, n_pairs), before[2];
            int32_t *sum = o.column_sums + (size_t)(pair - o.panels) / o.panel_stride * PANEL +
                           (size_t)(pair - o.panels) / GROUP % PANEL;
            memcpy(before, pair, 2);
            for (int wrong = -129; wrong <= 129; wrong += 129) { /* 0: the column's sum alone */
                const int8_t beyond[] = {(int8_t)(wrong / 2), (int8_t)(wrong - wrong / 2)};
                const int by = wrong != 0 ? wrong - before[0] - before[1] : 1;
                memcpy(pair, wrong != 0 ? beyond : before, 2);
                *sum += by;
                assert_false(kernels->fits_pairs(&matrix));
                *sum -= by;
            }
            memcpy(pair, before, 2);
        }
    }
}

/* At 2^17 the sums come within a hundredth of the ends of int32: no step on the way may saturate.
 */
TEST(widest)
{
    enum { WIDEST = 1 << 17 };
    uint64_t state = 3;
    for (int filling = 0; filling < N_FILLINGS; filling++) {
        struct operands o = new_operands(&state, WIDEST, 2, 1, (enum filling)filling);
        for (size_t s = 0; tested_kernels(s) != NULL; s++)
            check_product(tested_kernels(s), &o, 2, 1, true);
    }
}

/* ---- Rows that are not finite ---- */

/* A row with a NaN or an infinity at any index gives NaN and nothing else; its neighbours are
 * unchanged. */
static void check_poisoned(const struct kernels *kernels, struct operands *o, size_t n, size_t at,
                           float poison)
{
    enum { ROWS = 3, PANELS = 3, MOST = 200 };
    float out[ROWS * OUT_STRIDE], x[MOST];
    int8_t kept[MOST + QUANTIZED_STEP], *row = o->x + o->x_stride;
    const struct quantization before = o->quantization[1];
    for (size_t i = 0; i < n; i++)
        x[i] = (float)i - 7.5f;
    x[at] = poison;
    memcpy(kept, row, round_up(n, QUANTIZED_STEP));
    o->quantization[1] = kernels->quantize(x, n, ROUND_SYMMETRIC, NULL, row);
    assert_int_equal(o->quantization[1].sum, 0);
    for (int activated = 0; activated < 2; activated++) {
        struct product product = product_of(o, ROWS, PANELS, out);
        product.activated = activated;
        product.activation = ACTIVATION_RELU;
        kernels->product_int8(&product);
        for (size_t r = 0; r < ROWS; r++)
            for (size_t c = 0; c < PANELS * PANEL; c++) {
                float expected = o->plain[r * OUT_STRIDE + c];
                if (r == 1)
                    assert_true(isnan(out[r * OUT_STRIDE + c]));
                else
                    assert_true(out[r * OUT_STRIDE + c] ==
                                (activated && expected < 0 ? 0 : expected));
            }
    }
    memcpy(row, kept, round_up(n, QUANTIZED_STEP));
    o->quantization[1] = before;
}

TEST(poison)
{
    static const float poisons[] = {NAN, INFINITY, -INFINITY};
    static const size_t lens[] = {1, 5, 16, 33, 200};
    uint64_t state = 5;
    for (size_t l = 0; l < sizeof lens / sizeof *lens; l++) {
        struct operands o = new_operands(&state, lens[l], 3, 3, RANDOM);
        for (size_t s = 0; tested_kernels(s) != NULL; s++)
            for (size_t at = 0; at < lens[l]; at++)
                for (size_t p = 0; p < 3; p++)
                    check_poisoned(tested_kernels(s), &o, lens[l], at, poisons[p]);
    }
}
