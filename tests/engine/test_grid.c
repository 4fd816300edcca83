/* tags: numbers no-asan long */
/* Guarantee: hidden states, attention maps and pooled vectors are within 1e-5 of the second
 * implementation (engine/plain/), over a grid of positions, norms, activations, gates, masks,
 * poolings and head widths, of positions in attention, windows, sandwich norms, shared layers and
 * keys, on every instruction set, to 2,600 tokens. */
#include "tests/engine/comparison.h"

#include "model/config.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Encodes random texts of these lengths with the model of these words, on the set `isa`, or with
 * NULL on every one. */
static void compare_lengths(const char *words, const char *isa, const size_t *lens, size_t n,
                            uint64_t seed, size_t n_threads)
{
    const size_t mark = owned_mark();
    struct subject *subject = comparison_make(isa, "%s", words);
    const struct texts *texts = comparison_texts(subject, lens, n, seed, NULL);
    for (size_t i = 0; isa != NULL ? i < 1 : support_isa(i) != NULL; i++) {
        if (isa == NULL && support_slow() && i != seed % support_isas())
            continue;
        if (isa == NULL)
            comparison_reopen(subject, support_isa(i));
        comparison_run(subject, texts, ENGINE_SESSION_OPTIONS(.n_threads = n_threads));
    }
    owned_release(mark);
}

/* ---- Two tables of settings: some are crossed in full, the others rotate ---- */

enum { MOST_VALUES = 12 };

struct setting {
    bool is_crossed;
    const char *values[MOST_VALUES];
};

#define OF_ACTIVATION(constant, name) "--activation " name,

static const struct setting usual[] = {
    {true, {"--norm layer --norm-bias yes", "--norm layer --norm-bias no", "--norm rms"}},
    {true, {"--norm-place post", "--norm-place pre"}},
    {true, {ACTIVATIONS(OF_ACTIVATION, OF_ACTIVATION)}},
    {true, {"--gate none", "--gate first", "--gate second"}},
    {true, {"--mask full", "--mask causal"}},
    {false,
     {"--width 52 --heads 2", "--width 64 --heads 2", "--width 64 --heads 1",
      "--width 21 --heads 3", "--width 5 --heads 5", "--width 32 --heads 4", "--width 17 --heads 1",
      "--width 96 --heads 6"}},
    {false,
     {"--position none", "--position learned", "--position learned --position-offset 2",
      "--position sinusoidal", "--position sinusoidal --position-base 50", "--position index",
      "--position binary", "--position fourier", "--position fourier --frequencies 0.25,0.07,3",
      "--position exponential", "--position exponential --position-base 40"}},
    {false, {"", "--position-scale 0.3", "--position-scale 2.5"}},
    {false, {"--layers 1", "--layers 2", "--layers 3"}},
    {false,
     {"--feed-forward 96", "--feed-forward 17", "--feed-forward 40", "--feed-forward 64",
      "--feed-forward 1"}},
    {false, {"", "--token-types 1", "--token-types 2", "--token-types 3"}},
    {false, {"", "--embedding-scale sqrt", "--embedding-scale 0.5"}},
    {false, {"", "--embedding-norm layer", "--embedding-norm rms"}},
    {false, {"--norm-eps 1e-12", "--norm-eps 1e-3"}},
    {false, {"--final-norm yes", "--final-norm no"}},
    {false, {"--attention-bias yes", "--attention-bias no"}},
    {false, {"--feed-forward-bias yes", "--feed-forward-bias no"}},
    {false, {"--pooling none", "--pooling mean", "--pooling cls", "--pooling max"}},
    {false, {"--normalize yes", "--normalize no"}},
    {false, {"--layout rows", "--layout panels"}},
};

