/* tags: numbers aarch64 */
/* linear() for every tensor type and layout, over the rows' blocks and any range of panels.
 *
 * The weights are read back by the reference decoder, so the bound is that of a float sum (see
 * test_product.c) and one rounding more, that of an int8 weight times its scale. */
#include "engine/plain/weights.h"
#include "tests/model/plain.h"

#include "model/layers/linear.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const enum tensor_type types[] = {TENSOR_F32, TENSOR_F16, TENSOR_BF16, TENSOR_INT8};
static const enum tensor_layout layouts[] = {LAYOUT_ROWS, LAYOUT_PANELS};

/* One layer, and its weights as doubles [out, in]. */
struct layer_under_test {
    struct stored weight;
    struct linear linear;
    float *bias;
    double *decoded;
    double *factors; /* NULL if the type has no factors */
};

static struct layer_under_test new_layer(enum tensor_type type, enum tensor_layout layout,
                                         const float *weights, const float *bias, size_t out,
                                         size_t in)
{
    struct layer_under_test layer = {.weight = store_matrix(type, layout, weights, out, in),
                                     .decoded = new_doubles(out * in),
                                     .factors = tensor_has_factors(type) ? new_doubles(in) : NULL};
    struct plain_tensor tensor = {.type = (enum plain_type)type,
                                  .layout = (enum plain_layout)layout,
                                  .rows = out,
                                  .cols = in,
                                  .n_bytes = layer.weight.n_bytes,
                                  .values = layer.decoded,
                                  .factors = layer.factors};
    assert_true(plain_decode(&tensor, layer.weight.bytes));
    if (bias != NULL) {
        layer.bias = new_floats(row_stride(out));
        memset(layer.bias, 0, row_stride(out) * sizeof *bias);
        memcpy(layer.bias, bias, out * sizeof *bias);
    }
    layer.linear = (struct linear){layer.weight.matrix, layer.bias};
    return layer;
}

static void new_work(struct linear_work *work, const struct linear *linear)
{
    struct arena arena = {0};
    do
        work->panels = arena_floats(&arena, linear_decoded(linear), DECODED_COLUMNS);
    while (arena_allocate(&arena));
    owned(arena.base, free);
    fill_untouched((float *)(void *)arena.base, arena.used / sizeof(float));
}

/* Panels begin .. end - 1 of y, into y. */
static void run(const struct kernels *kernels, const struct layer_under_test *layer, const float *x,
                size_t n_rows, size_t begin, size_t end, const float *residual, float *y)
{
    struct linear_work work;
    new_work(&work, &layer->linear);
    size_t cols = layer->linear.weight.cols, stride = row_stride(layer->linear.weight.rows);
    struct linear_input in = {.x = x, .x_stride = cols, .n_rows = n_rows};
    struct linear_epilogue epilogue = {.residual =
                                           residual != NULL ? residual + begin * PANEL : NULL};
    linear(kernels, &layer->linear, &in, begin, end, &epilogue, y + begin * PANEL, stride, &work);
}

static void check_values(const struct layer_under_test *layer, const float *x,
                         const float *residual, size_t n_rows, const float *y,
                         struct largest *largest)
{
    size_t in = layer->linear.weight.cols, out = layer->linear.weight.rows,
           stride = row_stride(out);
    for (size_t row = 0; row < n_rows; row++) {
        for (size_t c = 0; c < out; c++) {
            double bias = layer->bias != NULL ? (double)layer->bias[c] : 0, sum = 0, magnitude = 0;
            double rest = residual != NULL ? (double)residual[row * stride + c] : 0;
            for (size_t k = 0; k < in; k++) {
                double product = (double)x[row * in + k] * layer->decoded[c * in + k];
                sum += product;
                magnitude += fabs(product);
            }
            double expected = sum + bias + rest, got = (double)y[row * stride + c];
            double bound =
                ((double)in + 3) * FLOAT_ROUNDING * (magnitude + fabs(bias) + fabs(rest));
            note_error(largest, fabs(got - expected) / (bound + 1e-300), got, expected, (double)in);
        }
        for (size_t c = out; c < stride; c++) /* columns that only fill up the panel */
            assert_true(y[row * stride + c] == (residual != NULL ? residual[row * stride + c] : 0));
    }
}

