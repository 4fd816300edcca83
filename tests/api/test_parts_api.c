/* tags: numbers */
/* The parts of a vector add up to it, and are the weighted rows of its tokens; vectors of spans are
 * the means of the rows of their tokens, of the one pass of the text. */
#include "tests/owned.h"
#include "tests/support.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { WIDTH = 16, MOST_WIDTH = 256, MOST = 32 };

static const char *const TEXTS[] = {"I ride bike dog cat I bike", "dog", "", "bike bike cat I"};
enum { N_TEXTS = sizeof TEXTS / sizeof TEXTS[0] };

/* The same poolings as those of a file and of the options. */
static const char *const NAMES[] = {"mean", "mean_sqrt", "weighted_mean"};
static const engine_pooling POOLINGS[] = {ENGINE_POOLING_MEAN, ENGINE_POOLING_MEAN_SQRT,
                                          ENGINE_POOLING_WEIGHTED_MEAN};

static double weight_of(engine_pooling pooling, size_t t, size_t n)
{
    const double all = (double)n;
    return pooling == ENGINE_POOLING_MEAN        ? 1 / all
           : pooling == ENGINE_POOLING_MEAN_SQRT ? 1 / sqrt(all)
                                                 : 2 * ((double)t + 1) / (all * (all + 1));
}

/* Returns the parts of an input, [*n + 1, width], which must add up to its vector. */
static float *parts_of(engine_session *session, const engine_input *input,
                       const engine_encode_options *options, size_t width, size_t *n)
{
    float *out = new_floats((MOST + 1) * width);
    engine_result result;
    size_t needed;
    const float *vector = support_encode(session, input, 1, options, NULL);
    assert_ok(
        engine_encode_parts(session, input, options, out, (MOST + 1) * width, &needed, &result));
    *n = result.n_tokens;
    assert_int_equal(needed, (*n + 1) * width);
    for (size_t k = 0; k < width; k++) {
        double sum = 0;
        for (size_t t = 0; t <= *n; t++)
            sum += out[t * width + k];
        assert_true(fabs(sum - vector[k]) <= 1e-6 * fmax(1, fabs(vector[k])));
    }
    return out;
}

static void check_sums(engine_session *session, const engine_encode_options *options, size_t width)
{
    for (size_t i = 0; i < N_TEXTS; i++) {
        const engine_input input = support_text(TEXTS[i]);
        size_t n;
        parts_of(session, &input, options, width, &n);
    }
}

/* Without projections a part is the row of its token, times its weight. */
static void check_rows(engine_session *session, engine_encode_options options, size_t width)
{
    static float rows[MOST * MOST_WIDTH];
    const engine_pooling pooling = options.pooling;
    for (size_t i = 0; i < N_TEXTS; i++) {
        const engine_input input = support_text(TEXTS[i]);
        size_t n;
        options.pooling = pooling;
        const float *parts = parts_of(session, &input, &options, width, &n);
        options.pooling = ENGINE_POOLING_NONE;
        assert_ok(engine_encode(session, &input, 1, &options, rows, MOST * MOST_WIDTH, NULL, NULL));
        for (size_t t = 0; t < n; t++)
            for (size_t k = 0; k < width; k++)
                assert_true(fabs(parts[t * width + k] -
                                 weight_of(pooling, t, n) * (double)rows[t * width + k]) <= 1e-6);
        for (size_t k = 0; k < width; k++)
            assert_true(parts[n * width + k] == 0);
    }
}

TEST(parts_are_weighted_rows)
{
    engine_model *models[] = {support_small_model(""), support_open("weights/default.weights")};
    static const size_t widths[] = {16, 256};
    for (size_t m = 0; m < 2; m++) {
        engine_session *session = support_session(models[m], NULL);
        for (size_t p = 0; p < 3; p++) {
            engine_encode_options options =
                ENGINE_ENCODE_OPTIONS(.pooling = POOLINGS[p], .prompt_text = "cat ",
                                      .prompt_len = m ? 4 : 0);
            check_rows(session, options, widths[m]);
            options.no_special = 1;
            check_rows(session, options, widths[m]);
            check_sums(session, &options, widths[m]);
            options.normalize = 1;
            check_sums(session, &options, widths[m]);
        }
    }
}

