/* fonts.c - characters that no font has; see gnuplot.h. gnuplot's cairo terminals draw a character
 * without a font as a box as large as the page (seen with gnuplot 5.4.4, pango 1.50), so such
 * characters must not reach them. fontconfig's fc-list, which libpango needs, prints what each font
 * has: ranges of hexadecimal numbers. Where it is not there, every character is taken to be.
 */
#include "tools/plot/gnuplot/gnuplot.h"

#include "tools/common/child.h"
#include "tools/common/options.h"
#include "tools/common/print/utf8.h"
#include "tools/plot/memory.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { LAST_COMMON = 0x17F, N_CHARACTERS = 0x110000 }; /* Latin is in every font */

static const char BOX[] = "\xE2\x96\xA1";

/* "20-7e a0-17f 18f" and so on, with line ends between fonts. */
static void mark_all(unsigned char *has, const char *ranges)
{
    static const char blanks[] = " \n";
    for (const char *at = ranges; *at; at += strcspn(at, blanks), at += strspn(at, blanks)) {
        char *end;
        unsigned long first = strtoul(at, &end, 16);
        unsigned long last = *end == '-' ? strtoul(end + 1, NULL, 16) : first;
        for (unsigned long c = first; c <= last && c < N_CHARACTERS; c++)
            has[c / 8] |= (unsigned char)(1u << c % 8);
    }
}

/* A bit for each character; NULL: not known. */
static unsigned char *ask_fonts(void)
{
    char name[] = "fc-list", format[] = "--format=%{charset}\\n";
    char *const arguments[] = {name, format, NULL};
    struct child_result result;
    unsigned char *has = NULL;
    int reason = run_child(arguments, "", 0, &result);
    if (reason != 0 && reason != ENOENT)
        program_die("cannot run fc-list: %s", strerror(reason));
    if (result.status == 0 && result.len > 0) {
        has = memory_zeros(N_CHARACTERS / 8, 1);
        mark_all(has, result.bytes);
    }
    free(result.bytes);
    return has;
}

static bool is_there(const unsigned char *has, uint32_t character)
{
    return has[character / 8] >> character % 8 & 1;
}

size_t gnuplot_replace_missing(char *script, size_t len)
{
    const unsigned char *has = NULL;
    uint32_t missing = 0, character;
    size_t out = 0;
    for (size_t at = 0, n; at < len; at += n) {
        n = utf8_next(script + at, len - at, &character);
        if (character > LAST_COMMON && !has && !(has = ask_fonts()))
            return len;
        if (character <= LAST_COMMON || is_there(has, character)) {
            memmove(script + out, script + at, n);
            out += n;
        } else {
            bool has_box = is_there(has, 0x25A1) && n >= sizeof BOX - 1;
            size_t box = has_box ? sizeof BOX - 1 : 1;
            memcpy(script + out, has_box ? BOX : "?", box);
            out += box;
            missing = missing ? missing : character;
        }
    }
    if (missing)
        program_note("no font here has U+%04X, and perhaps others: a box stands for it; packages "
                     "such as fonts-noto-core and fonts-noto-cjk have more",
                     (unsigned)missing);
    return out;
}
