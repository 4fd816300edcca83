/* default_weights.c - finding the default weights; see default_weights.h. */
#include "tools/common/default_weights.h"

#include "tools/common/options.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Where `make install` puts them; the Makefile defines it from PREFIX. */
#ifndef ENCODE_DATADIR
#define ENCODE_DATADIR "/usr/local/share/encode"
#endif

#define FILE_NAME "default.weights"

enum { PLACES_MAX = 3 };

struct places {
    char paths[PLACES_MAX][PATH_MAX];
    size_t n;
};

static void add(struct places *places, const char *folder, const char *file)
{
    int n = snprintf(places->paths[places->n], PATH_MAX, "%s%s", folder, file);
    if (n > 0 && n < PATH_MAX)
        places->n++;
}

/* Cuts the last name off a path: its folder. */
static bool to_folder(char *path)
{
    char *slash = strrchr(path, '/');
    if (!slash)
        return false;
    *slash = '\0';
    return true;
}

static bool ends_with_build(const char *folder)
{
    const char *slash = strrchr(folder, '/');
    return slash && strcmp(slash, "/build") == 0;
}

/* build/encode and build/asan/encode belong to the tree around build; PREFIX/bin/encode to
 * PREFIX/share, also where the whole of PREFIX was moved. */
static void add_around_program(struct places *places)
{
    char folder[PATH_MAX];
    ssize_t len = readlink("/proc/self/exe", folder, sizeof folder - 1);
    if (len <= 0)
        return;
    folder[len] = '\0';
    for (int up = 0; up < 2 && to_folder(folder); up++) {
        if (up == 0)
            add(places, folder, "/../share/encode/" FILE_NAME);
        if (ends_with_build(folder)) {
            places->n = 0;
            to_folder(folder);
            add(places, folder, "/weights/" FILE_NAME);
            return;
        }
    }
}

bool default_weights_path(char *path, size_t cap)
{
    const char *named = getenv("ENCODE_MODEL");
    if (named && named[0]) {
        if ((size_t)snprintf(path, cap, "%s", named) < cap)
            return true;
        program_fail("the path in ENCODE_MODEL is too long");
        return false;
    }

    struct places places = {.n = 0};
    add_around_program(&places);
    add(&places, ENCODE_DATADIR, "/" FILE_NAME);
    for (size_t i = 0; i < places.n; i++)
        if (access(places.paths[i], F_OK) == 0 && strlen(places.paths[i]) < cap) {
            strcpy(path, places.paths[i]);
            return true;
        }

    program_note("there are no default weights; looked for");
    for (size_t i = 0; i < places.n; i++)
        fprintf(stderr, "    '%s'\n", places.paths[i]);
    fprintf(stderr, "Name a weight file with -m FILE or in ENCODE_MODEL; encode-new makes one.\n");
    return false;
}