/* The file's own poolings, with projections that have biases, and lengths. */
TEST(projections_are_of_each_token)
{
    for (size_t p = 0; p < 3; p++)
        for (int normalize = 0; normalize < 2; normalize++) {
            char made[160];
            snprintf(made, sizeof made, "--projections 2 --pooling %s --normalize %s", NAMES[p],
                     normalize ? "yes" : "no");
            engine_model *model = support_small_model(made);
            engine_session *session = support_session(model, NULL);
            const engine_input empty = support_text(""), text = support_text(TEXTS[0]);
            engine_encode_options options = ENGINE_ENCODE_OPTIONS();
            float biases[16], length = 0;
            size_t n;
            engine_info info = ENGINE_INFO();
            engine_model_info(model, &info, NULL);
            check_sums(session, &options, info.output_width);
            options.no_special = 1; /* no token: the biases alone */
            assert_ok(
                engine_encode(session, &empty, 1, &options, biases, info.output_width, NULL, NULL));
            const float *parts = parts_of(session, &text, &options, info.output_width, &n);
            for (size_t k = 0; k < info.output_width; k++)
                length += parts[n * info.output_width + k] * parts[n * info.output_width + k];
            assert_true(length > 0);
            for (size_t k = 0; k < info.output_width; k++)
                assert_true(fabsf(parts[n * info.output_width + k] -
                                  biases[k] * (normalize ? sqrtf(length) : 1)) <= 1e-6F);
            options.dimensions = 5;
            check_sums(session, &options, 5);
        }
}

/* A prompt that the model does not pool has no part, also before a text that has no other token. */
TEST(unpooled_prompts_have_no_part)
{
    for (size_t p = 0; p < 3; p++) {
        char made[160];
        snprintf(made, sizeof made,
                 "--pooling %s --projections 1 --normalize no --set pools_prompt=no", NAMES[p]);
        engine_model *model = support_small_model(made);
        engine_session *session = support_session(model, NULL);
        const engine_input text = support_text(TEXTS[3]);
        const engine_encode_options options =
            ENGINE_ENCODE_OPTIONS(.prompt_text = "ride dog ", .prompt_len = ENGINE_NUL_TERMINATED);
        size_t n, n_parts = 0;
        const float *parts = parts_of(session, &text, &options, 16, &n);
        for (size_t t = 0; t < n; t++) {
            bool has_part = false;
            for (size_t k = 0; k < 16; k++)
                has_part = has_part || parts[t * 16 + k] != 0;
            assert_int_equal(has_part, t >= 2);
            n_parts += has_part;
        }
        assert_int_equal(n_parts, 4);
        check_sums(session, &options, 16);
    }
}

TEST(padding_has_no_part)
{
    static const int32_t ids[] = {1, 2, 3, 1, 0};
    static const uint8_t mask[] = {0, 1, 1, 1, 0};
    engine_session *session = support_session(support_small_model(""), NULL);
    engine_input padded = support_ids(ids, 5), bare = support_ids(ids + 1, 3);
    const engine_encode_options options = ENGINE_ENCODE_OPTIONS(.pooling = ENGINE_POOLING_MEAN);
    size_t n, n_bare;
    padded.mask = mask;
    const float *parts = parts_of(session, &padded, &options, 16, &n);
    const float *expected = parts_of(session, &bare, &options, 16, &n_bare);
    assert_int_equal(n, 5);
    assert_int_equal(n_bare, 3);
    for (size_t k = 0; k < 16; k++)
        assert_true(parts[k] == 0 && parts[4 * 16 + k] == 0);
    assert_memory_equal(parts + 16, expected, 3 * 16 * sizeof *parts);
}

