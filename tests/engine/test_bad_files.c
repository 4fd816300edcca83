/* Damaged weight files. Whatever is wrong with a file, opening it either fails, with a status and
 * with words, or gives a model that works: it never crashes, hangs or reads outside the file
 * (AddressSanitizer sees that, for the copies are exactly as long as the file says). The checksums
 * are made right again behind most changes, so that the checks behind them are what is tested. */
#include "tests/support.h"
#include "tests/tiny_model.h"
#include "tests/weight_surgery.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { D = TINY_WIDTH, SPARE = 4096 };

static struct patient sound; /* learned positions: every tensor there is */
static char folder[SUPPORT_PATH];

static int set_up(void **state)
{
    (void)state;
    sound.data = tiny_model_bytes("learned", &sound.len);
    sound.cap = sound.len;
    support_temp_dir(folder);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    free(sound.data);
    support_remove_dir(folder);
    return 0;
}

/* The message of the last file that was refused. */
static engine_error last;

static engine_status assert_words(engine_status status)
{
    assert_non_null(memchr(last.message, 0, sizeof last.message));
    assert_int_not_equal(last.message[0], 0);
    assert_int_equal(last.status, status);
    assert_true(status == ENGINE_ERROR_FORMAT || status == ENGINE_ERROR_VERSION ||
                status == ENGINE_ERROR_UNSUPPORTED || status == ENGINE_ERROR_MEMORY);
    return status;
}

/* Asks a model for all that it has. */
static void ask_everything(const engine_model *model)
{
    engine_section_info section;
    engine_tensor_info tensor;
    engine_info info = {0};
    const char *key, *text;
    size_t len, sum = 0;
    float positions[2 * D];

    assert_int_equal(engine_model_info(model, &info), 0);
    for (size_t i = 0; engine_model_section(model, i, &section) == 0; i++)
        sum += strlen(section.tag);
    for (size_t i = 0; engine_model_tensor(model, i, &tensor) == 0; i++)
        sum += strlen(tensor.name) + strlen(tensor.type) + strlen(tensor.layout);
    for (int s = 0; s < 3; s++)
        for (size_t i = 0;
             engine_model_setting(model, (engine_settings)s, i, &key, &text, &len) == 0; i++)
            sum += strlen(key) + len;
    for (int32_t id = -1; id <= TINY_VOCABULARY; id++)
        if (engine_token_text(model, id, &text, &len) == 0)
            for (size_t i = 0; i < len; i++)
                sum += (unsigned char)text[i];
    if (info.width == D)
        engine_position_matrix(model, ENGINE_POSITION_MODEL, 2, positions, 2 * D, NULL, NULL);
    engine_model_verify(model, NULL);
    assert_true(sum > 0);
}

/* Encodes a text, a pair and ids; a status is fine, a crash is not. */
static void use(const engine_model *model)
{
    static const int32_t ids[] = {2, 4, 7, 3};
    engine_session_options options = {.n_threads = 1};
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

/* Opens the first len bytes, in memory of exactly that length. */
static engine_status open_bytes(const uint8_t *data, size_t len)
{
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
        use(model);
        engine_model_close(model);
    }
    free(exact.data);
    return status;
}

static engine_status open_patient(struct patient *patient)
{
    engine_status status = open_bytes(patient->data, patient->len);
    free(patient->data);
    return status;
}

static void assert_refused(struct patient *patient, engine_status expected, const char *words)
{
    engine_status status = open_patient(patient);

    if (status != expected || !strstr(last.message, words))
        fail_msg("expected %s with \"%s\", got %s: %s", engine_status_name(expected), words,
                 engine_status_name(status), status ? last.message : "");
}

static void the_sound_file_works(void **state)
{
    (void)state;
    assert_int_equal(open_bytes(sound.data, sound.len), 0);
}

