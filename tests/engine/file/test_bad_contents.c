/* Damage inside the sections of a weight file: settings, vocabulary, tensor directory. The
 * checksums are made right again behind each change, so that the checks behind them are what is
 * tested; opening either fails with words or gives a model that works. */
#include "tests/engine/file/bad_file.h"
#include "tests/support.h"
#include "tests/tiny_model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SPARE = 4096 };

static struct patient sound; /* learned positions: every tensor there is */

SET_UP()
{
    sound.data = tiny_model_bytes("learned", &sound.len);
    sound.cap = sound.len;
}

TEAR_DOWN()
{
    free(sound.data);
}

static const char *const tags[] = {"CONF", "TOKN", "VOCB", "TENS", "DATA", "META"};

static void open_with_healed_section(struct patient *copy, size_t at, const void *user)
{
    (void)at;
    heal_section(copy, user);
    open_patient(copy);
}

static void every_byte_healed(const char *tag)
{
    size_t start = (size_t)(section_data(&sound, tag) - sound.data);

    for (size_t at = start; at < start + section_len(&sound, tag); at++)
        flip(&sound, at, open_with_healed_section, tag);
}

TEST(every_config_byte_healed)
{
    every_byte_healed("CONF");
}

TEST(every_tokenizer_byte_healed)
{
    every_byte_healed("TOKN");
}

TEST(every_metadata_byte_healed)
{
    every_byte_healed("META");
}

TEST(every_vocabulary_byte_healed)
{
    every_byte_healed("VOCB");
}

TEST(every_directory_byte_healed)
{
    every_byte_healed("TENS");
}

/* One changed byte of any section, checksums as they were: opening or verifying sees it. */
TEST(every_byte_is_covered)
{
    for (size_t t = 0; t < 6; t++) {
        size_t start = (size_t)(section_data(&sound, tags[t]) - sound.data);
        for (size_t at = start; at < start + section_len(&sound, tags[t]); at++) {
            struct patient copy = patient_copy(&sound, 0);
            engine_model *model;
            copy.data[at] ^= 0x40;
            if (engine_model_open_memory(copy.data, copy.len, NULL, &model, NULL) == 0) {
                use_model(model);
                if (engine_model_verify(model, &last) != ENGINE_ERROR_FORMAT)
                    fail_msg("a change of byte %zu, in %s, was not seen", at, tags[t]);
                assert_words(ENGINE_ERROR_FORMAT);
                engine_model_close(model);
            }
            free(copy.data);
        }
    }
}

TEST(directories_without_ground)
{
    static const uint32_t counts[] = {18, 0x00ffffff, 0x03333333, 0x80000000, 0xffffffff};

    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        struct patient copy = patient_copy(&sound, 0);
        set_u32(section_data(&copy, "TENS"), counts[i]);
        heal_section(&copy, "TENS");
        assert_refused(&copy, ENGINE_ERROR_FORMAT, "");
        copy = patient_copy(&sound, 0);
        for (size_t t = 0; t < 3; t++) {
            static const char *const settings[] = {"CONF", "TOKN", "META"};
            copy = t ? patient_copy(&sound, 0) : copy;
            set_u32(section_data(&copy, settings[t]), counts[i]);
            heal_section(&copy, settings[t]);
            assert_refused(&copy, ENGINE_ERROR_FORMAT, settings[t]);
        }
    }
}

TEST(vocabularies_without_ground)
{
    static const uint32_t values[] = {0, 1, 7, 9, 0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff};

    for (size_t field = 0; field < 4; field++)
        for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
            struct patient copy = patient_copy(&sound, 0);
            set_u32(section_data(&copy, "VOCB") + 4 * field, values[i]);
            heal_section(&copy, "VOCB");
            open_patient(&copy);
        }
    /* A table without an empty slot, of ids that are there or not: looking up must come to an end.
     */
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        struct patient copy = patient_copy(&sound, 0);
        uint8_t *vocabulary = section_data(&copy, "VOCB");
        for (size_t slot = 0; slot < get_u32(vocabulary + 4); slot++)
            set_u32(vocabulary + 16 + 4 * slot, values[i]);
        heal_section(&copy, "VOCB");
        open_patient(&copy);
    }
    /* Starts that run backwards or out of the strings. */
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++)
        for (size_t id = 0; id <= TINY_VOCABULARY; id++) {
            struct patient copy = patient_copy(&sound, 0);
            uint8_t *vocabulary = section_data(&copy, "VOCB");
            set_u32(vocabulary + 16 + 4 * get_u32(vocabulary + 4) + 4 * id, values[i]);
            heal_section(&copy, "VOCB");
            open_patient(&copy);
        }
}

