/* encode-plot steps: what is inside the layers fits together, and the layers' outputs are those
 * that encode gives. The parameters themselves are multiplied in tests/tools/lesson/. */
#include "tests/tools/plot/plot_cases.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { T = 3, D = 8, K = 4, MAPS = 2 };

struct numbers {
    double rows[T][3 * D];
};

/* The table whose title ends so, of what the last command wrote. */
static struct numbers step(const char *out, const char *title)
{
    char line[128];
    size_t index = 0;
    struct numbers numbers = {{{0}}};
    snprintf(line, sizeof line, ": %s\n", title);
    const char *at = strstr(out, line);
    assert_non_null(at);
    for (const char *c = strstr(out, "# table "); c != NULL && c < at; c = strstr(c, "# table "))
        c++, index++;
    const struct table *table = read_table(out, index - 1);
    assert_int_equal(table->n_rows, T);
    assert_in_range(table->n_columns, 1, 3 * D);
    for (size_t i = 0; i < T * table->n_columns; i++)
        numbers.rows[i / table->n_columns][i % table->n_columns] =
            table_value(table, i / table->n_columns, i % table->n_columns);
    return numbers;
}

/* softmax(q·kᵀ/√K)·v of each head of layer 1 */
static void check_attention(const char *out, bool is_causal)
{
    struct numbers qkv = step(out, "layer 1: queries, keys, values");
    struct numbers heads = step(out, "layer 1: heads");
    for (size_t h = 0; h < MAPS; h++) {
        struct numbers map =
            step(out, h ? "layer 1: attention, head 2" : "layer 1: attention, head 1");
        for (size_t i = 0; i < T; i++) {
            double weights[T] = {0}, sum = 0;
            for (size_t j = 0; j < (is_causal ? i + 1 : T); j++) {
                double score = 0;
                for (size_t c = h * K; c < (h + 1) * K; c++)
                    score += qkv.rows[i][c] * qkv.rows[j][D + c];
                sum += weights[j] = exp(score / sqrt(K));
            }
            for (size_t j = 0; j < T; j++)
                assert_close(map.rows[i][j], weights[j] / sum, 1e-5);
            for (size_t c = h * K; c < (h + 1) * K; c++) {
                double mixed = 0;
                for (size_t j = 0; j < T; j++)
                    mixed += map.rows[i][j] * qkv.rows[j][2 * D + c];
                assert_close(heads.rows[i][c], mixed, 1e-5);
            }
        }
    }
}

static void assert_same(const struct numbers *a, const struct numbers *b)
{
    for (size_t i = 0; i < T * D; i++)
        assert_close(a->rows[i / D][i % D], b->rows[i / D][i % D], 0);
}

static void make(const char *options)
{
    shell_expect(0,
                 "$NEW -o steps.weights --words 'I ride bike' --width 8 --heads 2 --layers 2 "
                 "--feed-forward 5 --max-tokens 9 %s",
                 options);
}

TEST(post_norm)
{
    make("--activation relu");
    const char *out = shell_expect(0, "$PLOT steps -m steps.weights -f data 'I ride bike'")->out;
    check_attention(out, false);
    struct numbers normed = step(out, "layer 2: norm of feed-forward");
    struct numbers last = step(out, "layer 2: output"),
                   middle = step(out, "layer 1: middle of feed-forward");
    assert_same(&normed, &last);
    for (size_t i = 0; i < T * 5; i++)
        assert_true(middle.rows[i / 5][i % 5] >= 0);
    const struct shell_result *run =
        shell_expect(0, "$ENCODE -m steps.weights -f csv 'I ride bike' | sed -n 2p | cut -d, -f 9");
    double first = 0;
    assert_int_equal(sscanf(run->out, "%lf", &first), 1);
    assert_close(first, last.rows[0][0], 1e-7);
}

/* The residual runs past pre-norms: a layer's output is its last sum. */
TEST(pre_norm)
{
    make("--norm-place pre --gate second --mask causal");
    const char *out = shell_expect(0, "$PLOT steps -m steps.weights -f data 'I ride bike'")->out;
    check_attention(out, true);
    struct numbers sum = step(out, "layer 1: feed-forward + residual");
    struct numbers last = step(out, "layer 1: output");
    assert_same(&sum, &last);
}

SET_UP()
{
    plot_setup();
}
