/* tags: numbers aarch64 long */
/* Products in bfloat16 of every instruction set, AMX included: the same bits everywhere, by the
 * plain twin of the sums in product_bf16.h; and rounding. Attention in bfloat16 is in
 * layers/test_attention.c.
 *
 * Guarantee: products in bfloat16 have the same bits on every instruction set, those of Intel's
 * tdpbf16ps (AMX), for numbers of any size. */
#include "tests/model/plain.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ROWS = 70, MOST_PANELS = 5, COLUMNS = MOST_PANELS * PANEL, OUT_STRIDE = COLUMNS + 16 };

/* ---- Products ---- */

/* Numbers around 1; from subnormal to infinite; and so small that sums are subnormal, too. */
enum filling { USUAL, EVERY_SIZE, TINY, N_FILLINGS };

static uint16_t value_of(enum filling filling, uint64_t *state)
{
    uint64_t random = support_random(state);
    uint16_t sign = (uint16_t)(random >> 63 << 15), fraction = random & 0x7F;
    switch (filling) {
    case USUAL: return (uint16_t)(sign | (120 + (random >> 8) % 10) << 7 | fraction);
    case TINY: return (uint16_t)(sign | (56 + (random >> 8) % 16) << 7 | fraction);
    default:
        if ((random >> 40) % 999 == 0)
            return (uint16_t)(sign | 0x7F80);
        return (uint16_t)(sign | (random >> 8) % 255 << 7 | fraction);
    }
}

struct operands {
    size_t k, x_stride, panel_stride, n_rows, n_panels;
    uint16_t *x, *w;                      /* [n_rows, x_stride]; panels of pairs of neighbours */
    uint16_t *tiles, *panels;             /* the same as a set of kernels stores them */
    float *bias, *residual, *gate, *sums; /* sums: expected, [MOST_ROWS, OUT_STRIDE] */
};

/* Returns where a set stores number k of a row: pairs are of neighbours, or as vdpbf16ps needs. */
static size_t place_of(const struct kernels *kernels, size_t k)
{
    static const size_t crossed[] = {1, 3, 0, 2};
    return strcmp(kernels->isa, "avx512bf16") == 0 ? k / 4 * 4 + crossed[k % 4] : k;
}

/* The last tile is complete: what follows the rows is NaN. */
static void lay_out(struct operands *o, const struct kernels *kernels)
{
    memset(o->tiles, 0xFF, round_up(o->n_rows, PANEL) * o->x_stride * sizeof *o->tiles);
    for (size_t k = 0; k < o->x_stride; k++) {
        const size_t place = place_of(kernels, k);
        for (size_t r = 0; r < o->n_rows; r++)
            o->tiles[bf16_place(r, o->x_stride) + place / BF16_STEP * BF16_STEP * PANEL +
                     place % BF16_STEP] = o->x[r * o->x_stride + k];
        for (size_t c = 0; c < o->n_panels * PANEL; c++) {
            const size_t column = c / PANEL * o->panel_stride + c % PANEL * 2;
            o->panels[column + place / 2 * BF16_STEP + place % 2] =
                o->w[column + k / 2 * BF16_STEP + k % 2];
        }
    }
}

