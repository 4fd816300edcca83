/* The numbers of encode-plot's pictures, as --data and -f data write them.
 *
 * Guarantee: rows of attention maps sum to 1 within 1e-6. */
#include "tests/tools/plot/plot_cases.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

TEST(position_numbers)
{
    struct table *table = read_table(shell_expect(0, "$PLOT position --width 100 -f data")->out, 0);
    assert_int_equal(table->n_rows, 100);
    assert_int_equal(table->n_columns, 100);
    for (size_t p = 0; p < 100; p++) {
        double squares = 0;
        for (size_t i = 0; i < 100; i++) {
            double angle = (double)p / pow(10000, (double)(i / 2 * 2) / 100);
            assert_close(table_value(table, p, i), i % 2 ? cos(angle) : sin(angle), 1e-6);
            squares += table_value(table, p, i) * table_value(table, p, i);
        }
        assert_close(sqrt(squares), 7.0710678, 1e-5);
    }
    table =
        read_table(shell_expect(0, "$PLOT position --width 100 --kind distance -f data")->out, 0);
    assert_close(table_value(table, 70, 72), 3.2668781, 1e-5);
    assert_close(table_value(table, 5, 5), 0, 0);
    table = read_table(
        shell_expect(0, "$PLOT position --width 100 --kind correlation -f data")->out, 0);
    assert_close(table_value(table, 34, 34), 50, 1e-4);
    assert_close(table_value(table, 3, 9), table_value(table, 9, 3), 0);
    table = read_table(shell_expect(0, "$PLOT position --width 100 --kind cosine -f data")->out, 0);
    assert_close(table_value(table, 34, 34), 1, 1e-6);
    table = read_table(
        shell_expect(0, "$PLOT position --width 512 --kind waves --dims 0:512:64 -f data")->out, 0);
    assert_int_equal(table->n_rows, 8);
    assert_close(table_value(table, name_index(table->names, 8, "dim 64"), 10),
                 sin(10 / pow(10000, 0.125)), 1e-6);
    table = read_table(
        shell_expect(0, "$PLOT position --width 6 -n 40 --position binary --transpose -f data")
            ->out,
        0);
    assert_int_equal(table->n_rows, 6);
    assert_close(table_value(table, 5, 35), 1, 0);
    assert_close(table_value(table, 2, 35), 0, 0);
}

static void check_attention(const struct table *table, size_t n, size_t n_visible, bool is_causal)
{
    assert_int_equal(table->n_rows, n);
    assert_int_equal(table->n_columns, n);
    for (size_t row = 0; row < n; row++) {
        double sum = 0;
        for (size_t i = 0; i < n; i++) {
            bool is_hidden = i >= n_visible || row >= n_visible || (is_causal && i > row);
            if (is_hidden && table_value(table, row, i) != 0)
                fail_msg("%zu looks at %zu: %g", row, i, table_value(table, row, i));
            sum += table_value(table, row, i);
        }
        assert_close(sum, row < n_visible ? 1 : 0, row < n_visible ? 1e-6 : 0);
    }
}

TEST(attention_numbers)
{
    static const char *const asks[] = {"--head 1", "--head 2 --layer 2", "--head mean", "--rollout",
                                       "--rollout --layer 1"};
    for (size_t i = 0; i < sizeof asks / sizeof asks[0]; i++) {
        const char *out = shell_expect(0, "$PLOT attention 'I ride bike' %s -f data", asks[i])->out;
        check_attention(read_table(out, 0), 5, 5, false);
        out = shell_expect(0, "$PLOT attention 'I ride bike' --pad-to 9 %s -f data", asks[i])->out;
        check_attention(read_table(out, 0), 9, 5, false);
        out =
            shell_expect(0, "$PLOT attention 'I ride bike' --mask causal %s -f data", asks[i])->out;
        check_attention(read_table(out, 0), 5, 5, true);
    }
    const char *out = shell_expect(0, "$PLOT attention 'I ride bike' -f data")->out;
    for (size_t head = 0; head < 2; head++)
        check_attention(read_table(out, head), 5, 5, false);
    assert_string_equal(read_table(out, 0)->names[0], "[CLS]");
    out =
        shell_expect(0, "$PLOT attention 'I ride bike' --pad-to 9 --pad-side left --head 1 -f data")
            ->out;
    struct table *table = read_table(out, 0);
    assert_string_equal(table->names[3], "[padding]");
    assert_string_equal(table->names[4], "[CLS]");
    assert_close(table_value(table, 3, 4), 0, 0);
}