static void truncated_at_every_byte(void **state)
{
    char path[SUPPORT_PATH + 16];
    engine_model *model;
    int file;

    (void)state;
    for (size_t len = 1; len < sound.len; len++)
        assert_int_equal(open_bytes(sound.data, len), ENGINE_ERROR_FORMAT);

    snprintf(path, sizeof path, "%s/cut.weights", folder);
    file = open(path, O_CREAT | O_WRONLY, 0600);
    assert_true(file >= 0 && write(file, sound.data, sound.len) == (ssize_t)sound.len);
    assert_int_equal(engine_model_open(path, NULL, &model, &last), 0);
    use(model);
    engine_model_close(model);
    for (size_t len = sound.len - 1; len > 0; len--) {
        assert_int_equal(ftruncate(file, (off_t)len), 0);
        assert_int_equal(assert_words(engine_model_open(path, NULL, &model, &last)),
                         ENGINE_ERROR_FORMAT);
        assert_null(model);
    }
    close(file);
}

static void longer_than_it_says(void **state)
{
    struct patient longer = patient_copy(&sound, 64);

    (void)state;
    memset(longer.data + sound.len, 0, 64);
    longer.len = sound.len + 1;
    assert_int_equal(open_bytes(longer.data, longer.len), ENGINE_ERROR_FORMAT);
    longer.len = sound.len + 64;
    assert_refused(&longer, ENGINE_ERROR_FORMAT, "");
}

/* Calls visit with a copy in which the byte at `at` has each of several other values. */
static void flip(const struct patient *original, size_t at,
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
        struct patient copy = patient_copy(original, 0);
        copy.data[at] = values[i];
        visit(&copy, at, user);
    }
}

static void expect_refusal(struct patient *copy, size_t at, const void *user)
{
    (void)user;
    if (open_patient(copy) == 0)
        fail_msg("a change of byte %zu was not seen", at);
}

static void every_header_byte(void **state)
{
    (void)state;
    for (size_t at = 0; at < HEADER; at++)
        flip(&sound, at, expect_refusal, NULL);
}

static void open_with_healed_header(struct patient *copy, size_t at, const void *user)
{
    (void)user;
    if (at < 60)
        heal_header(copy);
    if (open_patient(copy) == 0)
        fail_msg("a change of header byte %zu was not seen", at);
}

static void every_header_byte_healed(void **state)
{
    (void)state;
    for (size_t at = 0; at < HEADER; at++)
        flip(&sound, at, open_with_healed_header, NULL);
}

static void the_header_says_what_is_wrong(void **state)
{
    struct patient copy = patient_copy(&sound, 0);

    (void)state;
    copy.data[0] = 0x09; /* what a transfer with 7 bits makes of it */
    assert_refused(&copy, ENGINE_ERROR_FORMAT, "binary");
    copy = patient_copy(&sound, 0);
    memmove(copy.data + 5, copy.data + 6, copy.len - 6); /* \r\n became \n */
    assert_refused(&copy, ENGINE_ERROR_FORMAT, "text");
    copy = patient_copy(&sound, 0);
    memset(copy.data, 0, 8);
    assert_refused(&copy, ENGINE_ERROR_FORMAT, "not a weight file");
    copy = patient_copy(&sound, 0);
    set_u32(copy.data + 12, 0x04030201);
    heal_header(&copy);
    assert_refused(&copy, ENGINE_ERROR_VERSION, "endian");
    copy = patient_copy(&sound, 0);
    set_u32(copy.data + 8, 2);
    heal_header(&copy);
    assert_refused(&copy, ENGINE_ERROR_VERSION, "version");
}

static void absurd_section_tables(void **state)
{
    static const uint32_t counts[] = {0, 1, 4, 7, 64, 65, 0x08000001, 0x80000000, 0xffffffff};
    static const uint64_t offsets[] = {0,          1,
                                       8,          4,
                                       UINT64_MAX, UINT64_MAX - 7,
                                       INT64_MAX,  1ull << 63,
                                       1ull << 32, UINT64_MAX - 191};

    (void)state;
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        struct patient copy = patient_copy(&sound, 0);
        set_u32(copy.data + 20, counts[i]);
        if (counts[i] <= 7)
            heal_table(&copy);
        heal_header(&copy);
        if (open_patient(&copy) == 0)
            fail_msg("a table of %u sections was taken", counts[i]);
    }
    for (size_t i = 0; i < sizeof offsets / sizeof offsets[0]; i++) {
        struct patient copy = patient_copy(&sound, 0);
        set_u64(copy.data + 32, offsets[i]);
        heal_header(&copy);
        if (open_patient(&copy) == 0)
            fail_msg("a section table at %llu was taken", (unsigned long long)offsets[i]);
    }
}

