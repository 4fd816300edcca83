/* tags: numbers threads */
/* NaN and infinities never come out of engine.h: what would answer with one has a status and says
 * which input, and where they come from.
 *
 * Guarantee: NaN and infinities give a status with the name of their tensor, and are never
 * returned. */
#include "tests/support.h"
#include "tests/tiny_model.h"
#include "tests/weight_surgery.h"

#include <math.h>
#include <string.h>

enum { D = TINY_WIDTH, BIKE = 6, N_TEXTS = 400 };

static char path[SUPPORT_PATH];
static engine_model *model;
static engine_session *session;

SET_UP()
{
    support_path(path, support_folder(), "not.weights");
}

static void open_it(void)
{
    model = support_open(path);
    session = support_session(model, NULL);
}

/* The tiny model with one number of a table changed. */
static void open_with(float number, const char *table, size_t index)
{
    assert_ok(tiny_model_write(path, "learned", NULL));
    put_number(path, table, index, number);
    open_it();
}

static void assert_says(engine_status status, const char *words)
{
    bool overflows = strstr(words, "overflows") != NULL;
    assert_fails(NOT_FINITE, status);
    assert_int_equal(engine_session_error(session)->reason,
                     overflows ? ENGINE_REASON_OVERFLOW : ENGINE_REASON_WEIGHTS);
    if (strstr(engine_session_message(session), words) == NULL)
        fail_msg("\"%s\" is not in: %s", words, engine_session_message(session));
}

TEST(vectors)
{
    static const float numbers[] = {NAN, INFINITY, -INFINITY};
    static const engine_pooling poolings[] = {ENGINE_POOLING_MODEL, ENGINE_POOLING_NONE,
                                              ENGINE_POOLING_MEAN, ENGINE_POOLING_CLS,
                                              ENGINE_POOLING_MAX};
    engine_input inputs[] = {support_text("I ride"), support_text("the bike"), support_text("I")};
    float out[16 * D], alone[16 * D];
    for (size_t i = 0; i < 3; i++) {
        open_with(numbers[i], "embedding.token.weight", D * BIKE);
        for (size_t p = 0; p < 5; p++) {
            engine_encode_options options = ENGINE_ENCODE_OPTIONS(.pooling = poolings[p]);
            size_t n = poolings[p] == ENGINE_POOLING_NONE ? 4 * D : D;
            assert_says(engine_encode(session, inputs, 3, &options, out, 16 * D, NULL, NULL),
                        "input 1 gives NaN or an infinity: tensor 'embedding.token.weight' ");
            assert_ok(engine_encode(session, inputs, 1, &options, alone, n, NULL, NULL));
            assert_memory_equal(out, alone, n * sizeof *out);
        }
    }
}

/* The message names the first such text on any number of threads, and no wrong text after it. */
TEST(the_first_of_many)
{
    static float out[N_TEXTS * D];
    static engine_input inputs[N_TEXTS];
    static const int32_t no_id = -1;
    support_allow_threads(4);
    open_with(NAN, "embedding.token.weight", D * BIKE);
    for (size_t n_threads = 1; n_threads <= 4; n_threads += 3) {
        engine_session_options options = ENGINE_SESSION_OPTIONS(.n_threads = n_threads);
        session = support_session(model, &options);
        for (size_t i = 0; i < N_TEXTS; i++)
            inputs[i] = support_text(i == 200 || i == 390 ? "bike" : "I ride the");
        assert_says(engine_encode(session, inputs, N_TEXTS, NULL, out, N_TEXTS * D, NULL, NULL),
                    "input 200 gives");
        inputs[395] = support_ids(&no_id, 1);
        assert_says(engine_encode(session, inputs, N_TEXTS, NULL, out, N_TEXTS * D, NULL, NULL),
                    "input 200 gives");
        inputs[199] = support_ids(&no_id, 1);
        assert_fails(ARGUMENT,
                     engine_encode(session, inputs, N_TEXTS, NULL, out, N_TEXTS * D, NULL, NULL));
    }
}

