/* memory.c - see memory.h. */
#include "tools/plot/memory.h"

#include "tools/common/print/display.h"
#include "tools/common/print/utf8.h"

#include <stdarg.h>
#include <stdlib.h>

static void **blocks; /* [n_blocks]: all that there are */
static size_t n_blocks, blocks_cap;

void *memory_keep(void *block)
{
    if (!block)
        alloc_fail();
    if (n_blocks == blocks_cap) {
        blocks_cap = 2 * blocks_cap + 64;
        blocks = alloc_resize(blocks, blocks_cap, sizeof *blocks);
    }
    return blocks[n_blocks++] = block;
}

void memory_free_all(void)
{
    while (n_blocks > 0)
        free(blocks[--n_blocks]);
    free(blocks);
    blocks = NULL;
    blocks_cap = 0;
}

void *memory_zeros(size_t n, size_t element_bytes)
{
    return memory_keep(alloc_zeros(n, element_bytes));
}

/* Tabs and line ends stay: tables of numbers and pictures have them their own ways. U+FFFE and
 * U+FFFF may not stand in XML, which SVG is. */
static bool is_shown(uint32_t character)
{
    if (character == 0xFFFE || character == 0xFFFF)
        return false;
    return character == '\t' || character == '\n' || !display_hides(character);
}

char *text_of_bytes(const char *bytes, size_t len)
{
    char *made = memory_zeros(len + 1, 3), *out = made; /* U+FFFD takes 3 */
    for (size_t at = 0; at < len;) {
        uint32_t character;
        at += utf8_next(bytes + at, len - at, &character);
        out += utf8_put(is_shown(character) ? character : UTF8_REPLACEMENT, out);
    }
    return made;
}

char *text_new(const char *format, ...)
{
    va_list arguments;
    char *made = NULL;
    va_start(arguments, format);
    int len = vasprintf(&made, format, arguments);
    va_end(arguments);
    if (len < 0)
        alloc_fail();
    char *text = text_of_bytes(made, (size_t)len);
    free(made);
    return text;
}

void memory_close(FILE *stream, char **text)
{
    alloc_close(stream);
    memory_keep(*text);
}
