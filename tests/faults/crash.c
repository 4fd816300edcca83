/* crash.c - see crash.h. */
#include "tests/faults/crash.h"

#include "tests/faults/fault.h"
#include "tests/support.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { STATES_MOST = 80, SEEDS = 3, SEEDS_OF_ALL = 24, SHOWN_MOST = 6, CANDIDATES = 1 << 14 };

struct attempt {
    size_t n;
    enum disk_loss loss;
    uint64_t seed;
};

static char work[SUPPORT_PATH], expected[SUPPORT_PATH], err[SUPPORT_PATH], out[SUPPORT_PATH];
struct disk_log crash_disk;

/* ---- Folders ---- */

void crash_folder(const char *folder)
{
    support_remove_dir(folder);
    assert_int_equal(mkdir(folder, 0700), 0);
}

static unsigned char *read_in(const char *folder, const char *name, size_t *len)
{
    char path[SUPPORT_PATH];
    support_path(path, folder, name);
    return disk_read(path, len);
}

/* Calls `visit` with each file; stops where that returns something. */
static const char *each_file(const char *folder,
                             const char *(*visit)(const char *folder, const char *name))
{
    const struct dirent *entry;
    const char *found = NULL;
    DIR *files = opendir(folder);
    assert_non_null(files);
    while (found == NULL && (entry = readdir(files)) != NULL)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            found = visit(folder, entry->d_name);
    closedir(files);
    return found;
}

static const char *copy_to_work(const char *folder, const char *name)
{
    size_t len;
    unsigned char *bytes = read_in(folder, name, &len);
    if (bytes != NULL)
        support_write_in(work, name, bytes, len);
    free(bytes);
    return NULL;
}

static bool is_same(const char *folder, const char *name, const unsigned char *bytes, size_t len)
{
    size_t its_len;
    unsigned char *its = read_in(folder, name, &its_len);
    const bool same =
        its == NULL ? bytes == NULL : bytes && its_len == len && memcmp(its, bytes, len) == 0;
    free(its);
    return same;
}

static const char *is_expected(const char *folder, const char *name)
{
    size_t len;
    unsigned char *bytes = read_in(folder, name, &len);
    const bool same = is_same(work, name, bytes, len);
    free(bytes);
    return same ? NULL : "a file of the result is not what it is without a power cut";
}

/* A part without a byte, and the name that a file has for a moment before its own, do no harm. */
static const char *is_no_more(const char *folder, const char *name)
{
    size_t len, expected_len;
    unsigned char *bytes = read_in(folder, name, &len);
    unsigned char *other = read_in(expected, name, &expected_len);
    const bool is_fine =
        other || strncmp(name, ".encode-", 8) == 0 || (len == 0 && strstr(name, ".part") != NULL);
    free(bytes);
    free(other);
    return is_fine ? NULL : "a file is left";
}

static const char *compare_with_expected(void)
{
    const char *wrong = each_file(expected, is_expected);
    return wrong ? wrong : each_file(work, is_no_more);
}

/* ---- Runs ---- */

