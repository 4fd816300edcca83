/* encode-import and the engine together, against numbers computed in float64 from the same
 * directories (shared/checkpoints): every kind of BERT and DistilBERT that checkpoints.py makes,
 * ELECTRA's encoder, and the directories with real trained layers.
 *
 * Tolerance: 1e-5 absolute for states, pooled vectors and logits; states between layers are small
 * on purpose and are judged in units of their root mean square. f16, bf16 and int8 weights: what
 * the types can give is measured, printed, and held to bounds of the same order. */
#include "tests/safetensors.h"
#include "tests/sample.h"
#include "tests/support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double TOLERANCE = 1e-5;
static double tolerance; /* of the comparisons now */
enum { MAX_ARGUMENTS = 24 };

static char directory[SUPPORT_PATH], weights[SUPPORT_PATH], log_path[SUPPORT_PATH];

/* The largest differences of a run, and the smallest cosines. */
struct judged {
    struct worst tokens, pooled, states, logits;
    double token_cosine, pooled_cosine;
};

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
    options.struct_bytes = sizeof options;
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
    engine_encode_options options = {.struct_bytes = sizeof options, .raw_scores = 1};
    size_t n, needed;
    double *expected = sample_doubles(sample, "logits", &n);
    if (!expected)
        return;
    float *out = malloc((n + 1) * sizeof *out);
    assert_non_null(out);
    if (engine_classify(session, sample->inputs, sample->n, &options, out, n, &needed, NULL))
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
    engine_encode_options options = {.struct_bytes = sizeof options, .raw_scores = 1};
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
    engine_session_options options = {.struct_bytes = sizeof options,
                                      .trace = ENGINE_TRACE_HIDDEN,
                                      .trace_callback = on_state,
                                      .trace_user = &pass};
    engine_encode_options mean = {.struct_bytes = sizeof mean, .pooling = ENGINE_POOLING_MEAN};
    engine_session *session = support_session(model, &options);
    float *out = malloc(info->width * sizeof *out);
    assert_non_null(out);
    assert_int_equal(engine_encode(session, sample->inputs, 1, &mean, out, info->width, NULL, NULL),
                     ENGINE_OK);
    assert_int_equal(pass.n_seen, info->n_layers + 1);
    engine_session_free(session);
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
        {"pooled.mean", {.pooling = ENGINE_POOLING_MEAN}, info->width},
        {"pooled.cls", {.pooling = ENGINE_POOLING_CLS}, info->width},
        {"pooled.mean.normalised", {.pooling = ENGINE_POOLING_MEAN, .normalize = 1}, info->width},
        {"embedding", {.pooling = ENGINE_POOLING_MODEL}, info->output_width},
    };
    compare_vectors(sample, session, info->width,
                    (engine_encode_options){.pooling = ENGINE_POOLING_NONE}, "last_hidden_state",
                    &judged->tokens, &judged->token_cosine);
    for (size_t i = 0; i < sizeof poolings / sizeof poolings[0]; i++)
        compare_vectors(sample, session, poolings[i].width, poolings[i].options, poolings[i].key,
                        &judged->pooled, &judged->pooled_cosine);
    double ignored = 1;
    if (info->head == ENGINE_HEAD_POOLER || info->head == ENGINE_HEAD_SEQUENCE)
        compare_vectors(sample, session, info->width,
                        (engine_encode_options){.pooling = ENGINE_POOLING_POOLER}, "pooler_output",
                        &judged->logits, &ignored);
    if (info->head == ENGINE_HEAD_SEQUENCE || info->head == ENGINE_HEAD_TOKEN)
        compare_logits(sample, session, &judged->logits);
    if (info->head == ENGINE_HEAD_MASK)
        compare_masks(sample, session, info->n_vocabulary, &judged->logits);
    compare_states(sample, model, info, &judged->states);
}

/* ---- Checkpoints ---- */