/* Of later encoders; K, the width of a head, is at least 4 and even. */
static const struct setting later[] = {
    {true,
     {"", "--set attention_position=rotary",
      "--set attention_position=rotary --set rotary_pairs=interleaved --set rotary_base=50",
      "--set attention_position=rotary --set rotary_width=4 --set rotary_trained=7 "
      "--set rotary_factor=2",
      "--set attention_position=rotary --set rotary_factor=8", "--set attention_position=alibi",
      "--set attention_position=distance --set distances=5",
      "--set attention_position=disentangled --set position_buckets=6 --set distances=9",
      "--set attention_position=disentangled --set distances=3 --set position_terms=c2p",
      "--set attention_position=disentangled --set distances=20 --set position_terms=p2c"}},
    {true,
     {"", "--set window=3", "--set window=2 --set global_every=2 --set global_first=0",
      "--set window=4 --set global_every=3 --set global_first=1"}},
    {true,
     {"--layers 4 --set layer_groups=2",
      "--layers 3 --norm-place pre --final-norm yes --set first_norm=no",
      "--layers 3 --set layer_groups=1 --norm-place sandwich", "--layers 2 --norm-place twice"}},
    {true, {"--mask full", "--mask causal"}},
    {false,
     {"--width 24 --heads 2", "--width 36 --heads 6 --set key_value_heads=2",
      "--width 20 --heads 3 --set head_width=16 --set key_value_heads=1",
      "--width 40 --heads 4 --set head_width=6 --set query_key_norm=yes",
      "--width 64 --heads 2 --set query_key_norm=yes --set score_scale=0.125",
      "--width 40 --heads 4 --set query_key_norm=all --set key_value_heads=2",
      "--width 28 --heads 7 --set key_value_heads=1 --set score_scale=1 --set query_key_norm=yes",
      "--width 32 --heads 5 --set head_width=10 --set score_scale=0.2",
      "--width 32 --heads 4 --set value_norm=yes --set layer_input_width=20"}},
    {false, {"--feed-forward 48", "--feed-forward 17", "--feed-forward 40"}},
    {false,
     {"--position none", "--embedding-width 12 --embedding-norm layer --position learned",
      "--position none --gate first --activation gelu --feed-forward-bias no",
      "--position none --gate second --activation silu --feed-forward-bias no --attention-bias no "
      "--norm-bias no",
      "--position none --gate first --activation gelu --set feed_forward_in_bias=no",
      "--norm rms --feed-forward-bias no --set feed_forward_in_bias=yes --position learned "
      "--position-offset 2"}},
    {false,
     {"--layout panels", "--layout rows", "--type f16", "--type bf16",
      "--type int8 --layout rows"}},
    {false, {"--token-types 2"}},
};

/* Layers with experts, whose parts are ranges of panels. */
static const struct setting with_experts[] = {
    {true,
     {"--set experts=4 --set experts_used=2 --set experts_every=2",
      "--set experts=5 --set experts_used=1 --set experts_every=3",
      "--set experts=3 --set experts_used=3 --set experts_every=2"}},
    {true,
     {"--layout panels", "--layout rows", "--type f16", "--type bf16",
      "--type int8 --layout rows"}},
    {true, {"--width 32 --heads 4 --feed-forward 48", "--width 48 --heads 2 --feed-forward 16"}},
    {true, {"--norm-place post", "--norm-place pre --final-norm yes"}},
    {false, {"--layers 2", "--layers 4", "--layers 5"}},
    {false, {"--feed-forward-bias yes", "--feed-forward-bias no"}},
    {false, {"--position none --set attention_position=rotary", "--position sinusoidal"}},
    {false, {"--activation gelu", "--activation silu", "--activation relu"}},
};

/* Writes the words of a combination. Returns how many there are. */
static size_t combine(const struct setting *settings, size_t n, size_t index, char *words,
                      size_t cap)
{
    uint64_t state = index;
    size_t n_crossed = 1, len = (size_t)snprintf(words, cap, "--seed %zu --max-tokens 60", index);
    for (size_t i = 0; i < n; i++) {
        size_t n_values = 0;
        while (n_values < MOST_VALUES && settings[i].values[n_values] != NULL)
            n_values++;
        size_t value =
            settings[i].is_crossed ? index / n_crossed % n_values : support_below(&state, n_values);
        n_crossed *= settings[i].is_crossed ? n_values : 1;
        len += (size_t)snprintf(words + len, cap - len, " %s", settings[i].values[value]);
        assert_true(len < cap);
    }
    return n_crossed;
}

static void cross(const struct setting *settings, size_t n)
{
    char words[700];
    size_t n_crossed = combine(settings, n, 0, words, sizeof words);
    size_t step = support_emulated() ? 25 : support_slow() ? 5 : 1; /* no divisors of the kinds */
    comparison_start();
    for (size_t index = 0; index < n_crossed; index += step) {
        uint64_t state = index + 1000;
        size_t lens[] = {1, 2 + support_below(&state, 15), 17 + support_below(&state, 40)};
        combine(settings, n, index, words, sizeof words);
        compare_lengths(words, support_isa(index % support_isas()), lens, 3, index,
                        1 + index / step % 2);
    }
    comparison_finish();
}

TEST(cross_of_the_usual)
{
    cross(usual, sizeof usual / sizeof *usual);
}