/* In the work folder; what it said is in `message`. Returns the exit code, or -1. */
int crash_run(const struct crash_case *tested, const char *option, char message[1024])
{
    char input[SUPPORT_PATH];
    int status;
    char *const *arguments = fault_arguments(tested->command, option);
    support_path(input, support_folder(), tested->input);
    pid_t program = fork();
    if (program == 0) {
        int in = open(input, O_RDONLY), to = open(err, O_WRONLY | O_CREAT | O_TRUNC, 0600);
        alarm(600);
        if (dup2(in, 0) == 0 && dup2(to, 1) == 1 && dup2(to, 2) == 2 && chdir(work) == 0)
            execv(arguments[0], arguments);
        _exit(126);
    }
    assert_int_equal(waitpid(program, &status, 0), program);
    size_t len;
    unsigned char *said = disk_read(err, &len);
    snprintf(message, 1024, "%.1000s", said ? (const char *)said : "");
    free(said);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* Returns whether the journal was replaced since the last call. */
static bool has_turned(void)
{
    static struct stat before;
    struct stat now;
    char path[SUPPORT_PATH];
    support_path(path, work, CRASH_JOURNAL);
    const bool turned = stat(path, &now) == 0 && (now.st_ino != before.st_ino ||
                                                  now.st_mtim.tv_nsec != before.st_mtim.tv_nsec);
    before = turned ? now : before;
    return turned;
}

/* Lines for the program's stdin, slowly until the journal was written three times. */
static pid_t feed(const struct crash_case *tested, const char *fifo)
{
    char path[SUPPORT_PATH], line[256];
    pid_t feeder = fork();
    if (feeder != 0)
        return feeder;
    support_path(path, support_folder(), tested->input);
    FILE *from = fopen(path, "rb"), *to = fopen(fifo, "wb");
    int n_entries = 0;
    signal(SIGPIPE, SIG_IGN);
    while (from && to && fgets(line, sizeof line, from) && fputs(line, to) >= 0) {
        n_entries += has_turned();
        if (n_entries < 3 && (fflush(to) != 0 || usleep(20000) != 0))
            break;
    }
    if (to)
        fclose(to);
    _exit(0);
}

static void put_base(const struct crash_case *tested)
{
    char base[SUPPORT_PATH];
    crash_folder(work);
    if (tested->base == NULL)
        return;
    support_path(base, support_folder(), tested->base);
    each_file(base, copy_to_work);
}

/* Leaves the files of a run in one piece in `expected`, and in `disk` the log of a run that is
 * recorded. */
void crash_record(const struct crash_case *tested, bool resumes)
{
    char input[SUPPORT_PATH], message[1024];
    put_base(tested);
    if (crash_run(tested, tested->has_journal ? "--restart" : "", message) != 0)
        fail_msg("%s: %s", tested->command, message);
    support_remove_dir(expected);
    assert_int_equal(rename(work, expected), 0);
    put_base(tested);
    if (tested->has_journal) {
        support_path(input, support_folder(), "fifo");
        unlink(input);
        assert_int_equal(mkfifo(input, 0600), 0);
        feed(tested, input);
    } else {
        support_path(input, support_folder(), tested->input);
    }
    char *const *arguments = fault_arguments(tested->command, resumes ? "--resume" : "");
    if (disk_log_run(&crash_disk, arguments, work, (const char *const[]){input, out, err}) != 0)
        fail_msg("%s fails when it is recorded", tested->command);
    while (waitpid(-1, NULL, WNOHANG) > 0)
        continue;
    const char *wrong = compare_with_expected();
    if (wrong)
        fail_msg("%s: %s", tested->command, wrong);
}

/* ---- What is asked of a folder that a power cut has left ---- */

/* Files that a refusal must not change, with their content before. */
static const char *is_still_there(const char *folder, const char *name)
{
    size_t len, len_now;
    unsigned char *bytes = read_in(folder, name, &len), *now = read_in(work, name, &len_now);
    const bool is_part = strstr(name, ".part") != NULL && len > 0;
    const bool is_kept = !is_part || (now && len_now == len && memcmp(now, bytes, len) == 0);
    free(bytes);
    free(now);
    return is_kept ? NULL : "it refuses, and a part is not what it was";
}

static const char *check_refusal(const struct crash_case *tested, const struct disk_state *state,
                                 char message[1024])
{
    if (strstr(message, "--restart") == NULL)
        return "it refuses, and does not say what to do";
    crash_folder("before");
    disk_state_write(state, &crash_disk, "before");
    const char *wrong = each_file("before", is_still_there);
    if (wrong == NULL && crash_run(tested, "--restart", message) != 0)
        return "--restart fails";
    return wrong ? wrong : compare_with_expected();
}

/* NULL: nothing is wrong. */
static const char *wrong_with(const struct crash_case *tested, const struct attempt *attempt,
                              const struct disk_state *state, bool *refuses, char message[1024])
{
    const struct disk_bytes *output = disk_state_file(state, &crash_disk, CRASH_OUTPUT);
    const unsigned char *bytes = output ? output->bytes : NULL;
    const size_t len = output ? output->len : 0;
    const size_t n_entries =
        tested->has_journal ? disk_log_entries(&crash_disk, CRASH_JOURNAL, attempt->n) : 0;
    char base[SUPPORT_PATH];
    support_path(base, support_folder(), tested->base ? tested->base : "none");
    message[0] = '\0';
    if (!is_same(expected, CRASH_OUTPUT, bytes, len) && !is_same(base, CRASH_OUTPUT, bytes, len))
        return "the output is neither the old nor the new one";
    crash_folder(work);
    disk_state_write(state, &crash_disk, work);
    if (attempt->n == crash_disk.n_changes)
        return compare_with_expected();
    const int code = crash_run(tested, tested->has_journal ? "--resume" : "", message);
    *refuses = code != 0;
    if (code == 0 && n_entries > 1 && strstr(message, "starts over") != NULL)
        return "it starts over";
    if (code == 0)
        return compare_with_expected();
    if (code != 1 || !tested->has_journal || n_entries > 1)
        return "it cannot go on";
    return check_refusal(tested, state, message);
}

/* ---- Which folders ---- */

/* A cut just before names change or something is synced: what may be left by one between two of
 * these may be left by the next one too. With all, every one. */
static bool is_moment(size_t n)
{
    return fault_wants_all() || n == crash_disk.n_changes ||
           crash_disk.changes[n].kind >= DISK_NAME;
}

static size_t list_states(struct attempt tries[CANDIDATES], enum disk_lie lie)
{
    static uint64_t hashes[CANDIDATES];
    const uint64_t n_seeds = fault_wants_all() ? SEEDS_OF_ALL : SEEDS;
    size_t n_tries = 0;
    for (size_t n = crash_disk.n_first; n <= crash_disk.n_changes; n++) {
        for (int loss = 0; loss < N_LOSSES && is_moment(n); loss++)
            for (uint64_t seed = 0; seed < (loss >= LOSE_AFTER ? n_seeds : 1); seed++) {
                const struct attempt attempt = {n, (enum disk_loss)loss, n * 1000 + seed};
                struct disk_state state;
                disk_state_make(&state, &crash_disk, n, attempt.loss, lie, attempt.seed);
                disk_state_free(&state);
                const uint64_t hash = state.hash + (n == crash_disk.n_changes);
                size_t i = 0;
                while (i < n_tries && hashes[i] != hash)
                    i++;
                if (i < n_tries || n_tries == CANDIDATES)
                    continue;
                hashes[n_tries] = hash;
                tries[n_tries++] = attempt;
            }
    }
    return n_tries;
}

/* Returns how many states do harm; with a disk that lies, one is enough. */
size_t crash_try(const struct crash_case *tested, enum disk_lie lie)
{
    static struct attempt tries[CANDIDATES];
    const size_t n_states = list_states(tries, lie);
    const size_t step = fault_wants_all() || lie ? 1 : (n_states + STATES_MOST - 1) / STATES_MOST;
    size_t n_wrong = 0, n_tried = 0, n_refused = 0;
    for (size_t i = 0; i < n_states && !(lie && n_wrong > 0); i += step) {
        struct disk_state state;
        char message[1024];
        bool refuses = false;
        disk_state_make(&state, &crash_disk, tries[i].n, tries[i].loss, lie, tries[i].seed);
        const char *wrong = wrong_with(tested, &tries[i], &state, &refuses, message);
        disk_state_free(&state);
        n_tried++;
        n_refused += refuses;
        if (wrong && !lie && n_wrong < SHOWN_MOST)
            print_error("%s: a power cut after change %zu of %zu, loss %d, seed %llu: %s: %s\n",
                        tested->name, tries[i].n, crash_disk.n_changes, (int)tries[i].loss,
                        (unsigned long long)tries[i].seed, wrong, message);
        n_wrong += wrong != NULL;
    }
    print_message("%s: lie %d: %zu changes, %zu of %zu states, of which %zu refuse: %zu did harm\n",
                  tested->name, (int)lie, crash_disk.n_changes - crash_disk.n_first, n_tried,
                  n_states, n_refused, n_wrong);
    return n_wrong;
}

/* ---- The suite ---- */

void crash_setup(void)
{
    if (access("/dev/shm", W_OK) == 0) /* where a sync takes no time, entries follow soon */
        setenv("TMPDIR", "/dev/shm", 1);
    fault_setup();
    support_path(work, support_folder(), "work");
    support_path(expected, support_folder(), "expected");
    support_path(out, support_folder(), "out");
    support_path(err, support_folder(), "err");
}
