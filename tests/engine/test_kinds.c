/* tags: numbers no-asan */
/* Guarantee: the bounds of test_grid.c hold for the parts of later encoders (positions in
 * attention, windows, norms around a sublayer, shared layers and keys), to 2,600 tokens. */
#include "tests/engine/comparison.h"

#include <stdio.h>

/* The settings that are crossed in full. */
static const char *const attentions[] = {
    "",
    "--set attention_position=rotary",
    "--set attention_position=rotary --set rotary_pairs=interleaved --set rotary_base=50",
    ("--set attention_position=rotary --set rotary_width=4 --set rotary_trained=7 "
     "--set rotary_factor=2"),
    "--set attention_position=alibi",
    "--set attention_position=distance --set distances=5",
};
static const char *const windows[] = {
    "",
    "--set window=3",
    "--set window=2 --set global_every=2 --set global_first=0",
    "--set window=4 --set global_every=3 --set global_first=1",
};
static const char *const places[] = {
    "post",
    "pre --final-norm yes --set first_norm=no",
    "sandwich",
};
static const char *const masks[] = {"full", "causal"};
enum { N_ATTENTIONS = 6, N_WINDOWS = 4, N_PLACES = 3, N_CROSS = 6 * 4 * 3 * 2 };

/* Width, heads, and what else there is to say of them: K at least 4 and even. */
static const char *const heads[] = {
    "--width 24 --heads 2",
    "--width 36 --heads 6 --set key_value_heads=2",
    "--width 20 --heads 3 --set head_width=16 --set key_value_heads=1",
    "--width 40 --heads 4 --set head_width=6 --set query_key_norm=yes",
    "--width 64 --heads 2 --set query_key_norm=yes --set score_scale=0.125",
    "--width 28 --heads 7 --set key_value_heads=1 --set score_scale=1 --set query_key_norm=yes",
    "--width 32 --heads 5 --set head_width=10 --set score_scale=0.2",
};

/* The settings that rotate in the cross. */
static const char *const others[] = {
    "",
    "--embedding-width 12 --embedding-norm layer --position learned",
    "--gate first --activation gelu --feed-forward-bias no",
    "--gate second --activation silu --feed-forward-bias no --attention-bias no --norm-bias no",
    "--gate first --activation gelu --feed-forward-bias yes --set feed_forward_in_bias=no",
    ("--norm rms --feed-forward-bias no --set feed_forward_in_bias=yes --position learned "
     "--position-offset 2"),
};

static void kind_words(size_t index, char *words, size_t cap)
{
    static const char *const stored[] = {"f32 --layout panels", "f32 --layout rows",
                                         "f16 --layout panels", "bf16 --layout panels",
                                         "int8 --layout rows"};
    uint64_t state = index;
    size_t attention = index % N_ATTENTIONS, window = index / N_ATTENTIONS % N_WINDOWS;
    size_t place = index / (N_ATTENTIONS * N_WINDOWS) % N_PLACES;
    size_t mask = index / (N_ATTENTIONS * N_WINDOWS * N_PLACES);
    size_t n_layers = 2 + support_below(&state, 3);
    /* Layers that share their tensors cannot lack the first norm. */
    size_t groups = place == 1 ? n_layers : 1 + support_below(&state, n_layers);
    snprintf(words, cap,
             "--seed %zu --layers %zu --set layer_groups=%zu --max-tokens 60 --token-types 2 "
             "--position none %s --feed-forward %zu %s %s %s --norm-place %s --mask %s --type %s",
             index, n_layers, groups, heads[index % 7], (size_t[]){48, 17, 40}[index % 3],
             others[support_below(&state, 6)], attentions[attention], windows[window],
             places[place], masks[mask], stored[support_below(&state, 5)]);
}

static void compare_lengths(struct subject *subject, const size_t *lens, size_t n, uint64_t seed,
                            size_t n_threads)
{
    static struct texts texts;
    comparison_texts(subject, &texts, lens, n, seed, NULL);
    comparison_run(subject, &texts, ENGINE_SESSION_OPTIONS(.n_threads = n_threads));
    comparison_free_texts(&texts);
}

TEST(cross)
{
    static struct subject subject;
    comparison_start();
    size_t step = support_emulated() ? 25 : support_slow() ? 5 : 1; /* no divisors of the kinds */
    for (size_t index = 0; index < N_CROSS; index += step) {
        uint64_t state = index + 1000;
        size_t lens[] = {1, 2 + support_below(&state, 15), 17 + support_below(&state, 40)};
        kind_words(index, subject.words, sizeof subject.words);
        comparison_make(&subject, support_folder(), support_isa(index % support_isas()));
        compare_lengths(&subject, lens, 3, index, 1 + index / step % 2);
        comparison_close(&subject);
    }
    comparison_finish();
}

