/* Positional encodings: the numbers that engine_position_matrix gives, beside the formula in double
 * and the table in the file, and what it answers where there is nothing to give. */
#include "tests/reference/encoder.h"
#include "tests/support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static char folder[SUPPORT_PATH], path[SUPPORT_PATH];

static engine_model *make(const char *options)
{
    support_make_model(path, NULL, "--seed 4 --layers 1 --feed-forward 8 %s", options);
    return support_open(path);
}

/* Options that ask for a scheme; valid until the next call. */
static const engine_session_options *with(engine_position position)
{
    static engine_session_options options;
    options = (engine_session_options){.position = position};
    return &options;
}

static float *positions(const engine_model *model, engine_position scheme, size_t n, size_t width)
{
    float *out = malloc((n * width + 1) * sizeof *out);
    size_t needed = 0;
    engine_error error;
    assert_non_null(out);
    if (engine_position_matrix(model, with(scheme), 0, n, out, n * width, &needed, &error))
        fail_msg("%zu positions: %s", n, error.message);
    assert_int_equal(needed, n * width);
    return out;
}

/* |row a - row b|, or |row a| for b = a. */
static double distance(const float *matrix, size_t a, size_t b, size_t width)
{
    double square = 0;
    for (size_t i = 0; i < width; i++) {
        double other = a == b ? 0 : (double)matrix[b * width + i];
        double difference = (double)matrix[a * width + i] - other;
        square += difference * difference;
    }
    return sqrt(square);
}

/* Each row of width 100 has length √50, whatever the position, and rows 2 apart have one distance.
 */
static void test_width_100(void **unused)
{
    (void)unused;
    engine_model *model = make("--width 100 --heads 4 --max-tokens 128 --position sinusoidal");
    float *matrix = positions(model, ENGINE_POSITION_MODEL, 128, 100);
    double length = distance(matrix, 34, 34, 100), between = distance(matrix, 70, 72, 100);
    print_message("|PE[34]| = %.7f, |PE[70]-PE[72]| = %.7f\n", length, between);
    assert_true(fabs(length - 7.071068) <= 1e-6);
    assert_true(fabs(between - 3.266878) <= 1e-6);
    free(matrix);
    engine_model_close(model);
}

static void compare_scheme(const engine_model *model, const struct reference_weights *weights,
                           engine_position scheme, const char *name, size_t n, size_t width)
{
    /* Half a step of f32, for learned int8 rows the error of one product; other types are exact. */
    static const double tolerance = 1.0 / (1 << 24);
    char error[256];
    struct worst worst = {0};
    double *expected = malloc((n * width + 1) * sizeof *expected);
    float *matrix = positions(model, scheme, n, width);
    assert_non_null(expected);
    if (!reference_positions(weights, name, n, expected, error))
        fail_msg("%s", error);
    support_compare(&worst, tolerance, matrix, expected, n * width, "%zu x %zu", n, width);
    support_assert_within(&worst, tolerance, name ? name : "as the model says");
    free(matrix);
    free(expected);
}

static void compare_file(const char *options, size_t width, size_t n, bool has_table)
{
    struct reference_weights weights;
    engine_model *model = make(options);
    if (!reference_weights_read(&weights, path))
        fail_msg("%s", weights.error);
    compare_scheme(model, &weights, ENGINE_POSITION_MODEL, NULL, n, width);
    compare_scheme(model, &weights, ENGINE_POSITION_NONE, "none", n, width);
    compare_scheme(model, &weights, ENGINE_POSITION_SINUSOIDAL, "sinusoidal", n, width);
    if (has_table)
        compare_scheme(model, &weights, ENGINE_POSITION_LEARNED, "learned", n, width);
    engine_model_close(model);
    reference_weights_free(&weights);
}

static void test_schemes(void **unused)
{
    (void)unused;
    compare_file("--width 64 --heads 2 --max-tokens 512 --position sinusoidal", 64, 512, false);
    compare_file("--width 7 --heads 1 --max-tokens 300 --position sinusoidal", 7, 300, false);
    compare_file("--width 1 --heads 1 --max-tokens 50 --position sinusoidal", 1, 50, false);
    compare_file("--width 21 --heads 3 --max-tokens 40 --position none", 21, 40, false);
    compare_file("--width 36 --heads 3 --max-tokens 40 --position learned", 36, 40, true);
    compare_file("--width 36 --heads 3 --max-tokens 40 --position learned --position-offset 2", 36,
                 40, true);
    compare_file("--width 20 --heads 1 --max-tokens 9 --position learned --position-offset 5 "
                 "--type f16",
                 20, 9, true);
    compare_file("--width 20 --heads 1 --max-tokens 9 --position learned --type int8", 20, 9, true);
}

