/* Two runs of one output: what the other does between two calls of this one. */
#include "tests/support.h"
#include "tools/encode/corpus/corpus.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <unistd.h>

static char output[SUPPORT_PATH], path[SUPPORT_PATH];
static bool removes, fails;

/* In place of libc's: the other run ends, and removes its journal, after this one has opened it. */
int flock(int fd, int operation)
{
    if (removes)
        assert_int_equal(unlink(path), 0);
    errno = ENOLCK;
    return fails ? -1 : (int)syscall(SYS_flock, fd, operation);
}

SET_UP()
{
    support_path(output, support_folder(), "x");
    support_path(path, support_folder(), "x.journal");
}

static void make_journal(struct journal *journal)
{
    const struct journal_entry entry = {.bytes = 7, .files = {{5, 3}}};
    assert_false(journal_find(journal, output));
    assert_true(journal_begin(journal, json_pack("{ss}", "encode", "1")));
    assert_true(journal_add(journal, &entry));
}

TEST(a_journal_that_is_removed_before_it_is_locked)
{
    struct journal journal, other;
    make_journal(&journal);
    journal_close(&journal);
    removes = true;
    assert_false(journal_find(&other, output));
    removes = false;
    assert_true(other.fd == -1 && other.n_entries == 0 && other.last.bytes == 0);
    assert_int_equal(access(path, F_OK), -1);
    journal_close(&other);
}

TEST(a_file_system_without_locks)
{
    struct journal journal, other;
    fails = true;
    make_journal(&journal);
    assert_true(journal_find(&other, output));
    assert_true(other.n_entries == 1 && other.last.bytes == 7 && other.last.files[0].sum == 3);
    fails = false;
    journal_remove(&other);
    journal_close(&other);
    journal_close(&journal);
}

/* What follows the last complete line is ignored, and the next entry replaces it. */
TEST(lines_that_are_torn)
{
    static const char *const ends[] = {"", "x\n", "{\"bytes\": 99",
                                       "{\"bytes\": 99, \"crc\": \"00000000\"}\n", NULL};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        struct journal_entry entry = {.bytes = 5, .sum = 4, .progress = {.cut = 3}};
        struct journal journal;
        make_journal(&journal);
        assert_true(journal.n_entries == 1 && journal.last.bytes == 7);
        entry.is_finished = i % 2;
        assert_true(journal_add(&journal, &entry));
        for (size_t k = 0; k < 40 && ends[i] != NULL; k++) /* longer than the next entry */
            assert_int_equal(write(journal.fd, ends[i], strlen(ends[i])), strlen(ends[i]));
        if (ends[i] == NULL) { /* a damaged line, and a complete one after it */
            const off_t at = lseek(journal.fd, 0, SEEK_CUR);
            assert_true(journal_add(&journal, &entry));
            assert_int_equal(pwrite(journal.fd, "x", 1, at - 4), 1);
        }
        journal_close(&journal);
        for (size_t turn = 0; turn < 2; turn++) {
            assert_true(journal_find(&journal, output));
            assert_int_equal(journal.n_entries, 2 + turn - (ends[i] == NULL));
            if (journal.n_entries == 2 + turn)
                assert_true(journal.last.bytes == 5 + turn && journal.last.sum == 4 &&
                            journal.last.progress.cut == 3 && journal.last.is_finished == i % 2);
            entry.bytes++;
            assert_true(journal_add(&journal, &entry));
            journal_close(&journal);
        }
        assert_int_equal(unlink(path), 0);
    }
}

TEST(a_journal_that_another_run_has_made)
{
    struct journal journal, other;
    for (size_t is_killed = 0; is_killed < 2; is_killed++) {
        assert_false(journal_find(&other, output));
        make_journal(&journal);
        for (size_t i = 0; i < is_killed; i++)
            journal_close(&journal);
        assert_false(journal_begin(&other, json_object()));
        journal_close(&other);
        assert_int_equal(unlink(path), 0);
        journal_close(&journal);
    }
}
