/* tags: no-asan no-coverage long */
/* Power cuts (crash.h): runs of encode with a journal and without one, and a weight file. A disk
 * that lies about a sync must be found out: else this suite could not see that a program omits a
 * sync.
 *
 * Guarantee: a run of encode resumes after a power cut, with any loss of bytes that were not
 * synced. */
#include "tests/faults/crash.h"
#include "tests/faults/fault.h"
#include "tests/support.h"

#include <stdio.h>
#include <stdlib.h>

enum { LINES = 1500 /* at 20 ms each, more than the longest time between two entries */ };

/* ---- The cases ---- */

#define TOLD "encode -t 1 -m ../toy.weights -p mean -f npy --input jsonl --on-error skip -o x"

static const struct crash_case LONG = {
    .name = "rows and a report",
    .command = TOLD,
    .has_journal = true,
    .input = "lines.jsonl",
};
static const struct crash_case OVER = {
    .name = "over an earlier output",
    .command = "encode -t 1 -m ../toy.weights -p mean -f npy --on-long truncate -o x",
    .base = "earlier",
    .has_journal = true,
    .input = "lines.txt",
};
static const struct crash_case RESUMED = {
    .name = "a run that goes on",
    .command = TOLD,
    .base = "killed",
    .has_journal = true,
    .input = "lines.jsonl",
};
static const struct crash_case SHORT = {
    .name = "a short run",
    .command = TOLD,
    .base = "earlier",
    .input = "few.jsonl",
};
static const struct crash_case WEIGHTS = {
    .name = "a weight file",
    .command = "encode-new -o x --width 8 --heads 2 --layers 1",
    .base = "earlier",
    .input = "few.jsonl",
};

static void write_lines(const char *name, size_t n, bool is_json)
{
    char path[SUPPORT_PATH];
    support_path(path, support_folder(), name);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    for (size_t i = 1; i <= n; i++)
        if (!is_json)
            fprintf(file, "i ride bike %s\n", i % 3 ? "the dog" : "");
        else
            fprintf(file,
                    i % 25 == 3 ? "{\"text\": %zu}\n"
                                : "{\"id\": \"d%zu\", \"text\": \"ride bike\"}\n",
                    i);
    assert_int_equal(fclose(file), 0);
}

SET_UP()
{
    crash_setup();
    write_lines("lines.jsonl", LINES, true);
    write_lines("lines.txt", LINES, false);
    write_lines("few.jsonl", 30, true);
    crash_folder("none");
    /* An earlier output of another command, with a rows file and a report. */
    char message[1024];
    struct crash_case earlier = SHORT;
    earlier.command = TOLD " -p cls";
    crash_folder("work");
    if (crash_run(&earlier, "", message) != 0)
        fail_msg("%s", message);
    assert_int_equal(rename("work", "earlier"), 0);
}

SET_UP_EACH()
{
    if (!fault_can_run()) {
        print_message("skipped: faults need x86-64, ptrace, and no sanitizer\n");
        skip();
    }
}

TEAR_DOWN_EACH()
{
    disk_log_free(&crash_disk);
}

/* Records a run, and tries it: on a sound disk, and on those of the first n_lies kinds, of which
 * each must be found out, as each sync of the program is needed. */
static void try_case(const struct crash_case *tested, int n_lies)
{
    crash_record(tested, false);
    assert_int_equal(crash_try(tested, LIE_NONE), 0);
    for (int lie = LIE_FSYNC; lie < LIE_FSYNC + n_lies; lie++)
        assert_true(crash_try(tested, (enum disk_lie)lie) > 0);
}

/* Else a power cut could leave a part that no journal describes. */
static void the_journal_is_on_the_disk_before_a_part_has_a_name(void)
{
    const struct disk_log *log = &crash_disk;
    const size_t journal = disk_log_name(&crash_disk, CRASH_JOURNAL),
                 part = disk_log_name(&crash_disk, "x.part");
    size_t i = log->n_first, made = 0, synced = 0;
    for (; log->changes[i].kind != DISK_NAME || log->changes[i].after[part] < 0; i++) {
        assert_true(i < log->n_changes);
        if (log->changes[i].kind == DISK_NAME && log->changes[i].after[journal] >= 0 && made == 0)
            made = i;
        if (log->changes[i].kind == DISK_SYNC_FOLDER)
            synced = i;
    }
    assert_true(made > 0 && disk_log_entries(log, CRASH_JOURNAL, synced) == 1);
    assert_true(made < synced);
}

/* Killed when its journal had been written twice: more than it counts is in the parts. */
static void leave_killed(void)
{
    struct disk_state state;
    size_t n = crash_disk.n_first;
    while (disk_log_entries(&crash_disk, CRASH_JOURNAL, n) < 2)
        n++;
    crash_folder("killed");
    disk_state_make(&state, &crash_disk, n + 12, LOSE_NOTHING, LIE_NONE, 0);
    disk_state_write(&state, &crash_disk, "killed");
    disk_state_free(&state);
}

TEST(runs_with_a_journal)
{
    try_case(&LONG, 3);
    the_journal_is_on_the_disk_before_a_part_has_a_name();
    leave_killed();
    disk_log_free(&crash_disk);
    crash_record(&RESUMED, true);
    assert_int_equal(crash_try(&RESUMED, LIE_NONE), 0);
}

TEST(over_an_earlier_output)
{
    try_case(&OVER, 0);
}

TEST(a_short_run)
{
    try_case(&SHORT, 2);
}

TEST(a_weight_file)
{
    try_case(&WEIGHTS, 2);
}
