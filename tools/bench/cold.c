/* cold.c - posix_spawn to the child's exit. What it prints is thrown away: a child that cannot
 * encode says so by its exit code. */
#include "tools/bench/cold.h"

#include "tools/common/options.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

struct cold {
    char program[4096], threads[32];
    const char *file;
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

static int spawn(struct cold *cold, pid_t *child)
{
    char *arguments[] = {cold->program,
                         "-m",
                         (char *)cold->file,
                         "-t",
                         cold->threads,
                         "-p",
                         "mean",
                         "-f",
                         "npy",
                         "the dog bites the man who lives on the bank of the river",
                         NULL};
    posix_spawn_file_actions_t actions;
    int code = posix_spawn_file_actions_init(&actions);
    if (code != 0)
        return code;
    code = posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    if (code == 0)
        code = posix_spawn(child, cold->program, &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    return code;
}

static bool run_once(void *user)
{
    struct cold *cold = user;
    int status = 0;
    pid_t child;
    int code = spawn(cold, &child);
    if (code != 0) {
        program_note("cold: '%s': %s", cold->program, strerror(code));
        return false;
    }
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return true;
    program_note("cold: '%s' failed", cold->program);
    return false;
}

bool cold_time(const struct subject *subject, size_t n_threads, struct series_length length,
               struct timing *timing)
{
    struct cold cold = {.file = subject->file};
    snprintf(cold.threads, sizeof cold.threads, "%zu", n_threads);
    return find_encode(cold.program, sizeof cold.program) &&
           series(length, run_once, &cold, timing);
}
