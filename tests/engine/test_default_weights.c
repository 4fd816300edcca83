/* tags: no-asan */
/* The default weights by the second implementation, from texts to vectors: ids and spans are equal.
 * Vectors are as near as the rounding of rows to bytes lets them be (test_int8.c says why): in a
 * quarter of these texts no number falls to the other side of a half, and all values are within
 * 1e-5; in the others a step of one row goes through the layers after it. */
#include "engine/plain/words.h"
#include "tests/engine/comparison.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { TEXTS = 160, MOST_WORDS = 4, MOST_TOKENS = 64, WIDTH = 256 };
static const double TOLERANCE = 1e-5, JUMPS = 0.2, LEAST_COSINE = 0.9997;

static const char *const WORDS[] = {
    "I",          "ride",   "bike",    "the",      "dog's",     "walks",      "Motörhead",
    "unfahrbar!", "自転車", "naïve",   "ÅNGSTRÖM", "e\u0301té", "re-used",    "42%",
    "x²",         "Привет", "a",       "(now)",    "ﬁsh",       "zero\u200b", "\u3000wide",
    "Türkiye…",   "$3.50",  "ΣΊΣΥΦΟΣ", "한국어",   "não",       "under_line", "\u00a0",
    "ride\tfar",  "why?",   "🚲",       "ǅ"};

static void write_text(uint64_t *seed, size_t n_words, char *text, size_t cap)
{
    *text = '\0';
    for (size_t i = 0, len = 0; i < n_words; i++)
        len += (size_t)snprintf(text + len, cap - len, "%s%s", i > 0 ? " " : "",
                                WORDS[support_below(seed, sizeof WORDS / sizeof *WORDS)]);
}

/* Returns the tokens of a text by both, which are equal. */
static size_t tokens_of(engine_session *session, const struct plain_weights *weights,
                        const char *text, int32_t *ids)
{
    static engine_token tokens[MOST_TOKENS];
    const engine_input input = support_text(text);
    size_t n, n_expected;
    struct plain_token *expected = plain_tokens(weights, text, &n_expected, (char[256]){""});
    assert_ok(engine_tokenize(session, &input, NULL, tokens, MOST_TOKENS, &n, NULL));
    assert_int_equal(n, n_expected);
    for (size_t i = 0; i < n; i++) {
        ids[i] = tokens[i].id;
        if (tokens[i].id != expected[i].id || tokens[i].begin != expected[i].begin ||
            tokens[i].end != expected[i].end)
            fail_msg("'%s', token %zu: %d %zu-%zu, expected %d %zu-%zu", text, i, (int)tokens[i].id,
                     tokens[i].begin, tokens[i].end, (int)expected[i].id, expected[i].begin,
                     expected[i].end);
    }
    free(expected);
    return n;
}

static const float *encode(engine_session *session, const char *text, engine_pooling pooling)
{
    const engine_input input = support_text(text);
    const engine_encode_options options = ENGINE_ENCODE_OPTIONS(.pooling = pooling);
    return support_encode(session, &input, 1, &options, NULL);
}

TEST(texts_have_the_ids_and_vectors_of_the_second_implementation)
{
    struct plain_weights weights;
    char path[SUPPORT_PATH], text[256], error[256];
    uint64_t seed = 5;
    size_t n_close = 0, n_close_vectors = 0;
    double largest = 0, least = 1;
    support_program("default.weights", path);
    if (!plain_weights_read(&weights, path))
        fail_msg("%s", weights.error);
    engine_session *session = support_session(support_open(path), NULL);
    for (size_t i = 0; i < TEXTS; i++) {
        int32_t ids[MOST_TOKENS];
        float rounded[WIDTH];
        size_t width;
        write_text(&seed, i % (MOST_WORDS + 1), text, sizeof text);
        const struct plain_input input = {.n = tokens_of(session, &weights, text, ids), .ids = ids};
        const struct plain_output *output =
            comparison_expected(&weights, &input, &(struct plain_options){.int8_rows = true});
        double *expected = plain_vector_of_text(&weights, output, &width, error);
        assert_true(expected != NULL && width == WIDTH);
        const float *rows = encode(session, text, ENGINE_POOLING_NONE),
                    *vector = encode(session, text, ENGINE_POOLING_MODEL);
        const double difference =
            support_difference(rows, output->tokens, input.n * WIDTH, false).largest;
        const double of_vector = support_difference(vector, expected, WIDTH, true).largest;
        n_close += difference <= TOLERANCE;
        n_close_vectors += of_vector <= TOLERANCE;
        largest = fmax(largest, difference);
        for (size_t c = 0; c < WIDTH; c++)
            rounded[c] = (float)expected[c];
        least = fmin(least, engine_cosine(vector, rounded, WIDTH));
        free(expected);
    }
    print_message("%zu of %d texts within %g (vectors: %zu), largest difference %.2g, least "
                  "cosine %.6f\n",
                  n_close, TEXTS, TOLERANCE, n_close_vectors, largest, least);
    assert_true(n_close >= TEXTS / 6 && n_close_vectors >= TEXTS / 4);
    assert_true(largest <= JUMPS);
    assert_true(least >= LEAST_COSINE);
    plain_weights_free(&weights);
}
