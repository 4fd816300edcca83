/* oracle.c - see oracle.h. */
#include "tests/tools/families/oracle.h"

#include "tests/owned.h"
#include "tests/tools/families/safetensors.h"
#include "tests/tools/families/sample.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double tolerance; /* of the comparisons now */

static char directory[SUPPORT_PATH], weights[SUPPORT_PATH], log_path[SUPPORT_PATH];

/* ---- Comparisons ---- */

/* The smallest cosine of rows that are not zeros (those of padding are). */
static double least_cosine(const float *got, const double *expected, size_t n, size_t width)
{
    double least = 1;
    for (size_t row = 0; row + width <= n; row += width) {
        double product = 0, a = 0, b = 0;
        for (size_t i = row; i < row + width; i++) {
            product += (double)got[i] * expected[i];
            a += (double)got[i] * (double)got[i];
            b += expected[i] * expected[i];
        }
        double cosine = b > 0 ? product / sqrt(a * b) : 1;
        if (!(cosine >= least))
            least = cosine;
    }
    return least;
}

static void lower(double *least, double value)
{
    if (!(value >= *least))
        *least = value;
}

static void compare_vectors(const struct sample *sample, engine_session *session, size_t width,
                            engine_encode_options options, const char *key, struct worst *worst,
                            double *cosine)
{
    size_t n;
    double *expected = sample_doubles(sample, key, &n);
    if (!expected)
        return;
    float *out = malloc((n + 1) * sizeof *out);
    assert_non_null(out);
    if (engine_encode(session, sample->inputs, sample->n, &options, out, n, NULL, NULL))
        fail_msg("%s.%s: %s", sample->name, key, engine_session_message(session));
    support_compare(worst, tolerance, out, expected, n, "%s.%s", sample->name, key);
    lower(cosine, least_cosine(out, expected, n, width));
    free(expected);
    free(out);
}

static void compare_logits(const struct sample *sample, engine_session *session,
                           struct worst *worst)
{
    engine_encode_options options =
        ENGINE_ENCODE_OPTIONS(.pooling = ENGINE_POOLING_LABELS, .raw_scores = 1);
    size_t n, needed;
    double *expected = sample_doubles(sample, "logits", &n);
    if (!expected)
        return;
    float *out = malloc((n + 1) * sizeof *out);
    assert_non_null(out);
    if (engine_encode(session, sample->inputs, sample->n, &options, out, n, &needed, NULL))
        fail_msg("%s.logits: %s", sample->name, engine_session_message(session));
    assert_int_equal(needed, n);
    support_compare(worst, tolerance, out, expected, n, "%s.logits", sample->name);
    free(expected);
    free(out);
}

/* mask_logits [N, V] of the tokens at mask_positions [N, 2]; candidates come by rank. */
static void compare_masks(const struct sample *sample, engine_session *session, size_t n_words,
                          struct worst *worst)
{
    engine_encode_options options = ENGINE_ENCODE_OPTIONS(.raw_scores = 1);
    enum { MAX_MASKS = 4 };
    size_t n, first = 0;
    double *expected = sample_doubles(sample, "mask_logits", &n);
    int64_t *positions = sample_integers(sample, "mask_positions");
    engine_candidate *out = calloc(MAX_MASKS * n_words, sizeof *out);
    float *logits = calloc(n_words, sizeof *logits);
    assert_true(out && logits);
    for (size_t row = 0; expected && row < sample->n; row++) {
        size_t needed;
        if (engine_fill(session, &sample->inputs[row], n_words, &options, out, MAX_MASKS * n_words,
                        &needed, NULL))
            fail_msg("%s: %s", sample->name, engine_session_message(session));
        for (size_t mask = 0; mask < needed / n_words; mask++, first++) {
            const engine_candidate *candidates = out + mask * n_words;
            assert_int_equal(positions[2 * first], row);
            assert_int_equal(positions[2 * first + 1], candidates[0].token);
            for (size_t i = 0; i < n_words; i++)
                logits[candidates[i].id] = candidates[i].score;
            support_compare(worst, tolerance, logits, expected + first * n_words, n_words,
                            "%s.mask_logits %zu", sample->name, first);
        }
    }
    assert_int_equal(first * n_words, expected ? n : 0);
    free(expected);
    free(positions);
    free(out);
    free(logits);
}

struct pass {
    const struct sample *sample;
    const double *states; /* [L+1, T, D] */
    struct worst *worst;
    size_t n_seen;
};

static void on_state(const engine_trace_view *view, void *user)
{
    struct pass *pass = user;
    size_t n = view->n_tokens * view->width;
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
    support_compare(pass->worst, tolerance, got, scaled, n, "%s: state %zu", pass->sample->name,
                    view->index);
    free(got);
    free(scaled);
    pass->n_seen++;
}