/* Without a tokenizer of its own a made checkpoint has 1024 ids; [MASK] must have a name. */
static void write_vocabulary(void)
{
    char path[SUPPORT_PATH];
    static const char *const special[] = {"[UNK]", "[CLS]", "[SEP]", "[MASK]"};
    support_path(path, directory, "vocab.txt");
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    for (int i = 0; i < 1024; i++)
        if (i >= 100 && i < 104)
            fprintf(file, "%s\n", special[i - 100]);
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

static void import(const char *from, const char *type)
{
    char program[SUPPORT_PATH];
    support_program("encode-import", program);
    const char *const argv[] = {program, from, "-o", weights, type ? "--weights" : NULL,
                                type,    NULL};
    run(from, argv);
}

static void judge(const char *from, double within, struct judged *judged)
{
    tolerance = within;
    static const char ending[] = ".input_ids";
    struct safetensors expected;
    char path[SUPPORT_PATH];
    engine_info info = {.struct_bytes = sizeof info};
    const char *key;
    json_t *value;
    support_path(path, from, "expected/cases.safetensors");
    assert_true(safetensors_read(&expected, path));
    engine_model *model = support_open(weights);
    engine_session *session = support_session(model, NULL);
    assert_int_equal(engine_model_verify(model, NULL), ENGINE_OK);
    assert_int_equal(engine_model_info(model, &info), ENGINE_OK);
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
    engine_session_free(session);
    engine_model_close(model);
    safetensors_free(&expected);
}

static void assert_exact(const char *kind, const struct judged *judged)
{
    print_message("%s\n", kind);
    support_assert_within(&judged->tokens, TOLERANCE, "  last hidden state");
    support_assert_within(&judged->pooled, TOLERANCE, "  pooled");
    support_assert_within(&judged->states, TOLERANCE, "  states in units of their size");
    if (judged->logits.n_compared > 0)
        support_assert_within(&judged->logits, TOLERANCE, "  head");
}

static bool can_make(char script[SUPPORT_PATH])
{
    const char *const numpy[] = {"/usr/bin/python3", "-c", "import numpy", NULL};
    if (support_shared("checkpoints/checkpoints.py", script) && support_run(numpy, NULL) == 0)
        return true;
    print_message("no checkpoints.py in the shared folder, or no numpy\n");
    return false;
}

static void make(const char *script, const char *const *arguments)
{
    const char *argv[MAX_ARGUMENTS + 8] = {"/usr/bin/python3", "-B",     script, "make",
                                           arguments[0],       directory};
    for (size_t i = 1; arguments[i]; i++)
        argv[5 + i] = arguments[i];
    support_remove_dir(directory);
    run(arguments[0], argv);
    write_vocabulary();
}

TEST(every_kind)
{
    static const char *const kinds[][MAX_ARGUMENTS] = {
        {"bert"},
        {"bert", "--pooling", "cls", "--no-normalise", "--seed", "2"},
        {"bert", "--dtype", "f16", "--shards", "3"},
        {"bert", "--dtype", "bf16", "--old-names"},
        {"bert", "--width", "52", "--heads", "2", "--set", "hidden_act=gelu_new", "--set",
         "layer_norm_eps=1e-6"},
        {"bert-mlm", "--old-names"},
        {"bert-cross-encoder"},
        {"bert-ner"},
        {"distilbert"},
        {"distilbert-sst2", "--dtype", "f16"},
        {"electra"},
    };
    char script[SUPPORT_PATH];
    if (!can_make(script))
        skip();
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        struct judged judged;
        make(script, kinds[i]);
        import(directory, NULL);
        judge(directory, TOLERANCE, &judged);
        assert_exact(kinds[i][0], &judged);
    }
}

/* Shapes of published models: layers, width, heads, feed-forward width. */
static const char *const SHAPES[][4] = {
    {"6", "384", "12", "1536"},
    {"12", "768", "12", "3072"},
    {"24", "1024", "16", "4096"},
};