/* R = (0.5 A2 + 0.5 I)(0.5 A1 + 0.5 I) from the maps of the heads. */
TEST(rollout)
{
    enum { N = 5 };
    double layers[2][N][N] = {{{0}}}, rolled;
    for (size_t l = 0; l < 2; l++)
        for (size_t h = 0; h < 2; h++) {
            struct table *table = read_table(
                shell_expect(0, "$PLOT attention 'I ride bike' --layer %zu --head %zu -f data",
                             l + 1, h + 1)
                    ->out,
                0);
            for (size_t i = 0; i < N * N; i++)
                layers[l][i / N][i % N] += 0.25 * table_value(table, i / N, i % N);
        }
    for (size_t i = 0; i < N; i++)
        layers[0][i][i] += 0.5, layers[1][i][i] += 0.5;
    struct table *table =
        read_table(shell_expect(0, "$PLOT attention 'I ride bike' --rollout -f data")->out, 0);
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < N; j++) {
            rolled = 0;
            for (size_t k = 0; k < N; k++)
                rolled += layers[1][i][k] * layers[0][k][j];
            assert_close(table_value(table, i, j), rolled, 1e-12);
        }
}

/* A window of one token: zeros beyond it, and rows that sum to 1. The title names what attention
 * knows of positions. */
TEST(attention_of_other_kinds)
{
    shell_expect(0, "$NEW -o kind.weights --layers 1 --width 16 --heads 4 --position none --set "
                    "attention_position=rotary --set window=1 --set key_value_heads=2");
    const char *out =
        shell_expect(0, "$PLOT attention -m kind.weights 'I ride bike dog' -f data")->out;
    assert_contains(out, "with rotary positions");
    for (size_t head = 0; head < 4; head++) {
        struct table *table = read_table(out, head);
        assert_int_equal(table->n_rows, 4);
        for (size_t i = 0; i < 4; i++) {
            double sum = 0;
            for (size_t j = 0; j < 4; j++) {
                sum += table_value(table, i, j);
                assert_int_equal(table_value(table, i, j) > 0, i <= j + 1 && j <= i + 1);
            }
            assert_close(sum, 1, 1e-6);
        }
    }
    assert_contains(shell_expect(0, "$PLOT order -m kind.weights 'I ride bike' -f data")->out,
                    "with rotary positions");
}

/* Without positions another order gives the same points; with positions it does not. */
TEST(words_numbers)
{
    double moved = 0;
    const char *out =
        shell_expect(0, "$PLOT words 'I ride bike dog' 'dog bike I ride' -f data")->out;
    for (size_t row = 0; row < 2; row++) {
        struct table *table = read_table(out, row ? 4 : 0);
        char *names[4];
        double places[4][2];
        assert_int_equal(table->n_rows, 4);
        for (size_t i = 0; i < 4; i++) {
            names[i] = strdup(table->names[i]);
            places[i][0] = table_value(table, i, 0);
            places[i][1] = table_value(table, i, 1);
        }
        table = read_table(out, row ? 5 : 1);
        for (size_t i = 0; i < 4; i++) {
            size_t other = name_index(table->names, 4, names[i]);
            double d = hypot(places[i][0] - table_value(table, other, 0),
                             places[i][1] - table_value(table, other, 1));
            if (row == 0)
                assert_close(d, 0, 1e-9);
            else
                moved = fmax(moved, d);
            free(names[i]);
        }
    }
    assert_true(moved > 0.1);
    /* Tables 2 and 3: distances in all dimensions, the same words as far apart in both orders. */
    struct table *table = read_table(out, 2);
    double distance = table_value(table, name_index(table->names, 4, "ride"),
                                  name_index(table->columns, 4, "dog"));
    table = read_table(out, 3);
    assert_close(table_value(table, name_index(table->names, 4, "ride"),
                             name_index(table->columns, 4, "dog")),
                 distance, 1e-9);
    /* W2 = 0 is "without"; larger weights take words farther. */
    double at[3];
    static const char *const scales[] = {"0", "1", "10"};
    for (size_t i = 0; i < 3; i++) {
        out = shell_expect(0,
                           "$PLOT words 'I ride' --position sinusoidal --position-scale %s -f data",
                           scales[i])
                  ->out;
        at[i] = table_value(read_table(out, 1), 0, 1);
    }
    out = shell_expect(0, "$PLOT words 'I ride' --position none -f data")->out;
    assert_close(table_value(read_table(out, 1), 0, 1), at[0], 1e-9);
    assert_true(at[2] > at[1]);
}

TEST(order_numbers)
{
    struct table *table =
        read_table(shell_expect(0, "$PLOT order 'I ride bike dog' -f data -p mean")->out, 0);
    assert_int_equal(table->n_rows, 23);
    assert_int_equal(table->n_columns, 2);
    for (size_t i = 0; i < 23; i++) {
        assert_true(table_value(table, i, 0) > 1e-3);
        assert_close(table_value(table, i, 1), 0, 1e-5);
        assert_true(i == 0 || table_value(table, i, 0) >= table_value(table, i - 1, 0));
        for (size_t j = 0; j < i; j++)
            assert_string_not_equal(table->names[i], table->names[j]);
    }
}

SET_UP()
{
    plot_setup();
}
