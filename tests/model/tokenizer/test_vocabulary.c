/* tags: sizes aarch64 */
#include "model/tokenizer/vocabulary.h"
#include "tests/owned.h"
#include "tests/support.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct built {
    void *section;
    size_t bytes;
    struct vocabulary vocabulary;
};

static struct built build(const char *const *texts, const size_t *lens, size_t n)
{
    struct built built = {.bytes = vocabulary_bytes(lens, n)};
    size_t bad_id = 0;
    assert_true(built.bytes > 0);
    built.section = new_bytes(built.bytes);
    assert_null(vocabulary_build(built.section, built.bytes, texts, lens, n, &bad_id));
    assert_null(vocabulary_view(&built.vocabulary, built.section, built.bytes));
    return built;
}

static struct built build_words(const char *const *texts, size_t n)
{
    size_t lens[16];
    assert_true(n <= 16);
    for (size_t i = 0; i < n; i++)
        lens[i] = texts[i] == NULL ? 0 : strlen(texts[i]);
    return build(texts, lens, n);
}

/* The layout that weights/FORMAT.md states, number by number, for ids 0 without text, 1 "ab", 2
 * "é". FNV-1a of "ab" is 0x089C4407B545986A and of C3 A9 0x0AC21707B7181E01: folded and modulo 8,
 * slots 5 and 6. */
TEST(layout)
{
    const char *const texts[] = {NULL, "ab", "\xC3\xA9"};
    struct built built = build_words(texts, 3);
    const uint32_t *words = built.section;
    assert_int_equal(words[0], 3);
    assert_int_equal(words[1], 8);
    assert_int_equal(words[2], 4);
    assert_int_equal(words[3], 2);
    assert_int_equal(built.bytes, 16 + 4 * 8 + 4 * 4 + 4);
    const uint32_t *slots = words + 4, *starts = slots + 8;
    const uint32_t expected_starts[] = {0, 0, 2, 4};
    assert_memory_equal(starts, expected_starts, sizeof expected_starts);
    assert_memory_equal(starts + 4, "ab\xC3\xA9", 4);
    const uint32_t expected_slots[] = {0, 0, 0, 0, 0, 2, 3, 0};
    assert_memory_equal(slots, expected_slots, sizeof expected_slots);
}

TEST(find_and_text)
{
    const char *const texts[] = {"", "the", "bike", NULL, "I", "The"};
    struct built built = build_words(texts, 6);
    const struct vocabulary *vocabulary = &built.vocabulary;
    for (int32_t id = -2; id < 8; id++) {
        size_t len = 0;
        const char *text = vocabulary_text(vocabulary, id, &len);
        if (id < 0 || id > 5 || id == 0 || id == 3) {
            assert_null(text);
            continue;
        }
        assert_int_equal(len, strlen(texts[id]));
        assert_memory_equal(text, texts[id], len);
        assert_int_equal(vocabulary_find(vocabulary, text, len), id);
    }
    assert_int_equal(vocabulary_find(vocabulary, "bik", 3), -1);
    assert_int_equal(vocabulary_find(vocabulary, "bikes", 5), -1);
    assert_int_equal(vocabulary_find(vocabulary, "THE", 3), -1);
    assert_int_equal(vocabulary_find(vocabulary, "", 0), -1);
    assert_int_equal(vocabulary_find(vocabulary, "the", 2), -1);
}

TEST(nul_is_a_character)
{
    const char *const texts[] = {"a", "a\0", "\0", "a\0b"};
    const size_t lens[] = {1, 2, 1, 3};
    struct built built = build(texts, lens, 4);
    for (int32_t id = 0; id < 4; id++)
        assert_int_equal(vocabulary_find(&built.vocabulary, texts[id], lens[id]), id);
}

TEST(empty)
{
    const char *const none[] = {NULL};
    struct built built = build_words(none, 0);
    assert_int_equal(built.vocabulary.n, 0);
    assert_int_equal(vocabulary_find(&built.vocabulary, "a", 1), -1);
    built = build_words(none, 1);
    assert_int_equal(built.vocabulary.n, 1);
    assert_int_equal(vocabulary_find(&built.vocabulary, "a", 1), -1);
}

TEST(many)
{
    enum { N = 50000, LEN = 12 };
    char(*strings)[LEN] = new_bytes((size_t)N * LEN);
    const char **texts = new_bytes(N * sizeof *texts);
    size_t *lens = new_bytes(N * sizeof *lens);
    for (size_t i = 0; i < N; i++) {
        lens[i] = (size_t)snprintf(strings[i], LEN, "w%zu", i * 7);
        texts[i] = strings[i];
    }
    struct built built = build(texts, lens, N);
    for (size_t i = 0; i < 7 * N; i++) {
        char text[LEN];
        const size_t len = (size_t)snprintf(text, LEN, "w%zu", i);
        assert_int_equal(vocabulary_find(&built.vocabulary, text, len),
                         i % 7 == 0 ? (int32_t)(i / 7) : -1);
    }
}

