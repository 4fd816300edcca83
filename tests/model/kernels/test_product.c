/* tags: numbers aarch64 long */
/* The product kernel of every instruction set.
 *
 * A float sum of products, each rounded, plus bias and residual, is off by at most n·2^-24 of the
 * sum of their magnitudes, n the most additions that a product goes through (Higham, Accuracy and
 * Stability, 4.2). Beyond that, an element's bits depend on
 * its own row and column alone: they are those of plain_chains. */
#include "tests/model/kernels/operands.h"

#include <math.h>
#include <string.h>

enum { MOST_ROWS = 40, MOST_PANELS = 5, COLUMNS = MOST_PANELS * PANEL, OUT_STRIDE = COLUMNS + 16 };

enum { WITH_BIAS = 1, WITH_RESIDUAL = 2, IN_PLACE = 4 }; /* in place: the residual is out */

static const int variants[] = {0, WITH_BIAS, WITH_RESIDUAL, WITH_BIAS | WITH_RESIDUAL,
                               WITH_BIAS | WITH_RESIDUAL | IN_PLACE};
enum { N_VARIANTS = 5 };

/* Operands, as large as they get, and every element computed by itself: [MOST_ROWS, OUT_STRIDE]. */
struct tested {
    struct operands o;
    float *alone[N_VARIANTS];
};

static void element_alone(const struct kernels *kernels, struct tested *tested, size_t row,
                          size_t panel, size_t variant)
{
    const struct operands *o = &tested->o;
    const size_t at = row * OUT_STRIDE + panel * PANEL;
    struct product product = product_of(o, row, 1, 1, tested->alone[variant] + at);
    product.panels = (const float *)product.panels + panel * product.panel_stride;
    product.bias = variants[variant] & WITH_BIAS ? o->bias + panel * PANEL : NULL;
    product.residual = variants[variant] & WITH_RESIDUAL ? o->residual + at : NULL;
    kernels->product(&product);
}

static struct tested new_tested(const struct kernels *kernels, uint64_t *state, size_t k)
{
    struct tested tested = {
        new_operands(kernels, state, TENSOR_F32, MOST_ROWS, MOST_PANELS, k, OUT_STRIDE), {NULL}};
    for (size_t v = 0; v < N_VARIANTS; v++) {
        tested.alone[v] = new_floats(MOST_ROWS * OUT_STRIDE);
        for (size_t row = 0; row < MOST_ROWS; row++)
            for (size_t panel = 0; panel < MOST_PANELS; panel++)
                element_alone(kernels, &tested, row, panel, v);
    }
    return tested;
}

/* Chains of SUM_BLOCK products: the same bits on every instruction set that fuses. */
static void check_chains(const struct kernels *kernels, const struct tested *tested)
{
    const struct operands *o = &tested->o;
    bool fused = strcmp(kernels->isa, "portable") != 0;
#if defined(__FP_FAST_FMAF)
    fused = true;
#endif
    for (size_t row = 0; row < MOST_ROWS; row++)
        for (size_t c = 0; c < COLUMNS; c++) {
            float got = tested->alone[0][row * OUT_STRIDE + c];
            float expected =
                plain_chains(o->x + row * o->x_stride, o->values + c * o->k, 1, o->k, fused);
            if (got != expected)
                fail_msg("%s: %.9g, expected %.9g, row %zu, column %zu, k %zu", kernels->isa,
                         (double)got, (double)expected, row, c, o->k);
        }
}

static void check_elements(const struct tested *tested, struct largest *largest)
{
    const struct operands *o = &tested->o;
    for (size_t v = 0; v < N_VARIANTS; v++) {
        for (size_t row = 0; row < MOST_ROWS; row++) {
            for (size_t c = 0; c < COLUMNS; c++) {
                struct plain_sum sum =
                    plain_product(o->x + row * o->x_stride, o->values + c * o->k, 1, o->k);
                double bias = variants[v] & WITH_BIAS ? (double)o->bias[c] : 0;
                double residual =
                    variants[v] & WITH_RESIDUAL ? (double)o->residual[row * OUT_STRIDE + c] : 0;
                double got = (double)tested->alone[v][row * OUT_STRIDE + c];
                double expected = sum.sum + bias + residual;
                size_t chain = o->k < SUM_BLOCK ? o->k : SUM_BLOCK;
                double bound = (double)(chain + o->k / SUM_BLOCK + 3) * FLOAT_ROUNDING *
                               (sum.magnitude + fabs(bias) + fabs(residual));
                note_error(largest, fabs(got - expected) / (bound + 1e-300), got, expected,
                           (double)o->k);
            }
        }
    }
}

