/* tags: numbers */
/* engine_position_matrix: each scheme with the options of a session or of a file is compared with
 * the second implementation, tables with the file, and wrong options are refused. The formulas are
 * tested in model/layers/test_position.c. */
#include "engine/plain/encoder.h"
#include "tests/owned.h"
#include "tests/support.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static char path[SUPPORT_PATH];

static engine_model *make(const char *options)
{
    support_make_model(path, NULL, "--seed 4 --layers 1 --feed-forward 8 %s", options);
    return support_open(path);
}

/* Compares the engine's matrix with the reference's, for the same options. */
static void compare_options(const engine_model *model, const struct plain_weights *weights,
                            const engine_session_options *options, size_t n, size_t width)
{
    const char *name = options->position != 0 ? engine_position_name(options->position) : NULL;
    double frequencies[2];
    for (size_t i = 0; i < options->n_frequencies; i++)
        frequencies[i] = (double)options->frequencies[i];
    struct plain_options same = {.position = name,
                                 .position_base = options->position_base,
                                 .frequencies = options->frequencies ? frequencies : NULL,
                                 .n_frequencies = options->n_frequencies,
                                 .position_scale = options->position_scale};
    /* Half a step of f32 (of numbers up to 1, else relative; learned int8 rows have a product), and
     * the angle's rounding; other types are exact. */
    static const double tolerance = 1.0 / (1 << 23);
    char error[256];
    engine_error refused;
    struct worst worst = {0};
    double *expected = new_doubles(n * width);
    float *matrix = new_floats(n * width);
    size_t needed;
    if (engine_position_matrix(model, options, 0, n, matrix, n * width, &needed, &refused))
        fail_msg("%zu positions: %s", n, refused.message);
    assert_int_equal(needed, n * width);
    if (!plain_positions(weights, &same, n, expected, error))
        fail_msg("%s", error);
    support_compare(&worst, tolerance, matrix, expected, n * width, "%zu x %zu", n, width);
    support_assert_within(&worst, tolerance, name ? name : "as the model says");
}

static void compare_file(const char *options)
{
    static const double scale = 2.5;
    static const float frequencies[] = {0.3f, 0.01f};
    struct plain_weights weights;
    engine_model *model = make(options);
    engine_info info = ENGINE_INFO();
    assert_ok(engine_model_info(model, &info, NULL));
    if (!plain_weights_read(&weights, path))
        fail_msg("%s", weights.error);
    for (int scheme = 0; engine_position_name((engine_position)scheme) != NULL; scheme++) {
        engine_session_options asked = ENGINE_SESSION_OPTIONS(.position = (engine_position)scheme);
        if (scheme == ENGINE_POSITION_LEARNED && info.position != ENGINE_POSITION_LEARNED)
            continue; /* there is no table */
        compare_options(model, &weights, &asked, info.max_tokens, info.width);
        if ((scheme == ENGINE_POSITION_MODEL ? (int)info.position : scheme) != ENGINE_POSITION_NONE)
            asked.position_scale = &scale;
        if (engine_position_has_base((engine_position)scheme))
            asked.position_base = 30;
        if (scheme == ENGINE_POSITION_FOURIER) {
            asked.frequencies = frequencies;
            asked.n_frequencies = info.width > 2 ? 2 : 1;
        }
        compare_options(model, &weights, &asked, info.max_tokens, info.width);
    }
    plain_weights_free(&weights);
}