/* All at once and in parts: panels one at a time, rows one at a time, the residual in place. */
static void check_parts(const struct kernels *kernels, const struct layer_under_test *layer,
                        const float *x, const float *residual, size_t n_rows, const float *whole)
{
    size_t in = layer->linear.weight.cols, stride = row_stride(layer->linear.weight.rows);
    size_t n_panels = linear_panels(&layer->linear), n = n_rows * stride;
    float *y = new_floats(n);
    fill_untouched(y, n);
    for (size_t panel = n_panels; panel-- > 0;)
        run(kernels, layer, x, n_rows, panel, panel + 1, residual, y);
    assert_true(same_floats(y, whole, n));
    fill_untouched(y, n);
    run(kernels, layer, x, n_rows, n_panels / 2, n_panels, residual, y);
    for (size_t row = 0; row < n_rows; row++)
        assert_true(untouched(y + row * stride, n_panels / 2 * PANEL));
    run(kernels, layer, x, n_rows, 0, n_panels / 2, residual, y);
    assert_true(same_floats(y, whole, n));
    for (size_t row = 0; row < n_rows; row++)
        run(kernels, layer, x + row * in, 1, 0, n_panels,
            residual != NULL ? residual + row * stride : NULL, y + row * stride);
    assert_true(same_floats(y, whole, n));
    if (residual != NULL) {
        memcpy(y, residual, n * sizeof *y);
        run(kernels, layer, x, n_rows, 0, n_panels, y, y);
        assert_true(same_floats(y, whole, n));
    }
}

struct problem {
    size_t in, out, n_rows;
    float *weights, *bias, *x, *residual;
};

static struct problem new_problem(uint64_t *state, size_t in, size_t out, size_t n_rows)
{
    struct problem p = {in,
                        out,
                        n_rows,
                        random_floats(state, out * in, 1),
                        random_floats(state, out, 1),
                        random_floats(state, n_rows * in, 2),
                        random_floats(state, n_rows * row_stride(out), 1)};
    return p;
}

/* Both layouts of a type hold the same numbers, so the results are the same to the last bit. */
static void check_type(const struct kernels *kernels, const struct problem *p,
                       enum tensor_type type, bool has_bias, bool has_residual,
                       struct largest *largest)
{
    const size_t mark = owned_mark();
    const float *residual = has_residual ? p->residual : NULL;
    size_t n = p->n_rows * row_stride(p->out);
    float *y[2] = {new_floats(n), new_floats(n)};
    for (size_t l = 0; l < 2; l++) {
        struct layer_under_test layer =
            new_layer(type, layouts[l], p->weights, has_bias ? p->bias : NULL, p->out, p->in);
        fill_untouched(y[l], n);
        run(kernels, &layer, p->x, p->n_rows, 0, linear_panels(&layer.linear), residual, y[l]);
        check_values(&layer, p->x, residual, p->n_rows, y[l], largest);
        check_parts(kernels, &layer, p->x, residual, p->n_rows, y[l]);
    }
    assert_true(same_floats(y[0], y[1], n));
    owned_release(mark);
}

/* Of long rows a block has 512 KiB, at least 48: 48 here. */
TEST(types_and_layouts)
{
    static const size_t shapes[][3] = {
        {1, 1, 1},      {1, 16, 3},     {2, 17, 13},    {3, 31, 5},    {4, 33, 12},
        {7, 48, 25},    {26, 65, 7},    {67, 40, 2},    {70, 96, 24},  {130, 50, 11},
        {2800, 17, 47}, {2800, 17, 48}, {2800, 17, 49}, {2800, 17, 97}};
    for (size_t s = 0; tested_kernels(s) != NULL; s++) {
        for (size_t t = 0; t < 4; t++) {
            struct largest largest = {0};
            uint64_t state = 1;
            for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
                struct problem p = new_problem(&state, shapes[i][0], shapes[i][1], shapes[i][2]);
                for (int which = p.in < 2800 ? 0 : 3; which < 4; which++)
                    check_type(tested_kernels(s), &p, types[t], which & 1, which & 2, &largest);
            }
            assert_bound(&largest, 1, "%s type %d, share of the bound", tested_kernels(s)->isa,
                         (int)types[t]);
        }
    }
}

