/* oracle.c - see oracle.h. */
#include "tests/tools/families/oracle.h"

#include "tests/owned.h"
#include "tests/tools/families/sample.h"

#include <libgen.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double tolerance; /* of the comparisons now */

static char directory[SUPPORT_PATH], weights[SUPPORT_PATH], log_path[SUPPORT_PATH];

/* ---- Comparisons ---- */

/* Lowers *least to the smallest cosine of rows that are not zeros (those of padding are). */
static void lower_cosine(double *least, const float *got, const double *expected, size_t n,
                         size_t width)
{
    for (size_t row = 0; row + width <= n; row += width) {
        double product = 0, a = 0, b = 0;
        for (size_t i = row; i < row + width; i++) {
            product += (double)got[i] * expected[i];
            a += (double)got[i] * (double)got[i];
            b += expected[i] * expected[i];
        }
        double cosine = b > 0 ? product / sqrt(a * b) : 1;
        if (!(cosine >= *least))
            *least = cosine;
    }
}

static void compare_vectors(const struct sample *sample, engine_session *session, size_t width,
                            engine_encode_options options, const char *key, struct worst *worst,
                            double *cosine)
{
    size_t n, n_given;
    const double *expected = sample_numbers(sample, key, &n);
    if (expected == NULL)
        return;
    const float *given = support_encode(session, sample->inputs, sample->n, &options, &n_given);
    assert_int_equal(n_given, n);
    support_compare(worst, tolerance, given, expected, n, "%s.%s", sample->name, key);
    if (cosine != NULL)
        lower_cosine(cosine, given, expected, n, width);
}

/* mask_logits [N, V] of the tokens at mask_positions [N, 2]; candidates come by rank. */
static void compare_masks(const struct sample *sample, engine_session *session, size_t n_words,
                          struct worst *worst)
{
    enum { MAX_MASKS = 4 };
    const engine_encode_options options = ENGINE_ENCODE_OPTIONS(.raw_scores = 1);
    size_t n, n_positions, first = 0;
    const double *expected = sample_numbers(sample, "mask_logits", &n),
                 *positions = sample_numbers(sample, "mask_positions", &n_positions);
    if (expected == NULL)
        return;
    engine_candidate *out = new_bytes(MAX_MASKS * n_words * sizeof *out);
    float *logits = new_floats(n_words);
    for (size_t row = 0; row < sample->n; row++) {
        size_t needed;
        if (engine_fill(session, &sample->inputs[row], n_words, &options, out, MAX_MASKS * n_words,
                        &needed, NULL))
            fail_msg("%s: %s", sample->name, engine_session_message(session));
        for (size_t mask = 0; mask < needed / n_words; mask++, first++) {
            const engine_candidate *candidates = out + mask * n_words;
            assert_true(positions[2 * first] == (double)row &&
                        positions[2 * first + 1] == (double)candidates[0].token);
            for (size_t i = 0; i < n_words; i++)
                logits[candidates[i].id] = candidates[i].score;
            support_compare(worst, tolerance, logits, expected + first * n_words, n_words,
                            "%s.mask_logits %zu", sample->name, first);
        }
    }
    assert_int_equal(first * n_words, n);
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
    float *got = new_floats(n);
    double *scaled = new_doubles(n), square = 0;
    for (size_t i = 0; i < n; i++)
        square += expected[i] * expected[i] / (double)n;
    for (size_t i = 0; i < n; i++) {
        got[i] = (float)((double)view->values[i] / sqrt(square));
        scaled[i] = expected[i] / sqrt(square);
    }
    support_compare(pass->worst, tolerance, got, scaled, n, "%s: state %zu", pass->sample->name,
                    view->index);
    pass->n_seen++;
}

static void compare_states(const struct sample *sample, const engine_model *model,
                           const engine_info *info, struct worst *worst)
{
    size_t n;
    struct pass pass = {
        .sample = sample, .states = sample_numbers(sample, "hidden_states", &n), .worst = worst};
    if (pass.states == NULL)
        return;
    engine_session *session = support_session(
        model, &ENGINE_SESSION_OPTIONS(.trace = ENGINE_TRACE_HIDDEN, .trace_callback = on_state,
                                       .trace_user = &pass));
    support_encode(session, sample->inputs, 1,
                   &ENGINE_ENCODE_OPTIONS(.pooling = ENGINE_POOLING_MEAN), NULL);
    assert_int_equal(pass.n_seen, info->n_layers + 1);
}

