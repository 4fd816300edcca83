/* tags: numbers aarch64 */
/* The computed encodings against their formulas, and against what follows from them: lengths,
 * distances, rows that are unique, and rows that come back.
 *
 * Both are computed in double and rounded once, so they differ by half a step of a float: 2^-25 for
 * numbers up to 1; and by p·2^-52 for the angle's own rounding. */
#include "tests/model/plain.h"

#include "model/layers/embedding.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void sinusoidal(size_t n, size_t width, size_t stride, float *out)
{
    struct position_encoding encoding = {
        .scheme = POSITION_SINUSOIDAL, .width = width, .scale = 1, .base = 10000};
    position_rows(&encoding, 0, n, stride, out, NULL);
}

TEST(formula)
{
    static const size_t widths[] = {1, 2, 3, 7, 16, 63, 64, 65, 100, 768};
    enum { POSITIONS = 300 };
    struct largest largest = {0};
    for (size_t w = 0; w < sizeof widths / sizeof *widths; w++) {
        size_t width = widths[w], stride = width + w % 3, n = (POSITIONS - 1) * stride + width;
        float *out = new_floats(n);
        fill_untouched(out, n);
        sinusoidal(POSITIONS, width, stride, out);
        for (size_t p = 0; p < POSITIONS; p++) {
            for (size_t i = 0; i < width; i++) {
                double expected = plain_position(p, i, width), got = (double)out[p * stride + i];
                note_error(&largest, fabs(got - expected), got, expected, (double)p);
            }
            if (p + 1 < POSITIONS)
                assert_true(untouched(out + p * stride + width, stride - width));
        }
    }
    assert_bound(&largest, 0x1p-25 + POSITIONS * 0x1p-52, "sinusoidal");
}

/* A million positions in, the angle still has 32 bits after the point. */
TEST(far_positions)
{
    enum { POSITIONS = 1000000, WIDTH = 4 };
    struct largest largest = {0};
    float *out = new_floats((size_t)POSITIONS * WIDTH);
    sinusoidal(POSITIONS, WIDTH, WIDTH, out);
    for (size_t p = 0; p < POSITIONS; p += p < POSITIONS - 1000 ? 997 : 1)
        for (size_t i = 0; i < WIDTH; i++) {
            double expected = plain_position(p, i, WIDTH), got = (double)out[p * WIDTH + i];
            note_error(&largest, fabs(got - expected), got, expected, (double)p);
        }
    assert_bound(&largest, 0x1p-25 + POSITIONS * 0x1p-52, "sinusoidal, far");
}

/* A row's length is √(D/2) at every position; two rows' distance depends only on the distance of
 * their positions. */
TEST(known_lengths)
{
    enum { WIDTH = 100, POSITIONS = 128 };
    static float out[POSITIONS][WIDTH];
    sinusoidal(POSITIONS, WIDTH, WIDTH, out[0]);
    for (size_t p = 0; p < POSITIONS; p++) {
        double length = 0, distance = 0;
        for (size_t i = 0; i < WIDTH; i++) {
            double next = p + 2 < POSITIONS ? (double)out[p + 2][i] : 0;
            length += (double)out[p][i] * (double)out[p][i];
            distance += ((double)out[p][i] - next) * ((double)out[p][i] - next);
        }
        assert_true(fabs(sqrt(length) - 7.071068) <= 1e-6);
        assert_true(p + 2 >= POSITIONS || fabs(sqrt(distance) - 3.266878) <= 1e-6);
    }
}

