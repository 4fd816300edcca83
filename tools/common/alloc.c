/* alloc.c - see alloc.h. */
#include "tools/common/alloc.h"

#include <search.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static char purpose[64];

/* ---- The arena: a tree of the addresses of its blocks ---- */

static bool has_arena;
static void *arena;

static int compare(const void *left, const void *right)
{
    return (uintptr_t)left < (uintptr_t)right ? -1 : (uintptr_t)left > (uintptr_t)right;
}

/* Inlined, gcc would warn of a block without contents: tsearch looks at the address alone. */
__attribute__((noinline)) void *alloc_own(void *data)
{
    if (data == NULL || (has_arena && tsearch(data, &arena, compare) == NULL))
        alloc_die();
    return data;
}

void alloc_in_arena(bool on)
{
    has_arena = on;
}

void alloc_free(void *data)
{
    tdelete(data, &arena, compare);
    free(data);
}

void alloc_free_all(void)
{
    tdestroy(arena, free);
    arena = NULL;
}

/* ---- Blocks ---- */

void alloc_for(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(purpose, sizeof purpose, format, arguments);
    va_end(arguments);
}

_Noreturn void alloc_die(void)
{
    program_die("%s%snot enough memory", purpose, purpose[0] ? ": " : "");
}

void *alloc_bytes(size_t len)
{
    return alloc_own(malloc(len ? len : 1));
}

void *alloc_zeros(size_t n, size_t element_bytes)
{
    return alloc_own(calloc(n ? n : 1, element_bytes));
}

void *alloc_resize(void *data, size_t n, size_t element_bytes)
{
    const size_t n_kept = n ? n : 1;
    tdelete(data, &arena, compare);
    void *resized = n <= SIZE_MAX / element_bytes ? realloc(data, n_kept * element_bytes) : NULL;
    if (!resized) {
        free(data);
        alloc_die();
    }
    return alloc_own(resized);
}

char *alloc_text(const char *format, ...)
{
    va_list arguments;
    char *text = NULL;
    va_start(arguments, format);
    const int len = vasprintf(&text, format, arguments);
    va_end(arguments);
    if (len < 0)
        alloc_die();
    return text;
}

/* ---- A stream into memory. glibc's open_memstream drops without an error what it has no memory
 * for; this one fails as a write to a full disk does. ---- */

struct memory {
    char **text; /* [*len], then a NUL */
    size_t *len;
};

static ssize_t append(void *cookie, const char *bytes, size_t n)
{
    struct memory *memory = cookie;
    char *grown = realloc(*memory->text, *memory->len + n + 1);
    if (!grown)
        return 0;
    memcpy(grown + *memory->len, bytes, n);
    *memory->text = grown;
    grown[ *memory->len += n] = '\0';
    return (ssize_t)n;
}

static int free_memory(void *cookie)
{
    free(cookie);
    return 0;
}

FILE *alloc_open(char **text, size_t *len)
{
    struct memory *memory = malloc(sizeof *memory);
    *text = calloc(1, 1);
    *len = 0;
    FILE *stream = memory
                       ? fopencookie(memory, "w",
                                     (cookie_io_functions_t){.write = append, .close = free_memory})
                       : NULL;
    if (!stream || !*text)
        alloc_die();
    *memory = (struct memory){text, len};
    return stream;
}

void alloc_close(FILE *stream)
{
    int is_bad = ferror(stream);
    if (fclose(stream) != 0 || is_bad)
        alloc_die();
}
