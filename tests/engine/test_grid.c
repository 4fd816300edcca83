/* tags: numbers aarch64 no-asan no-coverage */
/* Guarantee: hidden states, attention maps and pooled vectors are within 1e-5 of the second
 * implementation (reference/), over a grid of positions, norms, activations, gates, masks,
 * poolings and head widths, on every instruction set. */
#include "tests/engine/comparison.h"

#include "model/config.h"

#include <math.h>
#include <stdio.h>

/* ---- The full cross of the kinds; settings with many values rotate ---- */

#define NAME_AND_COMMA(constant, name) name,
static const char *const norms[] = {LAYER_NORMS(NAME_AND_COMMA, NAME_AND_COMMA)};
static const char *const activations[] = {ACTIVATIONS(NAME_AND_COMMA, NAME_AND_COMMA)};
static const char *const head_poolings[] = {TOKEN_POOLINGS(NAME_AND_COMMA, NAME_AND_COMMA)};
enum {
    N_NORMS = sizeof norms / sizeof *norms,
    N_ACTIVATIONS = sizeof activations / sizeof *activations
};
enum {
    N_HEAD_POOLINGS = sizeof head_poolings / sizeof *head_poolings,
    N_CROSS = 3 * N_NORMS * 2 * N_ACTIVATIONS * 3 * 2
};

static const char *pick(uint64_t *state, const char *const *names, size_t n)
{
    return names[support_below(state, n)];
}

/* The options of none, a learned table, or a computed scheme. */
static void position_words(size_t kind, uint64_t *state, char *words, size_t cap)
{
    static const char *const computed[] = {"sinusoidal",  "sinusoidal --position-base 50",
                                           "index",       "binary",
                                           "fourier",     "fourier --frequencies 0.25,0.07,3",
                                           "exponential", "exponential --position-base 40"};
    static const char *const scales[] = {"1", "0.3", "2.5"};
    const char *scheme = kind == 0 ? "none" : kind == 1 ? pick(state, computed, 8) : "learned";
    snprintf(words, cap, "%s --position-offset %zu --position-scale %s", scheme,
             kind == 2 ? 2 * support_below(state, 2) : 0, pick(state, scales, 3));
}

static void cross_words(size_t index, char *words, size_t cap)
{
    static const char *const places[] = {"post", "pre"};
    static const char *const gates[] = {"none", "first", "second"};
    static const char *const masks[] = {"full", "causal"}, *const yes_no[] = {"yes", "no"};
    static const char *const norm_or_none[] = {"none", "layer", "rms"};
    static const char *const scales[] = {"1", "sqrt", "0.5"}, *const epsilons[] = {"1e-12", "1e-3"};
    static const size_t heads[][2] = {{2, 26}, {2, 32}, {1, 64}, {3, 7},
                                      {5, 1},  {4, 8},  {1, 17}, {6, 16}};
    static const size_t middles[] = {96, 17, 40, 64, 1};
    uint64_t state = index;
    size_t rest = index, position = rest % 3, norm = (rest /= 3) % N_NORMS,
           place = (rest /= N_NORMS) % 2;
    size_t activation = (rest /= 2) % N_ACTIVATIONS, gate = (rest /= N_ACTIVATIONS) % 3,
           mask = (rest / 3) % 2;
    size_t shape = support_below(&state, 8);
    char position_text[96];
    position_words(position, &state, position_text, sizeof position_text);
    snprintf(words, cap,
             "--seed %zu --layers %zu --width %zu --heads %zu --feed-forward %zu --max-tokens 40 "
             "--token-types %zu --position %s --embedding-scale %s --embedding-norm %s --norm %s "
             "--norm-eps %s --norm-bias %s --norm-place %s --final-norm %s --attention-bias %s "
             "--feed-forward-bias %s --activation %s --gate %s --mask %s --pooling %s --normalize "
             "%s --type f32 --layout %s",
             index, 1 + support_below(&state, 3), heads[shape][0] * heads[shape][1],
             heads[shape][0], middles[support_below(&state, 5)], support_below(&state, 4),
             position_text, pick(&state, scales, 3), pick(&state, norm_or_none, 3), norms[norm],
             pick(&state, epsilons, 2), norm > 0 ? "no" : pick(&state, yes_no, 2), places[place],
             pick(&state, yes_no, 2), pick(&state, yes_no, 2), pick(&state, yes_no, 2),
             activations[activation], gates[gate], masks[mask],
             comparison_poolings[support_below(&state, 4)], pick(&state, yes_no, 2),
             support_below(&state, 2) ? "rows" : "panels");
}

