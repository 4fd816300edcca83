/* tags: sizes */
/* Damage inside the sections of a weight file: any byte, vocabulary, tensor directory. The
 * checksums are corrected after each change, so that the checks after the checksums are tested;
 * opening either fails with a message or gives a model that works. */
#include "tests/engine/file/bad_file.h"
#include "tests/support.h"
#include "tests/tiny_model.h"

#include <string.h>

enum { SPARE = 4096 };

SET_UP()
{
    sound_set_up();
}

static const char *const tags[] = {"CONF", "TOKN", "VOCB", "TENS", "DATA", "META"};

static void open_with_healed_section(struct patient *copy, size_t at, const void *user)
{
    (void)at;
    heal_section(copy, user);
    open_patient(copy);
}

TEST(every_byte_healed)
{
    for (size_t t = 0; t < 6; t++) {
        const size_t start = (size_t)(section_data(&sound, tags[t]) - sound.data);
        if (strcmp(tags[t], "DATA") == 0) /* numbers */
            continue;
        print_message("%s\n", tags[t]);
        for (size_t at = start; at < start + section_len(&sound, tags[t]); at++)
            flip(&sound, at, open_with_healed_section, tags[t]);
    }
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
        }
    }
}

TEST(directories_without_ground)
{
    static const uint32_t counts[] = {18, 0x00ffffff, 0x03333333, 0x80000000, 0xffffffff};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        for (size_t t = 0; t < 4; t++) {
            static const char *const counted[] = {"CONF", "TOKN", "META", "TENS"};
            struct patient copy = patient_copy(&sound, 0);
            put_u32(section_data(&copy, counted[t]), counts[i]);
            heal_section(&copy, counted[t]);
            assert_refused(&copy, ENGINE_ERROR_FORMAT, t < 3 ? counted[t] : "");
        }
    }
}

/* Opens a copy whose vocabulary has n equal numbers at a place. */
static void open_with_numbers(size_t at, size_t n, uint32_t number)
{
    struct patient copy = patient_copy(&sound, 0);
    for (size_t i = 0; i < n; i++)
        put_u32(section_data(&copy, "VOCB") + at + 4 * i, number);
    heal_section(&copy, "VOCB");
    open_patient(&copy);
}

/* Fields; a table without an empty slot, of ids that are there or not, where looking up must come
 * to an end; starts that run backwards or out of the strings. */
TEST(vocabularies_without_ground)
{
    static const uint32_t values[] = {0, 1, 7, 9, 0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff};
    const size_t n_slots = get_u32(section_data(&sound, "VOCB") + 4);
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        for (size_t field = 0; field < 4; field++)
            open_with_numbers(4 * field, 1, values[i]);
        open_with_numbers(16, n_slots, values[i]);
        for (size_t id = 0; id <= TINY_VOCABULARY; id++)
            open_with_numbers(16 + 4 * n_slots + 4 * id, 1, values[i]);
    }
}

static void change_tensor(const char *name, size_t field, uint64_t value, const char *words)
{
    struct patient copy = patient_copy(&sound, 0);
    uint8_t *entry = tensor_entry(&copy, name);
    if (field < 24)
        put_u32(entry + field, (uint32_t)value);
    else
        put_u64(entry + field, value);
    heal_section(&copy, "TENS");
    assert_refused(&copy, ENGINE_ERROR_FORMAT, words);
}

TEST(tensors_without_ground)
{
    static const char name[] = "layers.0.feed_forward.in.weight";
    static const struct {
        size_t at;
        uint32_t value;
    } fields[] = {{0, 0xffffffff}, {0, 0x7fffffff}, {4, 0xffffffff}, {4, 0},  {4, sizeof name - 2},
                  {8, 0},          {8, 5},          {8, 0xffffffff}, {12, 2}, {12, 0xffffffff},
                  {16, 0},         {16, 1},         {16, 3},         {16, 5}, {16, 0xffffffff}};
    static const uint64_t places[] = {
        0, 64, 1, UINT64_MAX, UINT64_MAX - 63, 1ull << 63, 1ull << 32, INT64_MAX, ~63ull};
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        change_tensor(name, fields[i].at, fields[i].value, fields[i].at < 8 ? "" : name);
    change_tensor(name, 72, 1, "its end not 0");
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
        put_u32(entry + 8, shapes[i].type);
        put_u32(entry + 16, shapes[i].n_dims);
        put_u64(entry + 24, shapes[i].rows);
        put_u64(entry + 32, shapes[i].cols);
        put_u64(entry + 64, shapes[i].len);
        heal_section(&copy, "TENS");
        assert_refused(&copy, ENGINE_ERROR_FORMAT, "embedding.position.weight");
    }
}

TEST(tensors_missing_or_doubled)
{
    struct patient changed = patient_copy(&sound, 0);
    put_u32(section_data(&changed, "TENS") + 4, 1);
    heal_section(&changed, "TENS");
    assert_refused(&changed, ENGINE_ERROR_FORMAT, "its second word not 0");
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
    assert_refused(&copy, ENGINE_ERROR_FORMAT, "occurs twice");
}
