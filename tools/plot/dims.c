/* dims.c - which columns: "0:512:64", "6,7,8,9"; see plot_options.h. */
#include "tools/plot/plot_options.h"

#include "tools/options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { DIMS_MOST = 28 };

/* A number and what stops it; false: there is none. */
static bool read_number(const char **text, size_t *number)
{
    char *end;
    if (**text < '0' || **text > '9')
        return false;
    errno = 0;
    unsigned long long value = strtoull(*text, &end, 10);
    *number = value > SIZE_MAX ? SIZE_MAX : (size_t)value;
    *text = end;
    return errno == 0;
}

/* One part between commas: a number, or from:below or from:below:step. */
static bool read_part(const char **text, size_t *from, size_t *below, size_t *step)
{
    if (!read_number(text, from))
        return false;
    *below = *from + 1;
    *step = 1;
    if (**text != ':')
        return true;
    ++*text;
    if (!read_number(text, below))
        return false;
    if (**text != ':')
        return true;
    ++*text;
    return read_number(text, step) && *step > 0;
}

size_t *dims_read(const char *text, size_t width, size_t *n)
{
    size_t *dims = calloc(DIMS_MOST, sizeof *dims), from, below, step;
    const char *at = text;
    *n = 0;
    if (!dims) {
        program_fail("not enough memory");
        return NULL;
    }
    for (bool more = true; more; at++) {
        if (!read_part(&at, &from, &below, &step) || (*at && *at != ',')) {
            program_misuse("--dims takes columns as 6,7,8,9 or from:below:step, not '%s'", text);
            break;
        }
        if (from >= width || below > width) {
            program_misuse("--dims %s: there are %zu columns, 0 to %zu", text, width, width - 1);
            break;
        }
        for (size_t dim = from; dim < below && *n <= DIMS_MOST; dim += step, ++*n)
            if (*n < DIMS_MOST)
                dims[*n] = dim;
        if (*n > DIMS_MOST) {
            program_misuse("--dims %s: at most %d lines can be told apart", text, DIMS_MOST);
            break;
        }
        more = *at == ',';
        if (!more && *n > 0)
            return dims;
    }
    if (*n == 0)
        program_note("--dims %s: these are no columns", text);
    free(dims);
    return NULL;
}