TEST(ranks)
{
    engine_input query = support_text("I"), texts[40];
    float scores[40];
    open_with(NAN, "embedding.token.weight", D * BIKE);
    for (size_t i = 0; i < 40; i++)
        texts[i] = support_text(i == 35 ? "bike" : "ride");
    assert_says(engine_rank(session, &query, texts, 40, NULL, scores), "input 35 gives");
    assert_says(engine_rank(session, &texts[35], texts, 2, NULL, scores), "the query gives NaN");
    assert_ok(engine_rank(session, &query, texts, 35, NULL, scores));
}

TEST(positions)
{
    double exact[12 * D];
    float out[12 * D];
    engine_error error;
    open_with(NAN, "embedding.position.weight", D * 5 + 7); /* the offset is 1 */
    assert_ok(engine_position_matrix(model, NULL, 0, 4, out, 12 * D, NULL, &error));
    assert_fails(NOT_FINITE, engine_position_matrix(model, NULL, 0, 5, out, 12 * D, NULL, &error));
    assert_fails(NOT_FINITE,
                 engine_position_matrix_exact(model, NULL, 0, 5, exact, 12 * D, NULL, &error));
    assert_non_null(strstr(error.message, "table of positions"));
}

/* Sound weights, whose numbers outgrow float32 on the way. */
TEST(overflow)
{
    static const double most = 3e38;
    engine_session_options options =
        ENGINE_SESSION_OPTIONS(.embedding_scale = &most, .position_scale = &most);
    engine_input input = support_text("I ride the bike");
    engine_encode_options tokens = ENGINE_ENCODE_OPTIONS(.pooling = ENGINE_POOLING_NONE);
    float out[4 * 8];
    support_make_model(path, "I ride the bike", "--layers 0 --width 8 --position sinusoidal");
    model = support_open(path);
    session = support_session(model, &options);
    assert_says(engine_encode(session, &input, 1, &tokens, out, 4 * 8, NULL, NULL),
                "input 0 gives NaN or an infinity: float32 overflows");
}

/* ---- Heads: sound hidden states, a head that is not ---- */

static void open_head(const char *options)
{
    support_make_model(path, "I ride bike [MASK]", "--layers 1 --width 16 --heads 2 %s", options);
    put_number(path, "head.output.weight", 0, NAN);
    open_it();
}

TEST(labels_of_texts)
{
    engine_input texts[] = {support_text("I"), support_text("ride")};
    float out[4];
    open_head("--head sequence --labels 2 --scores softmax");
    assert_says(engine_encode(session, texts, 2,
                              &ENGINE_ENCODE_OPTIONS(.pooling = ENGINE_POOLING_LABELS), out, 4,
                              NULL, NULL),
                "input 0 gives");
    open_head("--head sequence --labels 1 --scores sigmoid");
    assert_says(engine_rank(session, &texts[0], texts, 2, NULL, out), "input 0 gives");
}

/* Of an infinity tanh would make 1. */
TEST(poolers)
{
    engine_input text = support_text("I");
    float out[16];
    open_head("--head sequence --labels 2 --pooling pooler --head-dense tanh");
    put_number(path, "head.dense.bias", 3, INFINITY);
    open_it();
    assert_says(engine_encode(session, &text, 1,
                              &ENGINE_ENCODE_OPTIONS(.pooling = ENGINE_POOLING_POOLER), out, 16,
                              NULL, NULL),
                "tensor 'head.dense.bias' ");
}

/* The head of masked words gives the sparse weights; the first of two wrong texts is named. */
TEST(sparse_weights)
{
    engine_encode_options options = ENGINE_ENCODE_OPTIONS(.pooling = ENGINE_POOLING_SPARSE);
    engine_input texts[] = {support_text("I ride"), support_text("bike")};
    float out[2 * 8];
    open_head("--head mask --set sparse=mask");
    assert_says(engine_encode(session, texts, 2, &options, out, 2 * 8, NULL, NULL),
                "input 0 gives");
}

TEST(labels_of_tokens)
{
    engine_input text = support_text("I ride");
    engine_entity entities[2];
    float out[8];
    open_head("--head token --labels 4");
    assert_says(engine_encode(session, &text, 1,
                              &ENGINE_ENCODE_OPTIONS(.pooling = ENGINE_POOLING_LABELS), out, 8,
                              NULL, NULL),
                "input 0 gives");
    assert_says(engine_entities(session, &text, NULL, entities, 2, NULL, NULL),
                "tensor 'head.output.weight' ");
}
