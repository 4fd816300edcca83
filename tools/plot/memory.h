/* memory.h - memory for a program that draws one picture and ends: where there is none, it says so
 * and ends at once, with exit code 1. Nobody calls these while an output file is open. */
#ifndef TOOLS_PLOT_MEMORY_H
#define TOOLS_PLOT_MEMORY_H

#include <stddef.h>
#include <stdio.h>

/* n elements of zeros, at least one; to be freed. */
void *memory_zeros(size_t n, size_t element_bytes);

/* Replaces *text, which is freed, by the text as formatted; parts that are no UTF-8 become U+FFFD.
 * The second takes bytes, of which NULs become U+FFFD too. */
void text_set(char **text, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_set_bytes(char **text, const char *bytes, size_t len);

/* What is written to the stream is in *text, to be freed, when memory_close has been called. */
FILE *memory_open(char **text, size_t *len);
void memory_close(FILE *stream);

#endif