/* The learned table ends; before max_tokens it may not, and the offset takes rows away. */
static void test_past_the_table(void **unused)
{
    struct reference_weights weights;
    engine_error error = {0};
    size_t width = 12, needed = 0;
    (void)unused;
    engine_model *model =
        make("--width 12 --heads 3 --max-tokens 30 --position learned --position-offset 4");
    assert_true(reference_weights_read(&weights, path));
    const struct reference_tensor *table = reference_tensor(&weights, "embedding.position.weight");
    assert_non_null(table);
    size_t n = table->rows - 4;
    assert_true(n >= 30);
    free(positions(model, ENGINE_POSITION_LEARNED, n, width));
    float *out = calloc((n + 1) * width, sizeof *out);
    assert_non_null(out);
    assert_int_equal(engine_position_matrix(model, with(ENGINE_POSITION_LEARNED), 0, n + 1, out,
                                            (n + 1) * width, &needed, &error),
                     ENGINE_ERROR_LENGTH);
    assert_int_equal(error.status, ENGINE_ERROR_LENGTH);
    assert_true(error.message[0] != '\0');
    assert_int_equal(engine_position_matrix(model, NULL, 0, SIZE_MAX, out, 0, &needed, NULL),
                     ENGINE_ERROR_LENGTH);
    free(out);
    engine_model_close(model);
    reference_weights_free(&weights);
}

static void test_buffers(void **unused)
{
    float out[40], guard = 77.0f;
    size_t needed = 0;
    engine_error error = {0};
    (void)unused;
    engine_model *model = make("--width 10 --heads 2 --max-tokens 30 --position sinusoidal");
    assert_int_equal(engine_position_matrix(model, NULL, 0, 4, NULL, 0, &needed, &error),
                     ENGINE_ERROR_BUFFER);
    assert_int_equal(needed, 40);
    needed = 0;
    out[39] = guard;
    assert_int_equal(engine_position_matrix(model, NULL, 0, 4, out, 39, &needed, NULL),
                     ENGINE_ERROR_BUFFER);
    assert_int_equal(needed, 40);
    assert_true(out[39] == guard);
    assert_int_equal(engine_position_matrix(model, NULL, 0, 0, NULL, 0, &needed, NULL), ENGINE_OK);
    assert_int_equal(needed, 0);
    assert_int_equal(engine_position_matrix(model, with(ENGINE_POSITION_LEARNED), 0, 4, out, 40,
                                            &needed, &error),
                     ENGINE_ERROR_UNSUPPORTED);
    assert_int_equal(error.status, ENGINE_ERROR_UNSUPPORTED);
    assert_int_equal(
        engine_position_matrix(model, with((engine_position)9), 0, 4, out, 40, &needed, NULL),
        ENGINE_ERROR_ARGUMENT);
    assert_int_equal(engine_position_matrix(NULL, NULL, 0, 4, out, 40, &needed, NULL),
                     ENGINE_ERROR_ARGUMENT);
    engine_session *session;
    engine_session_options options = {.struct_bytes = sizeof options,
                                      .position = ENGINE_POSITION_LEARNED};
    assert_int_equal(engine_session_new(model, &options, &session, &error),
                     ENGINE_ERROR_UNSUPPORTED);
    engine_model_close(model);
}

static int set_up(void **unused)
{
    (void)unused;
    support_temp_dir(folder);
    support_path(path, folder, "model.weights");
    return 0;
}

static int tear_down(void **unused)
{
    (void)unused;
    support_remove_dir(folder);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_width_100),
        cmocka_unit_test(test_schemes),
        cmocka_unit_test(test_past_the_table),
        cmocka_unit_test(test_buffers),
    };
    return cmocka_run_group_tests_name("positions", tests, set_up, tear_down);
}
