/* tags: sizes */
/* The second reader refuses every damaged file: cut off anywhere, or any byte of what a checksum
 * covers changed. What it then still reads differs from the whole file in bytes between sections
 * only. */
#include "engine/plain/weights.h"
#include "tests/owned.h"
#include "tests/support.h"

#include <stdio.h>
#include <string.h>

static char whole[SUPPORT_PATH], damaged[SUPPORT_PATH];

static void write_file(const uint8_t *bytes, size_t n)
{
    remove(
        damaged); /* some file systems wait for the disk when a file is emptied and written again */
    support_write(damaged, bytes, n);
}

static bool reads(const uint8_t *bytes, size_t n)
{
    struct plain_weights weights;
    write_file(bytes, n);
    bool ok = plain_weights_read(&weights, damaged);
    if (!ok)
        assert_true(weights.error[0] != '\0');
    plain_weights_free(&weights);
    return ok;
}

static struct plain_weights read_whole(void)
{
    struct plain_weights weights;
    support_make_model(
        whole, "a b c",
        "--layers 1 --width 4 --heads 2 --feed-forward 4 --max-tokens 4 --type int8");
    if (!plain_weights_read(&weights, whole))
        fail_msg("%s", weights.error);
    return weights;
}

TEST(cut_off)
{
    struct plain_weights weights = read_whole();
    assert_true(reads(weights.file, weights.n_bytes));
    for (size_t n = 0; n < weights.n_bytes; n++)
        if (reads(weights.file, n))
            fail_msg("%zu of %zu bytes were read", n, weights.n_bytes);
    plain_weights_free(&weights);
}

/* Header, section table and sections: 32 bytes for each of n sections, offset and length at 8
 * and 16. */
static bool is_covered(const uint8_t *file, uint64_t at)
{
    uint64_t table, n = 0, offset, n_bytes;
    memcpy(&n, file + 20, 4);
    memcpy(&table, file + 32, 8);
    if (at < 64 || (at >= table && at < table + 32 * n))
        return true;
    for (uint64_t i = 0; i < n; i++) {
        memcpy(&offset, file + table + 32 * i + 8, 8);
        memcpy(&n_bytes, file + table + 32 * i + 16, 8);
        if (at >= offset && at < offset + n_bytes)
            return true;
    }
    return false;
}

TEST(changed_bytes)
{
    size_t n_covered = 0;
    struct plain_weights weights = read_whole();
    uint8_t *copy = new_bytes(weights.n_bytes);
    memcpy(copy, weights.file, weights.n_bytes);
    for (size_t at = 0; at < weights.n_bytes; at++) {
        bool covered = is_covered(weights.file, at);
        copy[at] ^= (uint8_t)(1u << at % 8);
        if (reads(copy, weights.n_bytes) == covered)
            fail_msg("byte %zu changed, covered: %d", at, covered);
        copy[at] = weights.file[at];
        n_covered += covered;
    }
    print_message("%zu of %zu bytes are covered\n", n_covered, weights.n_bytes);
    plain_weights_free(&weights);
}

SET_UP()
{
    support_path(whole, support_folder(), "whole.weights");
    support_path(damaged, support_folder(), "damaged.weights");
}
