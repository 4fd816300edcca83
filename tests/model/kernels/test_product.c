/* tags: numbers aarch64 long */
/* The product kernel of every instruction set.
 *
 * A float sum of products, each rounded, plus bias and residual, is off by at most n·2^-24 of the
 * sum of their magnitudes, n the most additions that a product goes through (Higham, Accuracy and
 * Stability, 4.2). Beyond that, an element's bits depend on
 * its own row and column alone: they are those of plain_chains. */
#include "tests/model/plain.h"

#include <math.h>
#include <string.h>

enum { MOST_ROWS = 40, MOST_PANELS = 5, COLUMNS = MOST_PANELS * PANEL, OUT_STRIDE = COLUMNS + 16 };

enum { WITH_BIAS = 1, WITH_RESIDUAL = 2, IN_PLACE = 4 }; /* in place: the residual is out */

static const int variants[] = {0, WITH_BIAS, WITH_RESIDUAL, WITH_BIAS | WITH_RESIDUAL,
                               WITH_BIAS | WITH_RESIDUAL | IN_PLACE};
enum { N_VARIANTS = 5 };

/* The operands, as large as they get, and every element computed by itself. */
struct operands {
    size_t k, x_stride, panel_stride;
    float *x, *panels, *bias, *residual;
    float *alone[N_VARIANTS]; /* [MOST_ROWS, OUT_STRIDE] */
};

/* The product without bias and residual. */
static struct product product_of(const struct operands *o, const float *x, const float *panels,
                                 size_t n_rows, size_t n_panels, float *out, size_t out_stride)
{
    return (struct product){
        .x = x,
        .x_stride = o->x_stride,
        .panels = panels,
        .panel_stride = o->panel_stride,
        .k = o->k,
        .out = out,
        .out_stride = out_stride,
        .n_rows = n_rows,
        .n_panels = n_panels,
    };
}

static void element_alone(const struct kernels *kernels, struct operands *o, size_t row,
                          size_t panel, size_t variant)
{
    const size_t at = row * OUT_STRIDE + panel * PANEL;
    struct product product =
        product_of(o, o->x + row * o->x_stride, o->panels + panel * o->panel_stride, 1, 1,
                   o->alone[variant] + at, PANEL);
    product.bias = variants[variant] & WITH_BIAS ? o->bias + panel * PANEL : NULL;
    product.residual = variants[variant] & WITH_RESIDUAL ? o->residual + at : NULL;
    kernels->product(&product);
}

static struct operands new_operands(const struct kernels *kernels, uint64_t *state, size_t k)
{
    struct operands o = {.k = k, .x_stride = k + 3, .panel_stride = k * PANEL + 5};
    o.x = random_floats(state, MOST_ROWS * o.x_stride, 2);
    o.panels = random_floats(state, MOST_PANELS * o.panel_stride, 2);
    o.bias = random_floats(state, COLUMNS, 2);
    o.residual = random_floats(state, MOST_ROWS * OUT_STRIDE, 2);
    for (size_t v = 0; v < N_VARIANTS; v++) {
        o.alone[v] = new_floats(MOST_ROWS * OUT_STRIDE);
        for (size_t row = 0; row < MOST_ROWS; row++)
            for (size_t panel = 0; panel < MOST_PANELS; panel++)
                element_alone(kernels, &o, row, panel, v);
    }
    return o;
}

/* Chains of SUM_BLOCK products: the same bits on every instruction set that fuses. */
static void check_chains(const struct kernels *kernels, const struct operands *o)
{
    bool fused = strcmp(kernels->isa, "portable") != 0;
#if defined(__FP_FAST_FMAF)
    fused = true;
#endif
    for (size_t row = 0; row < MOST_ROWS; row++)
        for (size_t c = 0; c < COLUMNS; c++) {
            const float *w = o->panels + c / PANEL * o->panel_stride + c % PANEL;
            float got = o->alone[0][row * OUT_STRIDE + c];
            float expected = plain_chains(o->x + row * o->x_stride, w, PANEL, o->k, fused);
            if (got != expected)
                fail_msg("%s: %.9g, expected %.9g, row %zu, column %zu, k %zu", kernels->isa,
                         (double)got, (double)expected, row, c, o->k);
        }
}

static void check_elements(const struct operands *o, struct largest *largest)
{
    for (size_t v = 0; v < N_VARIANTS; v++) {
        for (size_t row = 0; row < MOST_ROWS; row++) {
            for (size_t c = 0; c < COLUMNS; c++) {
                struct plain_sum sum =
                    plain_product(o->x + row * o->x_stride,
                                  o->panels + c / PANEL * o->panel_stride + c % PANEL, PANEL, o->k);
                double bias = variants[v] & WITH_BIAS ? (double)o->bias[c] : 0;
                double residual =
                    variants[v] & WITH_RESIDUAL ? (double)o->residual[row * OUT_STRIDE + c] : 0;
                double got = (double)o->alone[v][row * OUT_STRIDE + c];
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
static void check_tiles(const struct kernels *kernels, const struct operands *o, size_t n_rows,
                        size_t n_panels, size_t variant)
{
    size_t n_out = extent(n_rows, OUT_STRIDE, n_panels * PANEL), columns = n_panels * PANEL;
    bool has_residual = variants[variant] & WITH_RESIDUAL, in_place = variants[variant] & IN_PLACE;
    const size_t mark = owned_mark();
    float *x = copy_floats(o->x, extent(n_rows, o->x_stride, o->k));
    float *panels = copy_floats(o->panels, extent(n_panels, o->panel_stride, o->k * PANEL));
    float *bias = variants[variant] & WITH_BIAS ? copy_floats(o->bias, columns) : NULL;
    float *residual = has_residual && !in_place ? copy_floats(o->residual, n_out) : NULL;
    float *out = new_floats(n_out);
    fill_untouched(out, n_out);
    for (size_t row = 0; in_place && row < n_rows; row++)
        memcpy(out + row * OUT_STRIDE, o->residual + row * OUT_STRIDE, columns * sizeof *out);
    struct product product = product_of(o, x, panels, n_rows, n_panels, out, OUT_STRIDE);
    product.bias = bias;
    product.residual = in_place ? out : residual;
    kernels->product(&product);
    for (size_t row = 0; row < n_rows; row++) {
        const float *got = out + row * OUT_STRIDE;
        if (!same_floats(got, o->alone[variant] + row * OUT_STRIDE, columns) ||
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
            struct operands o = new_operands(kernels, &state, widths[w]);
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
            struct operands o = new_operands(float_kernels(s), &state, width);
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
        struct operands o = new_operands(float_kernels(s), &state, K);
        for (size_t row = 0; row < ROWS; row++) {
            float *x = new_floats(ROWS * o.x_stride), *out = new_floats(ROWS * OUT_STRIDE);
            for (size_t i = 0; i < ROWS * o.x_stride; i++)
                x[i] = i % 2 == 0 ? NAN : INFINITY;
            memcpy(x + row * o.x_stride, o.x + row * o.x_stride, K * sizeof *x);
            struct product product = product_of(&o, x, o.panels, ROWS, PANELS, out, OUT_STRIDE);
            float_kernels(s)->product(&product);
            for (size_t r = 0; r < ROWS; r++)
                assert_true(r == row ? same_floats(out + r * OUT_STRIDE,
                                                   o.alone[0] + r * OUT_STRIDE, PANELS * PANEL)
                                     : isnan(out[r * OUT_STRIDE]));
        }
    }
}
