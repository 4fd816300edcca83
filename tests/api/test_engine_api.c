/* tags: numbers threads */
/* The functions of engine.h that open and describe a model, at their edges: NULLs, indices and
 * numbers out of range, buffers that are too small, older and newer structs. Linked with
 * libengine.a alone, like any program. */
#include "tests/owned.h"
#include "tests/support.h"
#include "tests/tiny_model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

TINY_SUITE(tiny_model_bytes("learned", &len));

TEST(status_names)
{
    static const char *const names[] = {"ENGINE_OK",
                                        "ENGINE_ERROR_ARGUMENT",
                                        "ENGINE_ERROR_MEMORY",
                                        "ENGINE_ERROR_IO",
                                        "ENGINE_ERROR_FORMAT",
                                        "ENGINE_ERROR_VERSION",
                                        "ENGINE_ERROR_UNSUPPORTED",
                                        "ENGINE_ERROR_BUFFER",
                                        "ENGINE_ERROR_LENGTH",
                                        "ENGINE_ERROR_TEXT",
                                        "ENGINE_ERROR_BUSY",
                                        "ENGINE_ERROR_NOT_FINITE",
                                        "ENGINE_ERROR_INTERRUPTED"};
    for (size_t i = 0; i <= 100; i++)
        assert_string_equal(engine_status_name((engine_status)i),
                            i < sizeof names / sizeof *names ? names[i]
                            : i == 99                        ? "ENGINE_ERROR_INTERNAL"
                                                             : "unknown status");
    assert_string_equal(engine_version(), ENGINE_VERSION);
    assert_int_not_equal(engine_build_info()[0], 0);
}

TEST(open_without_arguments)
{
    engine_error error;
    engine_model *opened = model;
    assert_refuses(ARGUMENT, &error, engine_model_open("x.weights", NULL, NULL, &error));
    assert_fails(ARGUMENT, engine_model_open(NULL, NULL, NULL, NULL));
    opened = model;
    assert_refuses(IO, &error, engine_model_open("absent/x.weights", NULL, &opened, &error));
    assert_null(opened);
    assert_non_null(strstr(error.message, "absent/x.weights"));
    assert_fails(IO, engine_model_open("", NULL, &opened, NULL));
    /* ESC, CSI in one character, U+202E, U+2066, U+2028 and a byte that is no UTF-8 are not for a
     * terminal; letters and the joiners between them, U+200C and U+200D, are. */
    static const char hostile[] =
        "/é\033\xc2\x9b\xe2\x80\xae\xe2\x81\xa6\xe2\x80\xa8\xff桜\xe2\x80\x8c\xe2\x80\x8d";
    assert_refuses(IO, &error, engine_model_open(hostile, NULL, &opened, &error));
    assert_non_null(strstr(error.message, "'/é??????桜\xe2\x80\x8c\xe2\x80\x8d'"));
}

/* Without a path, the file is the one that ENCODE_MODEL names. */
TEST(open_the_default)
{
    char path[SUPPORT_PATH];
    engine_error error;
    engine_model *opened;
    engine_info info = ENGINE_INFO();
    support_path(path, support_folder(), "named.weights");
    assert_ok(tiny_model_write(path, "none", &error));
    setenv("ENCODE_MODEL", path, 1);
    assert_ok(engine_model_open(NULL, NULL, &opened, &error));
    assert_ok(engine_model_info(opened, &info, NULL));
    assert_string_equal(info.path, path);
    assert_int_equal(info.position, ENGINE_POSITION_NONE);
    engine_model_close(opened);
    unlink(path);
    assert_refuses(IO, &error, engine_model_open(NULL, NULL, &opened, &error));
    assert_non_null(strstr(error.message, "named.weights', which ENCODE_MODEL names: No such"));
    assert_null(opened);
    assert_ok(engine_model_info(model, &info, NULL));
    assert_string_equal(info.path, "");
}