static struct operands new_operands(uint64_t *state, size_t k, size_t n_rows, size_t n_panels,
                                    enum filling filling)
{
    size_t padded = round_up(k, BF16_STEP);
    struct operands o = {.k = k,
                         .x_stride = padded,
                         .panel_stride = padded * PANEL,
                         .n_rows = n_rows,
                         .n_panels = n_panels};
    const size_t n_out = MOST_ROWS * OUT_STRIDE, n_weights = n_panels * o.panel_stride;
    o.x = new_bytes(n_rows * padded * sizeof *o.x);
    o.w = new_bytes(n_weights * sizeof *o.w);
    o.tiles = new_bytes(round_up(n_rows, PANEL) * padded * sizeof *o.tiles);
    o.panels = new_bytes(n_weights * sizeof *o.panels);
    for (size_t r = 0; r < n_rows; r++)
        for (size_t i = 0; i < padded; i++)
            o.x[r * padded + i] = i < k ? value_of(filling, state) : 0;
    for (size_t j = 0; j < n_panels; j++)
        for (size_t i = 0; i < k * PANEL; i++)
            o.w[j * o.panel_stride + i / PANEL / 2 * BF16_STEP + i % PANEL * 2 + i / PANEL % 2] =
                value_of(filling, state);
    o.bias = random_floats(state, COLUMNS, 1);
    o.residual = random_floats(state, n_out, 2);
    o.gate = random_floats(state, n_out, 2);
    o.sums = new_floats(n_out);
    for (size_t r = 0; r < n_rows; r++)
        for (size_t c = 0; c < n_panels * PANEL; c++)
            o.sums[r * OUT_STRIDE + c] = plain_pairs(
                o.x + r * padded, o.w + c / PANEL * o.panel_stride + c % PANEL * 2, padded);
    return o;
}

/* The sum alone; with bias and residual; with an activation and a gate. */
enum ending { ALONE, ADDED, ACTIVATED, N_ENDINGS };

static float expected_of(const struct kernels *kernels, const struct operands *o, size_t at,
                         size_t column, enum ending ending)
{
    volatile float y = o->sums[at];
    if (ending == ALONE)
        return y;
    y = y + o->bias[column];
    y = y + o->residual[at];
    if (ending == ADDED)
        return y;
    float activated = y;
    kernels->activate(ACTIVATION_SILU, &activated, 1);
    return activated * o->gate[at];
}

static void check_product(const struct kernels *kernels, const struct operands *o, size_t n_rows,
                          size_t n_panels, enum ending ending)
{
    size_t columns = n_panels * PANEL, n_out = extent(n_rows, OUT_STRIDE, columns);
    const size_t mark = owned_mark();
    float *out = new_floats(n_out);
    fill_untouched(out, n_out);
    kernels->pairs->product(&(struct product){
        .x = o->tiles,
        .x_stride = o->x_stride,
        .panels = o->panels,
        .panel_stride = o->panel_stride,
        .k = o->k,
        .bias = ending != ALONE ? o->bias : NULL,
        .residual = ending != ALONE ? o->residual : NULL,
        .activated = ending == ACTIVATED,
        .activation = ACTIVATION_SILU,
        .gate = ending == ACTIVATED ? o->gate : NULL,
        .out = out,
        .out_stride = OUT_STRIDE,
        .n_rows = n_rows,
        .n_panels = n_panels,
    });
    for (size_t at = 0; at < n_out; at++) {
        size_t c = at % OUT_STRIDE;
        float expected = c < columns ? expected_of(kernels, o, at, c, ending) : 0;
        if (c >= columns)
            assert_true(untouched(out + at, 1));
        else if (!same_floats(out + at, &expected, 1) && !(isnan(out[at]) && isnan(expected)))
            fail_msg("%s: [%zu, %zu] of %zu rows, %zu panels, k %zu: %a, expected %a", kernels->isa,
                     at / OUT_STRIDE, c, n_rows, n_panels, o->k, (double)out[at], (double)expected);
    }
    owned_release(mark);
}

/* Every number of rows and panels, that is every shape of block and every rest. */
TEST(blocks)
{
    static const size_t widths[] = {1, 31, 64, 77};
    uint64_t state = 1;
    size_t row_step = support_emulated() ? 23 : support_slow() ? 9 : 1;
    for (size_t w = 0; w < sizeof widths / sizeof *widths; w++) {
        struct operands o = new_operands(&state, widths[w], MOST_ROWS, MOST_PANELS, USUAL);
        for (size_t s = 0; float_kernels(s) != NULL; s++) {
            lay_out(&o, float_kernels(s));
            for (size_t n_rows = 0; n_rows <= MOST_ROWS; n_rows += row_step)
                for (size_t n_panels = 0; n_panels <= MOST_PANELS; n_panels++)
                    check_product(float_kernels(s), &o, n_rows, n_panels,
                                  (enum ending)((n_rows + n_panels) % N_ENDINGS));
        }
    }
    for (size_t s = 0; float_kernels(s) != NULL; s++)
        print_message("%s%s", s == 0 ? "bfloat16: " : ", ", float_kernels(s)->isa);
    print_message("\n");
}

