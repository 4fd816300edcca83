/* text.h - texts that a picture shows. encode-plot draws one picture and ends: nothing that it
 * allocates is freed before (alloc.h). */
#ifndef TOOLS_PLOT_TEXT_H
#define TOOLS_PLOT_TEXT_H

#include "tools/common/alloc.h"

/* Returns a text, as formatted or of bytes, NUL among them. Parts that are not UTF-8, and
 * characters that a terminal would obey, become U+FFFD. */
char *text_new(const char *format, ...) PROGRAM_PRINTF(1, 2);
char *text_of_bytes(const char *bytes, size_t len);

/* Returns the text as a terminal would show it, cut to so many columns. */
char *text_cut(const char *text, size_t columns);

/* Closes a stream of alloc_open; *text, which it wrote, is kept to the end of the program. */
void text_close(FILE *stream, char **text);

#endif
