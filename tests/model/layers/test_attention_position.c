/* tags: numbers aarch64 */
/* Rotary positions against their formula in double; ALiBi's slopes and the rows of biases. */
#include "tests/model/plain.h"

#include "model/layers/attention_position.h"

#include <math.h>

enum { HEADS = 3 };

/* Heads of `width` columns, some of them turned; in place, as the engine does it. Numbers within
 * ±1: two products and their sum, and a cosine and a sine that are rounded. */
static void check_turned(const struct rotary *rotary, size_t width, uint32_t position,
                         struct largest *largest)
{
    uint64_t state = position + width;
    float *x = random_floats(&state, HEADS * width, 1);
    float *row = copy_floats(x, HEADS * width), *angles = new_floats(rotary->width);
    rotary_rows(rotary, &position, &(uint32_t){9000}, 1, angles);
    rotary_turn(rotary, angles, HEADS, width, row);
    const struct plain_model plain = {.rotary_width = rotary->width,
                                      .head_width = width,
                                      .rotary_base = rotary->base,
                                      .rotary_factor = 1,
                                      .rotary_pairs = rotary->interleaved ? "interleaved" : "half"};
    for (size_t head = 0; head < HEADS; head++) {
        const float *of_head = x + head * width, *got = row + head * width;
        double *expected = widened(of_head, width);
        plain_turn(&plain, expected, width, position, position + 1);
        for (size_t i = 0; i < rotary->width; i++)
            note_error(largest, fabs((double)got[i] - expected[i]), (double)got[i], expected[i],
                       (double)position);
        assert_true(
            same_floats(got + rotary->width, of_head + rotary->width, width - rotary->width));
    }
}

TEST(turned)
{
    static const size_t widths[][2] = {{2, 2}, {2, 7}, {16, 16}, {26, 26}, {32, 64}, {64, 64}};
    static const double bases[] = {10000, 160000, 10, 1e6};
    struct largest largest = {0};
    for (size_t w = 0; w < sizeof widths / sizeof *widths; w++)
        for (size_t b = 0; b < sizeof bases / sizeof *bases; b++)
            for (uint32_t position = 0; position < 9000; position += 1 + position / 3)
                for (int interleaved = 0; interleaved < 2; interleaved++)
                    check_turned(&(struct rotary){.width = widths[w][0],
                                                  .factor = 1,
                                                  .interleaved = interleaved,
                                                  .base = bases[b]},
                                 widths[w][1], position, &largest);
    assert_bound(&largest, 3e-7, "turned");
}

/* The base of a text grows from the first token on that the model was not trained with: by the
 * formula of nomic-embed, for its width, once worked out by hand: 2·1001/1000 - 1 = 1.002. */
TEST(dynamic_scaling)
{
    struct rotary rotary = {.width = 64, .base = 1000, .factor = 2, .trained = 1000},
                  plain = rotary;
    uint32_t positions[] = {999, 1000, 1000, 17}, lengths[] = {1000, 1001, 1001, 1000};
    float scaled[4 * 64], expected[2 * 64];
    plain.trained = 0;
    plain.factor = 1;
    rotary_rows(&rotary, positions, lengths, 4, scaled);
    rotary_rows(&plain, positions, lengths, 1, expected);
    assert_true(same_floats(scaled, expected, 64));
    plain.base = 1000 * pow(1.002, 64.0 / 62);
    rotary_rows(&plain, positions + 1, lengths, 1, expected);
    for (size_t i = 0; i < 64; i++)
        assert_true(fabsf(scaled[64 + i] - expected[i]) <= 1e-7f);
    assert_true(same_floats(scaled + 64, scaled + 2 * 64, 64));
    assert_true(fabsf(scaled[64 + 1] - scaled[1]) > 1e-3f);
    plain.base = 1000;
    rotary_rows(&plain, positions + 3, lengths, 1, expected);
    assert_true(same_floats(scaled + 3 * 64, expected, 64));
}

/* Slopes as the paper's code lists them. */
TEST(slopes)
{
    static const struct {
        size_t n;
        double exponents[12]; /* -log2 of each slope */
    } known[] = {
        {1, {8}},
        {2, {4, 8}},
        {3, {4, 8, 2}},
        {6, {2, 4, 6, 8, 1, 3}},
        {8, {1, 2, 3, 4, 5, 6, 7, 8}},
        {12, {1, 2, 3, 4, 5, 6, 7, 8, 0.5, 1.5, 2.5, 3.5}},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        for (size_t head = 0; head < known[i].n; head++)
            assert_true(fabs(log2(alibi_slope(head, known[i].n)) + known[i].exponents[head]) <
                        1e-14);
}

TEST(rows_of_biases)
{
    static const float table[] = {10, 11, 12, 13, 14};
    for (size_t n = 1; n <= 9; n++) {
        float row[2 * 9], from_table[2 * 9];
        fill_untouched(row, 18);
        fill_untouched(from_table, 18);
        distance_bias_row(&(struct distance_bias){.slope = 0.25}, n, row);
        distance_bias_row(&(struct distance_bias){.table = table, .reach = 2}, n, from_table);
        for (size_t query = 0; query < n; query++)
            for (size_t key = 0; key < n; key++) {
                size_t at = n - 1 + query - key;
                ptrdiff_t distance = (ptrdiff_t)key - (ptrdiff_t)query;
                ptrdiff_t clamped = distance < -2 ? -2 : distance > 2 ? 2 : distance;
                assert_true(row[at] == -0.25f * (float)(distance < 0 ? -distance : distance));
                assert_true(from_table[at] == table[2 + clamped]);
            }
        assert_true(untouched(row + 2 * n - 1, 18 - (2 * n - 1)));
        assert_true(untouched(from_table + 2 * n - 1, 18 - (2 * n - 1)));
    }
}
