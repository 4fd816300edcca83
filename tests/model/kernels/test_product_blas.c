/* tags: numbers */
/* product_blas of every instruction set: OpenBLAS' products of a linear layer.
 *
 * Sums of f32, f16 and bf16 weights against plain_product in double: in every order, K products
 * are off by at most K roundings of the sum of their magnitudes. What is done to the sums, and sums
 * of int8: equal to the other kernels' results to the last bit. And a row has the same bits among
 * any other rows. */
#include "tests/model/kernels/operands.h"

#include "engine/runtime/machine.h"
#include "model/kernels/blas.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_ROWS = 150, MOST_PANELS = 26, COLUMNS = MOST_PANELS * PANEL };
enum { N_OUT = MOST_ROWS * COLUMNS, N_SHAPES = 8 };

static const struct shape {
    size_t n_rows, n_panels, k;
} shapes[N_SHAPES] = {{1, 1, 1},   {15, 2, 7},   {16, 12, 64},  {17, 13, 33},
                      {31, 26, 5}, {150, 5, 40}, {129, 12, 96}, {40, 25, 1030}};

static const struct blas *blas;

/* The same numbers every time. */
static struct operands operands_of(const struct kernels *kernels, enum tensor_type type,
                                   struct shape shape)
{
    uint64_t state = shape.k;
    return new_operands(kernels, &state, type, shape.n_rows, shape.n_panels, shape.k,
                        shape.n_panels * PANEL);
}

static struct blas_work new_work(size_t k)
{
    struct blas_work work;
    struct arena arena = {0};
    do
        blas_work_carve(&work, k, &arena);
    while (arena_allocate(&arena));
    owned(arena.base, free);
    return work;
}

static void multiply(const struct kernels *kernels, size_t most_rows, struct product *product)
{
    const size_t mark = owned_mark();
    struct blas_work work = new_work(product->k);
    kernels->product_blas(blas, most_rows, product, &work);
    owned_release(mark);
}

static void check_sums(const struct kernels *kernels, const struct operands *o, size_t most_rows,
                       struct largest *largest)
{
    size_t k = o->k, columns = o->n_panels * PANEL;
    float *out = new_floats(o->n_rows * columns), *panel = new_floats(k * PANEL);
    struct product product = product_of(o, 0, o->n_rows, o->n_panels, out);
    multiply(kernels, most_rows, &product);
    for (size_t c = 0; c < columns; c++) {
        if (c % PANEL == 0)
            matrix_panel(&o->weight.matrix, c / PANEL, panel);
        for (size_t row = 0; row < o->n_rows; row++) {
            struct plain_sum plain =
                plain_product(o->x + row * o->x_stride, panel + c % PANEL, PANEL, k);
            double got = out[row * columns + c];
            double error = (got - plain.sum) / (plain.magnitude * (double)k * FLOAT_ROUNDING);
            note_error(largest, error < 0 ? -error : error, got, plain.sum, (double)k);
        }
    }
}

TEST(sums)
{
    static const enum tensor_type types[] = {TENSOR_F32, TENSOR_F16, TENSOR_BF16};
    for (size_t set = 0; blas != NULL && tested_kernels(set) != NULL; set++)
        for (size_t t = 0; t < 3; t++) {
            struct largest largest = {0};
            for (size_t i = 0; i < N_SHAPES; i++) {
                const size_t mark = owned_mark();
                struct operands o = operands_of(tested_kernels(set), types[t], shapes[i]);
                for (size_t rows = BLAS_ROWS; rows <= BLAS_MOST_ROWS; rows *= 2)
                    check_sums(tested_kernels(set), &o, rows, &largest);
                owned_release(mark);
            }
            assert_bound(&largest, 1, "%s, type %d", tested_kernels(set)->isa, (int)types[t]);
        }
}

/* Bias, residual, activation and gate, all in the tile, or one after the other. */
static void check_finish(const struct kernels *kernels, const struct operands *o)
{
    size_t columns = o->n_panels * PANEL, n = o->n_rows * columns;
    float *out = new_floats(n), *expected = new_floats(n);
    struct product product = product_of(o, 0, o->n_rows, o->n_panels, expected);
    multiply(kernels, BLAS_ROWS, &product);
    for (size_t i = 0; i < n; i++) {
        volatile float y = expected[i] + o->bias[i % columns];
        expected[i] = y + o->residual[i];
    }
    product.out = out;
    product.bias = o->bias;
    product.residual = o->residual;
    multiply(kernels, BLAS_ROWS, &product);
    assert_true(same_floats(out, expected, n));

    kernels->activate(ACTIVATION_SILU, expected, n);
    kernels->multiply(expected, o->gate, n);
    memcpy(out, o->gate, n * sizeof *out);
    product.activated = true;
    product.activation = ACTIVATION_SILU;
    product.gate = out;
    multiply(kernels, BLAS_ROWS, &product);
    assert_true(same_floats(out, expected, n));
}

