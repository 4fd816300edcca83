/* tags: numbers aarch64 */
/* The computed encodings against their formulas, and against what follows from them: rows that are
 * unique, and rows that come back. Other bases are in engine/test_positions.c.
 *
 * Both are computed in double and rounded once, so they differ by half a step of a float: 2^-25 for
 * numbers up to 1; and by p·2^-52 for the angle's own rounding. */
#include "tests/model/plain.h"

#include "model/layers/embedding.h"

#include <math.h>
#include <string.h>

static void compare_sinusoidal(size_t n, size_t width, size_t stride)
{
    const struct position_encoding encoding = {
        .scheme = POSITION_SINUSOIDAL, .width = width, .scale = 1, .base = 10000};
    const struct plain_model plain = {
        .position = "sinusoidal", .embedding_width = width, .position_base = 10000};
    struct largest largest = {0};
    float *out = new_floats(n * stride);
    fill_untouched(out, n * stride);
    position_rows(&encoding, 0, n, stride, out, NULL);
    for (size_t p = 0; p < n; p += p < 300 || p + 1000 > n ? 1 : 997) {
        for (size_t i = 0; i < width; i++) {
            double expected = plain_position(&plain, p, 0, i), got = (double)out[p * stride + i];
            note_error(&largest, fabs(got - expected), got, expected, (double)p);
        }
        assert_true(untouched(out + p * stride + width, stride - width));
    }
    assert_bound(&largest, 0x1p-25 + (double)n * 0x1p-52, "sinusoidal: %zu x %zu", n, width);
}

/* A million positions in, the angle still has 32 bits after the point. */
TEST(formula)
{
    static const size_t widths[] = {1, 2, 3, 7, 16, 63, 64, 65, 100, 768};
    for (size_t w = 0; w < sizeof widths / sizeof *widths; w++)
        compare_sinusoidal(300, widths[w], widths[w] + w % 3);
    compare_sinusoidal(1000000, 4, 4);
}

/* ---- What follows from the formulas ---- */

static struct position_encoding scheme_of(enum position_scheme scheme, size_t width)
{
    return (struct position_encoding){
        .scheme = scheme, .width = width, .scale = 1, .base = 10000, .period = 64, .n_tokens = 20};
}

static float *rows_of(const struct position_encoding *encoding, size_t n)
{
    float *out = new_floats(n * encoding->width);
    position_rows(encoding, 0, n, encoding->width, out, NULL);
    return out;
}

static bool same_rows(const float *rows, size_t width, size_t a, size_t b)
{
    return memcmp(rows + a * width, rows + b * width, width * sizeof *rows) == 0;
}

/* A frequency f has the wave length 1/f: its columns come back after it to the last bit, and are
 * their negatives after half of it. */
TEST(waves_come_back)
{
    static const float frequencies[] = {1.0f / 16, 1.0f / 64, -0.25f, 0.5f};
    static const size_t lengths[] = {16, 64, 4, 2};
    struct position_encoding encoding = scheme_of(POSITION_FOURIER, 8);
    encoding.frequencies = frequencies;
    encoding.n_frequencies = 4;
    float *rows = rows_of(&encoding, 200);
    for (size_t p = 0; p < 100; p++) {
        for (size_t i = 0; i < 8; i++) {
            size_t length = lengths[i / 2];
            assert_true(rows[(p + length) * 8 + i] == rows[p * 8 + i]);
            assert_true(fabsf(rows[(p + length / 2) * 8 + i] + rows[p * 8 + i]) <= 0x1p-50f);
        }
        assert_true(same_rows(rows, 8, p, p + 64));
        assert_true(!same_rows(rows, 8, p, p + 32));
    }
    assert_true(rows[4 * 8] == 1 && fabsf(rows[4 * 8 + 1]) <= 0x1p-50f); /* a quarter of 16 */
    assert_true(rows[1 * 8 + 4] == -1 && rows[16 * 8 + 2] == 1);         /* -1/4; a quarter of 64 */
}

/* 2^D rows are unique, then they begin again; column i is bit i, the lowest first. */
TEST(binary)
{
    for (size_t width = 1; width <= 6; width++) {
        struct position_encoding encoding = scheme_of(POSITION_BINARY, width);
        size_t n = (size_t)1 << width;
        float *rows = rows_of(&encoding, 2 * n);
        for (size_t a = 0; a < n; a++) {
            double value = 0;
            for (size_t i = 0; i < width; i++)
                value += (double)rows[a * width + i] * (double)((size_t)1 << i);
            assert_true(value == (double)a);
            for (size_t b = 0; b < 2 * n; b++)
                assert_int_equal(same_rows(rows, width, a, b), a == b || a + n == b);
        }
    }
    struct position_encoding wide = scheme_of(POSITION_BINARY, 70);
    float rows[70];
    position_rows(&wide, SIZE_MAX / 2, SIZE_MAX / 2 + 1, 0, rows, NULL); /* that row alone */
    for (size_t i = 0; i < 70; i++)
        assert_true(rows[i] == (i < 8 * sizeof(size_t) - 1 ? 1.0f : 0.0f));
}

/* p / T in every column: 4 of 5 is 16 of 20. */
TEST(index)
{
    struct position_encoding encoding = scheme_of(POSITION_INDEX, 3);
    float *of_20 = rows_of(&encoding, 20);
    encoding.n_tokens = 5;
    float *of_5 = rows_of(&encoding, 5);
    for (size_t i = 0; i < 60; i++) {
        assert_true(of_20[i] == (float)((double)(i / 3) / 20));
        assert_true(of_20[i] == position_index(1, i / 3, 20));
        assert_true(i >= 15 || of_5[i] == of_20[i / 3 * 12]);
    }
    assert_true(position_index(2.5, 1, 4) == 0.625f && position_index(0, 3, 4) == 0);
}

/* W2 is a factor on the double, before the only rounding; and part of the rows are the same as all.
 */
TEST(scale_and_parts)
{
    for (int s = POSITION_NONE; config_value_name("position", s) != NULL; s++) {
        struct position_encoding encoding = scheme_of((enum position_scheme)s, 9);
        float whole[20 * 9], parts[20 * 9], once[20 * 9];
        encoding.scale = 3;
        position_rows(&encoding, 0, 20, 9, whole, NULL);
        position_rows(&encoding, 0, 7, 9, parts, NULL);
        position_rows(&encoding, 7, 20, 9, parts, NULL);
        assert_memory_equal(whole, parts, sizeof whole);
        encoding.scale = 1;
        position_rows(&encoding, 0, 20, 9, once, NULL);
        for (size_t i = 0; i < 180; i++)
            assert_true(fabsf(whole[i] - 3 * once[i]) <= 0x1p-22f);
        encoding.scale = 0;
        position_rows(&encoding, 0, 20, 9, once, NULL);
        for (size_t i = 0; i < 180; i++)
            assert_true(once[i] == 0);
        bool has_numbers = s != POSITION_NONE && s != POSITION_LEARNED;
        assert_int_equal(whole[9] != 0 || whole[10] != 0, has_numbers);
    }
}