TEST(cross_of_the_later)
{
    cross(later, sizeof later / sizeof *later);
}

TEST(cross_of_experts)
{
    cross(with_experts, sizeof with_experts / sizeof *with_experts);
}

/* Settings of the file that a session may replace: positions, their weights, and the mask. */
TEST(overrides)
{
    static const int schemes[] = {0, CONSTANTS_OF(POSITION_SCHEMES)};
    enum { SCHEMES = sizeof schemes / sizeof *schemes };
    static const double scales[][2] = {{0.25, 4}, {1, 0}, {0, 1}};
    static const float frequencies[] = {0.125f, -0.375f};
    static const double same_frequencies[] = {0.125, -0.375};
    static const char *const masks[] = {NULL, "full", "causal"};
    comparison_start();
    for (size_t file = 0; file < 2; file++) {
        struct subject *subject = comparison_make(
            NULL,
            "--seed 5 --layers 2 --width 24 --heads 3 --feed-forward 48 --max-tokens 40 "
            "--position learned --position-offset 3 --token-types 2 --mask %s %s",
            masks[1 + file], file > 0 ? "--set position_skips_padding=yes" : "");
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
                expected.frequencies = same_frequencies;
                options.frequencies = frequencies;
                expected.n_frequencies = options.n_frequencies = 2;
            }
            comparison_run(
                subject,
                comparison_texts(subject, (size_t[]){1, 11, 40}, 3, (uint64_t)choice, &expected),
                options);
        }
    }
    comparison_finish();
}

#define NAME_AND_COMMA(constant, name) name,
static const char *const head_poolings[] = {TOKEN_POOLINGS(NAME_AND_COMMA, NAME_AND_COMMA)};
enum { N_HEAD_POOLINGS = sizeof head_poolings / sizeof *head_poolings };

/* A classifier reads what head_pooling gives, with layers and without, through its own parts. */
TEST(head_pooling)
{
    static const char *const scores[] = {"none", "softmax", "sigmoid"};
    static const char *const heads[] = {
        "", "--head-dense tanh --head-bias no", "--head-norm yes --head-dense gelu",
        "--head-dense silu --set head_dense_bias=no --head-norm yes --norm-bias no"};
    enum { LABELS = 3, N = 4 };
    struct worst worst = {0};
    for (size_t i = 0; i < 3 * N_HEAD_POOLINGS; i++) {
        float got[N * LABELS];
        double expected[LABELS];
        char error[256];
        const char *pooling = head_poolings[i % N_HEAD_POOLINGS];
        bool is_late = strcmp(pooling, "mean") == 0 && i >= N_HEAD_POOLINGS;
        struct subject *subject = comparison_make(
            support_isa(i % support_isas()),
            "--seed %zu --layers %zu --width 20 --heads 2 --feed-forward 8 --max-tokens 40 "
            "--position learned --labels pos,neg,none --head-pooling %s --scores %s %s%s",
            i, i % 3, pooling, scores[i / N_HEAD_POOLINGS], heads[i % 4],
            is_late ? " --set head_late=yes" : "");
        const struct texts *texts = comparison_texts(subject, (size_t[]){3, 0, 1, 17}, N, i, NULL);
        engine_session *session = support_session(subject->model, NULL);
        assert_ok(engine_encode(session, texts->inputs, N,
                                &ENGINE_ENCODE_OPTIONS(.pooling = ENGINE_POOLING_LABELS), got,
                                N * LABELS, NULL, NULL));
        for (size_t t = 0; t < N; t++) {
            double nothing[LABELS] = {0};
            if (texts->inputs[t].n_ids > 0 &&
                !plain_scores(&subject->weights, texts->expected[t], expected, error))
                fail_msg("%s", error);
            support_compare(&worst, 1e-5, got + t * LABELS,
                            texts->inputs[t].n_ids > 0 ? expected : nothing, LABELS, "%s: text %zu",
                            subject->words, t);
        }
    }
    support_assert_within(&worst, 1e-5, "scores by head_pooling");
}

/* ---- Lengths ---- */

static void compare_models(const char *const *words, size_t n_models, const char *usual_words,
                           const size_t *lens, size_t n_lens)
{
    comparison_start();
    for (size_t i = 0; i < n_models; i++) {
        char all[700];
        snprintf(all, sizeof all, "--seed %zu %s %s", i, usual_words, words[i]);
        compare_lengths(all, NULL, lens, n_lens, i, 2);
    }
    comparison_finish();
}

