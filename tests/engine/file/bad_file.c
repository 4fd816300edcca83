/* bad_file.c - see bad_file.h. */
#include "tests/engine/file/bad_file.h"

#include "tests/owned.h"
#include "tests/support.h"
#include "tests/tiny_model.h"

#include <string.h>

enum { D = TINY_WIDTH };

struct patient sound;

void sound_set_up(void)
{
    sound.data = tiny_model_bytes("learned", &sound.len);
    sound.cap = sound.len;
}

engine_error last;

engine_status assert_words(engine_status status)
{
    assert_non_null(memchr(last.message, 0, sizeof last.message));
    assert_int_not_equal(last.message[0], 0);
    assert_int_equal(last.status, status);
    assert_true(status == ENGINE_ERROR_FORMAT || status == ENGINE_ERROR_VERSION ||
                status == ENGINE_ERROR_UNSUPPORTED || status == ENGINE_ERROR_MEMORY);
    return status;
}

void ask_everything(const engine_model *model)
{
    engine_section_info section;
    engine_tensor_info tensor;
    engine_info info = ENGINE_INFO();
    const char *key, *text;
    size_t len, sum = 0;
    float positions[2 * D];
    assert_ok(engine_model_info(model, &info, NULL));
    for (size_t i = 0; engine_model_section(model, i, &section) == 0; i++) {
        sum += strlen(section.tag);
        assert_true(section.offset + section.n_bytes <= info.file_bytes);
    }
    for (size_t i = 0; engine_model_tensor(model, i, &tensor) == 0; i++) {
        sum += strlen(tensor.name) + strlen(tensor.type) + strlen(tensor.layout);
        assert_true(tensor.offset + tensor.n_bytes <= info.file_bytes);
    }
    for (int s = 0; s < 3; s++)
        for (size_t i = 0;
             engine_model_setting(model, (engine_settings)s, i, &key, &text, &len) == 0; i++)
            sum += strlen(key) + len;
    for (int32_t id = -1; id <= TINY_VOCABULARY; id++)
        if (engine_token_text(model, id, &text, &len) == 0)
            for (size_t i = 0; i < len; i++)
                sum += (unsigned char)text[i];
    if (info.width == D)
        engine_position_matrix(model, NULL, 0, 2, positions, 2 * D, NULL, NULL);
    engine_model_verify(model, NULL);
    assert_true(sum > 0);
}

void use_model(const engine_model *model)
{
    static const int32_t ids[] = {2, 4, 7, 3};
    engine_session_options options = ENGINE_SESSION_OPTIONS(.n_threads = 1);
    engine_input inputs[3] = {{.text = "I ride a bike", .text_len = 13},
                              {.text = "the bike", .text_len = 8, .pair = "I", .pair_len = 1},
                              {.ids = ids, .n_ids = 4}};
    engine_session *session;
    engine_token tokens[16];
    float out[64];
    if (engine_session_new(model, &options, &session, &last)) {
        assert_int_not_equal(last.message[0], 0);
        return;
    }
    for (size_t i = 0; i < 3; i++) {
        engine_status status = engine_encode(session, inputs + i, 1, NULL, out, 64, NULL, NULL);
        assert_true(status == 0 || engine_session_message(session)[0] != 0);
        assert_int_not_equal(status, ENGINE_ERROR_INTERNAL);
        engine_tokenize(session, inputs + i, NULL, tokens, 16, NULL, NULL);
    }
    engine_session_free(session);
}

engine_status open_bytes(const uint8_t *data, size_t len)
{
    const size_t mark = owned_mark();
    struct patient exact = patient_copy(&(struct patient){(uint8_t *)(uintptr_t)data, len, len}, 0);
    engine_model *model = (engine_model *)&exact;
    engine_status status;
    memset(&last, 0x5a, sizeof last);
    status = engine_model_open_memory(exact.data, len, NULL, &model, &last);
    if (status) {
        assert_null(model);
        assert_words(status);
    } else {
        ask_everything(model);
        use_model(model);
        engine_model_close(model);
    }
    owned_release(mark);
    return status;
}

engine_status open_patient(struct patient *patient)
{
    return open_bytes(patient->data, patient->len);
}

void assert_refused(struct patient *patient, engine_status expected, const char *words)
{
    engine_status status = open_patient(patient);
    if (status != expected || !strstr(last.message, words))
        fail_msg("expected %s with \"%s\", got %s: %s", engine_status_name(expected), words,
                 engine_status_name(status), status ? last.message : "");
}

void flip(const struct patient *original, size_t at,
          void (*visit)(struct patient *copy, size_t at, const void *user), const void *user)
{
    const uint8_t old = original->data[at];
    const uint8_t values[] = {0,
                              0xff,
                              (uint8_t)(old ^ 1),
                              (uint8_t)(old ^ 0x80),
                              (uint8_t)(old ^ 0x20),
                              (uint8_t)(old + 1),
                              (uint8_t)(old - 1)};
    for (size_t i = 0; i < sizeof values; i++) {
        if (values[i] == old)
            continue;
        const size_t mark = owned_mark();
        struct patient copy = patient_copy(original, 0);
        copy.data[at] = values[i];
        visit(&copy, at, user);
        owned_release(mark);
    }
}
