/* folder.c - opening what lies in a checkpoint's directory; see folder.h.
 *
 * Links are followed (download caches are made of them), but a name that a file of the checkpoint
 * gives must not lead out of the directory. Only regular files are read: a FIFO would wait for
 * ever.
 */
#include "tools/import/checkpoint/folder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool folder_open(struct folder *folder, const char *path, struct problem *problem)
{
    struct stat status;
    *folder = (struct folder){.path = path};
    if (stat(path, &status) != 0)
        return problem_say(problem, "%s: %s", path, strerror(errno));
    if (!S_ISDIR(status.st_mode))
        return problem_say(
            problem, "%s is not a directory; expected one with config.json and model.safetensors",
            path);
    return true;
}

void folder_close(struct folder *folder)
{
    for (size_t i = 0; i < folder->n; i++)
        free(folder->names[i]);
    free(folder->names);
    *folder = (struct folder){0};
}

/* Relative, and no part of it is "..". */
static bool stays_inside(const char *name)
{
    if (name[0] == '/' || name[0] == '\0')
        return false;
    for (const char *part = name; part != NULL; part = strchr(part, '/')) {
        part += *part == '/';
        if (strncmp(part, "..", 2) == 0 && (part[2] == '/' || part[2] == '\0'))
            return false;
    }
    return true;
}

bool folder_join(const struct folder *folder, const char *name, char path[FOLDER_PATH],
                 struct problem *problem)
{
    if (!stays_inside(name))
        return problem_say(problem, "'%s' is not the name of a file in the directory", name);
    if (snprintf(path, FOLDER_PATH, "%s/%s", folder->path, name) >= FOLDER_PATH)
        return problem_say(problem, "%.200s: the path is too long", name);
    return true;
}

bool folder_has(const struct folder *folder, const char *name)
{
    char path[FOLDER_PATH];
    struct problem ignored;
    return folder_join(folder, name, path, &ignored) && access(path, F_OK) == 0;
}

bool folder_note(struct folder *folder, const char *name, struct problem *problem)
{
    for (size_t i = 0; i < folder->n; i++)
        if (strcmp(folder->names[i], name) == 0)
            return true;
    char **names = realloc(folder->names, (folder->n + 1) * sizeof *names);
    if (names == NULL)
        return problem_memory(problem);
    folder->names = names;
    names[folder->n] = strdup(name);
    if (names[folder->n] == NULL)
        return problem_memory(problem);
    folder->n++;
    return true;
}

bool folder_file(struct folder *folder, const char *name, bool needed, int *fd, uint64_t *n_bytes,
                 struct problem *problem)
{
    char path[FOLDER_PATH];
    struct stat status;
    *fd = -1;
    if (!folder_join(folder, name, path, problem))
        return false;
    int opened = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (opened < 0 && errno == ENOENT && !needed)
        return true;
    if (opened < 0)
        return problem_say(problem, "%s: %s", path, strerror(errno));
    bool ok = fstat(opened, &status) == 0;
    if (!ok)
        problem_say(problem, "%s: %s", path, strerror(errno));
    else if (!S_ISREG(status.st_mode))
        ok = problem_say(problem, "%s is %s; expected a file", path,
                         S_ISDIR(status.st_mode) ? "a directory" : "not a regular file");
    if (!ok || !folder_note(folder, name, problem)) {
        close(opened);
        return false;
    }
    *fd = opened;
    *n_bytes = (uint64_t)status.st_size;
    return true;
}