TEST(cross)
{
    static struct subject subject;
    static struct texts texts;
    comparison_start();
    size_t step = support_emulated() ? 25 : support_slow() ? 5 : 1; /* no divisors of the kinds */
    for (size_t index = 0; index < N_CROSS; index += step) {
        uint64_t state = index + 1000;
        size_t lens[] = {1, 2 + support_below(&state, 15), 17 + support_below(&state, 24)};
        cross_words(index, subject.words, sizeof subject.words);
        comparison_make(&subject, support_folder(), support_isa(index % support_isas()));
        comparison_texts(&subject, &texts, lens, 3, index, NULL);
        comparison_run(&subject, &texts, ENGINE_SESSION_OPTIONS(.n_threads = 1 + index / step % 2));
        comparison_free_texts(&texts);
        comparison_close(&subject);
    }
    comparison_finish();
}

/* Settings of the file that a session may replace: positions, their weights, and the mask. */
TEST(overrides)
{
    static const int schemes[] = {0, CONSTANTS_OF(POSITION_SCHEMES)};
    enum { SCHEMES = sizeof schemes / sizeof *schemes };
    static const double scales[][2] = {{0.25, 4}, {1, 0}, {0, 1}};
    static const float frequencies[] = {0.125f, -0.4f};
    static const char *const masks[] = {NULL, "full", "causal"};
    static struct subject subject;
    static struct texts texts;
    comparison_start();
    for (size_t file = 0; file < 2; file++) {
        snprintf(subject.words, sizeof subject.words,
                 "--seed 5 --layers 2 --width 24 --heads 3 --feed-forward 48 --max-tokens 40 "
                 "--position learned --position-offset 3 --token-types 2 --mask %s %s",
                 masks[1 + file], file > 0 ? "--set position_skips_padding=yes" : "");
        comparison_make(&subject, support_folder(), NULL);
        for (int choice = 0; choice < 3 * SCHEMES; choice++) {
            int scheme = choice % SCHEMES;
            bool has_base = engine_position_has_base((engine_position)scheme);
            struct plain_options expected = {
                .position = scheme != 0 ? engine_position_name((engine_position)scheme) : NULL,
                .mask = masks[choice / SCHEMES]};
            engine_session_options options =
                ENGINE_SESSION_OPTIONS(.n_threads = 1, .position = (engine_position)scheme,
                                       .mask = (engine_mask)(choice / SCHEMES));
            if (choice % 2 == (int)file) {
                expected.embedding_scale = options.embedding_scale = &scales[choice % 3][0];
                if (scheme != ENGINE_POSITION_NONE)
                    expected.position_scale = options.position_scale = &scales[choice % 3][1];
            }
            if (has_base && choice < 2 * SCHEMES)
                expected.position_base = options.position_base = 77.5;
            if (scheme == ENGINE_POSITION_FOURIER && choice < 2 * SCHEMES) {
                expected.frequencies = options.frequencies = frequencies;
                expected.n_frequencies = options.n_frequencies = 2;
            }
            comparison_texts(&subject, &texts, (size_t[]){1, 11, 40}, 3, (uint64_t)choice,
                             &expected);
            comparison_run(&subject, &texts, options);
            comparison_free_texts(&texts);
        }
        comparison_close(&subject);
    }
    comparison_finish();
}