TEST(schemes)
{
    static const char *const made[] = {
        "--width 64 --heads 2 --max-tokens 512 --position sinusoidal",
        "--width 7 --heads 1 --max-tokens 300 --position sinusoidal",
        "--width 1 --heads 1 --max-tokens 50 --position sinusoidal",
        "--width 21 --heads 3 --max-tokens 40 --position none",
        "--width 36 --heads 3 --max-tokens 40 --position learned",
        "--width 36 --heads 3 --max-tokens 40 --position learned --position-offset 2",
        "--width 20 --heads 1 --max-tokens 9 --position learned --position-offset 5 --type f16",
        "--width 20 --heads 1 --max-tokens 9 --position learned --type int8",
        "--width 20 --heads 1 --max-tokens 50 --position index --position-scale 0.5",
        "--width 70 --heads 1 --max-tokens 300 --position binary",
        "--width 9 --heads 1 --max-tokens 60 --position fourier",
        ("--width 9 --heads 1 --max-tokens 60 --position fourier --position-scale 3 "
         "--frequencies 0.1,0.25,1e-3,-7,0.5"),
        "--width 16 --heads 1 --max-tokens 60 --position exponential",
        "--width 5 --heads 1 --max-tokens 60 --position exponential --position-base 0.5",
        "--width 8 --heads 1 --max-tokens 60 --position sinusoidal --position-base 7"};
    for (size_t i = 0; i < sizeof made / sizeof *made; i++)
        compare_file(made[i]);
}

/* The same numbers without a model, which they do not depend on. */
TEST(without_model)
{
    enum { WIDTH = 6, N = 12 };
    static const float frequencies[] = {0.25f};
    static const double scale = 2;
    float out[N * WIDTH], same[N * WIDTH];
    double exact[N * WIDTH];
    engine_error error;
    size_t needed;
    engine_model *model = make("--width 6 --heads 1 --max-tokens 40 --position none");
    for (int scheme = ENGINE_POSITION_NONE; engine_position_name((engine_position)scheme) != NULL;
         scheme++) {
        engine_session_options options =
            ENGINE_SESSION_OPTIONS(.position = (engine_position)scheme, .max_tokens = 40,
                                   .position_scale = scheme > ENGINE_POSITION_NONE ? &scale : NULL);
        if (scheme == ENGINE_POSITION_LEARNED) {
            assert_fails(UNSUPPORTED, engine_position_matrix(NULL, &options, WIDTH, N, out,
                                                             N * WIDTH, NULL, &error));
            assert_fails(UNSUPPORTED, engine_position_matrix_exact(NULL, &options, WIDTH, N, exact,
                                                                   N * WIDTH, NULL, &error));
            continue;
        }
        assert_ok(engine_position_matrix(NULL, &options, WIDTH, N, out, N * WIDTH, &needed, NULL));
        assert_int_equal(needed, N * WIDTH);
        assert_ok(engine_position_matrix(model, &options, WIDTH, N, same, N * WIDTH, NULL, NULL));
        assert_memory_equal(out, same, sizeof out);
        assert_ok(engine_position_matrix_exact(NULL, &options, WIDTH, N, exact, N * WIDTH, &needed,
                                               NULL));
        assert_int_equal(needed, N * WIDTH);
        for (size_t i = 0; i < N * WIDTH; i++)
            assert_true((float)exact[i] == out[i]);
        assert_fails(ARGUMENT, engine_position_matrix(model, &options, WIDTH + 1, N, same,
                                                      N * WIDTH, NULL, &error));
    }
    engine_session_options fourier =
        ENGINE_SESSION_OPTIONS(.position = ENGINE_POSITION_FOURIER, .frequencies = frequencies,
                               .n_frequencies = 1);
    assert_ok(engine_position_matrix(NULL, &fourier, WIDTH, 4, out, 4 * WIDTH, NULL, NULL));
    static const float turn[4][2] = {{0, 1}, {1, 0}, {0, -1}, {-1, 0}};
    for (size_t p = 0; p < 4; p++)
        for (size_t i = 0; i < WIDTH; i++)
            assert_true(fabsf(out[p * WIDTH + i] - (i < 2 ? turn[p][i] : 0)) <= 1e-15f);
}