static void compare_states(const struct sample *sample, const engine_model *model,
                           const engine_info *info, struct worst *worst)
{
    size_t n;
    double *states = sample_doubles(sample, "hidden_states", &n);
    if (!states)
        return;
    struct pass pass = {.sample = sample, .states = states, .worst = worst};
    engine_session_options options =
        ENGINE_SESSION_OPTIONS(.trace = ENGINE_TRACE_HIDDEN, .trace_callback = on_state,
                               .trace_user = &pass);
    engine_encode_options mean = ENGINE_ENCODE_OPTIONS(.pooling = ENGINE_POOLING_MEAN);
    engine_session *session = support_session(model, &options);
    float *out = malloc(info->width * sizeof *out);
    assert_non_null(out);
    assert_ok(engine_encode(session, sample->inputs, 1, &mean, out, info->width, NULL, NULL));
    assert_int_equal(pass.n_seen, info->n_layers + 1);
    free(states);
    free(out);
}

static void compare_sample(const struct sample *sample, const engine_model *model,
                           const engine_info *info, engine_session *session, struct judged *judged)
{
    const struct {
        const char *key;
        engine_encode_options options;
        size_t width;
    } poolings[] = {
        {"pooled.mean", ENGINE_ENCODE_OPTIONS(.pooling = ENGINE_POOLING_MEAN), info->width},
        {"pooled.cls", ENGINE_ENCODE_OPTIONS(.pooling = ENGINE_POOLING_CLS), info->width},
        {"pooled.mean.normalised",
         ENGINE_ENCODE_OPTIONS(.pooling = ENGINE_POOLING_MEAN, .normalize = 1), info->width},
        {"embedding", ENGINE_ENCODE_OPTIONS(.pooling = ENGINE_POOLING_MODEL), info->output_width},
    };
    compare_vectors(sample, session, info->width,
                    ENGINE_ENCODE_OPTIONS(.pooling = ENGINE_POOLING_NONE), "last_hidden_state",
                    &judged->tokens, &judged->token_cosine);
    for (size_t i = 0; i < sizeof poolings / sizeof poolings[0]; i++)
        compare_vectors(sample, session, poolings[i].width, poolings[i].options, poolings[i].key,
                        &judged->pooled, &judged->pooled_cosine);
    double ignored = 1;
    if (info->head == ENGINE_HEAD_POOLER || info->head == ENGINE_HEAD_SEQUENCE)
        compare_vectors(sample, session, info->width,
                        ENGINE_ENCODE_OPTIONS(.pooling = ENGINE_POOLING_POOLER), "pooler_output",
                        &judged->logits, &ignored);
    if (info->head == ENGINE_HEAD_SEQUENCE || info->head == ENGINE_HEAD_TOKEN)
        compare_logits(sample, session, &judged->logits);
    if (info->head == ENGINE_HEAD_MASK)
        compare_masks(sample, session, info->n_vocabulary, &judged->logits);
    compare_states(sample, model, info, &judged->states);
}

/* ---- Checkpoints ---- */

/* The id that masks words in the cases; 103, BERT's, where no word is masked. */
static int mask_id(void)
{
    char path[SUPPORT_PATH];
    support_path(path, directory, "expected/index.json");
    json_t *index = json_load_file(path, 0, NULL);
    json_t *id = json_object_get(index, "mask_token_id");
    int value = json_is_integer(id) ? (int)json_integer_value(id) : 103;
    json_decref(index);
    return value;
}

/* Without a tokenizer of its own a made checkpoint has 1024 ids; [MASK] must have a name. */
static void write_vocabulary(void)
{
    char path[SUPPORT_PATH];
    int mask = mask_id();
    support_path(path, directory, "vocab.txt");
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    for (int i = 0; i < 1024; i++)
        if (i == mask)
            fputs("[MASK]\n", file);
        else if (i >= 100 && i <= 102)
            fprintf(file, "[%.3s]\n", &"UNKCLSSEP"[3 * (i - 100)]);
        else
            fprintf(file, i == 0 ? "[PAD]\n" : "word%d\n", i);
    fclose(file);
}

static void show_log(void)
{
    char line[512];
    FILE *file = fopen(log_path, "r");
    while (file && fgets(line, sizeof line, file))
        print_error("    %s", line);
    if (file)
        fclose(file);
}

static void run(const char *what, const char *const *argv)
{
    int code = support_run(argv, log_path);
    if (code != 0) {
        show_log();
        fail_msg("%s: exit code %d", what, code);
    }
}

