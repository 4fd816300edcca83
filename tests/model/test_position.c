/* The sinusoidal encoding against its formula, PE(p, 2i) = sin(p / 10000^(2i/D)), PE(p, 2i+1) =
 * cos(same).
 *
 * Both are computed in double and rounded once, so they differ by half a step of a float: 2^-25 for
 * numbers up to 1; and by p·2^-52 for the angle's own rounding. */
#include "tests/model/plain.h"

#include "model/position.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void sinusoidal(size_t n, size_t width, size_t stride, float *out)
{
    struct position_encoding encoding = {
        .scheme = POSITION_SINUSOIDAL, .width = width, .scale = 1, .base = 10000};
    position_rows(&encoding, 0, n, stride, out);
}

static void test_formula(void **unused)
{
    (void)unused;
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
        free(out);
    }
    assert_bound(&largest, 0x1p-25 + POSITIONS * 0x1p-52, "sinusoidal");
}

/* A million positions in, the angle still has 32 bits behind the point. */
static void test_far_positions(void **unused)
{
    (void)unused;
    enum { POSITIONS = 1000000, WIDTH = 4 };
    struct largest largest = {0};
    float *out = new_floats((size_t)POSITIONS * WIDTH);
    sinusoidal(POSITIONS, WIDTH, WIDTH, out);
    for (size_t p = 0; p < POSITIONS; p += p < POSITIONS - 1000 ? 997 : 1)
        for (size_t i = 0; i < WIDTH; i++) {
            double expected = plain_position(p, i, WIDTH), got = (double)out[p * WIDTH + i];
            note_error(&largest, fabs(got - expected), got, expected, (double)p);
        }
    free(out);
    assert_bound(&largest, 0x1p-25 + POSITIONS * 0x1p-52, "sinusoidal, far");
}

/* A row's length is √(D/2) whatever its position, and two rows' distance depends on theirs alone.
 */
static void test_known_lengths(void **unused)
{
    (void)unused;
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

static void test_first_rows(void **unused)
{
    (void)unused;
    float out[2][5];
    sinusoidal(2, 5, 5, out[0]);
    for (size_t i = 0; i < 5; i++)
        assert_true(out[0][i] == (float)(i % 2)); /* sin 0, cos 0 */
    assert_true(out[1][0] == (float)sin(1) && out[1][1] == (float)cos(1));
    assert_true(fabs((double)out[1][4] - sin(pow(10000, -4.0 / 5))) <=
                1e-10); /* an odd D ends with a sine */
    sinusoidal(0, 5, 5, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_formula),
        cmocka_unit_test(test_far_positions),
        cmocka_unit_test(test_known_lengths),
        cmocka_unit_test(test_first_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
