/* refusals.c - see refusals.h. */
#include "tests/tools/import/refusals.h"

#include "tools/common/alloc.h"

#include <jansson.h>
#include <stdlib.h>
#include <unistd.h>

static int first; /* of the descriptors that an import opens; 0 before the first import */

void import_begin(void)
{
    if (first == 0 && (first = dup(STDERR_FILENO)) > 0)
        close(first);
    alloc_in_arena(true);
    json_set_alloc_funcs(alloc_bytes, alloc_free);
}

void import_pause(void)
{
    alloc_in_arena(false);
    json_set_alloc_funcs(malloc, free);
}

void import_free(void)
{
    alloc_free_all();
    if (first > 0)
        close_range((unsigned)first, ~0U, 0);
    first = 0;
}
