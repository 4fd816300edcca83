/* tags: sizes */
/* Damage inside the settings of a weight file, with its checksums made right again: values that
 * make no sense, frequencies that do not fit, keys unknown or doubled. See test_bad_contents.c. */
#include "tests/engine/file/bad_file.h"
#include "tests/support.h"

#include <math.h>
#include <string.h>

enum { SPARE = 4096 };

SET_UP()
{
    sound_set_up();
}

static void refuse_setting(const char *tag, const char *key, const char *value)
{
    struct patient copy = patient_copy(&sound, SPARE);
    replace_setting(&copy, tag, key, value, strlen(value));
    const engine_status status = open_patient(&copy);
    if (status != ENGINE_ERROR_FORMAT)
        fail_msg("%s '%s' = '%s' gives %s", tag, key, value, engine_status_name(status));
    /* Sizes may be found wrong only where they meet the tensors; templates are two keys. */
    if (!strstr(last.message, key) && !strstr(last.message, "tensor") &&
        !strstr(last.message, "template"))
        fail_msg("%s '%s' = '%s': the message does not say so: %s", tag, key, value, last.message);
}

/* Values of settings that must be refused, with bars between them. The message names the key. The
 * positions of the model are learned, and it has no head. */
TEST(settings_that_make_no_sense)
{
    static const struct {
        const char *tag, *key, *values;
    } bad[] = {
        {"CONF", "layers", "|-1|1.5|one|2147483647|99999999999999999999999999"},
        {"CONF", "width", "0|2147483647|9223372036854775808"},
        {"CONF", "heads", "0|3|16"},
        {"CONF", "feed_forward", "0|2147483647"},
        {"CONF", "vocabulary", "0|7|2147483647"},
        {"CONF", "max_tokens", "0|2147483647|18446744073709551616|nan"},
        {"CONF", "token_types", "-1|2147483647"},
        {"CONF", "embedding_scale", "nan|inf|1 "},
        {"CONF", "embedding_norm", "batch"},
        {"CONF", "position", "relative|"},
        {"CONF", "position_offset", "-1|2|2147483647"},
        {"CONF", "position_base", "0|-1|nan|inf|1e400|50"},
        {"CONF", "position_scale", "-1|nan|1e39"},
        {"CONF", "position_frequencies", "-1|1|2147483647|18446744073709551616"},
        {"CONF", "head_pooling", "sum|none|pooler|mean"},
        {"CONF", "norm", "none"},
        {"CONF", "norm_eps", "0|-1e-5|nan|inf|"},
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
        {"TOKN", "unknown", "8|-2|2147483648"},
        {"TOKN", "split", "|123456789012345678901234567890123"},
        {"TOKN", "single",
         "|2:0 3:0|A:0 A:0|A:0 B:0|A|A:|:0|A:2|A:-1|8:0 A:0|-1:0 A:0|4294967298:0 A:0|1:0 1:0 1:0 "
         "1:0 1:0 1:0 1:0 1:0 1:0 1:0 1:0 1:0 1:0 1:0 1:0 1:0 A:0"},
        {"TOKN", "pair", "A:0|B:0|A:0 B:0 B:0|A:0 B:2"},
        {"TOKN", "truncate", "2"},
    };
    size_t n = 0;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        char values[160], *rest = values;
        assert_true(strlen(bad[i].values) < sizeof values);
        strcpy(values, bad[i].values);
        for (char *value; (value = strsep(&rest, "|")) != NULL; n++)
            refuse_setting(bad[i].tag, bad[i].key, value);
    }
    assert_int_equal(n, 91);
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
    char path[SUPPORT_PATH];
    support_path(path, support_folder(), "fourier.weights");
    support_make_model(
        path, NULL,
        "--layers 0 --width 6 --max-tokens 9 --position fourier --frequencies 0.25,0.5");
    const struct patient fourier = patient_read(path);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct patient copy = patient_copy(&fourier, SPARE);
        uint8_t *entry = tensor_entry(&copy, "position.frequencies");
        uint8_t *names = section_data(&copy, "TENS");
        assert_non_null(entry);
        if (bad[i].n_dims == 0)
            names[get_u32(entry)] ^= 1; /* another name */
        else
            put_u32(entry + 16, bad[i].n_dims);
        put_u32(entry + 8, bad[i].type);
        put_u64(entry + 24, bad[i].rows);
        put_u64(entry + 64, bad[i].rows * (bad[i].type == 1 ? 4 : 2));
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
    static char name[5000];
    memset(name, 'x', sizeof name - 1);
    const struct {
        const char *tag, *key, *value;
        size_t len;
        engine_status status;
        const char *words;
    } cases[] = {
        {"CONF", "turbo", "yes", 3, ENGINE_ERROR_UNSUPPORTED, "turbo"},
        {"TOKN", "turbo", "yes", 3, ENGINE_ERROR_UNSUPPORTED, "turbo"},
        {"CONF", "layers", "1\0002", 3, ENGINE_ERROR_FORMAT, "layers"}, /* NUL inside a number */
        /* the message stays within its 255 bytes */
        {"CONF", name + sizeof name - 251, "%s%n", 4, ENGINE_ERROR_UNSUPPORTED, "xxx"},
        {"CONF", name, "yes", 3, ENGINE_ERROR_FORMAT, "key"},       /* longer than a key may be */
        {"META", "\033[31m", "yes", 3, ENGINE_ERROR_FORMAT, "key"}, /* commands a terminal */
        {"CONF", "gate", name, sizeof name - 1, ENGINE_ERROR_FORMAT, "gate"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct patient copy = patient_copy(&sound, 4 * SPARE);
        replace_setting(&copy, cases[i].tag, cases[i].key, cases[i].value, cases[i].len);
        assert_refused(&copy, cases[i].status, cases[i].words);
    }
    struct patient copy = patient_copy(&sound, SPARE);
    replace_setting(&copy, "META", "turbo", "yes", 3); /* free keys: this one is fine */
    assert_ok(open_patient(&copy));
    copy = patient_copy(&sound, SPARE);
    replace_setting(&copy, "TOKN", "split", "\xff\xfe", 2); /* not UTF-8: no crash */
    open_patient(&copy);
    copy = patient_copy(&sound, SPARE);
    replace_setting(&copy, "TOKN", "kind", "words", 5);
    replace_setting(&copy, "TOKN", "added", "99", 2);
    assert_refused(&copy, ENGINE_ERROR_FORMAT, "an added token is not in the vocabulary");
    copy = patient_copy(&sound, SPARE);
    replace_setting(&copy, "META", "nane", "tiny", 4);
    char *key = memmem(section_data(&copy, "META"), section_len(&copy, "META"), "nane", 4);
    key[2] = 'm';
    heal_section(&copy, "META");
    assert_refused(&copy, ENGINE_ERROR_FORMAT, "key 'name' occurs twice in section META");
}

static engine_status open_with_key(const char *key)
{
    struct patient copy = patient_copy(&sound, SPARE);
    replace_setting(&copy, "META", key, "yes", 3);
    return open_patient(&copy);
}

/* 1 to 256 printed characters. */
TEST(keys_of_every_length)
{
    char key[258] = {0};
    memset(key, 'k', 257);
    assert_fails(FORMAT, open_with_key(key));
    key[256] = '\0';
    assert_ok(open_with_key(key));
    assert_ok(open_with_key("!"));
    assert_ok(open_with_key("~"));
    assert_fails(FORMAT, open_with_key(" "));
    assert_fails(FORMAT, open_with_key("\x7f"));
    assert_fails(FORMAT, open_with_key(""));
}

TEST(no_settings_at_all)
{
    static const uint8_t none[4] = {0};
    struct patient copy = patient_copy(&sound, SPARE);
    replace_section(&copy, "META", none, sizeof none);
    assert_ok(open_patient(&copy));
    copy = patient_copy(&sound, SPARE);
    replace_section(&copy, "META", none, 3);
    assert_refused(&copy, ENGINE_ERROR_FORMAT, "section META is too short");
}