/* A classifier reads what head_pooling gives, with layers and without, through its own parts. */
TEST(head_pooling)
{
    static const char *const scores[] = {"none", "softmax", "sigmoid"};
    static const char *const heads[] = {
        "", "--head-dense tanh --head-bias no", "--head-norm yes --head-dense gelu",
        "--head-dense silu --set head_dense_bias=no --head-norm yes --norm-bias no"};
    static struct subject subject;
    static struct texts texts;
    enum { LABELS = 3, N = 4 };
    struct worst worst = {0};
    for (size_t i = 0; i < 3 * N_HEAD_POOLINGS; i++) {
        float got[N * LABELS];
        double expected[LABELS];
        char error[256];
        snprintf(subject.words, sizeof subject.words,
                 "--seed %zu --layers %zu --width 20 --heads 2 --feed-forward 8 --max-tokens 40 "
                 "--position learned --labels pos,neg,none --head-pooling %s --scores %s %s",
                 i, i % 3, head_poolings[i % N_HEAD_POOLINGS], scores[i / N_HEAD_POOLINGS],
                 heads[i % 4]);
        comparison_make(&subject, support_folder(), support_isa(i % support_isas()));
        comparison_texts(&subject, &texts, (size_t[]){3, 0, 1, 17}, N, i, NULL);
        engine_session *session = support_session(subject.model, NULL);
        assert_int_equal(
            engine_classify(session, texts.inputs, N, NULL, got, N * LABELS, NULL, NULL),
            ENGINE_OK);
        for (size_t t = 0; t < N; t++) {
            double nothing[LABELS] = {0};
            if (texts.inputs[t].n_ids > 0 &&
                !plain_scores(&subject.weights, &texts.expected[t], expected, error))
                fail_msg("%s", error);
            support_compare(&worst, 1e-5, got + t * LABELS,
                            texts.inputs[t].n_ids > 0 ? expected : nothing, LABELS, "%s: text %zu",
                            subject.words, t);
        }
        engine_session_free(session);
        comparison_free_texts(&texts);
        comparison_close(&subject);
    }
    support_assert_within(&worst, 1e-5, "scores by head_pooling");
}

/* No layer at all, and no tokens at all. */
TEST(edges)
{
    static struct subject subject;
    static struct texts texts;
    comparison_start();
    for (size_t layers = 0; layers < 2; layers++) {
        snprintf(subject.words, sizeof subject.words,
                 "--seed 6 --layers %zu --width 20 --heads 2 --feed-forward 8 --max-tokens 40 "
                 "--position sinusoidal --final-norm yes --pooling mean --normalize yes",
                 layers);
        comparison_make(&subject, support_folder(), NULL);
        comparison_texts(&subject, &texts, (size_t[]){3, 0, 1}, 3, 6, NULL);
        comparison_run(&subject, &texts, ENGINE_SESSION_OPTIONS());
        comparison_free_texts(&texts);
        comparison_close(&subject);
    }
    comparison_finish();
}

/* ---- Masks with holes: hidden tokens have rows of zeros and count in no mean ---- */

static void compare_masked(const struct subject *subject, engine_session *session,
                           const engine_input *input, struct worst *worst)
{
    enum { WIDTH = 24, MOST = 40 };
    float tokens[MOST * WIDTH], mean[WIDTH];
    double expected[MOST * WIDTH] = {0}, expected_mean[WIDTH];
    struct plain_input same = {input->n_ids, input->ids, input->types, input->mask};
    struct plain_output output;
    engine_encode_options options = ENGINE_ENCODE_OPTIONS(.pooling = ENGINE_POOLING_NONE);
    size_t n = input->n_ids * WIDTH;
    char error[256];
    if (!plain_encode(&subject->weights, &same, NULL, &output, error))
        fail_msg("%s", error);
    for (size_t t = 0, seen = 0; t < input->n_ids; t++)
        for (size_t i = 0; input->mask[t] && i < WIDTH; i++, seen++)
            expected[t * WIDTH + i] = output.tokens[seen];
    plain_pool(&output, "mean", false, expected_mean);
    assert_int_equal(engine_encode(session, input, 1, &options, tokens, n, NULL, NULL), ENGINE_OK);
    options.pooling = ENGINE_POOLING_MEAN;
    assert_int_equal(engine_encode(session, input, 1, &options, mean, WIDTH, NULL, NULL),
                     ENGINE_OK);
    support_compare(worst, 1e-5, tokens, expected, n, "tokens of %zu with %zu seen", input->n_ids,
                    output.n_tokens);
    support_compare(worst, 1e-5, mean, expected_mean, WIDTH, "mean of %zu with %zu seen",
                    input->n_ids, output.n_tokens);
    for (size_t i = 0; i < n; i++)
        assert_true(input->mask[i / WIDTH] || tokens[i] == 0.0f);
    plain_output_free(&output);
}

