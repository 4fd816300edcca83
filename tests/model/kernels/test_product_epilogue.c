/* tags: numbers aarch64 */
/* What the product kernels do besides the sums: activation and gate in the tile, and panels of f16
 * and bf16.
 *
 * All of it is the same to the last bit as the plain way: the product's result through activate()
 * and multiply(), and the f32 kernel over panels that were decoded before. */
#include "engine/plain/weights.h"
#include "tests/model/kernels/operands.h"

#include <math.h>

enum { MOST_ROWS = 40, MOST_PANELS = 5, COLUMNS = MOST_PANELS * PANEL, OUT_STRIDE = COLUMNS + 16 };
enum { N_OUT = MOST_ROWS * OUT_STRIDE, N_TYPES = 4 };

static const enum tensor_type types[N_TYPES] = {TENSOR_F32, TENSOR_F16, TENSOR_BF16, TENSOR_INT8};

typedef void kernel(const struct product *product);

static kernel *kernel_for(const struct kernels *kernels, enum tensor_type type)
{
    return type == TENSOR_INT8 ? kernels->product_int8 : kernels->product;
}

/* ---- Activation and gate ---- */

enum source { NONE, APART, IN_PLACE, N_SOURCES };

struct finish {
    bool activated;
    enum activation activation;
    enum source residual, gate;
};

/* `out` holds the operands that are in place; those of APART come from operands. */
static const float *source_of(enum source source, const float *apart, const float *out)
{
    return source == NONE ? NULL : source == APART ? apart : out;
}

/* Activates the sums of a row, those of int8 as the bias of a product of zeros: its gelu is one of
 * its own (test_kernels.c). */
static void activate_sums(const struct kernels *kernels, const struct operands *o,
                          enum activation activation, float *row, size_t columns)
{
    static const int8_t zeros[QUANTIZED_STEP];
    const struct quantization quantization = {.scale = 1};
    if (o->weight.matrix.type != TENSOR_INT8) {
        kernels->activate(activation, row, columns);
        return;
    }
    kernels->product_int8(&(struct product){.x = zeros,
                                            .x_stride = QUANTIZED_STEP,
                                            .x_quantization = &quantization,
                                            .panels = o->weight.matrix.data,
                                            .panel_stride = 4 * PANEL,
                                            .k = 1,
                                            .scales = o->weight.matrix.scales,
                                            .bias = row,
                                            .activated = true,
                                            .activation = activation,
                                            .out = row,
                                            .out_stride = columns,
                                            .n_rows = 1,
                                            .n_panels = columns / PANEL});
}

/* The plain way; `out` holds the operands that are in place. */
static void finish_plainly(const struct kernels *kernels, const struct operands *o,
                           const struct finish *finish, size_t n_rows, size_t n_panels, float *out)
{
    size_t columns = n_panels * PANEL;
    float *gate = copy_floats(finish->gate == APART ? o->gate : out, N_OUT);
    struct product product = product_of(o, 0, n_rows, n_panels, out);
    product.bias = o->bias;
    product.residual = source_of(finish->residual, o->residual, out);
    kernel_for(kernels, o->weight.matrix.type)(&product);
    for (size_t row = 0; row < n_rows; row++) {
        if (finish->activated)
            activate_sums(kernels, o, finish->activation, out + row * OUT_STRIDE, columns);
        if (finish->gate != NONE)
            kernels->multiply(out + row * OUT_STRIDE, gate + row * OUT_STRIDE, columns);
    }
}

/* The arrays end where the last element used ends. */
static void check_finish(const struct kernels *kernels, const struct operands *o,
                         const struct finish *finish, size_t n_rows, size_t n_panels,
                         const float *before)
{
    size_t n_out = extent(n_rows, OUT_STRIDE, n_panels * PANEL), columns = n_panels * PANEL;
    const size_t mark = owned_mark();
    float *expected = copy_floats(before, N_OUT), *out = copy_floats(before, n_out);
    float *residual = copy_floats(o->residual, n_out), *gate = copy_floats(o->gate, n_out);
    finish_plainly(kernels, o, finish, n_rows, n_panels, expected);
    struct product product = product_of(o, 0, n_rows, n_panels, out);
    product.bias = o->bias;
    product.residual = source_of(finish->residual, residual, out);
    product.activated = finish->activated;
    product.activation = finish->activation;
    product.gate = source_of(finish->gate, gate, out);
    kernel_for(kernels, o->weight.matrix.type)(&product);
    for (size_t row = 0; row < n_rows; row++)
        if (!same_floats(out + row * OUT_STRIDE, expected + row * OUT_STRIDE, columns))
            fail_msg(
                "%s, type %d: row %zu of %zu, %zu panels, activation %d (%d), residual %d, gate %d",
                kernels->isa, (int)o->weight.matrix.type, row, n_rows, n_panels, finish->activated,
                (int)finish->activation, (int)finish->residual, (int)finish->gate);
    assert_true(same_floats(out, expected, n_out)); /* and nothing outside the columns is written */
    owned_release(mark);
}