static void change_tensor(const char *name, size_t field, uint64_t value, const char *words)
{
    struct patient copy = patient_copy(&sound, 0);
    uint8_t *entry = tensor_entry(&copy, name);

    if (field < 24)
        set_u32(entry + field, (uint32_t)value);
    else
        set_u64(entry + field, value);
    heal_section(&copy, "TENS");
    assert_refused(&copy, ENGINE_ERROR_FORMAT, words);
}

TEST(tensors_without_ground)
{
    static const char name[] = "layers.0.feed_forward.in.weight";
    static const uint64_t places[] = {
        0, 64, 1, UINT64_MAX, UINT64_MAX - 63, 1ull << 63, 1ull << 32, INT64_MAX, ~63ull};

    change_tensor(name, 0, 0xffffffff, "");
    change_tensor(name, 0, 0x7fffffff, "");
    change_tensor(name, 4, 0xffffffff, "");
    change_tensor(name, 4, 0, "");
    change_tensor(name, 4, strlen(name) - 1, "");
    change_tensor(name, 8, 0, name);
    change_tensor(name, 8, 5, name);
    change_tensor(name, 8, 0xffffffff, name);
    change_tensor(name, 12, 2, name);
    change_tensor(name, 12, 0xffffffff, name);
    change_tensor(name, 16, 0, name);
    change_tensor(name, 16, 1, name);
    change_tensor(name, 16, 3, name);
    change_tensor(name, 16, 5, name);
    change_tensor(name, 16, 0xffffffff, name);
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        change_tensor(name, 24, places[i], name);
        change_tensor(name, 32, places[i], name);
        change_tensor(name, 56, places[i], name);
        change_tensor(name, 64, places[i], name);
    }
}

TEST(tensors_that_overlap)
{
    uint8_t *second = tensor_entry(&sound, "embedding.type.weight");

    change_tensor("embedding.type.weight", 56, get_u64(second + 56) - 64, "embedding.type.weight");
    change_tensor("embedding.token.weight", 56, get_u64(second + 56), "");
}

/* A tensor that the model does not ask for must be sound all the same: verifying and inspecting
 * read it. Shapes whose length in bytes wraps around 2^64 are the dangerous ones. */
TEST(spare_tensors_of_absurd_shape)
{
    static const struct {
        uint32_t type, n_dims;
        uint64_t rows, cols, len;
    } shapes[] = {
        {1, 1, UINT64_MAX, 1, UINT64_MAX - 3},
        {1, 1, 1ull << 62, 1, 0},
        {1, 1, (1ull << 62) + 16, 1, 64},
        {1, 2, 1ull << 32, 1ull << 30, 0},
        {1, 2, (1ull << 32) + 16, 1ull << 32, 0},
        {2, 2, 1ull << 63, 2, 0},
        {4, 2, 3689348814741910336u, 1, 64},       /* 5 · rows wraps to 64 */
        {4, 2, 3689348814741910336u + 64, 1, 384}, /* and to 384 */
        {4, 2, 1ull << 62, 4, 0},
    };

    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        struct patient copy = patient_copy(&sound, SPARE);
        uint8_t *entry;
        replace_setting(&copy, "CONF", "position", "none", 4);
        replace_setting(&copy, "CONF", "position_offset", "0", 1);
        entry = tensor_entry(&copy, "embedding.position.weight");
        set_u32(entry + 8, shapes[i].type);
        set_u32(entry + 16, shapes[i].n_dims);
        set_u64(entry + 24, shapes[i].rows);
        set_u64(entry + 32, shapes[i].cols);
        set_u64(entry + 64, shapes[i].len);
        heal_section(&copy, "TENS");
        assert_refused(&copy, ENGINE_ERROR_FORMAT, "embedding.position.weight");
    }
}

