/* gnuplot.c - running gnuplot; see gnuplot.h.
 *
 * Strings: gnuplot runs what stands between backquotes and expands @macros wherever they are in a
 * line, also in strings, before it reads escapes. So every ASCII character but letters, digits,
 * blanks and a few marks is written as an octal escape.
 */
#include "tools/plot/gnuplot/gnuplot.h"

#include "tools/common/child.h"
#include "tools/common/options.h"
#include "tools/plot/memory.h"

#include <errno.h>
#include <string.h>
#include <sys/wait.h>

/* ---- Strings ---- */

static const char *string(const char *text, const char *percent)
{
    bool after_escape = false; /* an escape takes in all octal digits behind it */
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
        else if (*c == '%')
            fputs(percent, stream);
        else
            fprintf(stream, "\\%03o", *c);
    }
    putc('"', stream);
    memory_close(stream, &made);
    return made;
}

const char *gnuplot_string(const char *text)
{
    return string(text, "\\045");
}

const char *gnuplot_format(const char *text)
{
    return string(text, "\\045\\045");
}

/* ---- Running ---- */

/* Line ends and controls become blanks, so that the message is one line of the terminal. */
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

struct picture gnuplot_run(const char *script, size_t len)
{
    /* By its name stdin is read as a file is, not byte by byte as from a terminal. */
    char name[] = "gnuplot", defaults[] = "-d", from_stdin[] = "/dev/stdin";
    char *const arguments[] = {name, defaults, from_stdin, NULL};
    struct child_result result;
    int reason = run_child(arguments, script, len, &result);
    if (reason == ENOENT)
        program_die("gnuplot is not installed: sudo apt-get install gnuplot-nox (sh "
                    "tools/setup.sh installs it too); --data FILE and -f data need no "
                    "gnuplot");
    if (reason)
        program_die("cannot run gnuplot: %s", strerror(reason));
    struct picture picture = {memory_keep(result.bytes), result.len};
    const char *message = one_line(result.message);
    if (WIFSIGNALED(result.status))
        program_die("gnuplot was ended by signal %d: %s", WTERMSIG(result.status), message);
    if (WEXITSTATUS(result.status) != 0)
        program_die("gnuplot failed: %s", message);
    if (result.len == 0)
        program_die("gnuplot drew nothing: %s", message);
    return picture;
}