TEST(what_is_no_sum_is_refused_with_the_reason)
{
    static const struct {
        const char *made;
        engine_pooling pooling;
        const char *reason;
    } cases[] = {
        {"", ENGINE_POOLING_CLS, "the first token alone"},
        {"", ENGINE_POOLING_LAST, "the last token alone"},
        {"", ENGINE_POOLING_MAX, "where it is largest"},
        {"", ENGINE_POOLING_NONE, "one token's"},
        {"--head pooler --head-dense tanh", ENGINE_POOLING_POOLER, "the first token alone"},
        {"--projections 1 --projection-activation tanh --normalize no", ENGINE_POOLING_MODEL,
         "an activation"},
        {"--set joined_poolings=max", ENGINE_POOLING_MODEL, "several vectors"},
        {"--projections 2 --projection-activation identity,layer_norm", ENGINE_POOLING_MODEL,
         "or a norm"},
        {"--set token_vectors=8", ENGINE_POOLING_COLBERT, "best match"},
        {"--head sequence --labels 2", ENGINE_POOLING_LABELS, "labels"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        engine_session *session = support_session(support_small_model(cases[i].made), NULL);
        const engine_input text = support_text(TEXTS[0]);
        const engine_encode_options options = ENGINE_ENCODE_OPTIONS(.pooling = cases[i].pooling);
        assert_fails(UNSUPPORTED,
                     engine_encode_parts(session, &text, &options, NULL, 0, NULL, NULL));
        assert_non_null(strstr(engine_session_message(session), cases[i].reason));
    }
}

TEST(arguments_are_checked)
{
    engine_session *session = support_session(support_small_model(""), NULL);
    const engine_input text = support_text("dog");
    const engine_encode_options mean = ENGINE_ENCODE_OPTIONS(.pooling = ENGINE_POOLING_MEAN);
    float out[MOST];
    size_t needed = 0;
    assert_fails(BUFFER, engine_encode_parts(session, &text, &mean, out, MOST - 1, &needed, NULL));
    assert_true(needed >= MOST && needed % 16 == 0);
    assert_fails(ARGUMENT, engine_encode_parts(session, NULL, &mean, out, MOST, NULL, NULL));
    assert_fails(ARGUMENT, engine_encode_parts(session, &text, &mean, NULL, MOST, NULL, NULL));
    assert_fails(ARGUMENT, engine_encode_parts(NULL, &text, &mean, out, MOST, NULL, NULL));
}

/* ---- Spans ---- */

/* The mean, in double, of the rows of tokens with a byte of the span, at length 1 if asked. */
static void expected_mean(const engine_token *tokens, const float *rows, size_t n, size_t width,
                          const engine_span *span, bool normalize, double *mean)
{
    double n_in = 0, sum = 0;
    memset(mean, 0, width * sizeof *mean);
    for (size_t i = 0; i < n; i++) {
        if (tokens[i].special || tokens[i].in_prompt || span->begin >= span->end ||
            tokens[i].begin >= span->end || tokens[i].end <= span->begin)
            continue;
        n_in++;
        for (size_t k = 0; k < width; k++)
            mean[k] += rows[i * width + k];
    }
    for (size_t k = 0; k < width && n_in > 0; k++) {
        mean[k] /= n_in;
        sum += mean[k] * mean[k];
    }
    for (size_t k = 0; k < width && normalize && sum > 0; k++)
        mean[k] /= sqrt(sum);
}

/* Whole words, parts of words, all, and what has no token: a blank, nothing. */
static const engine_span SPANS[] = {{0, 6}, {7, 11}, {3, 9}, {0, 26}, {6, 7}, {5, 5}, {26, 26}};
enum { N = sizeof SPANS / sizeof SPANS[0] };

static void check_spans(engine_session *session, size_t width, bool normalize, const char *prompt)
{
    static float rows[MOST * MOST_WIDTH], out[N * MOST_WIDTH];
    static double expected[MOST_WIDTH];
    const engine_input text = support_text(TEXTS[0]);
    engine_encode_options options =
        ENGINE_ENCODE_OPTIONS(.pooling = ENGINE_POOLING_NONE, .prompt_text = prompt,
                              .prompt_len = ENGINE_NUL_TERMINATED);
    engine_token tokens[MOST];
    size_t n, needed;
    assert_ok(engine_tokenize(session, &text, &options, tokens, MOST, &n, NULL));
    assert_ok(engine_encode(session, &text, 1, &options, rows, MOST * width, NULL, NULL));
    options.pooling = ENGINE_POOLING_MEAN;
    options.normalize = normalize;
    assert_ok(
        engine_encode_spans(session, &text, SPANS, N, &options, out, N * width, &needed, NULL));
    assert_int_equal(needed, N * width);
    for (size_t i = 0; i < N; i++) {
        expected_mean(tokens, rows, n, width, &SPANS[i], normalize, expected);
        for (size_t k = 0; k < width; k++)
            assert_true(fabs(out[i * width + k] - expected[k]) <= 1e-6);
    }
}

/* Without special tokens, and with them. */
TEST(spans_are_means_of_rows)
{
    for (int is_default = 0; is_default < 2; is_default++) {
        engine_model *model =
            is_default ? support_open("weights/default.weights") : support_small_model("");
        engine_session *session = support_session(model, NULL);
        engine_info info = ENGINE_INFO();
        engine_model_info(model, &info, NULL);
        assert_true(info.width <= MOST_WIDTH);
        for (int normalize = 0; normalize < 2; normalize++) {
            check_spans(session, info.width, normalize, "");
            check_spans(session, info.width, normalize, "dog ");
        }
    }
}

TEST(what_is_refused)
{
    static const int32_t ids[] = {1, 2};
    static const engine_pooling others[] = {ENGINE_POOLING_CLS, ENGINE_POOLING_LAST,
                                            ENGINE_POOLING_NONE};
    engine_session *session = support_session(support_small_model(""), NULL);
    const engine_input text = support_text(TEXTS[0]), of_ids = {.ids = ids, .n_ids = 2};
    const engine_encode_options mean = ENGINE_ENCODE_OPTIONS(.pooling = ENGINE_POOLING_MEAN);
    float out[WIDTH];
    size_t needed = 0;
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        const engine_encode_options options = ENGINE_ENCODE_OPTIONS(.pooling = others[i]);
        assert_fails(UNSUPPORTED, engine_encode_spans(session, &text, SPANS, 1, &options, out,
                                                      WIDTH, NULL, NULL));
    }
    assert_fails(BUFFER,
                 engine_encode_spans(session, &text, SPANS, 2, &mean, out, WIDTH, &needed, NULL));
    assert_int_equal(needed, 2 * WIDTH);
    assert_fails(ARGUMENT,
                 engine_encode_spans(session, &of_ids, SPANS, 1, &mean, out, WIDTH, NULL, NULL));
    assert_fails(ARGUMENT,
                 engine_encode_spans(session, NULL, SPANS, 1, &mean, out, WIDTH, NULL, NULL));
    assert_fails(ARGUMENT,
                 engine_encode_spans(NULL, &text, SPANS, 1, &mean, out, WIDTH, NULL, NULL));
    for (size_t i = 0; i < 2; i++) { /* they are not in the text, or end before they begin */
        engine_span wrong[] = {{0, 1}, {i == 0 ? 2 : 0, i == 0 ? 1 : text.text_len + 1}};
        assert_fails(ARGUMENT,
                     engine_encode_spans(session, &text, wrong, 2, &mean, out, WIDTH, NULL, NULL));
    }
    assert_ok(engine_encode_spans(session, &text, NULL, 0, &mean, NULL, 0, NULL, NULL));
}
