/* default_path.c - the file that the environment's ENCODE_MODEL names, else the default weights:
 * those of the tree that the running program was built in, of the place that it was installed in,
 * or of the place that the library was installed in. */
#include "engine/file/weight_file.h"

#include "engine/status.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Where `make install` puts them; the Makefile defines it from PREFIX. */
#ifndef ENCODE_DATADIR
#define ENCODE_DATADIR "/usr/local/share/encode"
#endif

#define FILE_NAME "default.weights"

/* Cuts the last name off a path: its folder. */
static bool to_folder(char *path)
{
    char *slash = strrchr(path, '/');
    if (slash == NULL)
        return false;
    *slash = '\0';
    return true;
}

static bool ends_with_build(const char *folder)
{
    const char *slash = strrchr(folder, '/');
    return slash != NULL && strcmp(slash, "/build") == 0;
}

static bool join(char path[PATH_MAX], const char *folder, const char *file)
{
    int n = snprintf(path, PATH_MAX, "%s%s", folder, file);
    return n > 0 && n < PATH_MAX;
}

/* build/encode and build/asan/encode belong to the tree around build; PREFIX/bin/encode to
 * PREFIX/share, also where the whole of PREFIX was moved. */
static bool place_of_program(char path[PATH_MAX])
{
    char folder[PATH_MAX];
    ssize_t len = readlink("/proc/self/exe", folder, sizeof folder - 1);
    bool found = false;
    if (len <= 0)
        return false;
    folder[len] = '\0';
    for (int up = 0; up < 2 && to_folder(folder); up++) {
        if (up == 0)
            found = join(path, folder, "/../share/encode/" FILE_NAME);
        if (found && access(path, F_OK) == 0)
            return true;
        if (ends_with_build(folder) && to_folder(folder))
            return join(path, folder, "/weights/" FILE_NAME);
    }
    return found;
}

engine_status find_default_weights(char *path, size_t cap, engine_error *error)
{
    static const char installed[] = ENCODE_DATADIR "/" FILE_NAME;
    const char *named = getenv("ENCODE_MODEL");
    char place[PATH_MAX] = "";
    if (named != NULL && named[0] != '\0') {
        if ((size_t)snprintf(path, cap, "%s", named) < cap)
            return ENGINE_OK;
        return misused(error, "the path in ENCODE_MODEL is too long");
    }
    bool beside = place_of_program(place) && access(place, F_OK) == 0 && strlen(place) < cap;
    if (!beside && (access(installed, F_OK) != 0 || sizeof installed > cap))
        return fail(error, ENGINE_ERROR_IO,
                    "there are no default weights: neither '%.80s' nor '%.80s'; name a weight "
                    "file, or set ENCODE_MODEL to one",
                    place, installed);
    strcpy(path, beside ? place : installed);
    return ENGINE_OK;
}
