/* gnuplot.h - gnuplot as a child process. */
#ifndef TOOLS_PLOT_GNUPLOT_H
#define TOOLS_PLOT_GNUPLOT_H

#include <stddef.h>

struct picture {
    char *bytes; /* [len], then a NUL */
    size_t len;
};

/* Runs gnuplot without its start files on the commands and takes what it writes to stdout. Ends the
 * program where gnuplot is not there, failed, or drew nothing. */
struct picture gnuplot_run(const char *commands, size_t len);

/* A text as a double-quoted string of gnuplot that stands for exactly these bytes. */
const char *gnuplot_string(const char *text);

/* Puts U+25A1 (a box; ? where there is less room) in the place of each character of a text that no
 * font of this machine has, and says so once. Returns the new length, at most len. */
size_t gnuplot_replace_missing(char *text, size_t len);

#endif