TEST(refused_texts)
{
    const char *const twice[] = {"a", "b", NULL, "a"};
    const char *const not_utf8[] = {"a", "\xC3"};
    const size_t lens[] = {1, 1, 0, 1};
    uint64_t section[64];
    size_t bad_id = 0;
    assert_non_null(vocabulary_build(section, vocabulary_bytes(lens, 4), twice, lens, 4, &bad_id));
    assert_int_equal(bad_id, 3);
    assert_non_null(
        vocabulary_build(section, vocabulary_bytes(lens, 2), not_utf8, lens, 2, &bad_id));
    assert_int_equal(bad_id, 1);
    assert_non_null(
        vocabulary_build(section, vocabulary_bytes(lens, 2) + 1, twice, lens, 2, &bad_id));
    assert_int_equal(bad_id, 2);
}

TEST(too_large)
{
    const size_t lens[] = {UINT32_MAX, 1}, huge[] = {SIZE_MAX};
    assert_int_equal(vocabulary_bytes(lens, 2), 0);
    assert_int_equal(vocabulary_bytes(huge, 1), 0);
    assert_true(SIZE_MAX > UINT32_MAX ? vocabulary_bytes(lens, 1) > UINT32_MAX
                                      : vocabulary_bytes(lens, 1) == 0);
    assert_int_equal(vocabulary_bytes(NULL, (size_t)1 << 31), 0);
    assert_int_equal(vocabulary_bytes(NULL, SIZE_MAX), 0);
}

TEST(refused_sections)
{
    const char *const texts[] = {"ab", "c"};
    struct built built = build_words(texts, 2);
    struct vocabulary vocabulary;
    char *moved = new_bytes(built.bytes + 8);
    for (size_t len = 0; len < built.bytes; len++)
        assert_non_null(vocabulary_view(&vocabulary, built.section, len));
    memcpy(moved, built.section, built.bytes);
    assert_non_null(vocabulary_view(&vocabulary, moved, built.bytes + 8));
    assert_non_null(vocabulary_view(&vocabulary, NULL, 0));

    const uint32_t bad[][4] = {
        {2, 0, 3, 2}, {2, 3, 3, 2}, {2, 2, 3, 2},          {0xFFFFFFFF, 0x80000000, 3, 2},
        {2, 4, 3, 4}, {2, 8, 3, 2}, {2, 0x80000000, 3, 2}, {2, 4, 0xFFFFFFFF, 2}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        memcpy(built.section, bad[i], sizeof bad[i]);
        assert_non_null(vocabulary_view(&vocabulary, built.section, built.bytes));
    }
}

/* Calls on a damaged section that must not read outside it. */
static void ask_everything(void *section, size_t bytes)
{
    static const char *const words[] = {"ab", "c", "\xC3\xA9", "defg", "nothing", "x"};
    struct vocabulary vocabulary;
    if (vocabulary_view(&vocabulary, section, bytes) != NULL)
        return;
    size_t sum = 0;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        const int32_t id = vocabulary_find(&vocabulary, words[i], strlen(words[i]));
        assert_true(id >= -1 && id < (int32_t)vocabulary.n);
    }
    for (int32_t id = -1; id <= (int32_t)vocabulary.n; id++) {
        size_t len = 0;
        const char *text = vocabulary_text(&vocabulary, id, &len);
        for (size_t i = 0; text != NULL && i < len; i++)
            sum += (unsigned char)text[i];
    }
    assert_true(sum < SIZE_MAX);
}

TEST(damaged_sections)
{
    const char *const texts[] = {"ab", "c", NULL, "\xC3\xA9", "defg"};
    struct built built = build_words(texts, 5);
    unsigned char *section = built.section;
    for (size_t at = 0; at < built.bytes; at++) {
        const unsigned char byte = section[at];
        for (unsigned value = 0; value < 256; value++) {
            section[at] = (unsigned char)value;
            ask_everything(section, built.bytes);
        }
        section[at] = byte;
    }
    uint64_t seed = 7;
    unsigned char *copy = new_bytes(built.bytes);
    for (size_t round = 0; round < 20000; round++) {
        memcpy(copy, section, built.bytes);
        for (size_t flips = 0; flips < 8; flips++)
            copy[16 + support_below(&seed, built.bytes - 16)] =
                (unsigned char)support_random(&seed);
        ask_everything(copy, built.bytes);
    }
}

/* No slot is empty: a search for what is not there must end all the same. */
TEST(full_table)
{
    const char *const texts[] = {"ab", "c"};
    struct built built = build_words(texts, 2);
    uint32_t *slots = (uint32_t *)built.section + 4;
    for (size_t i = 0; i < built.vocabulary.n_slots; i++)
        slots[i] = 1;
    assert_int_equal(vocabulary_find(&built.vocabulary, "ab", 2), 0);
    assert_int_equal(vocabulary_find(&built.vocabulary, "zz", 2), -1);
    for (size_t i = 0; i < built.vocabulary.n_slots; i++)
        slots[i] = 0xFFFFFFFF; /* damage ends a search at once */
    assert_int_equal(vocabulary_find(&built.vocabulary, "ab", 2), -1);
}