TEST(tensors_missing_or_doubled)
{
    const uint8_t *directory = section_data(&sound, "TENS");

    for (size_t i = 0; i < get_u32(directory); i++) {
        struct patient copy = patient_copy(&sound, 0);
        uint8_t *names = section_data(&copy, "TENS");
        const uint8_t *entry = names + 8 + i * TENSOR;
        names[get_u32(entry)] ^= 1;
        heal_section(&copy, "TENS");
        assert_refused(&copy, ENGINE_ERROR_FORMAT,
                       (const char *)directory + get_u32(directory + 8 + i * TENSOR));
    }
    struct patient copy = patient_copy(&sound, 0); /* two entries that share a name */
    uint8_t *first = tensor_entry(&copy, "layers.0.attention.norm.weight");
    memcpy(first, tensor_entry(&copy, "layers.0.feed_forward.norm.weight"), 8);
    heal_section(&copy, "TENS");
    assert_int_not_equal(open_patient(&copy), 0);
}

/* Values of settings that must be refused. The message names the key. */
TEST(settings_that_make_no_sense)
{
    static const struct {
        const char *tag, *key, *value;
    } bad[] = {
        {"CONF", "layers", ""},
        {"CONF", "layers", "-1"},
        {"CONF", "layers", "1.5"},
        {"CONF", "layers", "one"},
        {"CONF", "layers", "2147483647"},
        {"CONF", "layers", "99999999999999999999999999"},
        {"CONF", "width", "0"},
        {"CONF", "width", "2147483647"},
        {"CONF", "width", "9223372036854775808"},
        {"CONF", "heads", "0"},
        {"CONF", "heads", "3"},
        {"CONF", "heads", "16"},
        {"CONF", "feed_forward", "0"},
        {"CONF", "feed_forward", "2147483647"},
        {"CONF", "vocabulary", "0"},
        {"CONF", "vocabulary", "7"},
        {"CONF", "vocabulary", "2147483647"},
        {"CONF", "max_tokens", "0"},
        {"CONF", "max_tokens", "2147483647"},
        {"CONF", "max_tokens", "18446744073709551616"},
        {"CONF", "max_tokens", "nan"},
        {"CONF", "token_types", "-1"},
        {"CONF", "token_types", "2147483647"},
        {"CONF", "embedding_scale", "nan"},
        {"CONF", "embedding_scale", "inf"},
        {"CONF", "embedding_scale", "1 "},
        {"CONF", "embedding_norm", "batch"},
        {"CONF", "position", "relative"},
        {"CONF", "position", ""},
        {"CONF", "position_offset", "-1"},
        {"CONF", "position_offset", "2"},
        {"CONF", "position_offset", "2147483647"},
        {"CONF", "position_base", "0"},
        {"CONF", "position_base", "-1"},
        {"CONF", "position_base", "nan"},
        {"CONF", "position_base", "inf"},
        {"CONF", "position_base", "1e400"},
        {"CONF", "position_base", "50"}, /* the positions are learned */
        {"CONF", "position_scale", "-1"},
        {"CONF", "position_scale", "nan"},
        {"CONF", "position_scale", "1e39"},
        {"CONF", "position_frequencies", "-1"},
        {"CONF", "position_frequencies", "1"},
        {"CONF", "position_frequencies", "2147483647"},
        {"CONF", "position_frequencies", "18446744073709551616"},
        {"CONF", "head_pooling", "sum"},
        {"CONF", "head_pooling", "none"},
        {"CONF", "head_pooling", "pooler"},
        {"CONF", "head_pooling", "mean"}, /* there is no head sequence */
        {"CONF", "norm", "none"},
        {"CONF", "norm_eps", "0"},
        {"CONF", "norm_eps", "-1e-5"},
        {"CONF", "norm_eps", "nan"},
        {"CONF", "norm_eps", "inf"},
        {"CONF", "norm_eps", ""},
        {"CONF", "norm_bias", "maybe"},
        {"CONF", "norm_place", "both"},
        {"CONF", "final_norm", "1"},
        {"CONF", "attention_bias", "Yes"},
        {"CONF", "activation", "swish"},
        {"CONF", "gate", "third"},
        {"CONF", "mask", "no"},
        {"CONF", "pooling", "sum"},
        {"CONF", "normalize", "true"},
        {"TOKN", "kind", "wordz"},
        {"TOKN", "lower", "1"},
        {"TOKN", "char_level", ""},
        {"TOKN", "num_words", "-1"},
        {"TOKN", "unknown", "8"},
        {"TOKN", "unknown", "-2"},
        {"TOKN", "unknown", "2147483648"},
        {"TOKN", "split", ""},
        {"TOKN", "split", "123456789012345678901234567890123"},
        {"TOKN", "single", ""},
        {"TOKN", "single", "2:0 3:0"},
        {"TOKN", "single", "A:0 A:0"},
        {"TOKN", "single", "A:0 B:0"},
        {"TOKN", "single", "A"},
        {"TOKN", "single", "A:"},
        {"TOKN", "single", ":0"},
        {"TOKN", "single", "A:2"},
        {"TOKN", "single", "A:-1"},
        {"TOKN", "single", "8:0 A:0"},
        {"TOKN", "single", "-1:0 A:0"},
        {"TOKN", "single", "4294967298:0 A:0"},
        {"TOKN", "single", "1:0 1:0 1:0 1:0 1:0 1:0 1:0 1:0 1:0 1:0 1:0 1:0 1:0 1:0 1:0 1:0 A:0"},
        {"TOKN", "pair", "A:0"},
        {"TOKN", "pair", "B:0"},
        {"TOKN", "pair", "A:0 B:0 B:0"},
        {"TOKN", "pair", "A:0 B:2"},
        {"TOKN", "truncate", "2"},
    };

    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct patient copy = patient_copy(&sound, SPARE);
        engine_status status;
        replace_setting(&copy, bad[i].tag, bad[i].key, bad[i].value, strlen(bad[i].value));
        status = open_patient(&copy);
        if (status != ENGINE_ERROR_FORMAT)
            fail_msg("%s '%s' = '%s' gives %s", bad[i].tag, bad[i].key, bad[i].value,
                     engine_status_name(status));
        /* Sizes may be found wrong only where they meet the tensors; templates are two keys. */
        if (!strstr(last.message, bad[i].key) && !strstr(last.message, "tensor") &&
            !strstr(last.message, "template"))
            fail_msg("%s '%s' = '%s': the message does not say so: %s", bad[i].tag, bad[i].key,
                     bad[i].value, last.message);
    }
}

