/* gnuplot.h - gnuplot as a child process: a script goes in, a picture comes out, both as files. */
#ifndef TOOLS_PLOT_GNUPLOT_H
#define TOOLS_PLOT_GNUPLOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct picture {
    char *bytes; /* [len], then a NUL; to be freed */
    size_t len;
};

/* Runs gnuplot without its start files on the script and takes what it writes to stdout. False: the
 * message has been printed (gnuplot is not there, it failed, it drew nothing, memory is short). */
bool gnuplot_run(const char *script, size_t len, struct picture *picture);

/* Writes a text as a double-quoted string of gnuplot that stands for exactly these bytes. */
void gnuplot_put_string(FILE *stream, const char *text);

/* The same for the name of a tick, which gnuplot reads as a format: its percent signs are doubled. */
void gnuplot_put_format(FILE *stream, const char *text);

#endif
