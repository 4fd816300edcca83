/* tags: no-asan no-coverage */
/* The engine against numbers made by other software: checkpoints with expected outputs that were
 * computed in float64 (shared/checkpoints). Two are real ones; the others are made by
 * checkpoints.py, which requires numpy.
 *
 * Tolerance: 1e-5 absolute, within which float32 runs of other software stay; the smallest mistake
 * in the list there moves the outputs by 7e-4. States between
 * layers are small on purpose and are judged in units of their root mean square. */
#include "engine/plain/encoder.h"
#include "tests/engine/bert_file.h"
#include "tests/safetensors.h"
#include "tests/sample.h"
#include "tests/support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double TOLERANCE = 1e-5, REFERENCE_TOLERANCE = 1e-6;

static struct worst tokens, pooled, states, maps, reference;
static char path[SUPPORT_PATH];

/* ---- The engine ---- */

/* Encodes and compares with CASE.KEY, if there is such a key; rows of padding are zeros on both
 * sides. */
static void compare(const struct sample *sample, const char *directory, engine_session *session,
                    engine_encode_options options, const char *key, struct worst *worst)
{
    size_t n;
    double *expected = sample_doubles(sample, key, &n);
    if (!expected)
        return;
    float *out = malloc((n + 1) * sizeof *out);
    assert_non_null(out);
    if (engine_encode(session, sample->inputs, sample->n, &options, out, n, NULL, NULL))
        fail_msg("%s %s: %s", directory, sample->name, engine_session_message(session));
    support_compare(worst, TOLERANCE, out, expected, n, "%s %s.%s", directory, sample->name, key);
    free(expected);
    free(out);
}

struct pass {
    const struct sample *sample;
    const char *directory;
    double *states, *maps; /* or NULL */
    size_t n_states, n_maps, n_seen;
};

static void compare_state(struct pass *pass, const engine_trace_view *view)
{
    size_t n = view->n_tokens * view->width;
    assert_true((view->index + 1) * n <= pass->n_states);
    const double *expected = pass->states + view->index * n;
    float *got = malloc(n * sizeof *got);
    double *scaled = malloc(n * sizeof *scaled), square = 0;
    assert_true(got && scaled);
    for (size_t i = 0; i < n; i++)
        square += expected[i] * expected[i] / (double)n;
    for (size_t i = 0; i < n; i++) {
        got[i] = (float)((double)view->values[i] / sqrt(square));
        scaled[i] = expected[i] / sqrt(square);
    }
    support_compare(&states, TOLERANCE, got, scaled, n, "%s %s: hidden state %zu", pass->directory,
                    pass->sample->name, view->index);
    free(got);
    free(scaled);
}

static void on_trace(const engine_trace_view *view, void *user)
{
    struct pass *pass = user;
    size_t n_map = view->n_heads * view->n_tokens * view->n_tokens;
    if (view->kind == ENGINE_TRACE_HIDDEN && pass->states)
        compare_state(pass, view);
    else if (view->kind == ENGINE_TRACE_ATTENTION && pass->maps)
        support_compare(&maps, TOLERANCE, view->values, pass->maps + view->index * n_map, n_map,
                        "%s %s: attention of layer %zu", pass->directory, pass->sample->name,
                        view->index);
    else
        return;
    pass->n_seen++;
}