static void open_with_healed_table(struct patient *copy, size_t at, const void *user)
{
    (void)at;
    (void)user;
    heal_table(copy);
    open_patient(copy);
}

static void every_table_byte_healed(void **state)
{
    size_t start = get_u64(sound.data + 32);

    (void)state;
    for (size_t at = start; at < start + 6 * SECTION; at++)
        flip(&sound, at, open_with_healed_table, NULL);
}

static const char *const tags[] = {"CONF", "TOKN", "VOCB", "TENS", "DATA", "META"};

static void sections_where_none_can_be(void **state)
{
    static const uint64_t offsets[] = {
        0, 64, 1, UINT64_MAX, UINT64_MAX - 63, 1ull << 63, 1ull << 32, INT64_MAX, ~63ull};
    static const uint64_t lens[] = {UINT64_MAX, UINT64_MAX - 63, 1ull << 63, 1ull << 32};

    (void)state;
    for (size_t t = 0; t < 6; t++) {
        for (size_t i = 0; i < sizeof offsets / sizeof offsets[0]; i++) {
            struct patient copy = patient_copy(&sound, 0);
            uint8_t *entry = section_entry(&copy, tags[t]);
            if (get_u64(entry + 8) == offsets[i]) {
                free(copy.data);
                continue;
            }
            set_u64(entry + 8, offsets[i]);
            heal_table(&copy);
            if (open_patient(&copy) == 0)
                fail_msg("%s at %llu was taken", tags[t], (unsigned long long)offsets[i]);
        }
        for (size_t i = 0; i < sizeof lens / sizeof lens[0]; i++) {
            struct patient copy = patient_copy(&sound, 0);
            set_u64(section_entry(&copy, tags[t]) + 16, lens[i]);
            heal_table(&copy);
            assert_refused(&copy, ENGINE_ERROR_FORMAT, tags[t]);
        }
    }
}

/* Every section made shorter, byte by byte, with a checksum that fits. */
static void sections_cut_short(void **state)
{
    (void)state;
    for (size_t t = 0; t < 6; t++)
        for (size_t len = 0, full = section_len(&sound, tags[t]); len < full; len++) {
            struct patient copy = patient_copy(&sound, 0);
            set_u64(section_entry(&copy, tags[t]) + 16, len);
            heal_section(&copy, tags[t]);
            if (open_patient(&copy) == 0)
                fail_msg("%s cut to %zu of %zu bytes was taken", tags[t], len, full);
        }
}

static void sections_that_overlap_or_repeat(void **state)
{
    struct patient copy;

    (void)state;
    for (size_t t = 1; t < 6; t++) { /* each laid over the one before it in the table */
        copy = patient_copy(&sound, 0);
        uint8_t *entry = section_entry(&copy, tags[t]);
        if (entry == copy.data + get_u64(copy.data + 32)) {
            free(copy.data);
            continue;
        }
        set_u64(entry + 8, get_u64(entry - SECTION + 8));
        heal_section(&copy, tags[t]);
        assert_refused(&copy, ENGINE_ERROR_FORMAT, tags[t]);
    }
    copy = patient_copy(&sound, 0);
    memcpy(section_entry(&copy, "META"), "CONF", 4);
    heal_table(&copy);
    assert_refused(&copy, ENGINE_ERROR_FORMAT, "CONF");
}

