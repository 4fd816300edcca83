/* Guarantee: engine_shape_of says what engine_encode writes, and its prompt. */
#include "tests/support.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { WIDTH = 16, LABELS = 3, N_TEXTS = 2, MOST = 512 };

/* Poolings as resolved; 0: refused. */
static const struct kind {
    const char *made;
    engine_pooling of_model, of_text;
    bool normalized; /* by the model's own pooling */
    size_t width;    /* of TEXT */
} KINDS[] = {
    {"--pooling mean --normalize yes", ENGINE_POOLING_MEAN, ENGINE_POOLING_MEAN, true, WIDTH},
    {"--pooling cls --normalize no", ENGINE_POOLING_CLS, ENGINE_POOLING_CLS, false, WIDTH},
    {"--pooling last --normalize no --projections 1 --projection-activation tanh",
     ENGINE_POOLING_LAST, ENGINE_POOLING_LAST, false, WIDTH},
    {"--pooling pooler --head pooler --head-dense tanh --normalize no", ENGINE_POOLING_POOLER,
     ENGINE_POOLING_POOLER, false, WIDTH},
    {"--pooling none", ENGINE_POOLING_NONE, ENGINE_POOLING_MEAN, false, WIDTH},
    {"--pooling none --head mask", ENGINE_POOLING_NONE, ENGINE_POOLING_MEAN, false, WIDTH},
    {"--pooling none --set sparse=linear", ENGINE_POOLING_SPARSE, ENGINE_POOLING_SPARSE, false, 6},
    {"--pooling none --set token_vectors=6", ENGINE_POOLING_COLBERT, ENGINE_POOLING_MEAN, false,
     WIDTH},
    {"--set token_vectors=6 --set sparse=linear --pooling max --normalize yes", ENGINE_POOLING_MAX,
     ENGINE_POOLING_MAX, true, WIDTH},
    {"--head sequence --labels 3", 0, 0, false, 0},
    {"--head token --labels 3", 0, 0, false, 0},
    {"--head sequence --labels 1", 0, 0, false, 0},
};
enum { N_KINDS = sizeof KINDS / sizeof *KINDS };

static float rows[MOST], others[MOST];

/* Encodes the texts. Returns the status, and the numbers of the answer. */
static engine_status encode(engine_session *session, const engine_encode_options *options,
                            float *out, size_t *needed, engine_result *results)
{
    const engine_input texts[N_TEXTS] = {support_text("I ride bike"), support_text("dog cat")};
    return engine_encode(session, texts, N_TEXTS, options, out, MOST, needed, results);
}

static void check_rows(const engine_shape *shape, size_t needed, const engine_result *results)
{
    const size_t n_tokens = results[0].n_tokens + results[1].n_tokens;
    assert_true(shape->width > 0);
    assert_int_equal(needed, (shape->per_token ? n_tokens : N_TEXTS) * shape->width);
    for (size_t begin = 0; begin < needed && shape->normalized; begin += shape->width) {
        double square = 0;
        for (size_t i = 0; i < shape->width; i++)
            square += (double)rows[begin + i] * (double)rows[begin + i];
        assert_true(fabs(square - 1) <= 1e-5);
    }
}

/* Compares the shape with what the session then writes; refusals have the same words. */
static void check(const engine_model *model, engine_session *session, bool has_projections,
                  const engine_encode_options *options)
{
    engine_shape shape = ENGINE_SHAPE();
    engine_result results[N_TEXTS];
    engine_error error;
    size_t needed, n_named;
    const engine_status status = engine_shape_of(model, options, &shape, &error);
    assert_int_equal(encode(session, options, rows, &needed, results), status);
    if (status != ENGINE_OK) {
        assert_string_equal(error.message, engine_session_message(session));
        assert_int_equal(shape.width, 0);
        return;
    }
    assert_true(shape.pooling != ENGINE_POOLING_MODEL && shape.pooling != ENGINE_POOLING_TEXT);
    check_rows(&shape, needed, results);
    engine_encode_options named = *options; /* the same in other words */
    named.prompt_text = shape.prompt;
    named.prompt_len = shape.prompt_len;
    if (!has_projections) {
        named.pooling = shape.pooling;
        named.normalize = shape.normalized;
    }
    assert_ok(encode(session, &named, others, &n_named, NULL));
    assert_int_equal(n_named, needed);
    assert_memory_equal(others, rows, needed * sizeof *rows);
}

TEST(every_pooling_of_every_kind)
{
    for (size_t i = 0; i < N_KINDS; i++) {
        engine_model *model = support_small_model(KINDS[i].made);
        engine_session *session = support_session(model, NULL);
        for (int pooling = 0; engine_pooling_name((engine_pooling)pooling) != NULL; pooling++)
            for (int normalize = 0; normalize < 2; normalize++)
                for (size_t dimensions = 0; dimensions < WIDTH + 2; dimensions += WIDTH / 4) {
                    const engine_encode_options options =
                        ENGINE_ENCODE_OPTIONS(.pooling = (engine_pooling)pooling,
                                              .normalize = normalize, .dimensions = dimensions);
                    check(model, session, strstr(KINDS[i].made, "projections") != NULL, &options);
                }
    }
}

