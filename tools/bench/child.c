/* child.c - posix_spawn and waitpid; see child.h. */
#include "tools/bench/child.h"

#include "tools/common/options.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { ARGUMENTS_MOST = 64 };

/* The program's path in the folder of this one. */
static bool find_beside(const char *name, char path[PATH_MAX])
{
    ssize_t n = readlink("/proc/self/exe", path, PATH_MAX - 1);
    path[n > 0 ? n : 0] = '\0';
    char *slash = strrchr(path, '/');
    size_t room = slash != NULL ? PATH_MAX - (size_t)(slash + 1 - path) : 0;
    if (slash != NULL && (size_t)snprintf(slash + 1, room, "%s", name) < room &&
        access(path, X_OK) == 0)
        return true;
    program_note("there is no '%s' beside this program", name);
    return false;
}

static int spawn(const char *path, const char *const arguments[], pid_t *child)
{
    char *own[ARGUMENTS_MOST] = {(char *)path};
    posix_spawn_file_actions_t actions;
    for (size_t i = 0; arguments[i] != NULL && i + 2 < ARGUMENTS_MOST; i++)
        own[i + 1] = (char *)arguments[i];
    int code = posix_spawn_file_actions_init(&actions);
    if (code != 0)
        return code;
    code = posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    if (code == 0)
        code = posix_spawn(child, path, &actions, NULL, own, environ);
    posix_spawn_file_actions_destroy(&actions);
    return code;
}

int child_run(const char *name, const char *const arguments[])
{
    char path[PATH_MAX];
    int status = 0;
    pid_t child;
    if (!find_beside(name, path))
        return PROGRAM_FAILED;
    int code = spawn(path, arguments, &child);
    if (code != 0)
        return program_fail("'%s': %s", path, strerror(code));
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    return WIFEXITED(status) ? WEXITSTATUS(status)
                             : program_fail("'%s' was ended by signal %d", path, WTERMSIG(status));
}