/* ---- Rows in int8, and what is done to the sums ---- */

/* Rows made by linear_quantize(), and the same as floats. */
struct rounded_rows {
    size_t stride;
    int8_t *q;
    struct quantization *quantization;
    float *values; /* (q - zero) · scale, rounded once, without the factors, powers of 2 */
};

static struct rounded_rows round_rows(const struct kernels *kernels, const struct linear *linear,
                                      const float *x, size_t n_rows)
{
    const struct matrix *weight = &linear->weight;
    size_t in = weight->cols;
    struct rounded_rows rows = {.stride =
                                    (in + QUANTIZED_STEP - 1) / QUANTIZED_STEP * QUANTIZED_STEP,
                                .values = new_floats(n_rows * in)};
    rows.q = new_bytes(n_rows * rows.stride);
    rows.quantization = new_bytes(n_rows * sizeof *rows.quantization);
    for (size_t row = 0; row < n_rows; row++) {
        int8_t *q = rows.q + row * rows.stride;
        struct quantization of_row = linear_quantize(kernels, linear, x + row * in, q);
        rows.quantization[row] = of_row;
        for (size_t i = 0; i < in; i++) {
            float factor = weight->factors != NULL ? weight->factors[i] : 1;
            rows.values[row * in + i] =
                factor > 0 ? (float)(q[i] - of_row.zero) * of_row.scale / factor : x[row * in + i];
        }
    }
    return rows;
}

/* int8 panels read int8 rows: all at once, and one panel or one row at a time, over the blocks. */
static void check_int8_rows(const struct kernels *kernels, enum tensor_type type,
                            const struct problem *p, struct largest *largest)
{
    struct layer_under_test layer =
        new_layer(type, LAYOUT_PANELS, p->weights, p->bias, p->out, p->in);
    struct rounded_rows rows = round_rows(kernels, &layer.linear, p->x, p->n_rows);
    size_t stride = row_stride(p->out), n_panels = linear_panels(&layer.linear),
           n = p->n_rows * stride;
    float *whole = new_floats(n), *y = new_floats(n);
    struct linear_input in = {.q = rows.q,
                              .q_stride = rows.stride,
                              .quantization = rows.quantization,
                              .n_rows = p->n_rows};
    struct linear_epilogue epilogue = {.residual = p->residual};
    assert_true(linear_takes_int8(&layer.linear));
    linear(kernels, &layer.linear, &in, 0, n_panels, &epilogue, whole, stride, NULL);
    check_values(&layer, rows.values, p->residual, p->n_rows, whole, largest);
    memcpy(y, p->residual, n * sizeof *y);
    for (size_t panel = n_panels; panel-- > 0;) {
        epilogue.residual = y + panel * PANEL;
        linear(kernels, &layer.linear, &in, panel, panel + 1, &epilogue, y + panel * PANEL, stride,
               NULL);
    }
    assert_true(same_floats(y, whole, n));
    in.n_rows = 1;
    for (size_t row = 0; row < p->n_rows; row++) {
        epilogue.residual = p->residual + row * stride;
        linear(kernels, &layer.linear, &in, 0, n_panels, &epilogue, y + row * stride, stride, NULL);
        in.q += rows.stride;
        in.quantization++;
    }
    assert_true(same_floats(y, whole, n));
    run(kernels, &layer, p->x, p->n_rows, 0, n_panels, p->residual, y); /* f32 rows */
    check_values(&layer, p->x, p->residual, p->n_rows, y, largest);
}