/* All arrays end where the last element used ends. */
static void check_tiles(const struct kernels *kernels, const struct tested *tested, size_t n_rows,
                        size_t n_panels, size_t variant)
{
    const struct operands *o = &tested->o;
    size_t n_out = extent(n_rows, OUT_STRIDE, n_panels * PANEL), columns = n_panels * PANEL;
    bool has_residual = variants[variant] & WITH_RESIDUAL, in_place = variants[variant] & IN_PLACE;
    const size_t mark = owned_mark();
    float *x = copy_floats(o->x, extent(n_rows, o->x_stride, o->k));
    float *panels = copy_floats(o->weight.bytes, n_panels * o->k * PANEL);
    float *bias = variants[variant] & WITH_BIAS ? copy_floats(o->bias, columns) : NULL;
    float *residual = has_residual && !in_place ? copy_floats(o->residual, n_out) : NULL;
    float *out = new_floats(n_out);
    fill_untouched(out, n_out);
    for (size_t row = 0; in_place && row < n_rows; row++)
        memcpy(out + row * OUT_STRIDE, o->residual + row * OUT_STRIDE, columns * sizeof *out);
    struct product product = product_of(o, 0, n_rows, n_panels, out);
    product.x = x;
    product.panels = panels;
    product.bias = bias;
    product.residual = in_place ? out : residual;
    kernels->product(&product);
    for (size_t row = 0; row < n_rows; row++) {
        const float *got = out + row * OUT_STRIDE;
        if (!same_floats(got, tested->alone[variant] + row * OUT_STRIDE, columns) ||
            (row + 1 < n_rows && !untouched(got + columns, OUT_STRIDE - columns)))
            fail_msg("%s: row %zu of %zu, %zu panels, k %zu, variant %zu", kernels->isa, row,
                     n_rows, n_panels, o->k, variant);
    }
    owned_release(mark);
}

/* Every number of rows and panels, that is every shape of tile and every rest. */
TEST(tiles)
{
    static const size_t widths[] = {0, 1, 3, 16, 70, 2 * SUM_BLOCK + 1};
    uint64_t state = 1;
    for (size_t s = 0; float_kernels(s) != NULL; s++) {
        const struct kernels *kernels = float_kernels(s);
        struct largest largest = {0};
        for (size_t w = 0; w < sizeof widths / sizeof *widths; w++) {
            struct tested o = new_tested(kernels, &state, widths[w]);
            check_elements(&o, &largest);
            check_chains(kernels, &o);
            for (size_t n_rows = 0; n_rows <= MOST_ROWS; n_rows++)
                for (size_t n_panels = 0; n_panels <= MOST_PANELS; n_panels++)
                    for (size_t v = 0; v < N_VARIANTS; v++)
                        if (!support_slow() || v == (n_rows + n_panels) % N_VARIANTS)
                            check_tiles(kernels, &o, n_rows, n_panels, v);
        }
        assert_bound(&largest, 1, "%s product, share of the bound", kernels->isa);
    }
}

TEST(widths)
{
    uint64_t state = 2;
    for (size_t s = 0; float_kernels(s) != NULL; s++) {
        struct largest largest = {0};
        for (size_t k = 1; k <= 72; k += support_slow() && k < 64 ? 7 : 1) {
            size_t width = k == 71 ? 768 : k == 72 ? 3072 : k;
            struct tested o = new_tested(float_kernels(s), &state, width);
            check_elements(&o, &largest);
            check_chains(float_kernels(s), &o);
            check_tiles(float_kernels(s), &o, 25, 3, 3);
        }
        assert_bound(&largest, 1, "%s product, share of the bound", float_kernels(s)->isa);
    }
}

/* A row of NaN stays among itself, and so does a row of infinities. */
TEST(neighbours)
{
    enum { K = 19, ROWS = 29, PANELS = 3 };
    uint64_t state = 4;
    for (size_t s = 0; float_kernels(s) != NULL; s++) {
        struct tested tested = new_tested(float_kernels(s), &state, K);
        const struct operands *o = &tested.o;
        for (size_t row = 0; row < ROWS; row++) {
            float *x = new_floats(ROWS * o->x_stride), *out = new_floats(ROWS * OUT_STRIDE);
            for (size_t i = 0; i < ROWS * o->x_stride; i++)
                x[i] = i % 2 == 0 ? NAN : INFINITY;
            memcpy(x + row * o->x_stride, o->x + row * o->x_stride, K * sizeof *x);
            struct product product = product_of(o, 0, ROWS, PANELS, out);
            product.x = x;
            float_kernels(s)->product(&product);
            for (size_t r = 0; r < ROWS; r++)
                assert_true(r == row ? same_floats(out + r * OUT_STRIDE,
                                                   tested.alone[0] + r * OUT_STRIDE, PANELS * PANEL)
                                     : isnan(out[r * OUT_STRIDE]));
        }
    }
}
