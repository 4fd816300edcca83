/* dims.c - which columns: "0:512:64", "6,7,8,9"; see plot_options.h. */
#include "tools/plot/plot_options.h"

#include "tools/common/alloc.h"

#include <errno.h>
#include <stdlib.h>

enum { DIMS_MOST = 28 };

size_t *dims_read(const char *text, size_t width, size_t *n)
{
    size_t *dims = alloc_zeros(DIMS_MOST, sizeof *dims);
    const char *at = text;
    *n = 0;
    do { /* a number, from:below, or from:below:step */
        unsigned long long parts[3] = {0, 0, 1};
        size_t n_parts = 0;
        bool is_good;
        do {
            char *end;
            errno = 0;
            is_good = *at >= '0' && *at <= '9'; /* strtoull takes signs and blanks as well */
            parts[n_parts++] = strtoull(at, &end, 10);
            is_good = is_good && errno == 0;
            at = end;
        } while (is_good && n_parts < 3 && *at == ':' && at++);
        unsigned long long dim = parts[0], below = n_parts > 1 ? parts[1] : dim + 1;
        if (!is_good || parts[2] == 0 || (*at && *at != ','))
            program_die_misused("--dims takes columns as 6,7,8,9 or from:below:step, not '%s'",
                                text);
        if (dim >= width || below > width)
            program_die_misused("--dims %s: there are %zu columns, 0 to %zu", text, width,
                                width - 1);
        for (; dim < below; dim += parts[2]) {
            if (*n == DIMS_MOST)
                program_die_misused("--dims %s: at most %d lines can be told apart", text,
                                    DIMS_MOST);
            dims[(*n)++] = (size_t)dim;
            if (parts[2] >= below - dim) /* and dim + step may be more than there are numbers */
                break;
        }
    } while (*at++ == ',');
    if (*n == 0)
        program_die_misused("--dims %s: these are no columns", text);
    return dims;
}
