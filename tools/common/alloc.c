/* alloc.c - see alloc.h. */
#include "tools/common/alloc.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

static char purpose[64];

void alloc_for(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(purpose, sizeof purpose, format, arguments);
    va_end(arguments);
}

_Noreturn void alloc_fail(void)
{
    exit(program_fail("%s%snot enough memory", purpose, purpose[0] ? ": " : ""));
}

void *alloc_zeros(size_t n, size_t element_bytes)
{
    void *data = calloc(n ? n : 1, element_bytes);
    if (!data)
        alloc_fail();
    return data;
}

void *alloc_resize(void *data, size_t n, size_t element_bytes)
{
    const size_t n_kept = n ? n : 1;
    void *resized = n <= SIZE_MAX / element_bytes ? realloc(data, n_kept * element_bytes) : NULL;
    if (!resized) {
        free(data);
        alloc_fail();
    }
    return resized;
}

FILE *alloc_open(char **text, size_t *len)
{
    FILE *stream = open_memstream(text, len);
    if (!stream)
        alloc_fail();
    return stream;
}

void alloc_close(FILE *stream)
{
    int is_bad = ferror(stream);
    if (fclose(stream) != 0 || is_bad)
        alloc_fail();
}