TEST(own_poolings)
{
    for (size_t i = 0; i < N_KINDS; i++) {
        const struct kind *kind = &KINDS[i];
        engine_shape own = ENGINE_SHAPE(), text = ENGINE_SHAPE();
        engine_info info = ENGINE_INFO();
        engine_model *model = support_small_model(kind->made);
        const engine_status expected = kind->of_model ? ENGINE_OK : ENGINE_ERROR_UNSUPPORTED;
        const engine_encode_options options = ENGINE_ENCODE_OPTIONS(.pooling = ENGINE_POOLING_TEXT);
        assert_int_equal(engine_shape_of(model, NULL, &own, NULL), expected);
        assert_int_equal(engine_shape_of(model, &options, &text, NULL), expected);
        assert_int_equal(own.pooling, kind->of_model);
        assert_int_equal(text.pooling, kind->of_text);
        assert_int_equal(text.width, kind->width);
        assert_int_equal(own.normalized, kind->normalized || own.pooling == ENGINE_POOLING_COLBERT);
        assert_int_equal(text.normalized, kind->normalized);
        assert_int_equal(text.per_token, 0);
        assert_ok(engine_model_info(model, &info, NULL));
        if (kind->of_model) {
            assert_int_equal(info.pooling, own.pooling);
            assert_int_equal(info.output_width, own.width);
        }
    }
}

TEST(labels)
{
    static const char *const made[] = {"--head sequence --labels 3", "--head token --labels 3"};
    const engine_encode_options options = ENGINE_ENCODE_OPTIONS(.pooling = ENGINE_POOLING_LABELS);
    for (size_t i = 0; i < 2; i++) {
        engine_shape shape = ENGINE_SHAPE();
        engine_model *model = support_small_model(made[i]);
        assert_ok(engine_shape_of(model, &options, &shape, NULL));
        assert_int_equal(shape.pooling, ENGINE_POOLING_LABELS);
        assert_int_equal(shape.width, LABELS);
        assert_int_equal(shape.per_token, i);
    }
}

/* The prompts of roles are those of poolings that models are made for, default ones are those of
 * labels of texts. A model without such an answer has them all the same. */
TEST(prompts)
{
    static const char PROMPTS[] = "--metadata prompt.query=ride --metadata prompt.all=dog "
                                  "--metadata default_prompt=all ";
    static const struct {
        const char *made;
        engine_pooling pooling;
        engine_role role;
        const char *prompt;
    } cases[] = {{"", ENGINE_POOLING_MODEL, ENGINE_ROLE_TEXT, "dog"},
                 {"", ENGINE_POOLING_TEXT, ENGINE_ROLE_QUERY, "ride"},
                 {"--pooling none", ENGINE_POOLING_TEXT, ENGINE_ROLE_QUERY, "ride"},
                 {"", ENGINE_POOLING_TEXT, ENGINE_ROLE_DOCUMENT, ""},
                 {"", ENGINE_POOLING_MEAN, ENGINE_ROLE_TEXT, ""},
                 {"", ENGINE_POOLING_NONE, ENGINE_ROLE_QUERY, ""},
                 {"", ENGINE_POOLING_SPARSE, ENGINE_ROLE_QUERY, "ride"},
                 {"--set sparse=linear", ENGINE_POOLING_SPARSE, ENGINE_ROLE_QUERY, "ride"},
                 {"--head token --labels 3", ENGINE_POOLING_LABELS, ENGINE_ROLE_TEXT, ""},
                 {"--head sequence --labels 3", ENGINE_POOLING_LABELS, ENGINE_ROLE_TEXT, "dog"},
                 {"--head sequence --labels 3", ENGINE_POOLING_MODEL, ENGINE_ROLE_TEXT, "dog"},
                 {"--head sequence --labels 1", ENGINE_POOLING_LABELS, ENGINE_ROLE_QUERY, "dog"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char made[300];
        engine_shape shape = ENGINE_SHAPE();
        engine_encode_options options =
            ENGINE_ENCODE_OPTIONS(.pooling = cases[i].pooling, .role = cases[i].role);
        snprintf(made, sizeof made, "%s%s", PROMPTS, cases[i].made);
        engine_model *model = support_small_model(made);
        engine_session *session = support_session(model, NULL);
        engine_shape_of(model, &options, &shape, NULL);
        if (strlen(cases[i].prompt) != shape.prompt_len ||
            memcmp(shape.prompt, cases[i].prompt, shape.prompt_len) != 0)
            fail_msg("case %zu: '%.*s', expected '%s'", i, (int)shape.prompt_len, shape.prompt,
                     cases[i].prompt);
        check(model, session, false, &options);
    }
}
