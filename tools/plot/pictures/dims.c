/* dims.c - which columns: "0:512:64", "6,7,8,9"; see plot_options.h. */
#include "tools/plot/plot_options.h"

#include "tools/common/options.h"
#include "tools/plot/text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { DIMS_MOST = 28 };

/* One part between commas, and what stops it: a number, from:below, or from:below:step. */
static bool read_part(const char **text, size_t *from, size_t *below, size_t *step)
{
    size_t numbers[3] = {0, 0, 1}, n = 0;
    do {
        char *end;
        if (**text < '0' || **text > '9')
            return false;
        errno = 0;
        unsigned long long value = strtoull(*text, &end, 10);
        if (errno != 0 || value > SIZE_MAX)
            return false;
        numbers[n++] = (size_t)value;
        *text = end;
    } while (n < 3 && **text == ':' && ++*text);
    *from = numbers[0];
    *below = n > 1 ? numbers[1] : numbers[0] + 1;
    *step = numbers[2];
    return *step > 0;
}

/* Adds from, from + step, ... below `below`; past the most that fit it counts one more. */
static void add_dims(size_t *dims, size_t *n, size_t from, size_t below, size_t step)
{
    while (from < below && *n <= DIMS_MOST) {
        if (*n < DIMS_MOST)
            dims[*n] = from;
        ++*n;
        if (step >= below - from) /* and from + step may be more than there are numbers */
            break;
        from += step;
    }
}

size_t *dims_read(const char *text, size_t width, size_t *n)
{
    size_t *dims = alloc_zeros(DIMS_MOST, sizeof *dims), from, below, step;
    const char *at = text;
    *n = 0;
    for (bool more = true; more; at++) {
        if (!read_part(&at, &from, &below, &step) || (*at && *at != ','))
            program_die_misused("--dims takes columns as 6,7,8,9 or from:below:step, not '%s'",
                                text);
        if (from >= width || below > width)
            program_die_misused("--dims %s: there are %zu columns, 0 to %zu", text, width,
                                width - 1);
        add_dims(dims, n, from, below, step);
        if (*n > DIMS_MOST)
            program_die_misused("--dims %s: at most %d lines can be told apart", text, DIMS_MOST);
        more = *at == ',';
    }
    if (*n == 0)
        program_die_misused("--dims %s: these are no columns", text);
    return dims;
}
