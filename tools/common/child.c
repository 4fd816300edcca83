/* child.c - see child.h. No shell is between: posix_spawnp finds the program by PATH. Its stdin,
 * stdout and stderr are files in memory: nothing has to be served while it runs, and nothing is
 * left of them, however either process ends. */
#include "tools/common/child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { IN, OUT, ERR, N_FILES };

/* ---- Files in memory ---- */

/* Above 2, so that each of them is another one than the child's descriptors 0, 1 and 2. */
static int open_file(void)
{
    int made = memfd_create("child", MFD_CLOEXEC);
    if (made < 0)
        return -1;
    int file = fcntl(made, F_DUPFD_CLOEXEC, N_FILES);
    close(made);
    return file;
}

static bool write_file(int file, const char *bytes, size_t len)
{
    while (len > 0) {
        ssize_t n = write(file, bytes, len);
        if (n < 0 && errno != EINTR)
            return false;
        bytes += n > 0 ? n : 0;
        len -= n > 0 ? (size_t)n : 0;
    }
    return lseek(file, 0, SEEK_SET) == 0;
}

/* At most `most` bytes from its start, and how many. */
static size_t read_file(int file, char *bytes, size_t most)
{
    size_t len = 0;
    while (len < most) {
        ssize_t n = pread(file, bytes + len, most - len, (off_t)len);
        if (n == 0 || (n < 0 && errno != EINTR))
            break;
        len += n > 0 ? (size_t)n : 0;
    }
    bytes[len] = '\0';
    return len;
}

/* ---- The process ---- */

static int spawn(pid_t *pid, char *const arguments[], const int files[N_FILES])
{
    posix_spawn_file_actions_t actions;
    int reason = posix_spawn_file_actions_init(&actions);
    if (reason)
        return reason;
    for (int i = 0; i < N_FILES && !reason; i++)
        reason = posix_spawn_file_actions_adddup2(&actions, files[i], i);
    if (!reason)
        reason = posix_spawnp(pid, arguments[0], &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    return reason;
}

/* Where SIGCHLD is ignored, as a parent may have left it to us, the system forgets a child's status
 * as soon as it ends; so it is not ignored while one runs. */
static int spawn_and_wait(char *const arguments[], const int files[N_FILES], int *status)
{
    struct sigaction by_default = {.sa_handler = SIG_DFL}, before;
    pid_t pid;
    sigaction(SIGCHLD, &by_default, &before);
    int reason = spawn(&pid, arguments, files);
    while (!reason && waitpid(pid, status, 0) < 0 && errno == EINTR)
        ;
    sigaction(SIGCHLD, &before, NULL);
    return reason;
}

static void read_answers(const int files[N_FILES], struct child_result *result)
{
    off_t size = lseek(files[OUT], 0, SEEK_END);
    result->bytes = size >= 0 ? malloc((size_t)size + 1) : NULL;
    if (result->bytes)
        result->len = read_file(files[OUT], result->bytes, (size_t)size);
    size_t n = read_file(files[ERR], result->message, sizeof result->message - 1);
    for (size_t i = 0; i < n; i++)
        if (result->message[i] == '\0')
            result->message[i] = ' ';
}

int run_child(char *const arguments[], const char *input, size_t len, struct child_result *result)
{
    int files[N_FILES], reason = 0;
    *result = (struct child_result){.status = -1};
    for (int i = 0; i < N_FILES; i++)
        if ((files[i] = open_file()) < 0)
            reason = errno;
    if (!reason && !write_file(files[IN], input, len))
        reason = errno;
    if (!reason)
        reason = spawn_and_wait(arguments, files, &result->status);
    if (!reason)
        read_answers(files, result);
    for (int i = 0; i < N_FILES; i++)
        if (files[i] >= 0)
            close(files[i]);
    return reason;
}
