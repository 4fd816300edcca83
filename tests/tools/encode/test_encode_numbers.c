/* The numbers that encode gives: the same in every format, and what options make of them. */
#include "tests/tools/encode/head_models.h"
#include "tests/tools/encode/npy_values.h"
#include "tests/weight_surgery.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- The same numbers in every format ---- */

TEST(json_numbers_are_the_same_bits)
{
    struct values values;
    encode_npy(&values, "'I ride bike' dog");
    const char *next = shell_expect(0, "$ENCODE -f json 'I ride bike' dog")->out;
    for (size_t text = 0, i = 0; text < 2; text++) {
        size_t n = (text == 0 ? 5 : 3) * TOY_WIDTH;
        next = strstr(next, "\"vectors\": [[");
        assert_non_null(next);
        next += strlen("\"vectors\": [[");
        for (size_t k = 0; k < n; k++, i++) {
            char *end;
            float value = strtof(next, &end);
            assert_ptr_not_equal(end, next);
            assert_memory_equal(&value, &values.data[i], sizeof value);
            next = end + strspn(end, "], [");
        }
    }
}

TEST(csv_numbers_are_the_same_bits)
{
    struct values values;
    encode_npy(&values, "-p max 'I ride bike' dog");
    char *next = shell_expect(0, "$ENCODE -p max -f csv 'I ride bike' dog")->out;
    assert_contains(next, "index,text,pair,v0,v1,v2,v3,v4,v5,v6,v7\r\n0,I ride bike,,");
    next = strchr(next, '\n');
    for (size_t i = 0; i < 2; i++) {
        for (size_t column = 0; column < 3; column++)
            next = strchr(next + 1, ',');
        for (size_t k = 0; k < TOY_WIDTH; k++) {
            float value = strtof(next + 1, &next);
            assert_memory_equal(&value, &row(&values, i)[k], sizeof value);
        }
        assert_memory_equal(next, "\r\n", 2);
    }
}

TEST(npy_is_the_same_through_every_kind_of_output)
{
    shell_expect(
        0,
        "$ENCODE -f npy 'I ride' dog >direct.npy && $ENCODE -f npy 'I ride' dog | cat >piped.npy "
        "&& : >appended.npy && $ENCODE -f npy 'I ride' dog >>appended.npy && $ENCODE -f npy -o "
        "named.npy 'I ride' dog && (printf x; $ENCODE -f npy 'I ride' dog) >behind.npy");
    shell_expect(0, "cmp direct.npy piped.npy && cmp direct.npy appended.npy && cmp direct.npy "
                    "named.npy && tail -c +2 behind.npy | cmp direct.npy -");
    struct values values;
    read_npy(shell_expect(0, "cat direct.npy"), &values);
    assert_int_equal(values.n_rows, 7);
    assert_int_equal(values.width, TOY_WIDTH);
    encode_npy(&values, "-p mean </dev/null");
    assert_int_equal(values.n_rows, 0);
}

TEST(numpy_reads_the_npy)
{
    if (shell("python3 -c 'import numpy'")->code != 0) {
        print_message("skipped: numpy is not here\n");
        skip();
    }
    shell_expect(0, "$ENCODE -f npy I >np.npy && python3 -c 'import numpy\n"
                    "a = numpy.load(\"np.npy\")\n"
                    "assert a.shape == (3, 8) and a.dtype == numpy.float32'");
}

/* ---- What is computed ---- */

TEST(poolings_agree_with_the_tokens)
{
    struct values tokens, mean, cls, largest;
    encode_npy(&tokens, "'I ride bike'");
    encode_npy(&mean, "-p mean 'I ride bike'");
    encode_npy(&cls, "-p cls 'I ride bike'");
    encode_npy(&largest, "-p max 'I ride bike'");
    assert_int_equal(mean.n_rows, 1);
    for (size_t i = 0; i < TOY_WIDTH; i++) {
        double sum = 0, most = -INFINITY;
        for (size_t t = 0; t < tokens.n_rows; t++) {
            sum += (double)row(&tokens, t)[i];
            most = fmax(most, (double)row(&tokens, t)[i]);
        }
        assert_true(fabs((double)mean.data[i] - sum / (double)tokens.n_rows) <= 1e-6);
        assert_true((double)largest.data[i] == most);
        assert_true(cls.data[i] == tokens.data[i]);
    }
}

static double length(const float *values, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += (double)values[i] * (double)values[i];
    return sqrt(sum);
}

TEST(normalize)
{
    struct values values, models;
    encode_npy(&values, "-p mean --normalize 'I ride'");
    assert_true(fabs(length(values.data, TOY_WIDTH) - 1) <= 1e-6);
    encode_npy(&models, "-p model 'I ride'"); /* mean, to length 1 */
    assert_memory_equal(models.data, values.data, TOY_WIDTH * sizeof(float));
    encode_npy(&values, "-p mean 'I ride'");
    assert_true(length(values.data, TOY_WIDTH) > 1.01);
}

TEST(model_without_pooling_gives_tokens)
{
    struct values values;
    encode_npy(&values, "-m plain.weights -p model 'I ride bike'");
    assert_int_equal(values.n_rows, 3);
    assert_contains(shell_expect(2, "$ENCODE -m plain.weights -p model --normalize I")->err,
                    "no pooling of its own");
}

TEST(positions)
{
    struct values a, b;
    encode_npy(&a, "--no-special 'I ride bike'");
    encode_npy(&b, "--no-special 'bike ride I'");
    assert_true(difference(row(&a, 0), row(&b, 2), TOY_WIDTH) > 1e-2);
    encode_npy(&b, "--no-special --position sinusoidal 'I ride bike'");
    assert_memory_equal(a.data, b.data, 3 * TOY_WIDTH * sizeof(float));
    encode_npy(&a, "--no-special --position none 'I ride bike'");
    encode_npy(&b, "--no-special --position none 'bike ride I'");
    for (size_t t = 0; t < 3; t++)
        assert_true(difference(row(&a, t), row(&b, 2 - t), TOY_WIDTH) <= 1e-5);
}

TEST(masks)
{
    struct values a, b;
    encode_npy(&a, "--no-special --mask causal 'I ride bike'");
    encode_npy(&b, "--no-special --mask causal 'I ride dog'");
    assert_memory_equal(a.data, b.data, 2 * TOY_WIDTH * sizeof(float));
    encode_npy(&a, "--no-special --mask full 'I ride bike'");
    encode_npy(&b, "--no-special --mask full 'I ride dog'");
    assert_true(difference(a.data, b.data, TOY_WIDTH) > 1e-3);
}

SET_UP()
{
    shell_setup();
}

/* A head whose weights hold NaN gives no scores, whatever is asked for. */
TEST(scores_that_are_no_numbers)
{
    static const char *const tasks[] = {
        "mask.head --fill 'dog [MASK]'",      "mask.head --raw-scores --fill 'dog [MASK]'",
        "token.head --entities 'paul smith'", "token.head --labels 'paul smith'",
        "sequence.head --labels good",        "pair.head --rank dog cat"};
    head_models_write();
    for (size_t i = 0; i < sizeof tasks / sizeof tasks[0]; i++) {
        int len = (int)strcspn(tasks[i], " ");
        shell_expect(0, "cp %.*s none.head", len, tasks[i]);
        put_number("none.head", "head.output.weight", 3, INFINITY);
        const struct shell_result *result =
            shell_expect(1, "$ENCODE -f json -m none.head %s", tasks[i] + len);
        assert_string_equal(result->out, "");
        assert_contains(result->err,
                        "text 1 gives NaN or an infinity: tensor 'head.output.weight'");
    }
}
