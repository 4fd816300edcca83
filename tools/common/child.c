/* child.c - see child.h. posix_spawnp finds the program by PATH, without a shell. Its stdin, stdout
 * and stderr are files in memory: nothing has to be served while it runs, and nothing is left of
 * them, however either process ends. */
#include "tools/common/child.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { IN, OUT, ERR, N_FILES };

/* Reads at most `most` bytes from the start of a file, and adds a NUL. Returns 0 or errno. */
static int read_file(FILE *file, char *bytes, size_t most, size_t *len)
{
    bool is_at_start = fseek(file, 0, SEEK_SET) == 0;
    *len = is_at_start ? fread(bytes, 1, most, file) : 0;
    bytes[*len] = '\0';
    return is_at_start && !ferror(file) ? 0 : EIO;
}

/* Starts the program and waits for its end. Returns 0 or errno. If SIGCHLD is ignored, as a parent
 * may have left it to us, the system forgets a child's status as soon as it ends; so it is not
 * ignored while one runs. */
static int spawn_and_wait(char *const arguments[], FILE *const files[N_FILES], int *status)
{
    struct sigaction by_default = {.sa_handler = SIG_DFL}, before;
    posix_spawn_file_actions_t actions;
    pid_t pid;
    int reason = posix_spawn_file_actions_init(&actions);
    if (reason)
        return reason;
    for (int i = 0; i < N_FILES && !reason; i++)
        reason = posix_spawn_file_actions_adddup2(&actions, fileno(files[i]), i);
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
static int read_answers(FILE *const files[N_FILES], struct child_result *result)
{
    struct stat out;
    size_t n;
    if (fstat(fileno(files[OUT]), &out) != 0)
        return errno;
    if ((result->bytes = malloc((size_t)out.st_size + 1)) == NULL)
        return ENOMEM;
    int reason = read_file(files[OUT], result->bytes, (size_t)out.st_size, &result->len);
    if (!reason)
        reason = read_file(files[ERR], result->message, sizeof result->message - 1, &n);
    for (size_t i = 0; !reason && i < n; i++)
        if (result->message[i] == '\0')
            result->message[i] = ' ';
    return reason;
}

/* The files have descriptors above 2, which program_begin has opened, and so none of the
 * child's. */
int run_child(char *const arguments[], const char *input, size_t len, struct child_result *result)
{
    FILE *files[N_FILES];
    int reason = 0;
    *result = (struct child_result){.status = -1};
    for (int i = 0; i < N_FILES; i++) {
        const int file = memfd_create("child", MFD_CLOEXEC);
        if ((files[i] = file >= 0 ? fdopen(file, "w+") : NULL) == NULL)
            reason = errno;
    }
    if (!reason && (fwrite(input, 1, len, files[IN]) < len || fflush(files[IN]) != 0))
        reason = errno;
    if (!reason) {
        rewind(files[IN]);
        reason = spawn_and_wait(arguments, files, &result->status);
    }
    if (!reason)
        reason = read_answers(files, result);
    for (int i = 0; i < N_FILES; i++)
        if (files[i])
            fclose(files[i]);
    return reason;
}
