/* tags: numbers aarch64 */
/* Rows rounded symmetrically, with a zero point, and with factors, by every instruction set: the
 * bits that weights/FORMAT.md says. */
#include "tests/model/plain.h"

#include <math.h>
#include <string.h>

enum { MOST = 200, PADDED = (MOST + 15) / 16 * 16 };

/* A row, and what is expected of it. */
struct row {
    float x[MOST], factors[PADDED];
    int8_t q[MOST + QUANTIZED_STEP];
    struct quantization quantization;
};

/* volatile: rounded after each step */
static void expect(struct row *row, size_t n, enum rounding rounding, bool has_factors)
{
    volatile float y[MOST], low = 0, high = 0;
    const bool is_symmetric = rounding == ROUND_SYMMETRIC;
    const float levels = is_symmetric || rounding == ROUND_7_BITS ? 127 : 255;
    const int least = is_symmetric ? -127 : rounding == ROUND_8_BITS ? -128 : 0;
    const int most = rounding == ROUND_UNSIGNED ? 255 : 127;
    memset(row->q, 0, sizeof row->q);
    for (size_t i = 0; i < n; i++) {
        y[i] = has_factors ? row->x[i] * row->factors[i] : row->x[i];
        low = fminf(low, y[i]);
        high = fmaxf(high, y[i]);
    }
    volatile float range = is_symmetric ? fmaxf(fabsf(low), high) : high - low;
    volatile float inverse = levels / range, of_low = -low * inverse;
    row->quantization = (struct quantization){.scale = range / levels};
    if (!(range >= 1e-35f))
        return;
    row->quantization.zero = is_symmetric ? 0 : (int32_t)nearbyintf(of_low) + least;
    for (size_t i = 0; i < n; i++) {
        volatile float scaled = y[i] * inverse;
        double q = nearbyint((double)scaled + row->quantization.zero);
        const int whole = (int)fmin(q, most);
        row->q[i] = (int8_t)whole;
        row->quantization.sum += whole;
        assert_true(whole >= least);
    }
}

/* Symmetric rows have no factors; they alone have numbers whose range float32 cannot hold. */
static void check(const struct kernels *kernels, struct row *row, size_t n, size_t n_choices)
{
    static const enum rounding roundings[] = {ROUND_8_BITS, ROUND_7_BITS, ROUND_UNSIGNED};
    for (size_t choice = 0; choice < n_choices; choice++) {
        enum rounding rounding = choice == 0 ? ROUND_SYMMETRIC : roundings[choice % 3];
        bool has_factors = choice > 3;
        size_t n_q = (n + QUANTIZED_STEP - 1) / QUANTIZED_STEP * QUANTIZED_STEP;
        float *x = copy_floats(row->x, n); /* of the lengths that may be touched */
        float *factors = copy_floats(row->factors, (n + 15) / 16 * 16);
        int8_t *q = new_bytes(n_q);
        memset(q, 0x55, n_q);
        expect(row, n, rounding, has_factors);
        struct quantization got =
            kernels->quantize(x, n, rounding, has_factors ? factors : NULL, q);
        if (!same_floats(&got.scale, &row->quantization.scale, 1) ||
            got.zero != row->quantization.zero || got.sum != row->quantization.sum ||
            memcmp(q, row->q, n_q) != 0)
            fail_msg("%s, rounding %d%s, %zu numbers: scale %.9g, expected %.9g", kernels->isa,
                     (int)rounding, has_factors ? " with factors" : "", n, (double)got.scale,
                     (double)row->quantization.scale);
    }
}

/* Rows of all lengths: of both signs, above 0, below 0, small beside a large one, of zeros, and of
 * numbers so small that 127/max is no float: they count as zeros. */
TEST(zero_points)
{
    static const float offsets[] = {0, 3, -3, 0, 0, 0, 0, 0, 0, 0, 0, 0},
                       sizes[] = {1,      1,      1,      0.01f, 0,     1e-45f,
                                  1e-38f, 1e-35f, 1e-20f, 3.5f,  1e20f, 1.7e38f};
    enum { SMALL = 3, LARGEST = 11, CHOICES = 7 };
    uint64_t state = 1;
    for (size_t s = 0; tested_kernels(s) != NULL; s++)
        for (size_t n = 1; n <= MOST; n++)
            for (size_t kind = 0; kind <= LARGEST; kind++) {
                struct row row = {.x = {0}};
                for (size_t i = 0; i < n; i++) {
                    row.x[i] = offsets[kind] + sizes[kind] * (float)random_within(&state, 2);
                    row.factors[i] = (float)exp2(random_within(&state, 3));
                }
                if (kind == SMALL)
                    row.x[n / 2] = 50;
                check(tested_kernels(s), &row, n, kind == LARGEST ? 1 : CHOICES);
            }
}

/* Halves go to the even number, and what would come above 127 is 127, or 255: at a scale of 1 the
 * numbers from -63.5 to 63.5, and from -127.5 to 127.5, in steps of a half. */
TEST(halves)
{
    for (size_t s = 0; tested_kernels(s) != NULL; s++)
        for (int half = 0; half < 2; half++)
            for (int most = 127; most <= 255; most += 128) {
                struct row row = {.x = {0}};
                for (size_t i = 0; i < PADDED; i++)
                    row.factors[i] = 1;
                row.x[0] = -(float)most / 2;
                row.x[1] = (float)most / 2;
                for (size_t i = 2; i < MOST; i++)
                    row.x[i] = ((float)i - MOST / 2 + (float)half / 2) * (float)most / 256;
                check(tested_kernels(s), &row, MOST, 7);
            }
}

/* A NaN or an infinity makes the scale NaN, and the row zeros. */
TEST(poison)
{
    static const float poisons[] = {NAN, INFINITY, -INFINITY};
    for (size_t s = 0; tested_kernels(s) != NULL; s++)
        for (size_t p = 0; p < 3; p++)
            for (size_t at = 0; at < 70; at++) {
                float x[70];
                int8_t q[2 * QUANTIZED_STEP];
                for (size_t i = 0; i < 70; i++)
                    x[i] = i == at ? poisons[p] : (float)i;
                struct quantization got = tested_kernels(s)->quantize(x, 70, ROUND_7_BITS, NULL, q);
                assert_true(isnan(got.scale) && got.zero == 0 && got.sum == 0);
            }
}