TEST(masks)
{
    static struct subject subject;
    static const char *const masks[] = {"full", "causal"};
    struct worst worst = {0};
    uint64_t state = 31;
    for (size_t file = 0; file < 4; file++) {
        snprintf(subject.words, sizeof subject.words,
                 "--seed 9 --layers 2 --width 24 --heads 2 --feed-forward 30 --max-tokens 40 "
                 "--position %s --token-types 2 --mask %s",
                 file < 2 ? "learned" : "index", masks[file % 2]);
        comparison_make(&subject, support_folder(), NULL);
        engine_session *session = support_session(subject.model, NULL);
        for (size_t round = 0; round < 40; round++) {
            int32_t ids[40], types[40];
            uint8_t mask[40];
            engine_input input = {.ids = ids, .types = types, .mask = mask, .n_ids = 1 + round};
            support_random_ids(&state, ids, input.n_ids, subject.info.n_vocabulary);
            support_random_ids(&state, types, input.n_ids, 2);
            for (size_t t = 0; t < input.n_ids; t++)
                mask[t] = support_below(&state, 4) < round % 5; /* none of them to all */
            compare_masked(&subject, session, &input, &worst);
        }
        engine_session_free(session);
        comparison_close(&subject);
    }
    support_assert_within(&worst, 1e-5, "with holes");
}

/* ---- Every length from 1 to 128, every instruction set ---- */

TEST(lengths)
{
    static const char *const words[] = {
        "--seed 11 --layers 2 --width 52 --heads 2 --feed-forward 104 --position sinusoidal "
        "--max-tokens 128 --pooling mean",
        "--seed 12 --layers 2 --width 64 --heads 2 --feed-forward 80 --position learned "
        "--max-tokens 128 --mask causal --gate second --activation silu --norm rms --norm-place "
        "pre --final-norm yes --layout rows",
        "--seed 13 --layers 2 --width 64 --heads 1 --feed-forward 33 --position learned "
        "--max-tokens 128 --norm-place pre --activation relu --attention-bias no",
        "--seed 14 --layers 2 --width 21 --heads 3 --feed-forward 40 --position sinusoidal "
        "--max-tokens 128 --activation gelu_tanh --gate first --feed-forward-bias no"};
    static struct subject subject;
    static struct texts texts;
    size_t lens[MAX_LEN], n_lens = 0, step = support_emulated() ? 37 : 1;
    comparison_start();
    for (size_t len = 1; len <= MAX_LEN; len += step)
        lens[n_lens++] = len;
    for (size_t file = 0; file < sizeof words / sizeof words[0]; file++) {
        snprintf(subject.words, sizeof subject.words, "%s", words[file]);
        comparison_make(&subject, support_folder(), NULL);
        comparison_texts(&subject, &texts, lens, n_lens, file, NULL);
        for (size_t i = 0; support_isa(i); i++) {
            if (support_slow() && i != file % support_isas())
                continue;
            comparison_reopen(&subject, support_isa(i));
            comparison_run(&subject, &texts, ENGINE_SESSION_OPTIONS(.n_threads = 2));
        }
        comparison_free_texts(&texts);
        comparison_close(&subject);
    }
    comparison_finish();
}

/* Longer texts, for which attention goes other ways. */
TEST(long_texts)
{
    static const char *const masks[] = {"full", "causal"};
    static struct subject subject;
    static struct texts texts;
    comparison_start();
    for (size_t file = 0; file < 2; file++) {
        snprintf(subject.words, sizeof subject.words,
                 "--seed 15 --layers 2 --width 52 --heads 2 --feed-forward 64 --max-tokens 512 "
                 "--position sinusoidal --mask %s",
                 masks[file]);
        comparison_make(&subject, support_folder(), NULL);
        comparison_texts(&subject, &texts, (size_t[]){129, 200, 305}, 3, file, NULL);
        for (size_t i = 0; support_isa(i); i++) {
            if (support_slow() && i != (file + 1) % support_isas())
                continue;
            comparison_reopen(&subject, support_isa(i));
            comparison_run(&subject, &texts, ENGINE_SESSION_OPTIONS(.n_threads = 2));
        }
        comparison_free_texts(&texts);
        comparison_close(&subject);
    }
    comparison_finish();
}

/* ---- Types and layouts of the stored weights ---- */