static void check_finishes(const struct kernels *kernels, const struct operands *o,
                           const float *before)
{
    static const enum activation activations[] = {CONSTANTS_OF(ACTIVATIONS)};
    for (size_t n_rows = 1; n_rows <= MOST_ROWS; n_rows++) {
        size_t n_panels =
            1 + n_rows % MOST_PANELS; /* all pairs of a tile's height and width come up */
        for (size_t a = 0; a <= sizeof activations / sizeof *activations; a++)
            for (int residual = NONE; residual < N_SOURCES; residual++)
                for (int gate = NONE; gate < N_SOURCES; gate++) {
                    struct finish finish = {a > 0, activations[a > 0 ? a - 1 : 0],
                                            (enum source)residual, (enum source)gate};
                    check_finish(kernels, o, &finish, n_rows, n_panels, before);
                }
    }
}

TEST(activation_and_gate)
{
    uint64_t state = 1;
    for (size_t s = 0; tested_kernels(s) != NULL; s++)
        for (size_t t = 0; t < N_TYPES; t++) {
            struct operands o = new_operands(tested_kernels(s), &state, types[t], MOST_ROWS,
                                             MOST_PANELS, 21, OUT_STRIDE);
            float *before = random_floats(&state, N_OUT, 2);
            check_finishes(tested_kernels(s), &o, before);
        }
}

/* ---- Panels of f16 and bf16 ---- */

/* The stored numbers as panels of f32, decoded by the reference. */
static float *decoded_panels(const struct operands *o)
{
    double *values = new_doubles(COLUMNS * o->k);
    float *panels = new_floats(COLUMNS * o->k);
    struct plain_tensor tensor = {.type = (enum plain_type)o->weight.matrix.type,
                                  .layout = PLAIN_PANELS,
                                  .rows = COLUMNS,
                                  .cols = o->k,
                                  .n_bytes = o->weight.n_bytes,
                                  .values = values};
    assert_true(plain_decode(&tensor, o->weight.bytes));
    for (size_t c = 0; c < COLUMNS; c++)
        for (size_t k = 0; k < o->k; k++)
            panels[(c / PANEL * o->k + k) * PANEL + c % PANEL] = (float)values[c * o->k + k];
    return panels;
}

static void check_halves(const struct kernels *kernels, const struct operands *o)
{
    float *panels = decoded_panels(o), *expected = new_floats(N_OUT), *got = new_floats(N_OUT);
    for (size_t n_rows = 1; n_rows <= MOST_ROWS; n_rows++)
        for (size_t n_panels = 1; n_panels <= MOST_PANELS; n_panels++) {
            fill_untouched(expected, N_OUT);
            fill_untouched(got, N_OUT);
            struct product product = product_of(o, 0, n_rows, n_panels, got);
            product.bias = o->bias;
            kernel_for(kernels, o->weight.matrix.type)(&product);
            product.type = TENSOR_F32;
            product.panels = panels;
            product.out = expected;
            kernels->product(&product);
            if (!same_floats(got, expected, N_OUT))
                fail_msg("%s, type %d: %zu rows, %zu panels, k %zu", kernels->isa,
                         (int)o->weight.matrix.type, n_rows, n_panels, o->k);
        }
}

TEST(halves)
{
    static const size_t widths[] = {1, 3, 16, 70};
    uint64_t state = 2;
    for (size_t s = 0; tested_kernels(s) != NULL; s++)
        for (size_t t = 1; t <= 2; t++)
            for (size_t w = 0; w < sizeof widths / sizeof *widths; w++) {
                struct operands o = new_operands(tested_kernels(s), &state, types[t], MOST_ROWS,
                                                 MOST_PANELS, widths[w], OUT_STRIDE);
                check_halves(tested_kernels(s), &o);
            }
}

static double half_value(enum tensor_type type, unsigned bits)
{
    unsigned fraction_bits = type == TENSOR_F16 ? 10 : 7,
             fraction = bits & ((1u << fraction_bits) - 1);
    int exponent = (int)((bits & 0x7FFF) >> fraction_bits), bias = type == TENSOR_F16 ? 15 : 127;
    double magnitude = exponent == 0 ? ldexp(fraction, 1 - bias - (int)fraction_bits)
                                     : ldexp(fraction + (1u << fraction_bits),
                                             exponent - bias - (int)fraction_bits);
    if (exponent == (type == TENSOR_F16 ? 31 : 255))
        magnitude = fraction != 0 ? (double)NAN : (double)INFINITY;
    return bits >> 15 ? -magnitude : magnitude;
}

/* Each of the 65,536 numbers, subnormals, infinities and NaN too: times one it is itself. */
TEST(every_half)
{
    enum { N = 1 << 16 };
    uint16_t *panels = new_bytes(N * sizeof *panels);
    float *out = new_floats(N), one = 1;
    for (unsigned bits = 0; bits < N; bits++)
        panels[bits] = (uint16_t)bits;
    for (size_t s = 0; tested_kernels(s) != NULL; s++)
        for (size_t t = 1; t <= 2; t++) {
            struct product product = {.x = &one,
                                      .x_stride = 1,
                                      .type = types[t],
                                      .panels = panels,
                                      .panel_stride = PANEL,
                                      .k = 1,
                                      .out = out,
                                      .out_stride = N,
                                      .n_rows = 1,
                                      .n_panels = N / PANEL};
            kernel_for(tested_kernels(s), types[t])(&product);
            for (unsigned bits = 0; bits < N; bits++) {
                double value = half_value(types[t], bits), got = (double)out[bits];
                if (!(got == value || (isnan(value) && isnan(got))))
                    fail_msg("%s, type %d: %04x is %g, not %g", tested_kernels(s)->isa,
                             (int)types[t], bits, got, value);
            }
        }
}