TEST(first_rows)
{
    float out[2][5];
    sinusoidal(2, 5, 5, out[0]);
    for (size_t i = 0; i < 5; i++)
        assert_true(out[0][i] == (float)(i % 2)); /* sin 0, cos 0 */
    assert_true(out[1][0] == (float)sin(1) && out[1][1] == (float)cos(1));
    assert_true(fabs((double)out[1][4] - sin(pow(10000, -4.0 / 5))) <=
                1e-10); /* an odd D ends with a sine */
    sinusoidal(0, 5, 5, NULL);
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

/* |PE(p)| = √(D/2) at every even D, and |PE(p) - PE(p+k)| = √Σ 2(1 - cos(k·f)) at every p, for
 * every base. */
TEST(lengths_of_any_base)
{
    static const double bases[] = {2, 100, 10000, 1e6, 0.5};
    static const size_t widths[] = {2, 4, 64, 100, 512};
    enum { N = 40 };
    for (size_t c = 0; c < 25; c++) {
        struct position_encoding encoding = scheme_of(POSITION_SINUSOIDAL, widths[c % 5]);
        encoding.base = bases[c / 5];
        size_t width = encoding.width;
        float *rows = rows_of(&encoding, N);
        for (size_t k = 0; k < 4; k++) {
            double expected = (double)width / 2;
            for (size_t i = 0; k > 0 && i < width; i += 2)
                expected +=
                    (i == 0 ? -expected : 0) +
                    2 * (1 - cos((double)k * pow(encoding.base, -(double)i / (double)width)));
            for (size_t p = 0; p + k < N; p++) {
                double square = 0;
                for (size_t i = 0; i < width; i++) {
                    double a = (double)rows[p * width + i];
                    double b = k > 0 ? (double)rows[(p + k) * width + i] : 0;
                    square += (a - b) * (a - b);
                }
                if (!(fabs(sqrt(square) - sqrt(expected)) <= 0x1p-23 * sqrt((double)width)))
                    fail_msg("base %g, D %zu, p %zu, k %zu: %.9g, expected %.9g", encoding.base,
                             width, p, k, sqrt(square), sqrt(expected));
            }
        }
    }
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

/* Without frequencies: those of a text of `period` tokens. Columns without one are 0. */
TEST(harmonics)
{
    struct position_encoding encoding = scheme_of(POSITION_FOURIER, 7);
    float *rows = rows_of(&encoding, 130);
    for (size_t p = 0; p < 65; p++)
        for (size_t i = 0; i < 7; i++) {
            double angle = 2 * acos(-1.0) * (double)(i / 2 + 1) / 64 * (double)p;
            double expected = i % 2 == 0 ? sin(angle) : cos(angle);
            assert_true(fabs((double)rows[p * 7 + i] - expected) <= 0x1p-25 + 1e-13);
            assert_true(rows[(p + 64) * 7 + i] == rows[p * 7 + i]);
        }
    static const float stored[] = {0.125f, 0.3f};
    encoding.frequencies = stored;
    encoding.n_frequencies = 2;
    rows = rows_of(&encoding, 9);
    for (size_t p = 0; p < 9; p++) {
        assert_true(fabs((double)rows[p * 7 + 2] -
                         sin(2 * acos(-1.0) * (double)0.3f * (double)p)) <= 0x1p-25 + 1e-13);
        assert_true(rows[p * 7 + 4] == 0 && rows[p * 7 + 5] == 0 && rows[p * 7 + 6] == 0);
    }
    assert_true(rows[0 * 7] == rows[8 * 7] && rows[1] == 1);
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
    for (size_t p = 0; p < 20; p++)
        for (size_t i = 0; i < 3; i++) {
            assert_true(of_20[p * 3 + i] == (float)((double)p / 20));
            assert_true(of_20[p * 3 + i] == position_index(1, p, 20));
            assert_true(p >= 5 || of_5[p * 3 + i] == of_20[4 * p * 3 + i]);
        }
    assert_true(of_5[12] == 0.8f && of_20[48] == 0.8f);
    assert_true(position_index(2.5, 1, 4) == 0.625f && position_index(0, 3, 4) == 0);
}

/* exp(-p / base^(i/D)): column 0 falls by 1/e at each token, column D·j/k of base b^k by 1/e in b^j
 * tokens. */
TEST(exponential)
{
    struct position_encoding encoding = scheme_of(POSITION_EXPONENTIAL, 4);
    encoding.base = 10000; /* time constants 1, 10, 100, 1000 */
    float *rows = rows_of(&encoding, 2001);
    double constant = 1;
    for (size_t i = 0; i < 4; i++, constant *= 10)
        for (size_t p = 0; p <= 2000; p++)
            assert_true(fabs((double)rows[p * 4 + i] - exp(-(double)p / constant)) <=
                        0x1p-25 + 1e-12);
    assert_true(rows[0] == 1 && rows[3] == 1 && rows[10 * 4 + 1] == (float)exp(-1));
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
