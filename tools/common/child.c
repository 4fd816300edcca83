/* child.c - see child.h. posix_spawnp finds the program by PATH, without a shell. Its stdin, stdout
 * and stderr are files in memory: nothing has to be served while it runs, and nothing is left of
 * them, however either process ends. */
#include "tools/common/child.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { IN, OUT, ERR, N_FILES };

/* Starts the program and waits for its end. Returns 0 or errno. If SIGCHLD is ignored, as a parent
 * may have left it to us, the system forgets a child's status as soon as it ends; so it is not
 * ignored while one runs. */
static int spawn_and_wait(char *const arguments[], const int files[N_FILES], int *status)
{
    struct sigaction by_default = {.sa_handler = SIG_DFL}, before;
    posix_spawn_file_actions_t actions;
    pid_t pid;
    int reason = posix_spawn_file_actions_init(&actions);
    if (reason)
        return reason;
    for (int i = 0; i < N_FILES && !reason; i++)
        reason = posix_spawn_file_actions_adddup2(&actions, files[i], i);
    sigaction(SIGCHLD, &by_default, &before);
    if (!reason)
        reason = posix_spawnp(&pid, arguments[0], &actions, NULL, arguments, environ);
    while (!reason && waitpid(pid, status, 0) < 0 && errno == EINTR)
        ;
    sigaction(SIGCHLD, &before, NULL);
    posix_spawn_file_actions_destroy(&actions);
    return reason;
}

/* Reads all of stdout and the start of stderr, in which a NUL becomes a blank. Returns 0 or
 * errno. */
static int read_answers(const int files[N_FILES], struct child_result *result)
{
    struct stat out;
    if (fstat(files[OUT], &out) != 0)
        return errno;
    if ((result->bytes = calloc((size_t)out.st_size + 1, 1)) == NULL)
        return ENOMEM;
    errno = EFBIG; /* if one call cannot read all */
    const ssize_t n = pread(files[OUT], result->bytes, (size_t)out.st_size, 0);
    const ssize_t n_message = pread(files[ERR], result->message, sizeof result->message - 1, 0);
    if (n != out.st_size || n_message < 0)
        return errno;
    result->len = (size_t)n;
    for (ssize_t i = 0; i < n_message; i++)
        if (result->message[i] == '\0')
            result->message[i] = ' ';
    return 0;
}

/* The files have descriptors above 2, which program_begin has opened, and so none of the
 * child's. */
int run_child(char *const arguments[], const char *input, size_t len, struct child_result *result)
{
    int files[N_FILES], reason = 0;
    *result = (struct child_result){.status = -1};
    for (int i = 0; i < N_FILES; i++)
        if ((files[i] = memfd_create("child", MFD_CLOEXEC)) < 0)
            reason = errno;
    errno = ENOSPC; /* if only a part is written */
    if (!reason && pwrite(files[IN], input, len, 0) != (ssize_t)len)
        reason = errno;
    if (!reason)
        reason = spawn_and_wait(arguments, files, &result->status);
    if (!reason)
        reason = read_answers(files, result);
    for (int i = 0; i < N_FILES; i++)
        if (files[i] >= 0)
            close(files[i]);
    return reason;
}