static void refused(const engine_model *model, const engine_session_options *options,
                    const char *words)
{
    float out[40];
    engine_error of_matrix, of_session;
    engine_session *session;
    assert_fails(ARGUMENT, engine_position_matrix(model, options, 0, 4, out, 40, NULL, &of_matrix));
    assert_fails(ARGUMENT, engine_session_new(model, options, &session, &of_session));
    assert_int_equal(engine_session_bytes(model, options), 0);
    if (strstr(of_matrix.message, words) == NULL || strstr(of_session.message, words) == NULL)
        fail_msg("'%s' or '%s' lacks '%s'", of_matrix.message, of_session.message, words);
}

/* Numbers that make no sense, and options that the scheme in force does not use. */
TEST(refused_options)
{
    static const double bases[] = {-1, -0.5, 1e-101, 1e101, (double)INFINITY, (double)NAN};
    static const double scales[] = {-1, 1e39, (double)INFINITY, (double)NAN}, scale = 0;
    static const float many[6] = {0}, bad[][2] = {{0, NAN}, {1.1e38f, 0}, {0, -INFINITY}};
    const engine_position fourier = ENGINE_POSITION_FOURIER;
    const engine_model *model = make("--width 10 --heads 1 --max-tokens 30 --position learned");
    const struct {
        engine_session_options options;
        const char *words;
    } cases[] = {
        {ENGINE_SESSION_OPTIONS(.position = fourier, .n_frequencies = 1), "frequencies is NULL"},
        {ENGINE_SESSION_OPTIONS(.position = fourier, .n_frequencies = 6, .frequencies = many),
         "at most 5"},
        {ENGINE_SESSION_OPTIONS(.position = fourier, .n_frequencies = SIZE_MAX,
                                .frequencies = many),
         "at most 5"},
        {ENGINE_SESSION_OPTIONS(.position = ENGINE_POSITION_NONE, .position_scale = &scale),
         "no positions are added"},
        {{.struct_bytes = 8}, "struct_bytes"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        refused(model, &cases[i].options, cases[i].words);
    for (size_t i = 0; i < 6; i++)
        refused(model,
                &ENGINE_SESSION_OPTIONS(.position = ENGINE_POSITION_SINUSOIDAL,
                                        .position_base = bases[i]),
                "expected a number from 1e-100 to 1e+100");
    for (size_t i = 0; i < 4; i++) {
        refused(model, &ENGINE_SESSION_OPTIONS(.position_scale = &scales[i]), "position_scale is");
        refused(model, &ENGINE_SESSION_OPTIONS(.embedding_scale = &scales[i]),
                "embedding_scale is");
    }
    for (int scheme = 0; engine_position_name((engine_position)scheme) != NULL; scheme++) {
        const engine_position position = (engine_position)scheme;
        if (!engine_position_has_base(position))
            refused(model, &ENGINE_SESSION_OPTIONS(.position = position, .position_base = 100),
                    "only positions sinusoidal or exponential");
        if (position != fourier)
            refused(model,
                    &ENGINE_SESSION_OPTIONS(.position = position, .frequencies = many,
                                            .n_frequencies = 1),
                    "only position fourier");
    }
    for (size_t i = 0; i < 3; i++)
        refused(
            model,
            &ENGINE_SESSION_OPTIONS(.position = fourier, .n_frequencies = 2, .frequencies = bad[i]),
            "expected a number up to 1e+38");
    model = make("--width 10 --heads 1 --max-tokens 30 --position none");
    refused(model, &ENGINE_SESSION_OPTIONS(.position_scale = &scale), "no positions are added");
}

/* Rows of a table in double: what is stored times the scale, of which the matrix of floats is the
 * rounding. */
TEST(exact_table)
{
    enum { WIDTH = 130, N = 17 };
    static const char *const types[] = {"f32", "f16", "int8"};
    static const double scale = 0.3;
    for (size_t t = 0; t < 3; t++)
        for (int has_scale = 0; has_scale < 2; has_scale++) {
            char words[120];
            float stored[N * WIDTH], out[N * WIDTH];
            double exact[N * WIDTH];
            size_t needed = 0;
            engine_session_options options =
                ENGINE_SESSION_OPTIONS(.position_scale = has_scale ? &scale : NULL);
            snprintf(words, sizeof words,
                     "--width 130 --heads 1 --max-tokens 20 --position learned --position-offset 2 "
                     "--type %s",
                     types[t]);
            engine_model *model = make(words);
            assert_ok(engine_position_matrix(model, NULL, 0, N, stored, N * WIDTH, NULL, NULL));
            assert_ok(engine_position_matrix(model, &options, 0, N, out, N * WIDTH, NULL, NULL));
            assert_ok(engine_position_matrix_exact(model, &options, 0, N, exact, N * WIDTH, &needed,
                                                   NULL));
            assert_int_equal(needed, N * WIDTH);
            for (size_t i = 0; i < N * WIDTH; i++) {
                assert_true(exact[i] == (double)stored[i] * (has_scale ? (double)0.3f : 1));
                assert_true((float)exact[i] == out[i]);
            }
        }
}

/* The same frequencies in a file and as options: the same numbers, to the last bit. */
TEST(frequencies_of_file_and_options)
{
    enum { WIDTH = 4, N = 4096 };
    static const float frequencies[] = {0.1f, 0.3f};
    float *asked = new_floats(N * WIDTH), *stored = new_floats(N * WIDTH);
    engine_model *model =
        make("--width 4 --heads 1 --max-tokens 30 --position fourier --frequencies 0.1,0.3");
    assert_ok(engine_position_matrix(model, NULL, 0, N, stored, N * WIDTH, NULL, NULL));
    model = make("--width 4 --heads 1 --max-tokens 30 --position none");
    engine_session_options options =
        ENGINE_SESSION_OPTIONS(.position = ENGINE_POSITION_FOURIER, .frequencies = frequencies,
                               .n_frequencies = 2);
    assert_ok(engine_position_matrix(model, &options, 0, N, asked, N * WIDTH, NULL, NULL));
    assert_memory_equal(stored, asked, N * WIDTH * sizeof *asked);
}

/* Padding within a text reads the row of its own id, and only computed positions count it. */
TEST(padding_is_not_counted)
{
    enum { PAD = 1, WIDTH = 8 };
    static const int32_t padded[] = {PAD, 4, PAD, 5}, plain[] = {4, 5};
    float with_it[4 * WIDTH], without[2 * WIDTH], computed[4 * WIDTH];
    engine_model *model = make("--layers 0 --width 8 --max-tokens 9 --pooling none "
                               "--position learned --position-offset 2 "
                               "--set position_skips_padding=yes");
    engine_session_options options = ENGINE_SESSION_OPTIONS(.position = ENGINE_POSITION_INDEX);
    engine_session *session = support_session(model, NULL);
    engine_session *by_index = support_session(model, &options);
    engine_input inputs[] = {support_ids(padded, 4), support_ids(plain, 2)};
    assert_ok(engine_encode(session, inputs, 1, NULL, with_it, 4 * WIDTH, NULL, NULL));
    assert_ok(engine_encode(session, inputs + 1, 1, NULL, without, 2 * WIDTH, NULL, NULL));
    assert_memory_equal(with_it, with_it + 2 * WIDTH, WIDTH * sizeof(float));
    assert_memory_equal(with_it + WIDTH, without, WIDTH * sizeof(float));
    assert_memory_equal(with_it + 3 * WIDTH, without + WIDTH, WIDTH * sizeof(float));
    assert_ok(engine_encode(by_index, inputs, 1, NULL, computed, 4 * WIDTH, NULL, NULL));
    for (size_t i = 0; i < WIDTH; i++)
        assert_true(fabsf(computed[2 * WIDTH + i] - computed[i] - 0.5f) < 1e-6f);
}

SET_UP()
{
    support_path(path, support_folder(), "model.weights");
}
