/* memory.c - see memory.h. */
#include "tools/plot/memory.h"

#include "tools/common/options.h"
#include "tools/common/utf8.h"
#include "tools/plot/memory.h"

#include <stdarg.h>
#include <stdlib.h>

static _Noreturn void end_program(void)
{
    exit(program_fail("not enough memory"));
}

void *memory_zeros(size_t n, size_t element_bytes)
{
    void *data = calloc(n ? n : 1, element_bytes);
    if (!data)
        end_program();
    return data;
}

void text_set_bytes(char **text, const char *bytes, size_t len)
{
    char *made = memory_zeros(len + 1, 3), *out = made; /* what is invalid takes 3 */
    for (size_t at = 0; at < len;) {
        uint32_t character;
        at += utf8_next(bytes + at, len - at, &character);
        out += utf8_put(character ? character : UTF8_REPLACEMENT, out);
    }
    free(*text);
    *text = made;
}

void text_set(char **text, const char *format, ...)
{
    va_list arguments;
    char *made = NULL;
    va_start(arguments, format);
    int len = vasprintf(&made, format, arguments);
    va_end(arguments);
    if (len < 0)
        end_program();
    text_set_bytes(text, made, (size_t)len);
    free(made);
}

FILE *memory_open(char **text, size_t *len)
{
    FILE *stream = open_memstream(text, len);
    if (!stream)
        end_program();
    return stream;
}

void memory_close(FILE *stream)
{
    int is_bad = ferror(stream);
    if (fclose(stream) != 0 || is_bad)
        end_program();
}
