/* sibling.c - a program that lies beside this one is found by this one's own path, and run. */
#include "tools/bench/subject.h"
#include "tools/common/child.h"
#include "tools/common/options.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

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
    return program_refuse("there is no '%s' beside this program", name);
}

int sibling_run(const char *arguments[])
{
    const char *name = arguments[0];
    char path[PATH_MAX];
    struct child_result result;
    if (!find_beside(name, path))
        return PROGRAM_FAILED;
    arguments[0] = path;
    int reason = run_child((char *const *)arguments, "", 0, &result);
    arguments[0] = name;
    free(result.bytes);
    if (reason != 0)
        return program_fail("cannot start '%s': %s", path, strerror(reason));
    if (!WIFEXITED(result.status))
        return program_fail("'%s' was ended by signal %d", path, WTERMSIG(result.status));
    if (WEXITSTATUS(result.status) != PROGRAM_DONE)
        fputs(result.message, stderr);
    return WEXITSTATUS(result.status);
}