static void sections_unknown_or_missing(void **state)
{
    struct patient copy;

    (void)state;
    for (size_t t = 0; t < 6; t++) {
        copy = patient_copy(&sound, 0);
        remove_section(&copy, tags[t]);
        if (strcmp(tags[t], "META") == 0)
            assert_int_equal(open_patient(&copy), 0);
        else
            assert_refused(&copy, ENGINE_ERROR_FORMAT, tags[t]);
    }
    copy = patient_copy(&sound, 0); /* unknown: skipped, unless the file says that it is needed */
    memcpy(section_entry(&copy, "META"), "ABCD", 4);
    heal_table(&copy);
    assert_int_equal(open_patient(&copy), 0);
    copy = patient_copy(&sound, 0);
    uint8_t *entry = section_entry(&copy, "META");
    memcpy(entry, "ABCD", 4);
    set_u32(entry + 4, 1);
    heal_table(&copy);
    assert_refused(&copy, ENGINE_ERROR_UNSUPPORTED, "ABCD");
    copy = patient_copy(&sound, 0);
    set_u32(section_entry(&copy, "META") + 4, 2);
    heal_table(&copy);
    assert_int_not_equal(open_patient(&copy), 0);
}

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

static void every_config_byte_healed(void **state)
{
    (void)state;
    every_byte_healed("CONF");
}

static void every_tokenizer_byte_healed(void **state)
{
    (void)state;
    every_byte_healed("TOKN");
}

static void every_metadata_byte_healed(void **state)
{
    (void)state;
    every_byte_healed("META");
}

static void every_vocabulary_byte_healed(void **state)
{
    (void)state;
    every_byte_healed("VOCB");
}

static void every_directory_byte_healed(void **state)
{
    (void)state;
    every_byte_healed("TENS");
}

/* One changed byte of any section, checksums as they were: opening or verifying sees it. */
static void every_byte_is_covered(void **state)
{
    (void)state;
    for (size_t t = 0; t < 6; t++) {
        size_t start = (size_t)(section_data(&sound, tags[t]) - sound.data);
        for (size_t at = start; at < start + section_len(&sound, tags[t]); at++) {
            struct patient copy = patient_copy(&sound, 0);
            engine_model *model;
            copy.data[at] ^= 0x40;
            if (engine_model_open_memory(copy.data, copy.len, NULL, &model, NULL) == 0) {
                use(model);
                if (engine_model_verify(model, &last) != ENGINE_ERROR_FORMAT)
                    fail_msg("a change of byte %zu, in %s, was not seen", at, tags[t]);
                assert_words(ENGINE_ERROR_FORMAT);
                engine_model_close(model);
            }
            free(copy.data);
        }
    }
}

