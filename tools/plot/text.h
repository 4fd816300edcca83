/* text.h - texts that a picture shows. encode-plot draws one picture and ends: nothing that it
 * allocates is freed before (alloc.h). */
#ifndef TOOLS_PLOT_TEXT_H
#define TOOLS_PLOT_TEXT_H

#include "tools/common/alloc.h"

/* A text as formatted; parts that are no UTF-8, and characters that a terminal would obey, become
 * U+FFFD. The second takes bytes, which may be NUL. */
char *text_new(const char *format, ...) PROGRAM_PRINTF(1, 2);
char *text_of_bytes(const char *bytes, size_t len);

/* The text as a terminal would show it, cut to so many columns. */
char *text_cut(const char *text, size_t columns);

/* Closes a stream of alloc_open; what was written to it is in *text, for good. */
void text_close(FILE *stream, char **text);

#endif