/* The largest distance of a stored value from the f32 one that its type allows: half a step.
 * f16 has 11 significant bits (and a smallest step), bf16 has 8, int8 has 127 steps to the row's
 * largest. */
static double rounding(const char *type, double value, double row_largest)
{
    switch (type[0]) {
    case 'f': return type[1] == '3' ? 0 : fmax(fabs(value) / 2048, 1.0 / (1 << 25));
    case 'b': return fabs(value) / 256;
    default: return row_largest / 127 * 0.5001;
    }
}

static void compare_stored(const struct plain_weights *got, const struct plain_weights *expected,
                           const char *type)
{
    assert_int_equal(got->n_tensors, expected->n_tensors);
    for (size_t i = 0; i < expected->n_tensors; i++) {
        const struct plain_tensor *exact = &expected->tensors[i];
        const struct plain_tensor *stored = plain_tensor(got, exact->name);
        assert_non_null(stored);
        assert_int_equal(stored->rows, exact->rows);
        assert_int_equal(stored->cols, exact->cols);
        for (size_t n = 0; n < exact->rows; n++) {
            const double *row = exact->values + n * exact->cols;
            double largest = 0;
            for (size_t k = 0; k < exact->cols; k++)
                largest = fmax(largest, fabs(row[k]));
            for (size_t k = 0; k < exact->cols; k++)
                if (!(fabs(stored->values[n * exact->cols + k] - row[k]) <=
                      rounding(type, row[k], largest)))
                    fail_msg("%s: %s [%zu, %zu] is %.9g, not %.9g", type, exact->name, n, k,
                             stored->values[n * exact->cols + k], row[k]);
        }
    }
}

static const char STORED[] =
    "--seed 21 --layers 2 --width 42 --heads 2 --max-tokens 128 --position learned --token-types 2";

/* One type and layout; `exact` is the same model in f32. */
static void check_stored(const char *middle, const char *type, const char *layout, size_t choice,
                         const struct plain_weights *exact)
{
    static struct subject subject;
    static struct texts texts;
    snprintf(subject.words, sizeof subject.words, "%s %s --type %s --layout %s", STORED, middle,
             type, layout);
    comparison_make(&subject, support_folder(), NULL);
    assert_int_equal(engine_model_verify(subject.model, NULL), ENGINE_OK);
    compare_stored(&subject.weights, exact, type);
    const struct plain_tensor *linear =
        plain_tensor(&subject.weights, "layers.0.attention.qkv.weight");
    assert_int_equal(linear->type, choice / 2 + 1);
    assert_int_equal(linear->layout, choice % 2);
    comparison_texts(&subject, &texts, (size_t[]){1, 7, 33, 128}, 4, choice, NULL);
    for (size_t i = 0; support_isa(i); i++) {
        if (support_slow() && i != choice % support_isas())
            continue;
        comparison_reopen(&subject, support_isa(i));
        comparison_run(&subject, &texts, ENGINE_SESSION_OPTIONS(.n_threads = 1));
    }
    comparison_free_texts(&texts);
    comparison_close(&subject);
}

/* But for panels of int8, which multiply rounded rows: those are test_int8.c's. Gates whose halves
 * fall into panels of their own are multiplied in the tile, others not. */
TEST(stored_types)
{
    enum { INT8_PANELS = 7 };
    static const char *const types[] = {"f32", "f16", "bf16", "int8"};
    static const char *const layouts[] = {"rows", "panels"};
    static const char *const middles[] = {
        "--feed-forward 37 --gate none", "--feed-forward 48 --gate first",
        "--feed-forward 32 --gate second --activation silu", "--feed-forward 37 --gate first"};
    comparison_start();
    size_t step = support_emulated() ? 3 : 1;
    for (size_t m = 0; m < sizeof middles / sizeof middles[0]; m += step) {
        struct subject subject = {.model = NULL};
        snprintf(subject.words, sizeof subject.words, "%s %s", STORED, middles[m]);
        comparison_make(&subject, support_folder(), NULL);
        for (size_t choice = 0; choice < INT8_PANELS; choice++)
            check_stored(middles[m], types[choice / 2], layouts[choice % 2], choice,
                         &subject.weights);
        comparison_close(&subject);
    }
    comparison_finish();
}