TEST(what_follows_the_sums)
{
    static const enum tensor_type types[] = {TENSOR_F32, TENSOR_INT8};
    for (size_t set = 0; blas != NULL && tested_kernels(set) != NULL; set++)
        for (size_t i = 0; i < 2 * N_SHAPES; i++) {
            struct operands o = operands_of(tested_kernels(set), types[i % 2], shapes[i / 2]);
            check_finish(tested_kernels(set), &o);
        }
}

/* With the largest numbers that there are, and zero points. */
static void fill_extremes(struct operands *o, int32_t *column_sums)
{
    size_t k = o->k, n_panel = (k + 3) / 4 * 4 * PANEL;
    int8_t *panels = o->weight.bytes;
    memset(o->q, 0, o->n_rows * o->q_stride);
    memset(panels, 0, o->n_panels * n_panel);
    for (size_t row = 0; row < o->n_rows; row++) {
        memset(o->q + row * o->q_stride, row % 3 == 0 ? 127 : -128, k);
        o->quantization[row] = (struct quantization){.scale = 1.1f, .zero = (int)row - 5};
    }
    for (size_t c = 0; c < o->n_panels * PANEL; c++) {
        int8_t value = c % 3 == 0 ? 127 : c % 3 == 1 ? -127 : -128;
        for (size_t i = 0; i < k; i++)
            panels[c / PANEL * n_panel + (i / 4 * PANEL + c % PANEL) * 4 + i % 4] = value;
        column_sums[c] = value * (int32_t)k;
    }
}

static void check_exact(const struct kernels *kernels, const struct operands *o,
                        const int32_t *column_sums)
{
    size_t n = o->n_rows * o->n_panels * PANEL;
    float *out = new_floats(n), *expected = new_floats(n);
    struct product product = product_of(o, 0, o->n_rows, o->n_panels, out);
    product.column_sums = column_sums;
    multiply(kernels, BLAS_ROWS, &product);
    product.out = expected;
    kernels->product_int8(&product);
    assert_true(same_floats(out, expected, n));
}

TEST(int8_is_exact)
{
    static const size_t widths[] = {1, 5, 64, 1023, 1024, 1025, 2100};
    static int32_t column_sums[COLUMNS];
    const struct kernels *kernels = &kernels_portable;
    for (size_t i = 0; blas != NULL && i < sizeof widths / sizeof *widths; i++) {
        struct operands o = operands_of(kernels, TENSOR_INT8, (struct shape){20, 3, widths[i]});
        check_exact(kernels, &o, NULL);
        fill_extremes(&o, column_sums);
        check_exact(kernels, &o, column_sums);
    }
}

/* Row by row, and all at once, as blas_rows_alike says that it may be. */
TEST(a_row_in_any_company)
{
    const struct kernels *kernels = &kernels_portable;
    for (size_t i = 0; blas != NULL && i < N_SHAPES; i++) {
        size_t columns = shapes[i].n_panels * PANEL, most = BLAS_MOST_ROWS;
        struct operands o = operands_of(kernels, TENSOR_F32, shapes[i]);
        struct blas_work work = new_work(o.k);
        for (size_t n = 1; n <= BLAS_PANELS && n <= shapes[i].n_panels; n++)
            if (n == BLAS_PANELS || n == shapes[i].n_panels % BLAS_PANELS) {
                size_t rows = blas_rows_alike(blas, n, shapes[i].k, &work);
                most = rows < most ? rows : most;
            }
        print_message("K %4zu, %2zu panels: %zu rows alike\n", shapes[i].k, shapes[i].n_panels,
                      most);
        float *all = new_floats(shapes[i].n_rows * columns), *one = new_floats(columns);
        struct product together = product_of(&o, 0, o.n_rows, o.n_panels, all);
        if (most > 0)
            multiply(kernels, most, &together);
        for (size_t row = 0; most > 0 && row < shapes[i].n_rows; row++) {
            struct product alone = product_of(&o, row, 1, o.n_panels, one);
            multiply(kernels, most, &alone);
            assert_true(same_floats(one, all + row * columns, columns));
        }
    }
}

SET_UP()
{
    blas = machine_blas();
    if (blas == NULL)
        print_message("skipped: OpenBLAS is not there\n");
}