static void judge_shape(const char *script, const char *kind, size_t shape, const char *seed)
{
    const char *const *sizes = SHAPES[shape];
    const char *const arguments[] = {kind,     "--layers", sizes[0], "--width", sizes[1], "--heads",
                                     sizes[2], "--ffn",    sizes[3], "--seed",  seed,     NULL};
    struct judged judged;
    print_message("%s layers, %s wide, seed %s: ", sizes[0], sizes[1], seed);
    make(script, arguments);
    import(directory, NULL);
    judge(directory, TOLERANCE, &judged);
    assert_exact(kind, &judged);
}

/* And seeds that nothing was tuned on: SEEDS=10 takes ten of each shape (1.3 GB a file, half an
 * hour). */
TEST(true_shapes)
{
    static const char *const kinds[] = {"bert", "bert-cross-encoder", "distilbert-sst2"};
    const char *wanted = getenv("SEEDS");
    char script[SUPPORT_PATH], seed[16];
    if (!can_make(script))
        skip();
    for (size_t i = 0; i < (support_sanitized() ? 1 : sizeof kinds / sizeof kinds[0]); i++)
        judge_shape(script, kinds[i], 0, "1");
    for (size_t shape = 0; shape < (wanted ? sizeof SHAPES / sizeof SHAPES[0] : 1); shape++)
        for (int i = 0; i < (wanted ? atoi(wanted) : !support_sanitized()); i++) {
            snprintf(seed, sizeof seed, "%d", 1000 + i);
            judge_shape(script, "bert", shape, seed);
        }
}

/* ---- Real layers, and the types that round ---- */

static const char *const REAL[] = {"tinybert-4l-312d", "bert-tiny-sst2"};

static bool real_directory(size_t index, char path[SUPPORT_PATH])
{
    char below[64];
    snprintf(below, sizeof below, "checkpoints/real/%s", REAL[index]);
    if (support_shared(below, path))
        return true;
    print_message("no checkpoints/real in the shared folder\n");
    return false;
}

TEST(real)
{
    char path[SUPPORT_PATH];
    for (size_t i = 0; i < sizeof REAL / sizeof REAL[0]; i++) {
        struct judged judged;
        if (!real_directory(i, path))
            skip();
        import(path, NULL);
        judge(path, TOLERANCE, &judged);
        assert_exact(REAL[i], &judged);
    }
}

/* Rounding moves the numbers: by how much is a property of the type, bounded here by a few times
 * what was measured, so that a wrong scale or a truncation shows. */
TEST(rounded_types)
{
    static const struct {
        const char *type;
        double token_cosine, pooled_cosine;
    } types[] = {
        {"f32", 0.9999999, 0.9999999},
        {"f16", 0.99999, 0.99999},
        {"bf16", 0.9995, 0.9998},
        {"int8", 0.999, 0.999},
    };
    char path[SUPPORT_PATH];
    for (size_t i = 0; i < sizeof REAL / sizeof REAL[0]; i++)
        for (size_t t = 0; t < sizeof types / sizeof types[0]; t++) {
            struct judged judged;
            if (!real_directory(i, path))
                skip();
            import(path, types[t].type);
            judge(path, INFINITY, &judged);
            print_message("%s %s: cosine of tokens %.7f, of pooled vectors %.7f; largest "
                          "difference of tokens %.2g, of logits %.2g\n",
                          REAL[i], types[t].type, judged.token_cosine, judged.pooled_cosine,
                          judged.tokens.difference.largest, judged.logits.difference.largest);
            assert_true(judged.token_cosine >= types[t].token_cosine);
            assert_true(judged.pooled_cosine >= types[t].pooled_cosine);
        }
}

SET_UP()
{
    support_path(directory, support_folder(), "checkpoint");
    support_path(weights, support_folder(), "model.weights");
    support_path(log_path, support_folder(), "log");
}
