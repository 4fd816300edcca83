/* Hundreds of checkpoints in one process, most of them refused: nothing of them stays, neither
 * memory nor an open file. With AddressSanitizer the leak check at the end is this test's.
 *
 * Guarantee: hundreds of refused checkpoints leave no memory and no open file. */
#include "tests/tools/import/import_cases.h"
#include "tests/tools/import/refusals.h"

#include <malloc.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Every file of a sound checkpoint, cut at some of its bytes. Returns how many were refused. */
static size_t read_cut_files(void)
{
    static const char *const names[] = {"config.json", "vocab.txt", "model.safetensors"};
    static char bytes[1 << 16];
    enum { CUTS = 40 };
    size_t n_refused = 0;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char path[SUPPORT_PATH];
        support_path(path, import_directory, names[i]);
        FILE *file = fopen(path, "rb");
        assert_non_null(file);
        const size_t len = fread(bytes, 1, sizeof bytes, file);
        fclose(file);
        for (size_t cut = 0; cut < CUTS; cut++) {
            support_write_in(import_directory, names[i], bytes, len * cut / CUTS);
            n_refused += !import_read();
            import_free();
        }
        support_write_in(import_directory, names[i], bytes, len);
    }
    return n_refused;
}

TEST(nothing_stays)
{
    enum { ROUNDS = 3, CACHED = 1 << 16 };
    import_make();
    size_t n_refused = read_cut_files();
    const size_t before = mallinfo2().uordblks;
    const int lowest = dup(STDIN_FILENO);
    close(lowest);
    for (int round = 0; round < ROUNDS; round++)
        n_refused += read_cut_files();
    assert_true(n_refused > 300);
    const size_t after = mallinfo2().uordblks;
    const int still_lowest = dup(STDIN_FILENO);
    close(still_lowest);
    print_message("%zu refused; %zu bytes before, %zu after\n", n_refused, before, after);
    assert_int_equal(still_lowest, lowest);
    assert_true(after <= before + CACHED); /* malloc counts what it keeps for the next blocks */
}

SET_UP()
{
    import_setup();
}
