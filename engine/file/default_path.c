/* default_path.c - the file named by the environment's ENCODE_MODEL, else the default weights:
 * beside the running program, where make links those of its tree, or where the program or the
 * library is installed. */
#include "engine/file/weight_file.h"

#include "engine/status.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Where `make install` copies them; the Makefile defines it from PREFIX. */
#ifndef ENCODE_DATADIR
#define ENCODE_DATADIR "/usr/local/share/encode"
#endif

#define FILE_NAME "default.weights"

/* Stores the path of the weights of the running program: FOLDER/default.weights, if it exists, else
 * PREFIX/share/encode/default.weights for PREFIX/bin/encode, also after PREFIX was moved. */
static bool find_beside_program(char path[PATH_MAX])
{
    static const char *const paths[] = {"/" FILE_NAME, "/../share/encode/" FILE_NAME};
    char folder[PATH_MAX];
    ssize_t len = readlink("/proc/self/exe", folder, sizeof folder - 1);
    char *slash = len > 0 ? memrchr(folder, '/', (size_t)len) : NULL;
    if (slash == NULL)
        return false;
    *slash = '\0';
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        int n = snprintf(path, PATH_MAX, "%s%s", folder, paths[i]);
        if (n < PATH_MAX && access(path, F_OK) == 0)
            return true;
    }
    return false;
}

engine_status find_default_weights(char *path, size_t cap, engine_error *error)
{
    static const char installed[] = ENCODE_DATADIR "/" FILE_NAME;
    const char *named = getenv("ENCODE_MODEL");
    char local[PATH_MAX] = "";
    if (named != NULL && named[0] != '\0') {
        if ((size_t)snprintf(path, cap, "%s", named) < cap)
            return ENGINE_OK;
        return misused(error, "the path in ENCODE_MODEL is too long");
    }
    bool beside = find_beside_program(local) && strlen(local) < cap;
    if (!beside && (access(installed, F_OK) != 0 || sizeof installed > cap))
        return fail(error, ENGINE_ERROR_IO,
                    "there are no default weights: neither '%.80s' nor '%.80s'; name a weight "
                    "file, or set ENCODE_MODEL to one",
                    local, installed);
    strcpy(path, beside ? local : installed);
    return ENGINE_OK;
}
