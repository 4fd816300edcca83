/* gnuplot.c - runs gnuplot, and prepares texts for it; see gnuplot.h.
 *
 * Strings: gnuplot runs commands between backquotes and expands @macros anywhere in a line, also in
 * strings, before it reads escapes. So every ASCII character but letters, digits, blanks and a few
 * marks is written as an octal escape.
 *
 * Characters: gnuplot's cairo terminals draw a character without a font as a box as large as the
 * page (seen with gnuplot 5.4.4, pango 1.50), so such characters must not reach them. fontconfig's
 * fc-list, which libpango needs, prints the characters of each font as ranges of hexadecimal
 * numbers. If it is absent, every character is passed on.
 */
#include "tools/plot/gnuplot.h"

#include "tools/common/child.h"
#include "tools/common/options.h"
#include "tools/common/print/utf8.h"
#include "tools/plot/text.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

const char *gnuplot_string(const char *text)
{
    bool after_escape = false; /* octal digits after an escape would extend it */
    char *made;
    size_t len;
    FILE *stream = alloc_open(&made, &len);
    putc('"', stream);
    for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
        bool is_plain = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') ||
                        (*c >= '0' && *c <= '9' && !after_escape) || *c >= 0x80 ||
                        strchr(" .,:-", *c);
        after_escape = !is_plain;
        if (is_plain)
            putc(*c, stream);
        else
            fprintf(stream, "\\%03o", *c);
    }
    putc('"', stream);
    text_close(stream, &made);
    return made;
}

/* ---- Fonts ---- */

enum { LAST_COMMON = 0x17F, N_CHARACTERS = 0x110000 }; /* Latin is in every font */

static const char BOX[] = "\xE2\x96\xA1";

/* Returns a bit for each character that a font has; NULL if fc-list is absent. It prints ranges,
 * "20-7e a0-17f 18f" and so on, with line ends between fonts. */
static const unsigned char *read_fonts(void)
{
    static const char blanks[] = " \n";
    char name[] = "fc-list", format[] = "--format=%{charset}\\n";
    char *const arguments[] = {name, format, NULL};
    struct child_result result;
    unsigned char *has = NULL;
    int reason = run_child(arguments, "", 0, &result);
    if (reason != 0 && reason != ENOENT)
        program_die("cannot run fc-list: %s", strerror(reason));
    const char *at = result.status == 0 && result.len > 0 ? result.bytes : "";
    if (*at)
        has = alloc_zeros(N_CHARACTERS / 8, 1);
    for (; *at; at += strcspn(at, blanks), at += strspn(at, blanks)) {
        char *end;
        unsigned long first = strtoul(at, &end, 16);
        unsigned long last = *end == '-' ? strtoul(end + 1, NULL, 16) : first;
        for (unsigned long c = first; c <= last && c < N_CHARACTERS; c++)
            has[c / 8] |= (unsigned char)(1u << c % 8);
    }
    free(result.bytes);
    return has;
}

size_t gnuplot_replace_missing(char *text, size_t len)
{
    static const unsigned char *has;
    static bool is_read, is_noted;
    uint32_t character;
    size_t out = 0;
    for (size_t at = 0, n; at < len; at += n) {
        n = utf8_next(text + at, len - at, &character);
        if (character > LAST_COMMON && !is_read) {
            has = read_fonts();
            is_read = true;
        }
        if (character <= LAST_COMMON || !has || has[character / 8] >> character % 8 & 1) {
            memmove(text + out, text + at, n);
            out += n;
            continue;
        }
        bool has_box = has[0x25A1 / 8] >> 0x25A1 % 8 & 1 && n >= sizeof BOX - 1;
        memcpy(text + out, has_box ? BOX : "?", has_box ? sizeof BOX - 1 : 1);
        out += has_box ? sizeof BOX - 1 : 1;
        if (!is_noted)
            program_note("no font here has U+%04X, and perhaps others: a box is drawn instead; "
                         "packages such as fonts-noto-core and fonts-noto-cjk have more",
                         (unsigned)character);
        is_noted = true;
    }
    return out;
}

/* ---- Running ---- */

/* Makes a message one line for the terminal: line ends and controls become blanks. */
static const char *one_line(char *message)
{
    char *out = message;
    for (const char *c = message; *c; c++) {
        char shown = (unsigned char)*c < 0x20 || *c == 0x7F ? ' ' : *c;
        if (shown != ' ' || (out > message && out[-1] != ' '))
            *out++ = shown;
    }
    while (out > message && out[-1] == ' ')
        out--;
    *out = '\0';
    return message[0] ? message : "it gave no reason";
}

struct picture gnuplot_run(const char *commands, size_t len)
{
    /* By its name stdin is read as a file is, not byte by byte as from a terminal. */
    char name[] = "gnuplot", defaults[] = "-d", from_stdin[] = "/dev/stdin";
    char *const arguments[] = {name, defaults, from_stdin, NULL};
    struct child_result result;
    int reason = run_child(arguments, commands, len, &result);
    if (reason == ENOENT)
        program_die("gnuplot is not installed: sudo apt-get install gnuplot-nox (sh "
                    "tools/setup.sh installs it too); --data FILE and -f data need no "
                    "gnuplot");
    if (reason)
        program_die("cannot run gnuplot: %s", strerror(reason));
    struct picture picture = {alloc_own(result.bytes), result.len};
    const char *message = one_line(result.message);
    if (WIFSIGNALED(result.status))
        program_die("gnuplot was ended by signal %d: %s", WTERMSIG(result.status), message);
    if (WEXITSTATUS(result.status) != 0)
        program_die("gnuplot failed: %s", message);
    if (result.len == 0)
        program_die("gnuplot drew nothing: %s", message);
    return picture;
}
