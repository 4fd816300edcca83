/* text.c - see text.h. */
#include "tools/plot/text.h"

#include "tools/common/print/display.h"
#include "tools/common/print/utf8.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

char *text_of_bytes(const char *bytes, size_t len)
{
    char *made = alloc_zeros(len + 1, 3), *out = made; /* U+FFFD takes 3 */
    for (size_t at = 0; at < len;) {
        uint32_t character;
        at += utf8_next(bytes + at, len - at, &character);
        /* Tables and pictures write tabs and line ends their own ways. XML, which SVG is, does not
         * allow U+FFFE and U+FFFF. */
        bool is_shown = character == '\t' || character == '\n' ||
                        (!display_hides(character) && character != 0xFFFE && character != 0xFFFF);
        out += utf8_put(is_shown ? character : UTF8_REPLACEMENT, out);
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
        alloc_die();
    char *text = text_of_bytes(made, (size_t)len);
    free(made);
    return text;
}

char *text_cut(const char *text, size_t columns)
{
    char *cut;
    size_t len;
    FILE *stream = alloc_open(&cut, &len);
    display_text(stream, text, strlen(text), columns);
    text_close(stream, &cut);
    return cut;
}

void text_close(FILE *stream, char **text)
{
    alloc_close(stream);
    alloc_own(*text);
}