/* A path is copied completely or not at all. */
TEST(open_a_default_with_a_long_name)
{
    char name[8192];
    engine_error error;
    engine_model *opened;
    memset(name, 'a', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    setenv("ENCODE_MODEL", name, 1);
    assert_refuses(ARGUMENT, &error, engine_model_open(NULL, NULL, &opened, &error));
    unsetenv("ENCODE_MODEL");
}

TEST(names_and_values)
{
    for (int i = 0; engine_position_name((engine_position)i) != NULL; i++)
        assert_int_equal(engine_position_named(engine_position_name((engine_position)i)), i);
    for (int i = 0; engine_mask_name((engine_mask)i) != NULL; i++)
        assert_int_equal(engine_mask_named(engine_mask_name((engine_mask)i)), i);
    for (int i = 0; engine_pooling_name((engine_pooling)i) != NULL; i++)
        assert_int_equal(engine_pooling_named(engine_pooling_name((engine_pooling)i)), i);
    assert_string_equal(engine_pooling_name(ENGINE_POOLING_MEAN_SQRT), "mean_sqrt");
    assert_string_equal(engine_position_name(ENGINE_POSITION_FOURIER), "fourier");
    assert_string_equal(engine_mask_name(ENGINE_MASK_CAUSAL), "causal");
    assert_string_equal(engine_mask_name(ENGINE_MASK_MODEL), "model");
    assert_string_equal(engine_pooling_name(ENGINE_POOLING_SPARSE), "sparse");
    assert_string_equal(engine_pooling_name(ENGINE_POOLING_COLBERT), "colbert");
    assert_null(engine_pooling_name((engine_pooling)(ENGINE_POOLING_LABELS + 1)));
    assert_null(engine_mask_name((engine_mask)-1));
    assert_int_equal(engine_pooling_named("Mean"), -1);
    assert_int_equal(engine_pooling_named(NULL), -1);
    assert_int_equal(engine_position_named(""), -1);
    assert_int_equal(engine_mask_named(NULL), -1);
}

TEST(open_memory_at_its_edges)
{
    engine_error error;
    engine_model *opened = model;
    size_t model_len;
    const void *model_bytes = tiny_model_bytes("learned", &model_len);
    char *shifted = new_bytes(model_len + 64);
    assert_refuses(ARGUMENT, &error, engine_model_open_memory(NULL, 0, NULL, &opened, &error));
    assert_null(opened);
    assert_fails(ARGUMENT, engine_model_open_memory(NULL, 64, NULL, &opened, NULL));
    assert_refuses(ARGUMENT, &error,
                   engine_model_open_memory(model_bytes, model_len, NULL, NULL, &error));
    assert_refuses(FORMAT, &error, engine_model_open_memory(model_bytes, 0, NULL, &opened, &error));
    assert_null(opened);
    for (size_t shift = 1; shift <= 32; shift *= 2) { /* data must be aligned */
        memcpy(shifted + shift, model_bytes, model_len);
        opened = model;
        assert_refuses(ARGUMENT, &error,
                       engine_model_open_memory(shifted + shift, model_len, NULL, &opened, &error));
        assert_null(opened);
    }
}

static void assert_names(const engine_error *error, engine_status status, const char *initialiser)
{
    support_assert_refused(status, ENGINE_ERROR_ARGUMENT, error);
    assert_non_null(strstr(error->message, initialiser));
}

/* Structs of every size but their own: members that were set without the initialiser would be
 * ignored, and what memory held there would be read. */
TEST(structs_without_their_initialisers)
{
    engine_error error;
    engine_model *opened;
    engine_session *other;
    size_t model_len;
    const void *model_bytes = tiny_model_bytes("learned", &model_len);
    engine_vectors none = {.type = ENGINE_F32};
    for (size_t bytes = 0; bytes < 2 * sizeof(engine_info); bytes++) {
        engine_model_options of_model = ENGINE_MODEL_OPTIONS(.copy = 1);
        engine_session_options of_session = ENGINE_SESSION_OPTIONS(.max_tokens = 1);
        engine_encode_options of_encode = ENGINE_ENCODE_OPTIONS(.max_tokens = 1);
        engine_search_options of_search = ENGINE_SEARCH_OPTIONS(.n_threads = 1);
        engine_info info, before;
        memset(&info, 0x5a, sizeof info);
        of_model.struct_bytes = of_session.struct_bytes = bytes;
        of_encode.struct_bytes = of_search.struct_bytes = info.struct_bytes = bytes;
        before = info;
        if (bytes != sizeof of_model)
            assert_names(
                &error,
                engine_model_open_memory(model_bytes, model_len, &of_model, &opened, &error),
                "ENGINE_MODEL_OPTIONS()");
        if (bytes != sizeof of_session)
            assert_names(&error, engine_session_new(model, &of_session, &other, &error),
                         "ENGINE_SESSION_OPTIONS()");
        if (bytes != sizeof of_search)
            assert_names(&error, engine_search(&none, NULL, 0, 0, &of_search, NULL, &error),
                         "ENGINE_SEARCH_OPTIONS()");
        if (bytes != sizeof of_encode) {
            assert_fails(ARGUMENT,
                         engine_encode(session, NULL, 0, &of_encode, NULL, 0, NULL, NULL));
            assert_non_null(strstr(engine_session_message(session), "ENGINE_ENCODE_OPTIONS()"));
        }
        if (bytes != sizeof info) {
            assert_names(&error, engine_model_info(model, &info, &error), "ENGINE_INFO()");
            assert_memory_equal(&info, &before, sizeof info);
        }
    }
}

/* Inputs whose lengths the caller may omit. */
TEST(inputs_of_texts)
{
    engine_input short_form[] = {engine_text("a b"), engine_text_pair("a b", "c")};
    engine_input long_form[] = {{.text = "a b", .text_len = 3},
                                {.text = "a b", .text_len = 3, .pair = "c", .pair_len = 1}};
    engine_token out[2][64];
    size_t n[2];
    for (size_t i = 0; i < 2; i++) {
        assert_ok(engine_tokenize(session, &short_form[i], NULL, out[0], 64, &n[0], NULL));
        assert_ok(engine_tokenize(session, &long_form[i], NULL, out[1], 64, &n[1], NULL));
        assert_int_equal(n[0], n[1]);
        support_assert_tokens(out[0], out[1], n[0]);
    }
    short_form[0] = engine_text(NULL);
    assert_fails(ARGUMENT, engine_tokenize(session, short_form, NULL, out[0], 64, NULL, NULL));
}

TEST(info_of_the_model)
{
    engine_info info = ENGINE_INFO();
    assert_fails(ARGUMENT, engine_model_info(NULL, &info, NULL));
    assert_fails(ARGUMENT, engine_model_info(model, NULL, NULL));
    info.struct_bytes = sizeof info;
    assert_ok(engine_model_info(model, &info, NULL));
    assert_string_equal(info.name, "tiny");
    assert_int_equal(info.n_layers, 1);
    assert_int_equal(info.width, D);
    assert_int_equal(info.n_heads, 2);
    assert_int_equal(info.feed_forward, 16);
    assert_int_equal(info.n_vocabulary, TINY_VOCABULARY);
    assert_int_equal(info.n_types, TINY_TYPES);
    assert_int_equal(info.max_tokens, TINY_MAX_TOKENS);
    assert_int_equal(info.tokenizer, ENGINE_TOKENIZER_BLANKS);
    assert_int_equal(info.position, ENGINE_POSITION_LEARNED);
    assert_string_equal(info.norm, "layer");
    assert_string_equal(info.norm_place, "post");
    assert_string_equal(info.activation, "gelu");
    assert_string_equal(info.gate, "none");
    assert_int_equal(info.mask, ENGINE_MASK_FULL);
    assert_int_equal(info.pooling, ENGINE_POOLING_MEAN);
    assert_int_equal(info.normalize, 1);
    size_t len;
    tiny_model_bytes("learned", &len);
    assert_int_equal(info.file_bytes, len);
    assert_non_null(strstr(engine_build_info(), info.isa));
}

TEST(directories_end)
{
    engine_section_info section;
    engine_tensor_info tensor;
    uint64_t n_parameters = 0;
    engine_info info = ENGINE_INFO();
    size_t n_sections = 0, n_tensors = 0;
    assert_ok(engine_model_info(model, &info, NULL));
    while (engine_model_section(model, n_sections, &section) == 0) {
        assert_int_equal(strlen(section.tag), 4);
        assert_true(section.offset + section.n_bytes <= info.file_bytes);
        n_sections++;
    }
    assert_int_equal(n_sections, 6);
    assert_fails(ARGUMENT, engine_model_section(model, SIZE_MAX, &section));
    assert_fails(ARGUMENT, engine_model_section(NULL, 0, &section));
    assert_fails(ARGUMENT, engine_model_section(model, 0, NULL));

    while (engine_model_tensor(model, n_tensors, &tensor) == 0) {
        uint64_t product = 1;
        for (size_t i = 0; i < tensor.n_dims; i++)
            product *= tensor.shape[i];
        n_parameters += product;
        assert_true(tensor.offset % 64 == 0 && tensor.offset + tensor.n_bytes <= info.file_bytes);
        n_tensors++;
    }
    assert_int_equal(n_tensors, 17);
    assert_int_equal(info.n_parameters, n_parameters);
    assert_fails(ARGUMENT, engine_model_tensor(model, SIZE_MAX, &tensor));
    assert_fails(ARGUMENT, engine_model_tensor(NULL, 0, &tensor));
    assert_fails(ARGUMENT, engine_model_tensor(model, 0, NULL));
}

TEST(settings_end)
{
    const char *key, *value;
    size_t len, n = 0;
    assert_string_equal(engine_model_metadata(model, "name"), "tiny");
    assert_null(engine_model_metadata(model, "absent"));
    assert_null(engine_model_metadata(model, ""));
    assert_null(engine_model_metadata(model, NULL));
    assert_null(engine_model_metadata(NULL, "name"));
    while (engine_model_setting(model, ENGINE_SETTINGS_METADATA, n, &key, &value, &len) == 0) {
        assert_int_equal(strlen(value), len);
        n++;
    }
    assert_int_equal(n, 2);
    assert_ok(engine_model_setting(model, ENGINE_SETTINGS_CONFIG, 0, &key, &value, NULL));
    assert_ok(engine_model_setting(model, ENGINE_SETTINGS_TOKENIZER, 0, &key, &value, NULL));
    assert_fails(ARGUMENT, engine_model_setting(model, (engine_settings)3, 0, &key, &value, &len));
    assert_fails(ARGUMENT,
                 engine_model_setting(model, ENGINE_SETTINGS_CONFIG, SIZE_MAX, &key, &value, &len));
    assert_fails(ARGUMENT,
                 engine_model_setting(NULL, ENGINE_SETTINGS_CONFIG, 0, &key, &value, &len));
    assert_fails(ARGUMENT,
                 engine_model_setting(model, ENGINE_SETTINGS_CONFIG, 0, NULL, &value, &len));
    assert_fails(ARGUMENT,
                 engine_model_setting(model, ENGINE_SETTINGS_CONFIG, 0, &key, NULL, &len));
}

TEST(token_texts)
{
    const char *text;
    size_t len;
    assert_ok(engine_token_text(model, 5, &text, &len));
    assert_int_equal(len, 4);
    assert_memory_equal(text, "ride", 4);
    for (int32_t id = -2; id < 12; id++)
        if (id < 1 || id >= TINY_VOCABULARY) /* 0 has no text */
            assert_fails(ARGUMENT, engine_token_text(model, id, &text, &len));
    assert_fails(ARGUMENT, engine_token_text(model, INT32_MAX, &text, &len));
    assert_fails(ARGUMENT, engine_token_text(model, INT32_MIN, &text, &len));
    assert_fails(ARGUMENT, engine_token_text(model, 5, NULL, &len));
    assert_fails(ARGUMENT, engine_token_text(model, 5, &text, NULL));
    assert_fails(ARGUMENT, engine_token_text(NULL, 5, &text, &len));
}

/* Options that ask for a scheme; valid until the next call. */
static const engine_session_options *with(engine_position position)
{
    static engine_session_options options;
    options = ENGINE_SESSION_OPTIONS(.position = position);
    return &options;
}

TEST(position_matrix_edges)
{
    engine_error error;
    float out[16 * D];
    size_t needed, len;
    assert_refuses(ARGUMENT, &error,
                   engine_position_matrix(NULL, NULL, D, 1, out, D, NULL, &error));

    assert_ok(engine_position_matrix(model, NULL, 0, 0, NULL, 0, &needed, &error));
    assert_int_equal(needed, 0);
    assert_refuses(BUFFER, &error,
                   engine_position_matrix(model, NULL, 0, 3, NULL, 0, &needed, &error));
    assert_int_equal(needed, 3 * D);
    out[3 * D - 1] = 77;
    assert_fails(BUFFER,
                 engine_position_matrix(model, NULL, 0, 3, out, 3 * D - 1, &needed, &error));
    assert_true(needed == 3 * D && out[3 * D - 1] == 77);
    assert_fails(ARGUMENT, engine_position_matrix(model, NULL, 0, 3, NULL, 3 * D, NULL, &error));
    assert_ok(engine_position_matrix(model, with(ENGINE_POSITION_LEARNED), 0, TINY_MAX_TOKENS, out,
                                     16 * D, NULL, NULL));
    assert_refuses(LENGTH, &error,
                   engine_position_matrix(model, with(ENGINE_POSITION_LEARNED), 0,
                                          TINY_MAX_TOKENS + 1, out, 16 * D, NULL, &error));
    assert_fails(LENGTH, engine_position_matrix_exact(model, NULL, 0, TINY_MAX_TOKENS + 1, NULL, 0,
                                                      NULL, &error));
    assert_fails(LENGTH, engine_position_matrix(model, NULL, 0, SIZE_MAX, out, 0, NULL, NULL));
    assert_refuses(
        ARGUMENT, &error,
        engine_position_matrix(model, with((engine_position)8), 0, 1, out, 16 * D, NULL, &error));
    assert_fails(ARGUMENT, engine_position_matrix(NULL, with(ENGINE_POSITION_NONE), 0, 1, out,
                                                  16 * D, NULL, NULL));
    for (size_t i = 0; i < 2 * D; i++)
        out[i] = NAN;
    assert_ok(
        engine_position_matrix(model, with(ENGINE_POSITION_NONE), 0, 2, out, 2 * D, NULL, NULL));
    for (size_t i = 0; i < 2 * D; i++)
        assert_true(out[i] == 0);
    for (size_t n = SIZE_MAX / D / 4; n && n >= SIZE_MAX / D / 4; n = n < SIZE_MAX / 2 ? n * 2 : 0)
        assert_int_not_equal(engine_position_matrix(model, with(ENGINE_POSITION_SINUSOIDAL), 0,
                                                    n + 1, out, 16 * D, &needed, &error),
                             0);

    void *bytes = tiny_model_bytes("sinusoidal", &len);
    engine_model *sinusoidal = support_open_memory(bytes, len);
    assert_refuses(UNSUPPORTED, &error,
                   engine_position_matrix(sinusoidal, with(ENGINE_POSITION_LEARNED), 0, 1, out,
                                          16 * D, NULL, &error));
    assert_ok(engine_position_matrix(sinusoidal, NULL, 0, 3, out, 16 * D, NULL, NULL));
    for (size_t p = 0; p < 3; p++)
        for (size_t i = 0; i < D / 2; i++) {
            double angle = (double)p / pow(10000, 2.0 * (double)i / D);
            assert_true(fabs(out[p * D + 2 * i] - sin(angle)) <= 1e-7);
            assert_true(fabs(out[p * D + 2 * i + 1] - cos(angle)) <= 1e-7);
        }
}

TEST(verify_edges)
{
    engine_error error;
    assert_ok(engine_model_verify(model, &error));
    assert_ok(engine_model_verify(model, NULL));
    assert_refuses(ARGUMENT, &error, engine_model_verify(NULL, &error));
}

TEST(closing_nothing)
{
    engine_model_close(NULL);
}
