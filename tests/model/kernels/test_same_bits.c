/* tags: numbers aarch64 */
/* Every kernel of every instruction set with fused multiply-adds gives the same bits, at every
 * length of a row. That these are those of fmaf in a loop is tested in test_product.c.
 *
 * Guarantee: each kernel gives the same bits on each of these sets, at every length of a row. */
#include "tests/model/plain.h"

#include "model/layers/attention.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST = 200, ROWS = 7, PANELS = 3, COLUMNS = PANELS * PANEL };

/* Results of one kernel for rows of n elements: [MOST] floats, zeros where it writes nothing. */
enum { MOST = LONGEST * 64 };
typedef void computation(const struct kernels *kernels, size_t n, float *out);

static void norms(const struct kernels *kernels, size_t n, float *out)
{
    uint64_t state = n;
    float *x = random_floats(&state, n, 3), *weight = random_floats(&state, n, 2);
    float *bias = random_floats(&state, n, 2);
    kernels->norm_row(&(struct norm){NORM_LAYER, weight, bias}, 1e-12f, n, x, out);
    kernels->norm_row(&(struct norm){NORM_LAYER, weight, NULL}, 1e-5f, n, x, out + n);
    kernels->norm_row(&(struct norm){NORM_RMS, weight, NULL}, 1e-6f, n, x, out + 2 * n);
}

static void activations(const struct kernels *kernels, size_t n, float *out)
{
    static const enum activation all[] = {CONSTANTS_OF(ACTIVATIONS)};
    for (size_t a = 0; a < sizeof all / sizeof *all; a++) {
        uint64_t state = n;
        float *x = random_floats(&state, n, n % 2 == 0 ? 4 : 20);
        kernels->activate(all[a], x, n);
        memcpy(out + a * n, x, n * sizeof *x);
    }
}

/* The product of rows of n elements with panels of a type, with all that may follow it. */
static void products(const struct kernels *kernels, size_t n, float *out)
{
    static const enum tensor_type types[] = {TENSOR_F32, TENSOR_F16, TENSOR_BF16};
    uint64_t state = n;
    float *x = random_floats(&state, ROWS * n, 2), *w = random_floats(&state, COLUMNS * n, 2);
    float *more = random_floats(&state, (1 + 2 * ROWS) * COLUMNS, 2);
    for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
        struct stored stored = store_matrix(types[t], LAYOUT_PANELS, w, COLUMNS, n);
        kernels->product(&(struct product){.x = x,
                                           .x_stride = n,
                                           .type = types[t],
                                           .panels = stored.matrix.data,
                                           .panel_stride = n * PANEL,
                                           .k = n,
                                           .bias = more,
                                           .residual = more + COLUMNS,
                                           .activated = t > 0,
                                           .activation = ACTIVATION_GELU,
                                           .gate = t > 1 ? more + (1 + ROWS) * COLUMNS : NULL,
                                           .out = out + t * ROWS * COLUMNS,
                                           .out_stride = COLUMNS,
                                           .n_rows = ROWS,
                                           .n_panels = PANELS});
    }
}

static void rounded_rows(const struct kernels *kernels, size_t n, float *out)
{
    for (size_t rounding = 0; rounding < 3; rounding++) {
        uint64_t state = n;
        size_t padded = (n + PANEL - 1) / PANEL * PANEL;
        float *x = random_floats(&state, n, 5), *factors = random_floats(&state, padded, 2);
        int8_t q[LONGEST + QUANTIZED_STEP] = {0};
        struct quantization quantization =
            kernels->quantize(x, n, (enum rounding)rounding, rounding > 0 ? factors : NULL, q);
        for (size_t i = 0; i < n; i++)
            *out++ = (float)q[i];
        *out++ = quantization.scale;
        *out++ = (float)quantization.sum;
        *out++ = (float)quantization.zero;
    }
}

static void table_rows(const struct kernels *kernels, size_t n, float *out)
{
    static const enum tensor_type types[] = {TENSOR_F32, TENSOR_F16, TENSOR_BF16, TENSOR_INT8};
    uint64_t state = n;
    float *rows = random_floats(&state, ROWS * n, 2), *before = random_floats(&state, n, 2);
    for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
        struct stored stored = store_matrix(types[t], LAYOUT_ROWS, rows, ROWS, n);
        memcpy(out + t * n, before, n * sizeof *before);
        kernels->add_row(&stored.matrix, n % ROWS, out + t * n);
    }
}

/* A head of odd width, and n tokens: packing, scores, softmax and mixing, the few and the many. */
static void attention(const struct kernels *kernels, size_t n, float *out)
{
    enum { WIDTH = 13, STRIDE = 3 * 16 };
    uint64_t state = n;
    float *rows = random_floats(&state, n * STRIDE, 3);
    struct attention_work work;
    struct arena arena = {0};
    do
        attention_work_carve(&work, n, WIDTH, true, false, &arena);
    while (arena_allocate(&arena));
    const struct band bands[] = {mask_band(MASK_FULL, 0), mask_band(MASK_CAUSAL, 0),
                                 mask_band(MASK_FULL, 20)};
    const struct distance_bias alibi = {.slope = 0.1};
    owned(arena.base, free);
    for (size_t kind = 0; kind < 3; kind++)
        attention_head(kernels,
                       &(struct attention_head){.q = rows,
                                                .k = rows + 16,
                                                .v = rows + 32,
                                                .stride = STRIDE,
                                                .n_tokens = n,
                                                .head_width = WIDTH,
                                                .scale = 0.3f,
                                                .band = bands[kind],
                                                .bias = kind == 2 ? &alibi : NULL,
                                                .out = out + kind * 16,
                                                .out_stride = STRIDE},
                       &work);
}

static void check_same(computation *compute, const char *what)
{
    float *first = new_floats(MOST), *other = new_floats(MOST);
    for (size_t n = 1; n <= LONGEST; n += support_emulated() ? 3 : 1) {
        const size_t mark = owned_mark();
        memset(first, 0, MOST * sizeof *first);
        if (support_isa(1) != NULL) /* 0 is the portable set */
            compute(tested_kernels(1), n, first);
        for (size_t s = 2; tested_kernels(s) != NULL; s++) {
            memset(other, 0, MOST * sizeof *other);
            compute(tested_kernels(s), n, other);
            for (size_t i = 0; i < MOST; i++)
                if (!same_floats(first + i, other + i, 1))
                    fail_msg("%s of %zu, number %zu: %.9g with %s, %.9g with %s", what, n, i,
                             (double)first[i], tested_kernels(1)->isa, (double)other[i],
                             tested_kernels(s)->isa);
        }
        owned_release(mark);
    }
}

TEST(same_bits)
{
    if (support_isas() < 3)
        print_message("skipped: fewer than two sets with fused multiply-adds on this machine\n");
    check_same(norms, "norms");
    check_same(activations, "activations");
    check_same(products, "products");
    check_same(rounded_rows, "rounded rows");
    check_same(table_rows, "rows of tables");
    check_same(attention, "attention");
}