/* Longer texts, for which attention goes other ways, on every instruction set. */
TEST(long_texts)
{
    static const char *const words[] = {
        "--set attention_position=rotary --set rotary_base=160000 --set rotary_local_base=10000 "
        "--set window=64 --set global_every=3 --norm-place pre --final-norm yes "
        "--set first_norm=no --gate first --position none",
        "--set attention_position=alibi --gate first --position none",
        "--set attention_position=distance --set distances=127 --position learned",
        "--set attention_position=rotary --set rotary_trained=150 --set rotary_factor=2 "
        "--set rotary_base=1000 --gate second --activation silu --position none",
        "--set attention_position=rotary --set window=30 --set key_value_heads=1 --mask causal "
        "--norm-place sandwich --norm rms --set query_key_norm=yes --position none",
    };
    static struct subject subject;
    const size_t n_lens = support_emulated() ? 1 : 3;
    comparison_start();
    for (size_t file = 0; file < sizeof words / sizeof words[0]; file++) {
        snprintf(subject.words, sizeof subject.words,
                 "--seed 15 --layers 4 --width 48 --heads 3 --feed-forward 64 --max-tokens 512 %s",
                 words[file]);
        comparison_make(&subject, support_folder(), NULL);
        for (size_t i = 0; support_isa(i); i++) {
            if (support_slow() && i != (file + 1) % support_isas())
                continue;
            comparison_reopen(&subject, support_isa(i));
            compare_lengths(&subject, (size_t[]){129, 200, 305}, n_lens, file, 2);
        }
        comparison_close(&subject);
    }
    comparison_finish();
}

/* Thousands of tokens: angles of thousands of radians, and windows that hide nearly all keys. */
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
    static struct subject subject;
    size_t n_tokens = support_slow() ? 400 : 2600;
    comparison_start();
    for (size_t file = 0; file < sizeof words / sizeof words[0]; file++) {
        snprintf(subject.words, sizeof subject.words,
                 "--seed 16 --layers 2 --width 16 --heads 1 --feed-forward 32 --max-tokens 2600 %s",
                 words[file]);
        comparison_make(&subject, support_folder(), support_isa(file % support_isas()));
        compare_lengths(&subject, &n_tokens, 1, file, 2);
        comparison_close(&subject);
    }
    comparison_finish();
}

/* ---- Tokens that a caller's mask hides ---- */

static void compare_masked(const struct subject *subject, engine_session *session,
                           const engine_input *input, struct worst *worst)
{
    enum { WIDTH = 24, MOST = 40 };
    float tokens[MOST * WIDTH];
    double expected[MOST * WIDTH] = {0};
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
    assert_int_equal(engine_encode(session, input, 1, &options, tokens, n, NULL, NULL), ENGINE_OK);
    support_compare(worst, 1e-5, tokens, expected, n, "%s: %zu tokens, %zu seen", subject->words,
                    input->n_ids, output.n_tokens);
    plain_output_free(&output);
}

/* Padding before or after the text, and holes. */
TEST(masked)
{
    static struct subject subject;
    struct worst worst = {0};
    uint64_t state = 31;
    for (size_t file = 0; file < N_ATTENTIONS * N_WINDOWS; file++) {
        snprintf(subject.words, sizeof subject.words,
                 "--seed 9 --layers 3 --width 24 --heads 3 --feed-forward 30 --max-tokens 40 "
                 "--position none --token-types 2 %s %s",
                 attentions[file % N_ATTENTIONS], windows[file / N_ATTENTIONS]);
        comparison_make(&subject, support_folder(), support_isa(file % support_isas()));
        engine_session *session = support_session(subject.model, NULL);
        for (size_t round = 0; round < 12; round++) {
            int32_t ids[40], types[40];
            uint8_t mask[40];
            engine_input input = {.ids = ids, .types = types, .mask = mask, .n_ids = 5 + 3 * round};
            size_t border = support_below(&state, input.n_ids);
            support_random_ids(&state, ids, input.n_ids, subject.info.n_vocabulary);
            support_random_ids(&state, types, input.n_ids, 2);
            for (size_t t = 0; t < input.n_ids; t++)
                mask[t] = round % 3 == 0   ? t <= border
                          : round % 3 == 1 ? t >= border
                                           : support_below(&state, 4) > 0;
            compare_masked(&subject, session, &input, &worst);
        }
        engine_session_free(session);
        comparison_close(&subject);
    }
    support_assert_within(&worst, 1e-5, "masked");
}
