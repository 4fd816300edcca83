/* memory.h - memory for a program that draws one picture and ends: all of it is freed at the end,
 * at once. Where there is none, the program says so and ends, with exit code 1; so nobody calls
 * these while an output file is open. */
#ifndef TOOLS_PLOT_MEMORY_H
#define TOOLS_PLOT_MEMORY_H

#include "tools/common/alloc.h"

/* n elements of zeros, at least one. */
void *memory_zeros(size_t n, size_t element_bytes);

/* Takes over a block of malloc; NULL: there was no memory for it. */
void *memory_keep(void *block);

/* A text as formatted; parts that are no UTF-8, and characters that a terminal would obey, become
 * U+FFFD. The second takes bytes, which may be NUL. */
char *text_new(const char *format, ...) __attribute__((format(printf, 1, 2)));
char *text_of_bytes(const char *bytes, size_t len);

/* What was written to a stream of alloc_open is in *text. */
void memory_close(FILE *stream, char **text);

void memory_free_all(void);

#endif
