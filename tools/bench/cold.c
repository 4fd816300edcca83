/* cold.c - posix_spawn to the end of the child's output and its exit.
 *
 * The child's memory is read from /proc when its answer arrives: all is computed then, and it is
 * still there, unless it ends sooner than we look. wait4's ru_maxrss will not do: it begins with
 * what the parent had.
 */
#include "tools/bench/cold.h"

#include "tools/common/options.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { NPY_MAGIC_BYTES = 6 };

struct cold {
    char program[4096], threads[32];
    const char *file, *text;
    size_t n_answer; /* bytes that a whole answer has at least */
    long resident_kb;
};

static bool find_encode(char *path, size_t cap)
{
    ssize_t n = readlink("/proc/self/exe", path, cap - 1);
    path[n > 0 ? n : 0] = '\0';
    char *slash = strrchr(path, '/');
    if (slash != NULL && (size_t)(slash - path) + sizeof "/encode" <= cap) {
        strcpy(slash, "/encode");
        if (access(path, X_OK) == 0)
            return true;
    }
    program_note("cold: there is no 'encode' beside this program");
    return false;
}

/* VmHWM, the most memory that the process had, in kilobytes; 0 if it is gone. */
static long resident_kb(pid_t process)
{
    char path[64], line[256];
    long kb = 0;
    snprintf(path, sizeof path, "/proc/%ld/status", (long)process);
    FILE *file = fopen(path, "r");
    while (file != NULL && kb == 0 && fgets(line, sizeof line, file) != NULL)
        if (sscanf(line, "VmHWM: %ld kB", &kb) != 1)
            kb = 0;
    if (file != NULL)
        fclose(file);
    return kb;
}

/* All that the child writes; false unless it is an array of the expected length. */
static bool read_answer(struct cold *cold, int fd, pid_t child)
{
    char data[65536], magic[NPY_MAGIC_BYTES] = {0};
    size_t n_read = 0;
    ssize_t n;
    while ((n = read(fd, data, sizeof data)) > 0 || (n < 0 && errno == EINTR)) {
        long kb = n_read == 0 ? resident_kb(child) : 0;
        cold->resident_kb = kb > cold->resident_kb ? kb : cold->resident_kb;
        for (size_t i = 0; n > 0 && i < (size_t)n && n_read + i < NPY_MAGIC_BYTES; i++)
            magic[n_read + i] = data[i];
        n_read += n > 0 ? (size_t)n : 0;
    }
    return n_read >= cold->n_answer && memcmp(magic, "\x93NUMPY", NPY_MAGIC_BYTES) == 0;
}

static bool spawn(struct cold *cold, int output, pid_t *child)
{
    char *arguments[] = {
        cold->program, "-m", (char *)cold->file, "-t", cold->threads, "-p", "mean", "-f",
        "npy",         "--", (char *)cold->text, NULL};
    posix_spawn_file_actions_t actions;
    if (posix_spawn_file_actions_init(&actions) != 0)
        return false;
    int code = posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    if (code == 0)
        code = posix_spawn(child, cold->program, &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    return code == 0;
}

static bool run_once(void *user)
{
    struct cold *cold = user;
    int ends[2], status = 0;
    pid_t child;
    if (pipe2(ends, O_CLOEXEC) != 0) {
        program_note("cold: %s", strerror(errno));
        return false;
    }
    bool started = spawn(cold, ends[1], &child);
    close(ends[1]);
    bool answered = started && read_answer(cold, ends[0], child);
    close(ends[0]);
    while (started && waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    if (answered && WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return true;
    program_note("cold: '%s' failed", cold->program);
    return false;
}

bool cold_time(const struct subject *subject, const char *text, size_t n_threads,
               const struct series_length *length, struct timing *timing, double *resident_mb)
{
    struct cold cold = {
        .file = subject->file, .text = text, .n_answer = subject->info.width * sizeof(float)};
    snprintf(cold.threads, sizeof cold.threads, "%zu", n_threads);
    if (!find_encode(cold.program, sizeof cold.program) || !series(length, run_once, &cold, timing))
        return false;
    *resident_mb = cold.resident_kb > 0 ? (double)cold.resident_kb * 1024e-6 : NAN;
    return true;
}
