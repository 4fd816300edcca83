/* vector_cases.c - see vector_cases.h. */
#include "tests/tools/import/vector_cases.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void vectors_setup(void)
{
    char *script = realpath("tests/tools/import/make_vectors.sh", NULL);
    assert_non_null(script);
    setenv("MAKE_VECTORS", script, 1);
    free(script);
    import_setup();
}

void write_vectors(const char *name, const char *text)
{
    tiny_write_text(".", name, text);
}

void row_of(engine_session *session, int32_t id, float *row, size_t width)
{
    const engine_input input = {.ids = &id, .n_ids = 1};
    const engine_encode_options options = ENGINE_ENCODE_OPTIONS(.pooling = ENGINE_POOLING_NONE);
    assert_int_equal(engine_encode(session, &input, 1, &options, row, width, NULL, NULL),
                     ENGINE_OK);
}

void expect_word(const engine_model *model, int32_t id, const char *word, float a, float b)
{
    const char *text = "";
    size_t len = 0;
    float row[2];
    engine_session *session = support_session(model, NULL);
    row_of(session, id, row, 2);
    engine_session_free(session);
    if (engine_token_text(model, id, &text, &len) != ENGINE_OK) { /* it has none */
        text = "";
        len = 0;
    }
    if (len != strlen(word) || memcmp(text, word, len) != 0 || !(row[0] == a) || !(row[1] == b))
        fail_msg("id %d: '%.*s' %g %g, expected '%s' %g %g", id, (int)len, text, (double)row[0],
                 (double)row[1], word, (double)a, (double)b);
}

size_t vocabulary_of(const engine_model *model)
{
    engine_info info = ENGINE_INFO();
    assert_int_equal(engine_model_info(model, &info, NULL), ENGINE_OK);
    return info.n_vocabulary;
}

void expect_ids(const char *model, const char *text, const char *ids)
{
    const struct shell_result *result =
        shell_expect(0, "$ENCODE -m %s --tokens -f ids \"%s\"", model, text);
    char line[128];
    snprintf(line, sizeof line, "%s\n", ids);
    assert_string_equal(result->out, line);
}
