/* default_path.c - the file named by the environment's ENCODE_MODEL, else the default weights:
 * beside the running program, where make links those of its tree, or where the program or the
 * library is installed. */
#include "engine/file/weight_file.h"

#include "engine/status.h"

#include <libgen.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Where `make install` copies them; the Makefile defines it from PREFIX. */
#ifndef ENCODE_DATADIR
#define ENCODE_DATADIR "/usr/local/share/encode"
#endif

static bool exists(char *path, size_t cap, const char *folder, const char *below)
{
    return folder[0] && (size_t)snprintf(path, cap, "%s/%sdefault.weights", folder, below) < cap &&
           access(path, F_OK) == 0;
}

/* Beside the running program, or PREFIX/share/encode for PREFIX/bin/encode, also after PREFIX was
 * moved, or ENCODE_DATADIR. */
engine_status find_default_weights(char *path, size_t cap, engine_error *error)
{
    const char *named = getenv("ENCODE_MODEL");
    char folder[PATH_MAX] = "";
    if (named != NULL && named[0] != '\0') {
        if ((size_t)snprintf(path, cap, "%s", named) < cap)
            return ENGINE_OK;
        return misused(error, "the path in ENCODE_MODEL is too long");
    }
    if (readlink("/proc/self/exe", folder, sizeof folder - 1) > 0)
        dirname(folder);
    if (exists(path, cap, folder, "") || exists(path, cap, folder, "../share/encode/") ||
        exists(path, cap, ENCODE_DATADIR, ""))
        return ENGINE_OK;
    return fail(error, ENGINE_ERROR_IO,
                "there are no default weights: neither '%.48s/../share/encode/default.weights' nor "
                "'%.64s/default.weights'; name a weight file, or set ENCODE_MODEL to one",
                folder, ENCODE_DATADIR);
}