/* hidden_states [L+1, 1, T, D] and attentions [L, 1, H, T, T], in the cases that have them. */
static void compare_trace(const struct sample *sample, const char *directory,
                          const engine_model *model, const engine_info *info)
{
    struct pass pass = {.sample = sample, .directory = directory};
    engine_session_options options =
        ENGINE_SESSION_OPTIONS(.trace = ENGINE_TRACE_HIDDEN | ENGINE_TRACE_ATTENTION,
                               .trace_callback = on_trace, .trace_user = &pass);
    engine_encode_options mean = ENGINE_ENCODE_OPTIONS(.pooling = ENGINE_POOLING_MEAN);
    pass.states = sample_doubles(sample, "hidden_states", &pass.n_states);
    pass.maps = sample_doubles(sample, "attentions", &pass.n_maps);
    if (pass.states || pass.maps) {
        float *out = malloc(sample->width * sizeof *out);
        engine_session *session = support_session(model, &options);
        assert_non_null(out);
        assert_int_equal(
            engine_encode(session, sample->inputs, 1, &mean, out, sample->width, NULL, NULL),
            ENGINE_OK);
        assert_int_equal(pass.n_seen,
                         (pass.states ? info->n_layers + 1 : 0) + (pass.maps ? info->n_layers : 0));
        engine_session_free(session);
        free(out);
    }
    free(pass.states);
    free(pass.maps);
}

/* The reference implementation must meet the same numbers, far more closely; it is slow, so not the
 * longest. */
static void compare_reference(const struct sample *sample, const char *directory,
                              const struct plain_weights *weights)
{
    enum { LONGEST = 128 };
    size_t n, width = sample->width;
    char error[256];
    if (sample->len > LONGEST)
        return;
    double *expected = sample_doubles(sample, "last_hidden_state", &n);
    assert_non_null(expected);
    for (size_t i = 0; i < sample->n; i++) {
        const engine_input *input = &sample->inputs[i];
        struct plain_input text = {input->n_ids, input->ids, input->types, input->mask};
        struct plain_output output;
        if (!plain_encode(weights, &text, NULL, &output, error))
            fail_msg("%s %s: %s", directory, sample->name, error);
        float *rounded = malloc((output.n_tokens * width + 1) * sizeof *rounded);
        assert_non_null(rounded);
        for (size_t j = 0; j < output.n_tokens * width; j++)
            rounded[j] = (float)output.tokens[j];
        support_compare(&reference, REFERENCE_TOLERANCE, rounded,
                        expected + i * sample->len * width, output.n_tokens * width,
                        "%s %s row %zu", directory, sample->name, i);
        free(rounded);
        plain_output_free(&output);
    }
    free(expected);
}

static void compare_case(struct sample *sample, const char *directory, const engine_model *model,
                         const engine_info *info, engine_session *session)
{
    const struct {
        const char *key;
        engine_encode_options options;
    } poolings[] = {
        {"pooled.mean", ENGINE_ENCODE_OPTIONS(.pooling = ENGINE_POOLING_MEAN)},
        {"pooled.cls", ENGINE_ENCODE_OPTIONS(.pooling = ENGINE_POOLING_CLS)},
        {"pooled.max", ENGINE_ENCODE_OPTIONS(.pooling = ENGINE_POOLING_MAX)},
        {"pooled.mean.normalised",
         ENGINE_ENCODE_OPTIONS(.pooling = ENGINE_POOLING_MEAN, .normalize = 1)},
        {"pooled.cls.normalised",
         ENGINE_ENCODE_OPTIONS(.pooling = ENGINE_POOLING_CLS, .normalize = 1)},
        {"pooled.mean.normalised", ENGINE_ENCODE_OPTIONS(.pooling = ENGINE_POOLING_MODEL)},
        {"embedding", ENGINE_ENCODE_OPTIONS(.pooling = ENGINE_POOLING_MODEL)},
    };
    compare(sample, directory, session, ENGINE_ENCODE_OPTIONS(.pooling = ENGINE_POOLING_NONE),
            "last_hidden_state", &tokens);
    for (size_t i = 0; i < sizeof poolings / sizeof poolings[0]; i++)
        compare(sample, directory, session, poolings[i].options, poolings[i].key, &pooled);
    compare_trace(sample, directory, model, info);
}