/* 11,000 numbers: 48 rows to a block. */
TEST(int8_rows)
{
    static const size_t shapes[][3] = {
        {1, 1, 1}, {3, 31, 5}, {67, 40, 26}, {130, 50, 11}, {11000, 20, 97}};
    for (size_t s = 0; tested_kernels(s) != NULL; s++) {
        struct largest largest = {0};
        uint64_t state = 3;
        for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
            const size_t mark = owned_mark();
            struct problem p = new_problem(&state, shapes[i][0], shapes[i][1], shapes[i][2]);
            for (int type = TENSOR_INT8; type <= TENSOR_INT8K; type++)
                if (type != TENSOR_INT8K || p.in >= KEPT)
                    check_int8_rows(tested_kernels(s), (enum tensor_type)type, &p, &largest);
            owned_release(mark);
        }
        assert_bound(&largest, 1, "%s int8 rows, share of the bound", tested_kernels(s)->isa);
    }
}

/* Activation and gate of each element are those of its own index, in any range of panels and block
 * of rows. */
static void check_finish(const struct kernels *kernels, const struct problem *p,
                         enum tensor_type type, enum tensor_layout layout)
{
    struct layer_under_test layer = new_layer(type, layout, p->weights, p->bias, p->out, p->in);
    size_t stride = row_stride(p->out), n_panels = linear_panels(&layer.linear),
           n = p->n_rows * stride;
    struct rounded_rows rows = round_rows(kernels, &layer.linear, p->x, p->n_rows);
    struct linear_input in = {.x = p->x, .x_stride = p->in, .n_rows = p->n_rows};
    float *expected = new_floats(n), *y = copy_floats(p->residual, n);
    struct linear_work work;
    new_work(&work, &layer.linear);
    if (linear_takes_int8(&layer.linear)) {
        in.q = rows.q;
        in.q_stride = rows.stride;
        in.quantization = rows.quantization;
    }
    linear(kernels, &layer.linear, &in, 0, n_panels, &(struct linear_epilogue){0}, expected, stride,
           &work);
    kernels->activate(ACTIVATION_SILU, expected, n);
    kernels->multiply(expected, p->residual, n);
    for (size_t panel = 0; panel < n_panels; panel++) { /* the gate in place */
        float *at = y + panel * PANEL;
        struct linear_epilogue epilogue = {
            .activated = true, .activation = ACTIVATION_SILU, .gate = at};
        linear(kernels, &layer.linear, &in, panel, panel + 1, &epilogue, at, stride, &work);
    }
    assert_true(same_floats(y, expected, n));
}

TEST(epilogue)
{
    uint64_t state = 4;
    for (size_t s = 0; tested_kernels(s) != NULL; s++)
        for (size_t t = 0; t < 4; t++)
            for (size_t l = 0; l < 2; l++) {
                const size_t mark = owned_mark();
                struct problem p = new_problem(&state, t == 3 ? 11000 : 2800, 17, 50);
                check_finish(tested_kernels(s), &p, types[t], layouts[l]);
                owned_release(mark);
            }
}

/* Longer rows, whose sums int32 may not hold, are multiplied in f32. */
TEST(longest_int8_row)
{
    struct linear linear = {
        .weight = {.rows = 16, .cols = 1 << 17, .type = TENSOR_INT8, .layout = LAYOUT_PANELS}};
    assert_true(linear_takes_int8(&linear));
    linear.weight.cols++;
    assert_false(linear_takes_int8(&linear));
    linear.weight.cols = 16;
    linear.weight.layout = LAYOUT_ROWS;
    assert_false(linear_takes_int8(&linear));
}

TEST(decoded_columns)
{
    struct linear linear = {
        .weight = {.rows = 40, .cols = 7, .type = TENSOR_F32, .layout = LAYOUT_PANELS}};
    assert_int_equal(linear_panels(&linear), 3);
    assert_int_equal(linear_decoded(&linear), 0);
    for (size_t t = 0; t < 4; t++) {
        for (size_t l = 0; l < 2; l++) {
            linear.weight.type = types[t];
            linear.weight.layout = layouts[l];
            bool in_place = types[t] != TENSOR_INT8 && layouts[l] == LAYOUT_PANELS;
            assert_int_equal(linear_decoded(&linear), in_place ? 0 : 7);
        }
    }
}