/* The count of frequencies against their tensor: [2] of f32. */
TEST(frequencies_that_do_not_fit)
{
    static const struct {
        const char *count, *words;
        uint32_t n_dims, type, rows;
    } bad[] = {
        {"1", "tensor 'position.frequencies' is [2], expected [1]", 1, 1, 2},
        {"3", "tensor 'position.frequencies' is [2], expected [3]", 1, 1, 2},
        {"4", "'position_frequencies' is more than half of the columns", 1, 1, 2},
        {"2147483647", "'position_frequencies' is more than half of the columns", 1, 1, 2},
        {"2", "'position.frequencies'", 2, 1, 2},
        {"2", "tensor 'position.frequencies' is not f32", 1, 2, 2},
        {"2", "'position.frequencies'", 1, 1, 1},
        {"2", "'position.frequencies'", 1, 1, 0},
        {"2", "no tensor 'position.frequencies'", 0, 1, 2},
    };
    char path[SUPPORT_PATH], folder[SUPPORT_PATH];
    support_temp_dir(folder);
    support_path(path, folder, "fourier.weights");
    support_make_model(
        path, NULL,
        "--layers 0 --width 6 --max-tokens 9 --position fourier --frequencies 0.25,0.5");
    static uint8_t bytes[16384];
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    struct patient fourier = {.data = bytes, .len = fread(bytes, 1, sizeof bytes, file)};
    assert_true(fourier.len < sizeof bytes);
    fclose(file);
    fourier.cap = fourier.len;
    support_remove_dir(folder);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct patient copy = patient_copy(&fourier, SPARE);
        uint8_t *entry = tensor_entry(&copy, "position.frequencies");
        uint8_t *names = section_data(&copy, "TENS");
        assert_non_null(entry);
        if (bad[i].n_dims == 0)
            names[get_u32(entry)] ^= 1; /* another name */
        else
            set_u32(entry + 16, bad[i].n_dims);
        set_u32(entry + 8, bad[i].type);
        set_u64(entry + 24, bad[i].rows);
        set_u64(entry + 64, bad[i].rows * (bad[i].type == 1 ? 4 : 2));
        heal_section(&copy, "TENS");
        replace_setting(&copy, "CONF", "position_frequencies", bad[i].count, strlen(bad[i].count));
        assert_refused(&copy, ENGINE_ERROR_FORMAT, bad[i].words);
    }
    static const float values[] = {INFINITY, -INFINITY, NAN, 1.1e38f, -3e38f};
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        struct patient copy = patient_copy(&fourier, SPARE);
        uint8_t *entry = tensor_entry(&copy, "position.frequencies");
        memcpy(copy.data + get_u64(entry + 56) + 4, &values[i], 4);
        heal_section(&copy, "DATA");
        assert_refused(&copy, ENGINE_ERROR_FORMAT, "tensor 'position.frequencies' holds");
    }
}

