/* gnuplot.h - gnuplot as a child process. */
#ifndef TOOLS_PLOT_GNUPLOT_H
#define TOOLS_PLOT_GNUPLOT_H

#include <stddef.h>

struct picture {
    char *bytes; /* [len], then a NUL */
    size_t len;
};

/* Runs gnuplot on the commands, without its start files, and returns what it writes to stdout. Ends
 * the program if gnuplot is absent, fails, or draws nothing. */
struct picture gnuplot_run(const char *commands, size_t len);

/* Returns a text as a double-quoted string of gnuplot. */
const char *gnuplot_string(const char *text);

/* Replaces each character of a text that no font of this machine has by U+25A1 (a box; by ? if the
 * character takes fewer bytes), and prints a note once. Returns the new length, at most len. */
size_t gnuplot_replace_missing(char *text, size_t len);

#endif