/* No layer at all, and no tokens at all. */
TEST(edges)
{
    static const char *const words[] = {"--layers 0", "--layers 1"};
    compare_models(words, 2,
                   "--width 20 --heads 2 --feed-forward 8 --max-tokens 40 --position sinusoidal "
                   "--final-norm yes --pooling mean --normalize yes",
                   (size_t[]){3, 0, 1}, 3);
}

TEST(every_length_to_128)
{
    static const char *const words[] = {
        "--width 52 --heads 2 --feed-forward 104 --position sinusoidal --pooling mean",
        "--width 64 --heads 2 --feed-forward 80 --position learned --mask causal --gate second "
        "--activation silu --norm rms --norm-place pre --final-norm yes --layout rows",
        "--width 64 --heads 1 --feed-forward 33 --position learned --norm-place pre "
        "--activation relu --attention-bias no",
        "--width 21 --heads 3 --feed-forward 40 --position sinusoidal --activation gelu_tanh "
        "--gate first --feed-forward-bias no"};
    size_t lens[MAX_LEN], n_lens = 0, step = support_emulated() ? 37 : 1;
    for (size_t len = 1; len <= MAX_LEN; len += step)
        lens[n_lens++] = len;
    compare_models(words, 4, "--layers 2 --max-tokens 128", lens, n_lens);
}

/* Longer texts, for which attention goes other ways. */
TEST(hundreds_of_tokens)
{
    static const char *const words[] = {
        "--position sinusoidal",
        "--position sinusoidal --mask causal",
        "--set attention_position=rotary --set rotary_base=160000 --set rotary_local_base=10000 "
        "--set window=64 --set global_every=3 --norm-place pre --final-norm yes "
        "--set first_norm=no --gate first --position none",
        "--set attention_position=alibi --gate first --position none",
        "--set attention_position=distance --set distances=127 --position learned",
        "--set attention_position=rotary --set rotary_trained=150 --set rotary_factor=2 "
        "--set rotary_base=1000 --gate second --activation silu --position none",
        "--set attention_position=rotary --set window=30 --set key_value_heads=1 --mask causal "
        "--norm-place sandwich --norm rms --set query_key_norm=yes --position none",
        "--set attention_position=rotary --set window=30 --set global_every=2 --set "
        "rotary_local_base=500 --set global_head_width=24 --set global_key_value_heads=1 --set "
        "value_norm=yes --set layer_input_width=40 --norm-place sandwich --position none",
        "--set attention_position=disentangled --set position_buckets=64 --set distances=128 "
        "--position none",
        "--set attention_position=disentangled --set position_buckets=256 --set distances=512 "
        "--set window=150 --set global_every=2 --position learned",
        "--set attention_position=disentangled --set distances=100 --set position_terms=p2c "
        "--mask causal --position none",
        "--set attention_position=disentangled --set position_buckets=100 --set distances=300 "
        "--set position_terms=c2p --set key_value_heads=1 --position none",
    };
    compare_models(words, sizeof words / sizeof *words,
                   "--layers 4 --width 48 --heads 3 --feed-forward 64 --max-tokens 512",
                   (size_t[]){129, 200, 305}, support_emulated() ? 1 : 3);
}

/* Angles of thousands of radians, and windows that hide nearly all keys. */
TEST(thousands_of_tokens)
{
    static const char *const words[] = {
        "--set attention_position=rotary --set rotary_base=160000 --set rotary_local_base=10000 "
        "--set window=64 --set global_every=2 --norm-place pre --position none",
        "--set attention_position=rotary --set rotary_trained=2048 --set rotary_factor=2 "
        "--set rotary_base=1000 --gate second --activation silu --position none",
        "--set attention_position=alibi --gate first --set window=1000 --position none",
        "--set attention_position=distance --set distances=128 --mask causal --position learned",
    };
    size_t n_tokens = support_slow() ? 400 : 2600;
    comparison_start();
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        char all[700];
        snprintf(all, sizeof all,
                 "--layers 2 --width 16 --heads 1 --feed-forward 32 --max-tokens 2600 %s",
                 words[i]);
        compare_lengths(all, support_isa(i % support_isas()), &n_tokens, 1, i, 2);
    }
    comparison_finish();
}

/* ---- Masks: hidden tokens have rows of zeros and count in no mean ---- */

