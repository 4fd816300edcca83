/* every_fault.c - see every_fault.h. */
#include "tests/faults/every_fault.h"

#include "tests/faults/disk_log.h"
#include "tests/faults/fault.h"
#include "tests/support.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FAULTS_PER_KIND = 12, FEW_PER_KIND = 3, SHOWN_MOST = 6 };

static const char BEFORE[] = "what was there before\n";

/* Paths in the suite's folder: where the command runs, what it replaces there, and its streams. */
static char work[SUPPORT_PATH], result[SUPPORT_PATH];
static char in[SUPPORT_PATH], out[SUPPORT_PATH], err[SUPPORT_PATH];

/* The files that a run left. */
struct outcome {
    struct fault_run run;
    char *out, *err, *result; /* [len], then a NUL */
    size_t out_len, err_len, result_len;
    size_t n_files; /* in its folder */
};

/* ---- One run ---- */

static char *read_all(const char *path, size_t *len)
{
    char *bytes = (char *)disk_read(path, len);
    if (bytes == NULL)
        fail_msg("%s cannot be read", path);
    return bytes;
}

static void run_once(const struct fault_case *tested, size_t kind, uint64_t n,
                     struct outcome *outcome)
{
    support_remove_dir(work);
    assert_int_equal(mkdir(work, 0700), 0);
    support_write_text(result, BEFORE);
    support_write_text(in, tested->input ? tested->input : "");
    fault_run(fault_arguments(tested->command, ""), work, (const char *const[]){in, out, err}, kind,
              n, &outcome->run);
    outcome->out = read_all(out, &outcome->out_len);
    outcome->err = read_all(err, &outcome->err_len);
    outcome->result = read_all(result, &outcome->result_len);
    outcome->n_files = support_count_files(work);
}

static void drop(struct outcome *outcome)
{
    free(outcome->out);
    free(outcome->err);
    free(outcome->result);
}

/* ---- What a run must fulfil ---- */

static bool is_same_result(const struct outcome *got, const struct outcome *expected)
{
    return got->result_len == expected->result_len &&
           memcmp(got->result, expected->result, got->result_len) == 0;
}

static bool is_same_output(const struct outcome *got, const struct outcome *expected)
{
    return got->out_len == expected->out_len && memcmp(got->out, expected->out, got->out_len) == 0;
}

/* A user who lacks memory must read of memory, not of a fault of a file; a message that a thread
 * cannot be started counts as well. */
static bool blames_memory(const char *message)
{
    return strcasestr(message, "memory") != NULL || strcasestr(message, "thread") != NULL;
}

/* The result is complete; what made it, its origin, comes last and is missing, and the message
 * names it. */
static bool lacks_origin(const struct outcome *got, const struct outcome *expected)
{
    return WEXITSTATUS(got->run.status) == 1 && strstr(got->err, ".origin.json") != NULL &&
           got->n_files + 1 == expected->n_files && is_same_result(got, expected);
}

/* NULL: nothing is wrong with it. A warning more does no harm, one less does. */
static const char *wrong_with(const struct fault_case *tested, const struct fault_kind *kind,
                              const struct outcome *got, const struct outcome *expected)
{
    int status = got->run.status;
    if (WIFSIGNALED(status))
        return WTERMSIG(status) == SIGALRM ? "it hangs" : "it dies by a signal";
    if (got->n_files != 1 && !lacks_origin(got, expected) &&
        !(got->n_files == expected->n_files && is_same_result(got, expected)))
        return "it leaves a file";
    if (WEXITSTATUS(status) == 0) {
        if (!tested->varies && !is_same_output(got, expected))
            return "exit code 0, other output";
        if (!is_same_result(got, expected))
            return "exit code 0, another file";
        return strstr(got->err, expected->err) ? NULL : "exit code 0, a note is missing";
    }
    if (WEXITSTATUS(status) != 1)
        return "exit code neither 0 nor 1";
    if (got->err_len == 0)
        return "exit code 1 without a message";
    if (kind->reason == ENOMEM && !blames_memory(got->err))
        return "exit code 1, and the message tells another reason";
    if (strcmp(got->result, BEFORE) != 0 && !is_same_result(got, expected))
        return "exit code 1, and a file that is neither the old nor the new one";
    return NULL;
}

/* ---- All of them ---- */

/* Returns how many faults of the kind did harm. */
static size_t try_kind(const struct fault_case *tested, size_t kind, const struct outcome *expected)
{
    uint64_t n_seen = expected->run.n_seen[kind], n_tried = 0;
    uint64_t most = tested->varies ? FEW_PER_KIND : FAULTS_PER_KIND;
    uint64_t step = fault_wants_all() || n_seen == 0 ? 1 : (n_seen + most - 1) / most;
    size_t n_wrong = 0;
    for (uint64_t n = 1; n <= n_seen; n += step) {
        struct outcome got = {0};
        run_once(tested, kind, n, &got);
        const char *wrong = wrong_with(tested, fault_kind(kind), &got, expected);
        if (wrong != NULL && n_wrong++ < SHOWN_MOST)
            print_error("%s: %s %llu: %s (status %x): %.200s\n", tested->command,
                        fault_kind(kind)->name, (unsigned long long)n, wrong,
                        (unsigned)got.run.status, got.err);
        drop(&got);
        n_tried++;
    }
    if (n_seen > 0)
        print_message(" %s %llu of %llu,", fault_kind(kind)->name, (unsigned long long)n_tried,
                      (unsigned long long)n_seen);
    return n_wrong;
}

static size_t try_case(const struct fault_case *tested)
{
    struct outcome expected = {0};
    size_t n_wrong = 0;
    run_once(tested, 0, 0, &expected);
    if (expected.run.status != 0 || expected.run.n_seen[0] == 0)
        fail_msg("%s: without a fault: status %x: %s", tested->command,
                 (unsigned)expected.run.status, expected.err);
    print_message("%s:", tested->command);
    for (size_t kind = 0; fault_kind(kind) != NULL; kind++)
        n_wrong += try_kind(tested, kind, &expected);
    print_message(" %zu did harm\n", n_wrong);
    drop(&expected);
    return n_wrong;
}

void every_fault(const struct fault_case *cases, size_t n_cases)
{
    size_t n_wrong = 0;
    if (!fault_can_run()) {
        print_message("skipped: faults need x86-64, ptrace, and no sanitizer\n");
        skip();
    }
    for (size_t i = 0; i < n_cases; i++)
        n_wrong += try_case(&cases[i]);
    assert_int_equal(n_wrong, 0);
}

void every_fault_setup(void)
{
    fault_setup();
    setenv("OMP_NUM_THREADS", "2", 1);
    support_path(work, support_folder(), "work");
    support_path(result, work, "result");
    support_path(in, support_folder(), "in");
    support_path(out, support_folder(), "out");
    support_path(err, support_folder(), "err");
    setenv("TMPDIR", work, 1); /* so that a file left there is found */
}
