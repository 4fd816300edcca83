/* tags: numbers */
/* Vectors of spans are the means of the rows of their tokens, of the whole text's one pass. */
#include "tests/support.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

enum { WIDTH = 16, MOST_WIDTH = 256, MOST = 32 };

static const char TEXT[] = "I ride bike dog cat I bike";

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
    const engine_input text = support_text(TEXT);
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
    const engine_input text = support_text(TEXT), of_ids = {.ids = ids, .n_ids = 2};
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