/* gelu of products in bfloat16 is near x·Φ(x), by the same operations on every processor. */
TEST(gelu)
{
    static uint16_t zeros[BF16_STEP * PANEL];
    struct largest largest = {0};
    for (float x = -8; x < 8; x += support_emulated() ? 0.1f : 0.01f) {
        float bias[PANEL], out[2][PANEL];
        for (size_t i = 0; i < PANEL; i++)
            bias[i] = x + (float)i * 0.0005f;
        for (size_t s = 0; float_kernels(s) != NULL; s++) {
            float_kernels(s)->pairs->product(&(struct product){.x = zeros,
                                                               .x_stride = BF16_STEP,
                                                               .panels = zeros,
                                                               .k = 1,
                                                               .bias = bias,
                                                               .activated = true,
                                                               .activation = ACTIVATION_GELU,
                                                               .out = out[s > 1],
                                                               .out_stride = PANEL,
                                                               .n_rows = 1,
                                                               .n_panels = 1});
            for (size_t i = 0; i < PANEL; i++) {
                double expected = plain_activation("gelu", (double)bias[i]);
                note_error(&largest, fabs((double)out[s > 1][i] - expected), (double)out[s > 1][i],
                           expected, (double)bias[i]);
            }
            assert_true(s < 2 || same_floats(out[0], out[1], PANEL));
        }
    }
    assert_bound(&largest, 6e-5, "gelu in bfloat16");
}

TEST(numbers_of_every_size)
{
    static const size_t widths[] = {5, 32, 96, 770, 3072};
    uint64_t state = 2;
    for (size_t w = 0; w < (support_slow() ? 3 : sizeof widths / sizeof *widths); w++)
        for (int filling = 0; filling < N_FILLINGS; filling++) {
            struct operands o = new_operands(&state, widths[w], 33, 3, (enum filling)filling);
            for (size_t s = 0; float_kernels(s) != NULL; s++) {
                lay_out(&o, float_kernels(s));
                check_product(float_kernels(s), &o, 33, 3, ALONE);
            }
        }
}

/* ---- Rounding ---- */

/* Every bfloat16, and what is around the middle to the next one. */
TEST(rounding)
{
    static const uint32_t below[] = {0, 1, 0x7FFF, 0x8000, 0x8001, 0xFFFF};
    enum { N = 1 << 16 };
    float *x = new_floats(2 * N);
    uint16_t *out = new_bytes((size_t)N * PANEL * sizeof *out);
    for (size_t b = 0; b < sizeof below / sizeof *below; b += support_emulated() ? 3 : 1) {
        for (uint32_t i = 0; i < N; i++) {
            uint32_t bits = i << 16 | below[b];
            memcpy(x + i, &bits, sizeof bits);
        }
        const struct kernels *kernels;
        for (size_t s = 0; (kernels = float_kernels(s)) != NULL; s++) {
            kernels->pairs->round(x, N - 5, out);
            for (size_t i = 0; i < N; i++) {
                size_t place = place_of(kernels, i);
                uint16_t rounded = out[place / BF16_STEP * BF16_STEP * PANEL + place % BF16_STEP];
                bool is_nan = isnan(x[i]) && i < N - 5;
                uint16_t expected = i < N - 5 ? plain_bf16(x[i]) : 0;
                assert_true(is_nan ? (rounded & 0x7FFF) > 0x7F80 : rounded == expected);
            }
            kernels->pairs->pair_rows(x, PANEL + 3, 33, out);
            for (size_t k = 0; k < 64; k++)
                for (size_t c = 0; c < PANEL; c++) {
                    size_t place = place_of(kernels, k);
                    assert_int_equal(out[place / 2 * BF16_STEP + c * 2 + place % 2],
                                     k < 33 ? plain_bf16(x[k * (PANEL + 3) + c]) : 0);
                }
        }
    }
}