void oracle_import(const char *from, const char *type)
{
    char program[SUPPORT_PATH];
    char path[SUPPORT_PATH];
    const char *argv[10] = {program, from, "-o", weights};
    size_t n = 4;
    support_program("encode-import", program);
    support_path(path, from, "expected/adapter.json"); /* ["what --adapter names"] */
    json_t *adapter = json_load_file(path, 0, NULL);
    if (type) {
        argv[n++] = "--weights";
        argv[n++] = type;
    }
    if (adapter) {
        argv[n++] = "--adapter";
        argv[n++] = json_string_value(json_array_get(adapter, 0));
    }
    run(from, argv);
    json_decref(adapter);
}

void oracle_judge(const char *from, double within, struct judged *judged)
{
    static const char ending[] = ".input_ids";
    struct safetensors expected;
    char path[SUPPORT_PATH];
    engine_info info = ENGINE_INFO();
    const char *key;
    json_t *value;
    support_path(path, from, "expected/cases.safetensors");
    const size_t mark = owned_mark();
    assert_true(safetensors_read(&expected, path));
    engine_model *model = support_open(weights);
    engine_session *session = support_session(model, NULL);
    assert_ok(engine_model_verify(model, NULL));
    assert_ok(engine_model_info(model, &info, NULL));
    tolerance = within;
    *judged = (struct judged){.token_cosine = 1, .pooled_cosine = 1};
    judged->tokens.absolute = judged->pooled.absolute = true;
    judged->states.absolute = judged->logits.absolute = true;
    json_object_foreach(expected.header, key, value)
    {
        char name[64];
        size_t len = strlen(key), n_ending = sizeof ending - 1;
        if (len < n_ending || strcmp(key + len - n_ending, ending) != 0)
            continue;
        snprintf(name, sizeof name, "%.*s", (int)(len - n_ending), key);
        struct sample sample = {.name = name, .expected = &expected};
        sample_read(&sample);
        if (!support_sanitized() || sample.len <= 64)
            compare_sample(&sample, model, &info, session, judged);
        sample_free(&sample);
    }
    safetensors_free(&expected);
    owned_release(mark);
}

void oracle_assert(const char *kind, double within, const struct judged *judged)
{
    print_message("%s\n", kind);
    support_assert_within(&judged->tokens, within, "  last hidden state");
    support_assert_within(&judged->pooled, within, "  pooled");
    support_assert_within(&judged->states, within, "  states in units of their size");
    if (judged->logits.n_compared > 0)
        support_assert_within(&judged->logits, within, "  head");
}

bool oracle_can_make(char script[SUPPORT_PATH])
{
    const char *const numpy[] = {"/usr/bin/python3", "-c", "import numpy", NULL};
    if (support_shared("checkpoints/checkpoints.py", script) && support_run(numpy, NULL) == 0)
        return true;
    print_message("no checkpoints.py in the shared folder, or no numpy\n");
    return false;
}

const char *oracle_make(const char *script, const char *kind)
{
    char words[512], *rest = NULL;
    const char *argv[32] = {"/usr/bin/python3", "-B", script, "make"};
    size_t n = 4;
    snprintf(words, sizeof words, "%s", kind);
    for (char *word = strtok_r(words, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        assert_true(n < sizeof argv / sizeof *argv - 2);
        argv[n++] = word;
        if (n == 5)
            argv[n++] = directory;
    }
    support_remove_dir(directory);
    run(kind, argv);
    write_vocabulary();
    return directory;
}

void oracle_check(const char *script, const char *kind, double within)
{
    struct judged judged;
    oracle_import(oracle_make(script, kind), NULL);
    oracle_judge(directory, within, &judged);
    oracle_assert(kind, within, &judged);
}

void oracle_check_all(const char *script, const char *const *kinds, double within)
{
    for (size_t i = 0; kinds[i] != NULL && (i == 0 || !support_sanitized()); i++)
        oracle_check(script, kinds[i], within);
}

void oracle_check_int8(const char *script, const char *kind, double least)
{
    struct judged judged;
    oracle_import(oracle_make(script, kind), "int8");
    oracle_judge(directory, INFINITY, &judged);
    print_message("%s: least cosine of tokens %.5f, of pooled vectors %.5f\n", kind,
                  judged.token_cosine, judged.pooled_cosine);
    assert_true(judged.token_cosine >= least);
    assert_true(judged.pooled_cosine >= least);
}

void oracle_setup(void)
{
    support_path(directory, support_folder(), "checkpoint");
    support_path(weights, support_folder(), "model.weights");
    support_path(log_path, support_folder(), "log");
}
