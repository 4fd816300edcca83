/* tags: sizes */
/* The second reader refuses every damaged file: cut off anywhere, or any byte of what a checksum
 * covers changed. What it then still reads differs from the whole file in bytes between sections
 * only. With checksums made right again it reads the file or says why not, and so does what is
 * computed from it. */
#include "engine/plain/answers.h"
#include "engine/plain/words.h"
#include "tests/owned.h"
#include "tests/support.h"
#include "tests/weight_surgery.h"

#include <stdlib.h>
#include <string.h>

static struct patient whole;

/* Whether the first n bytes are read, from memory of exactly that length. */
static bool reads(struct plain_weights *weights, const uint8_t *bytes, size_t n)
{
    uint8_t *file = malloc(n + (n == 0));
    assert_non_null(file);
    memcpy(file, bytes, n);
    const bool ok = plain_weights_parse(weights, file, n);
    assert_true(ok || weights->error[0] != '\0');
    return ok;
}

TEST(cut_off)
{
    struct plain_weights weights;
    for (size_t n = 0; n <= whole.len; n++) {
        if (reads(&weights, whole.data, n) != (n == whole.len))
            fail_msg("%zu of %zu bytes: %s", n, whole.len, weights.error);
        plain_weights_free(&weights);
    }
}

/* The section of a byte, "head", "tabl" or "" if no checksum covers it. */
static void part_of(const struct patient *file, uint64_t at, char tag[5])
{
    const uint8_t *entry = file->data + get_u64(file->data + 32);
    const uint64_t n = get_u32(file->data + 20), table = get_u64(file->data + 32);
    strcpy(tag, at < HEADER ? "head" : at >= table && at < table + SECTION * n ? "tabl" : "");
    for (uint64_t i = 0; i < n && tag[0] == '\0'; i++, entry += SECTION)
        if (at >= get_u64(entry + 8) && at < get_u64(entry + 8) + get_u64(entry + 16))
            memcpy(tag, entry, 4);
}

TEST(changed_bytes)
{
    struct patient copy = patient_copy(&whole, 0);
    for (size_t at = 0; at < whole.len; at++) {
        struct plain_weights weights;
        char tag[5] = "";
        part_of(&whole, at, tag);
        copy.data[at] ^= (uint8_t)(1u << at % 8);
        if (reads(&weights, copy.data, copy.len) == (tag[0] != '\0'))
            fail_msg("byte %zu of '%s' changed: %s", at, tag, weights.error);
        plain_weights_free(&weights);
        copy.data[at] = whole.data[at];
    }
}

/* Computes all that a file has answers for. */
static void use(const struct plain_weights *weights)
{
    struct plain_output output;
    char error[256];
    int32_t ids[3] = {0, 1, 2};
    size_t n, width;
    free(plain_tokens(weights, "a b cd", &n, error));
    if (plain_encode(weights, &(struct plain_input){.n = 3, .ids = ids},
                     &(struct plain_options){.int8_rows = true}, &output, error))
        free(plain_vector_of_text(weights, &output, &width, error));
    plain_output_free(&output);
}

/* Every field of 1, 2, 4 or 8 bytes, at every offset: limits of numbers, digits, its neighbour. */
TEST(changed_and_healed)
{
    static const uint64_t values[] = {
        0,       1,          0x3939393939393939, UINT64_MAX, UINT64_MAX - 1,
        1 << 24, 1ull << 31, 1ull << 32,         1ull << 63};
    enum { N_VALUES = sizeof values / sizeof *values, N = 4 * (N_VALUES + 1) };
    size_t n_of[2] = {0};
    struct patient copy = patient_copy(&whole, 0);
    for (size_t i = 0; i < whole.len * N; i += support_slow() ? 7 : 1) {
        struct plain_weights weights;
        char tag[5] = "";
        const size_t at = i / N, n = (size_t)1 << i % 4, value = i % N / 4;
        part_of(&whole, at, tag);
        if (tag[0] == '\0' || strcmp(tag, "DATA") == 0 || at + 2 * n > whole.len)
            continue;
        memcpy(copy.data + at, value < N_VALUES ? (const void *)&values[value] : copy.data + at + n,
               n);
        if (strcmp(tag, "head") == 0)
            heal_header(&copy);
        else if (strcmp(tag, "tabl") == 0)
            heal_table(&copy);
        else
            heal_section(&copy, tag);
        const bool ok = reads(&weights, copy.data, copy.len);
        if (ok)
            use(&weights);
        n_of[ok]++;
        plain_weights_free(&weights);
        memcpy(copy.data, whole.data, whole.len);
    }
    print_message("%zu were read, %zu refused\n", n_of[1], n_of[0]);
    assert_true(n_of[1] > 0 && n_of[0] > 0);
}

/* Unknown words, if the file has no id for them, and the one of `dropped` give no tokens. */
TEST(dropped_words)
{
    struct patient copy = patient_copy(&whole, 4096);
    struct plain_weights weights;
    size_t n;
    replace_setting(&copy, "TOKN", "unknown", "-1", 2);
    replace_setting(&copy, "TOKN", "dropped", "1", 1);
    assert_true(reads(&weights, copy.data, copy.len));
    free(plain_tokens(&weights, "a other b", &n, (char[256]){""}));
    assert_int_equal(n, 1);
    plain_weights_free(&weights);
}

SET_UP()
{
    char path[SUPPORT_PATH];
    support_path(path, support_folder(), "whole.weights");
    support_make_model(path, "a b c",
                       "--layers 1 --width 4 --heads 2 --feed-forward 4 --max-tokens 4 --type int8 "
                       "--set attention_position=rotary --set rotary_width=2");
    whole = patient_read(path);
}