static void directories_without_ground(void **state)
{
    static const uint32_t counts[] = {18, 0x00ffffff, 0x03333333, 0x80000000, 0xffffffff};

    (void)state;
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

static void vocabularies_without_ground(void **state)
{
    static const uint32_t values[] = {0, 1, 7, 9, 0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff};

    (void)state;
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

static void tensors_without_ground(void **state)
{
    static const char name[] = "layers.0.feed_forward.in.weight";
    static const uint64_t places[] = {
        0, 64, 1, UINT64_MAX, UINT64_MAX - 63, 1ull << 63, 1ull << 32, INT64_MAX, ~63ull};

    (void)state;
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

static void tensors_that_overlap(void **state)
{
    uint8_t *second = tensor_entry(&sound, "embedding.type.weight");

    (void)state;
    change_tensor("embedding.type.weight", 56, get_u64(second + 56) - 64, "embedding.type.weight");
    change_tensor("embedding.token.weight", 56, get_u64(second + 56), "");
}

/* A tensor that the model does not ask for must be sound all the same: verifying and inspecting
 * read it. Shapes whose length in bytes wraps around 2^64 are the dangerous ones. */
static void spare_tensors_of_absurd_shape(void **state)
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

    (void)state;
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

static void tensors_missing_or_doubled(void **state)
{
    const uint8_t *directory = section_data(&sound, "TENS");

    (void)state;
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
static void settings_that_make_no_sense(void **state)
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
        {"TOKN", "kind", "words"},
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

    (void)state;
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

static void settings_unknown_or_doubled(void **state)
{
    char name[5000];
    struct patient copy = patient_copy(&sound, SPARE);

    (void)state;
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
    replace_setting(&copy, "CONF", name, "%s%n", 4);
    assert_refused(&copy, ENGINE_ERROR_UNSUPPORTED, "xxx");
    copy = patient_copy(&sound, 4 * SPARE);
    replace_setting(&copy, "CONF", "gate", name, sizeof name - 1);
    assert_refused(&copy, ENGINE_ERROR_FORMAT, "gate");
}

static void assert_io(const char *path, engine_status expected)
{
    engine_model *model = (engine_model *)folder;
    engine_status status;

    memset(&last, 0x5a, sizeof last);
    status = engine_model_open(path, NULL, &model, &last);
    if (status != expected)
        fail_msg("%s gives %s, expected %s", path, engine_status_name(status),
                 engine_status_name(expected));
    assert_null(model);
    assert_int_equal(last.status, expected);
    assert_non_null(memchr(last.message, 0, sizeof last.message));
    assert_int_not_equal(last.message[0], 0);
}

/* Things that are no files. SIGALRM ends the suite if one of them blocks. */
static void not_files(void **state)
{
    char path[SUPPORT_PATH + 32], other[SUPPORT_PATH + 64];
    char endless[PATH_MAX + 100];

    (void)state;
    alarm(20);
    assert_io(folder, ENGINE_ERROR_IO);
    assert_io("/dev/zero", ENGINE_ERROR_IO);
    assert_io("/dev/null", ENGINE_ERROR_IO);
    snprintf(path, sizeof path, "%s/fifo", folder);
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_io(path, ENGINE_ERROR_IO);
    snprintf(path, sizeof path, "%s/empty", folder);
    close(open(path, O_CREAT | O_WRONLY, 0600));
    assert_io(path, ENGINE_ERROR_FORMAT);
    snprintf(other, sizeof other, "%s/below", path);
    assert_io(other, ENGINE_ERROR_IO);
    snprintf(path, sizeof path, "%s/circle", folder);
    assert_int_equal(symlink("circle", path), 0);
    assert_io(path, ENGINE_ERROR_IO);
    snprintf(path, sizeof path, "%s/absent", folder);
    assert_io(path, ENGINE_ERROR_IO);
    memset(endless, 'x', sizeof endless - 1);
    endless[sizeof endless - 1] = 0;
    assert_io(endless, ENGINE_ERROR_IO);
    alarm(0);
}

static void without_permission(void **state)
{
    char path[SUPPORT_PATH + 32];
    int file;

    (void)state;
    if (geteuid() == 0) {
        print_message("root may read every file\n");
        skip();
    }
    snprintf(path, sizeof path, "%s/closed", folder);
    file = open(path, O_CREAT | O_WRONLY, 0000);
    assert_true(file >= 0);
    close(file);
    assert_io(path, ENGINE_ERROR_IO);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_sound_file_works),
        cmocka_unit_test(truncated_at_every_byte),
        cmocka_unit_test(longer_than_it_says),
        cmocka_unit_test(every_header_byte),
        cmocka_unit_test(every_header_byte_healed),
        cmocka_unit_test(the_header_says_what_is_wrong),
        cmocka_unit_test(absurd_section_tables),
        cmocka_unit_test(every_table_byte_healed),
        cmocka_unit_test(sections_where_none_can_be),
        cmocka_unit_test(sections_cut_short),
        cmocka_unit_test(sections_that_overlap_or_repeat),
        cmocka_unit_test(sections_unknown_or_missing),
        cmocka_unit_test(every_config_byte_healed),
        cmocka_unit_test(every_tokenizer_byte_healed),
        cmocka_unit_test(every_metadata_byte_healed),
        cmocka_unit_test(every_vocabulary_byte_healed),
        cmocka_unit_test(every_directory_byte_healed),
        cmocka_unit_test(every_byte_is_covered),
        cmocka_unit_test(directories_without_ground),
        cmocka_unit_test(vocabularies_without_ground),
        cmocka_unit_test(tensors_without_ground),
        cmocka_unit_test(tensors_that_overlap),
        cmocka_unit_test(spare_tensors_of_absurd_shape),
        cmocka_unit_test(tensors_missing_or_doubled),
        cmocka_unit_test(settings_that_make_no_sense),
        cmocka_unit_test(settings_unknown_or_doubled),
        cmocka_unit_test(not_files),
        cmocka_unit_test(without_permission),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