static void compare_masked(const struct subject *subject, engine_session *session,
                           const engine_input *input, struct worst *worst)
{
    enum { WIDTH = 24, MOST = 40 };
    float tokens[MOST * WIDTH], mean[WIDTH];
    double expected[MOST * WIDTH] = {0}, expected_mean[WIDTH];
    struct plain_input same = {
        .n = input->n_ids, .ids = input->ids, .types = input->types, .mask = input->mask};
    const struct plain_output *output = comparison_expected(&subject->weights, &same, NULL);
    engine_encode_options options = ENGINE_ENCODE_OPTIONS(.pooling = ENGINE_POOLING_NONE);
    size_t n = input->n_ids * WIDTH;
    for (size_t t = 0, seen = 0; t < input->n_ids; t++)
        for (size_t i = 0; input->mask[t] && i < WIDTH; i++, seen++)
            expected[t * WIDTH + i] = output->tokens[seen];
    plain_pool("mean", output->tokens, output->n_tokens, output->width, 0, expected_mean);
    assert_ok(engine_encode(session, input, 1, &options, tokens, n, NULL, NULL));
    options.pooling = ENGINE_POOLING_MEAN;
    assert_ok(engine_encode(session, input, 1, &options, mean, WIDTH, NULL, NULL));
    support_compare(worst, 1e-5, tokens, expected, n, "%s: %zu tokens, %zu seen", subject->words,
                    input->n_ids, output->n_tokens);
    support_compare(worst, 1e-5, mean, expected_mean, WIDTH, "%s: mean of %zu tokens, %zu seen",
                    subject->words, input->n_ids, output->n_tokens);
    for (size_t i = 0; i < n; i++)
        assert_true(input->mask[i / WIDTH] || tokens[i] == 0.0f);
}

/* Padding behind or before the text, and holes, from all tokens to none. */
TEST(masks)
{
    static const char *const positions[] = {"learned", "learned --mask causal", "index",
                                            "index --mask causal"};
    const size_t n_kinds = 6 * 4, n_files = n_kinds + sizeof positions / sizeof *positions;
    struct worst worst = {0};
    uint64_t state = 31;
    for (size_t file = 0; file < n_files; file++) {
        struct subject *subject = comparison_make(
            support_isa(file % support_isas()),
            "--seed 9 --layers 3 --width 24 --heads 3 --feed-forward 30 --max-tokens 40 "
            "--token-types 2 --position %s %s %s",
            file < n_kinds ? "none" : positions[file - n_kinds],
            file < n_kinds ? later[0].values[file % 6] : "",
            file < n_kinds ? later[1].values[file / 6] : "");
        engine_session *session = support_session(subject->model, NULL);
        for (size_t round = 0; round < 20; round++) {
            int32_t ids[40], types[40];
            uint8_t mask[40];
            engine_input input = {.ids = ids, .types = types, .mask = mask, .n_ids = 1 + 2 * round};
            size_t border = support_below(&state, input.n_ids);
            support_random_ids(&state, ids, input.n_ids, subject->info.n_vocabulary);
            support_random_ids(&state, types, input.n_ids, 2);
            for (size_t t = 0; t < input.n_ids; t++)
                mask[t] = round % 3 == 0   ? t <= border
                          : round % 3 == 1 ? t >= border
                                           : support_below(&state, 4) < round % 5;
            compare_masked(subject, session, &input, &worst);
        }
    }
    support_assert_within(&worst, 1e-5, "masked");
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
    const size_t mark = owned_mark();
    struct subject *subject =
        comparison_make(NULL, "%s %s --type %s --layout %s", STORED, middle, type, layout);
    assert_ok(engine_model_verify(subject->model, NULL));
    compare_stored(&subject->weights, exact, type);
    const struct plain_tensor *linear =
        plain_tensor(&subject->weights, "layers.0.attention.qkv.weight");
    assert_int_equal(linear->type, choice / 2 + 1);
    assert_int_equal(linear->layout, choice % 2);
    const struct texts *texts =
        comparison_texts(subject, (size_t[]){1, 7, 33, 128}, 4, choice, NULL);
    for (size_t i = 0; support_isa(i); i++) {
        if (support_slow() && i != choice % support_isas())
            continue;
        comparison_reopen(subject, support_isa(i));
        comparison_run(subject, texts, ENGINE_SESSION_OPTIONS(.n_threads = 1));
    }
    owned_release(mark);
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
        const struct subject *exact = comparison_make(NULL, "%s %s", STORED, middles[m]);
        for (size_t choice = 0; choice < INT8_PANELS; choice++)
            check_stored(middles[m], types[choice / 2], layouts[choice % 2], choice,
                         &exact->weights);
    }
    comparison_finish();
}