TEST(settings_unknown_or_doubled)
{
    char name[5000];
    struct patient copy = patient_copy(&sound, SPARE);

    replace_setting(&copy, "CONF", "turbo", "yes", 3);
    assert_refused(&copy, ENGINE_ERROR_UNSUPPORTED, "turbo");
    copy = patient_copy(&sound, SPARE);
    replace_setting(&copy, "TOKN", "turbo", "yes", 3);
    assert_refused(&copy, ENGINE_ERROR_UNSUPPORTED, "turbo");
    copy = patient_copy(&sound, SPARE);
    replace_setting(&copy, "META", "turbo", "yes", 3); /* free keys: this one is fine */
    assert_int_equal(open_patient(&copy), 0);
    copy = patient_copy(&sound, SPARE);
    replace_setting(&copy, "CONF", "layers", "1\0002", 3); /* a NUL inside a number */
    assert_int_not_equal(open_patient(&copy), 0);
    copy = patient_copy(&sound, SPARE);
    replace_setting(&copy, "TOKN", "split", "\xff\xfe",
                    2); /* not UTF-8; whatever it does, it lives */
    open_patient(&copy);
    memset(name, 'x', sizeof name - 1);
    name[sizeof name - 1] = 0;
    copy = patient_copy(&sound, 4 * SPARE); /* the message stays within its 255 bytes */
    replace_setting(&copy, "CONF", name + sizeof name - 251, "%s%n", 4);
    assert_refused(&copy, ENGINE_ERROR_UNSUPPORTED, "xxx");
    copy = patient_copy(&sound, 4 * SPARE);
    replace_setting(&copy, "CONF", name, "yes", 3); /* longer than a key may be */
    assert_refused(&copy, ENGINE_ERROR_FORMAT, "key");
    copy = patient_copy(&sound, SPARE);
    replace_setting(&copy, "META", "\033[31m", "yes", 3); /* it could command a terminal */
    assert_refused(&copy, ENGINE_ERROR_FORMAT, "key");
    copy = patient_copy(&sound, 4 * SPARE);
    replace_setting(&copy, "CONF", "gate", name, sizeof name - 1);
    assert_refused(&copy, ENGINE_ERROR_FORMAT, "gate");
}