static void compare_sample(const struct sample *sample, const engine_model *model,
                           const engine_info *info, engine_session *session, struct judged *judged)
{
    const struct {
        const char *key;
        engine_encode_options options;
        size_t width;
        struct worst *worst;
        double *cosine; /* or NULL */
        bool has_head;
    } answers[] = {
        {"last_hidden_state", ENGINE_ENCODE_OPTIONS(.pooling = ENGINE_POOLING_NONE), info->width,
         &judged->tokens, &judged->token_cosine, true},
        {"pooled.mean", ENGINE_ENCODE_OPTIONS(.pooling = ENGINE_POOLING_MEAN), info->width,
         &judged->pooled, &judged->pooled_cosine, true},
        {"pooled.cls", ENGINE_ENCODE_OPTIONS(.pooling = ENGINE_POOLING_CLS), info->width,
         &judged->pooled, &judged->pooled_cosine, true},
        {"pooled.mean.normalised",
         ENGINE_ENCODE_OPTIONS(.pooling = ENGINE_POOLING_MEAN, .normalize = 1), info->width,
         &judged->pooled, &judged->pooled_cosine, true},
        {"embedding", ENGINE_ENCODE_OPTIONS(.pooling = ENGINE_POOLING_MODEL), info->output_width,
         &judged->pooled, &judged->pooled_cosine, true},
        {"pooler_output", ENGINE_ENCODE_OPTIONS(.pooling = ENGINE_POOLING_POOLER), info->width,
         &judged->logits, NULL,
         info->head == ENGINE_HEAD_POOLER || info->head == ENGINE_HEAD_SEQUENCE},
        {"logits", ENGINE_ENCODE_OPTIONS(.pooling = ENGINE_POOLING_LABELS, .raw_scores = 1), 1,
         &judged->logits, NULL,
         info->head == ENGINE_HEAD_SEQUENCE || info->head == ENGINE_HEAD_TOKEN},
    };
    for (size_t i = 0; i < sizeof answers / sizeof answers[0]; i++)
        if (answers[i].has_head)
            compare_vectors(sample, session, answers[i].width, answers[i].options, answers[i].key,
                            answers[i].worst, answers[i].cosine);
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

/* Finds the script in the shared folder, or in this file's. */
static void find_script(const char *name, char path[SUPPORT_PATH])
{
    static const char *const numpy[] = {"/usr/bin/python3", "-c", "import numpy", NULL};
    static bool has_numpy;
    const bool is_shared = strcmp(name, "checkpoints.py") == 0;
    char here[] = __FILE__;
    has_numpy = has_numpy || support_run(numpy, NULL) == 0;
    support_path(path, dirname(here), name);
    if (has_numpy && (!is_shared || support_shared("checkpoints/checkpoints.py", path)))
        return;
    print_message("skipped: no numpy, or no checkpoints.py in the shared folder\n");
    skip();
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
    support_must_run(argv, log_path);
    json_decref(adapter);
}

void oracle_judge(const char *from, double within, struct judged *judged)
{
    struct sample_file file;
    char path[SUPPORT_PATH], name[64];
    engine_info info = ENGINE_INFO();
    const char *key;
    json_t *value;
    const size_t mark = owned_mark();
    support_path(path, from, "expected/cases.safetensors");
    sample_file_read(&file, path);
    engine_model *model = support_open(weights);
    engine_session *session = support_session(model, NULL);
    assert_ok(engine_model_verify(model, NULL));
    assert_ok(engine_model_info(model, &info, NULL));
    tolerance = within;
    *judged = (struct judged){.token_cosine = 1, .pooled_cosine = 1};
    judged->tokens.absolute = judged->pooled.absolute = true;
    judged->states.absolute = judged->logits.absolute = true;
    json_object_foreach(file.header, key, value)
    {
        const size_t mark_of_case = owned_mark();
        struct sample sample = {.name = name, .file = &file};
        const char *ending = strstr(key, ".input_ids");
        if (ending == NULL)
            continue;
        snprintf(name, sizeof name, "%.*s", (int)(ending - key), key);
        sample_read(&sample);
        if (!support_sanitized() || sample.len <= 64)
            compare_sample(&sample, model, &info, session, judged);
        owned_release(mark_of_case);
    }
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

const char *oracle_make(const char *script, const char *kind)
{
    char words[512], path[SUPPORT_PATH], *rest = NULL;
    const char *argv[32] = {"/usr/bin/python3", "-B", path, "make"};
    size_t n = 4;
    find_script(script, path);
    snprintf(words, sizeof words, "%s", kind);
    for (char *word = strtok_r(words, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        assert_true(n < sizeof argv / sizeof *argv - 2);
        argv[n++] = word;
        if (n == 5)
            argv[n++] = directory;
    }
    support_remove_dir(directory);
    support_must_run(argv, log_path);
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

void oracle_check_all(const char *script, double within, const char *const *kinds)
{
    for (size_t i = 0; kinds[i] != NULL && (i == 0 || !support_sanitized()); i++)
        oracle_check(script, kinds[i], within);
}

void oracle_check_shapes(const char *script, int first_seed, const struct oracle_shape *shapes,
                         size_t n)
{
    const char *wanted = getenv("SEEDS");
    char kind[256];
    if (wanted == NULL) {
        print_message("skipped: SEEDS=3 compares the shapes of published models\n");
        skip();
    }
    for (size_t i = 0; i < n; i++)
        for (int seed = 0; seed < atoi(wanted); seed++) {
            snprintf(kind, sizeof kind, "%s --seed %d", shapes[i].kind, first_seed + seed);
            oracle_check(script, kind, shapes[i].within);
        }
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
