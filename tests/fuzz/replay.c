/* replay.c - see replay.h. */
#include "tests/fuzz/replay.h"

#include "tests/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A copy of exactly the input's length, so that a sanitizer sees a read past its end. */
static void give(const uint8_t *data, size_t len)
{
    uint8_t *copy = malloc(len > 0 ? len : 1);
    assert_non_null(copy);
    memcpy(copy, data, len);
    assert_int_equal(LLVMFuzzerTestOneInput(copy, len), 0);
    free(copy);
}

/* One change; `data` has room for one run more. Returns the new length. */
static size_t change(uint8_t *data, size_t len, uint64_t *state)
{
    static const char interesting[] = "0123456789-.eE\"{}[],:\\u null\xff\x80";
    enum { RUN = 8 };
    size_t at = support_below(state, len), n = 1 + support_below(state, RUN);
    n = n < len - at ? n : len - at;
    switch (support_below(state, 5)) {
    case 0: data[at] = (uint8_t)support_random(state); break;
    case 1: data[at] ^= (uint8_t)(1u << support_below(state, 8)); break;
    case 2: data[at] = (uint8_t)interesting[support_below(state, sizeof interesting)]; break;
    case 3: memmove(data + at, data + at + n, len - at - n); return len > n ? len - n : 1;
    default: memmove(data + at + n, data + at, len - at); return len + n;
    }
    return len;
}

/* Where FUZZ_CORPUS names a folder, a sound input becomes a file there, for a fuzzer to begin
 * with. */
static bool is_only_kept(const void *input, size_t len)
{
    static size_t n_kept;
    const char *folder = getenv("FUZZ_CORPUS");
    char path[4096];
    if (folder == NULL)
        return false;
    snprintf(path, sizeof path, "%s/sound-%zu", folder, n_kept++);
    support_write(path, input, len);
    return true;
}

static size_t n_inputs;

TEAR_DOWN()
{
    print_message("%zu inputs\n", n_inputs);
}

void replay(const void *input, size_t len, size_t n_random)
{
    enum { CHANGES = 6, ROOM = 64, MOST_CUTS = 9000 };
    uint64_t state = 1;
    if (is_only_kept(input, len))
        return;
    uint8_t *data = malloc(len + ROOM);
    assert_non_null(data);
    for (size_t cut = 0; cut <= len; cut += 1 + len / MOST_CUTS, n_inputs++)
        give(input, cut);
    for (size_t i = 0; i < n_random / (support_slow() ? 10 : 1); i++, n_inputs++) {
        size_t now = len, n_changes = 1 + support_below(&state, CHANGES);
        memcpy(data, input, len);
        for (size_t c = 0; c < n_changes; c++)
            now = change(data, now, &state);
        give(data, now);
    }
    free(data);
}
