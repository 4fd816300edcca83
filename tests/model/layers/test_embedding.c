/* tags: numbers aarch64 */
/* The embedding step, norm(scale · token[id] + type[type] + PE[position]), against the sum in
 * double, for tables of every element type and every position scheme. */
#include "engine/plain/decode.h"
#include "tests/model/plain.h"

#include "model/layers/embedding.h"

#include <math.h>

enum { TOKENS = 11, TYPES = 3, POSITIONS = 9, OFFSET = 2 };

/* A table and its numbers. */
struct table {
    struct stored stored;
    double *values; /* [rows, width] */
};

static struct table new_table(uint64_t *state, enum tensor_type type, size_t rows, size_t width)
{
    float *values = random_floats(state, rows * width, 1);
    struct table table = {store_matrix(type, LAYOUT_ROWS, values, rows, width),
                          new_doubles(rows * width)};
    struct plain_tensor tensor = {
        .type = (enum plain_type)type, .rows = rows, .cols = width, .values = table.values};
    assert_true(plain_decode(&tensor, table.stored.bytes));
    return table;
}

struct model_case {
    struct encoder encoder;
    struct embedding embedding;
    struct table tokens, types, learned;
    float *computed, *weight, *bias;
};

static struct model_case new_case(const struct kernels *kernels, enum tensor_type type,
                                  size_t width, double scale, bool has_types,
                                  enum position_scheme scheme, double position_scale,
                                  enum norm_kind norm)
{
    uint64_t state = width;
    struct model_case c = {.encoder.kernels = kernels,
                           .tokens = new_table(&state, type, TOKENS, width),
                           .types = new_table(&state, type, TYPES, width),
                           .learned = new_table(&state, type, POSITIONS + OFFSET, width)};
    c.computed = new_floats((POSITIONS - 1) * row_stride(width) + width);
    struct position_encoding encoding = {.scheme = scheme,
                                         .width = width,
                                         .scale = position_scale,
                                         .base = 10000,
                                         .period = POSITIONS,
                                         .n_tokens = POSITIONS};
    position_rows(&encoding, 0, POSITIONS, row_stride(width), c.computed, NULL);
    c.weight = random_floats(&state, width, 2);
    c.bias = random_floats(&state, width, 2);
    c.encoder.config = CONFIG_DEFAULTS;
    c.encoder.config.width = c.encoder.config.embedding_width = width;
    c.encoder.config.embedding_scale = scale;
    c.encoder.config.position_offset = OFFSET;
    c.encoder.config.norm_eps = 1e-5;
    c.encoder.token_table = c.tokens.stored.matrix;
    if (has_types)
        c.encoder.type_table = c.types.stored.matrix;
    c.encoder.position_table = c.learned.stored.matrix;
    c.encoder.embedding_norm = (struct norm){norm, c.weight, norm == NORM_LAYER ? c.bias : NULL};
    c.embedding = (struct embedding){(float)scale, encoding, c.computed};
    return c;
}

static double expected_position(const struct model_case *c, size_t p, size_t x)
{
    size_t width = c->encoder.config.width;
    double scale = c->embedding.positions.scale;
    switch (c->embedding.positions.scheme) {
    case POSITION_NONE: return 0;
    case POSITION_SINUSOIDAL: return scale * plain_position(p, x, width);
    case POSITION_LEARNED: return scale * c->learned.values[(p + OFFSET) * width + x];
    case POSITION_INDEX: return scale * (double)p / POSITIONS;
    default: return (double)c->computed[p * row_stride(width) + x]; /* see test_position.c */
    }
}

/* Without the norm: each of at most five roundings is of a number below W1 + 1 + W2. With it, what
 * that is after the division, and 20 more of a normalised number (at most √D), times weights up
 * to 2. */
static void check_case(struct model_case *c, struct largest *largest)
{
    size_t width = c->encoder.config.width;
    double scale = c->encoder.config.embedding_scale;
    float *out = new_floats(width), *sum = new_floats(width), *scratch = new_floats(width);
    double *expected = new_doubles(width);
    for (size_t i = 0; i < TOKENS; i++) {
        size_t type = i % TYPES, p = i % POSITIONS;
        for (size_t x = 0; x < width; x++) {
            expected[x] = scale * c->tokens.values[i * width + x];
            if (c->encoder.type_table.rows > 0)
                expected[x] += c->types.values[type * width + x];
            expected[x] += expected_position(c, p, x);
        }
        double bound = 5 * FLOAT_ROUNDING * (scale + 1 + c->embedding.positions.scale);
        if (c->encoder.embedding_norm.kind != NORM_NONE) {
            for (size_t x = 0; x < width; x++)
                sum[x] = (float)expected[x];
            double divisor = plain_norm(c->encoder.embedding_norm.kind, sum, c->weight,
                                        c->encoder.embedding_norm.bias, 1e-5, width, expected);
            bound = (bound / divisor + 20 * FLOAT_ROUNDING * sqrt((double)width)) * 2;
        }
        fill_untouched(out, width);
        embed_token(&c->encoder, &c->embedding, (int32_t)i, (int32_t)type,
                    (struct text_position){p, POSITIONS}, out, scratch);
        for (size_t x = 0; x < width; x++)
            note_error(largest, fabs((double)out[x] - expected[x]) / bound, (double)out[x],
                       expected[x], (double)width);
    }
}

TEST(sums)
{
    static const size_t widths[] = {1, 2, 7, 16, 31, 70, 100};
    static const double scales[] = {1, 10, 0}, position_scales[] = {1, 0.3, 4};
    static const enum position_scheme schemes[] = {CONSTANTS_OF(POSITION_SCHEMES)};
    enum { SCHEMES = sizeof schemes / sizeof *schemes };
    for (size_t s = 0; float_kernels(s) != NULL; s++) {
        for (int norm = NORM_NONE; config_value_name("norm", norm) != NULL; norm++) {
            struct largest largest = {0};
            for (size_t i = 0; i < 7 * 4 * SCHEMES * 2 * 3; i++) {
                const size_t mark = owned_mark();
                struct model_case c =
                    new_case(float_kernels(s), (enum tensor_type)(TENSOR_F32 + i / 7 % 4),
                             widths[i % 7], scales[i / (56 * SCHEMES)], i / (28 * SCHEMES) % 2 == 1,
                             (enum position_scheme)(i / 28 % SCHEMES), position_scales[i % 3],
                             (enum norm_kind)norm);
                check_case(&c, &largest);
                owned_release(mark);
            }
            assert_bound(&largest, 1, "%s embedding, norm %d, share of the bound",
                         float_kernels(s)->isa, norm);
        }
    }
}

/* Nothing but the token's row: its very bits. */
TEST(row_alone)
{
    for (size_t width = 1; width <= 70; width++) {
        struct model_case c =
            new_case(float_kernels(0), TENSOR_F32, width, 1, false, POSITION_NONE, 1, NORM_NONE);
        float *out = new_floats(width);
        for (size_t id = 0; id < TOKENS; id++) {
            embed_token(&c.encoder, &c.embedding, (int32_t)id, 0,
                        (struct text_position){SIZE_MAX, 1}, out, NULL);
            assert_true(same_floats(out, (const float *)c.tokens.stored.bytes + id * width, width));
        }
    }
}