/* All cases of a checkpoint; `short_name` is for the messages. */
static void compare_directory(const char *directory, const char *short_name,
                              enum tensor_layout layout, bool with_reference)
{
    static const char ending[] = ".input_ids";
    struct safetensors expected;
    struct plain_weights weights = {0};
    char file[SUPPORT_PATH];
    engine_info info = ENGINE_INFO();
    const char *key;
    json_t *value;
    support_path(file, directory, "expected/cases.safetensors");
    assert_true(safetensors_read(&expected, file));
    bert_file_write(directory, path, layout);
    engine_model *model = support_open(path);
    engine_session *session = support_session(model, NULL);
    assert_int_equal(engine_model_info(model, &info, NULL), ENGINE_OK);
    if (with_reference && !plain_weights_read(&weights, path))
        fail_msg("%s: %s", short_name, weights.error);
    json_object_foreach(expected.header, key, value)
    {
        char name[64];
        size_t len = strlen(key), n_ending = sizeof ending - 1;
        if (len < n_ending || strcmp(key + len - n_ending, ending) != 0)
            continue;
        snprintf(name, sizeof name, "%.*s", (int)(len - n_ending), key);
        struct sample sample = {.name = name, .expected = &expected, .width = info.width};
        sample_read(&sample);
        if (support_slow() && sample.len > 64) {
            sample_free(&sample);
            continue;
        }
        compare_case(&sample, short_name, model, &info, session);
        if (with_reference)
            compare_reference(&sample, short_name, &weights);
        sample_free(&sample);
    }
    plain_weights_free(&weights);
    engine_session_free(session);
    engine_model_close(model);
    safetensors_free(&expected);
}

static void start(void)
{
    tokens = pooled = states = maps = reference = (struct worst){.absolute = true};
}

static void finish(void)
{
    support_assert_within(&tokens, TOLERANCE, "tokens");
    support_assert_within(&pooled, TOLERANCE, "pooled");
    support_assert_within(&states, TOLERANCE, "hidden states in units of their size");
    support_assert_within(&maps, TOLERANCE, "attention");
}

TEST(real)
{
    static const char *const names[] = {"tinybert-4l-312d", "bert-tiny-sst2"};
    char directory[SUPPORT_PATH], real[SUPPORT_PATH];
    if (!support_shared("checkpoints/real", real)) {
        print_message("skipped: no checkpoints/real in the shared folder\n");
        skip();
    }
    start();
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        support_path(directory, real, names[i]);
        compare_directory(directory, names[i], LAYOUT_PANELS, false);
    }
    finish();
}

TEST(made)
{
    static const char *const checkpoints[][12] = {
        {"bert"},
        {"bert", "--dtype", "f16", "--seed", "2"},
        {"bert", "--dtype", "bf16", "--seed", "3"},
        {"bert", "--width", "52", "--heads", "2", "--set", "hidden_act=gelu_new", "--set",
         "layer_norm_eps=1e-6"},
        {"distilbert"},
        {"roberta"},
    };
    char script[SUPPORT_PATH], directory[SUPPORT_PATH], log[SUPPORT_PATH];
    const char *const numpy[] = {"/usr/bin/python3", "-c", "import numpy", NULL};
    if (!support_shared("checkpoints/checkpoints.py", script) || support_run(numpy, NULL) != 0) {
        print_message("skipped: no checkpoints.py in the shared folder, or no numpy\n");
        skip();
    }
    start();
    support_path(directory, support_folder(), "checkpoint");
    support_path(log, support_folder(), "log");
    for (size_t i = 0; i < sizeof checkpoints / sizeof checkpoints[0]; i++) {
        const char *argv[20] = {"/usr/bin/python3", "-B",     script, "make",
                                checkpoints[i][0],  directory};
        for (size_t j = 1; checkpoints[i][j]; j++)
            argv[5 + j] = checkpoints[i][j];
        int code = support_run(argv, log);
        if (code != 0)
            fail_msg("checkpoints.py make %s: exit code %d", checkpoints[i][0], code);
        compare_directory(directory, checkpoints[i][0], i % 2 ? LAYOUT_ROWS : LAYOUT_PANELS, true);
        support_remove_dir(directory);
    }
    finish();
    support_assert_within(&reference, REFERENCE_TOLERANCE, "tests/reference");
}

SET_UP()
{
    support_path(path, support_folder(), "model.weights");
}
