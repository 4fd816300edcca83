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

static ssize_t append(void *cookie, const char *bytes, size_t n)
{
    struct written *text = cookie;
    char *grown = realloc(text->bytes, text->len + n + 1);
    if (!grown)
        return 0;
    memcpy(grown + text->len, bytes, n);
    text->bytes = grown;
    text->len += n;
    grown[text->len] = '\0';
    return (ssize_t)n;
}

FILE *alloc_open(struct written *text)
{
    *text = (struct written){calloc(1, 1), 0};
    FILE *stream = fopencookie(text, "w", (cookie_io_functions_t){.write = append});
    if (!stream || !text->bytes)
        alloc_die();
    return stream;
}

char *alloc_close(FILE *stream, const struct written *text)
{
    const int is_bad = ferror(stream);
    if (fclose(stream) != 0 || is_bad)
        alloc_die();
    return alloc_own(text->bytes);
}
