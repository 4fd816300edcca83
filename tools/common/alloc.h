/* alloc.h - memory for a program: where there is none, it says so and ends at once, with exit code
 * 1. What it has written to stdout is kept; of an output file that is not finished nothing is
 * left. */
#ifndef TOOLS_ALLOC_H
#define TOOLS_ALLOC_H

#include "tools/common/options.h"

#include <stddef.h>
#include <stdio.h>

/* What memory is asked for from here on, as the message then names it: "text 2". */
void alloc_for(const char *format, ...) PROGRAM_PRINTF(1, 2);

/* Ends the program. */
_Noreturn void alloc_fail(void);

/* malloc, for json_set_alloc_funcs in the main of a program that reads JSON: jansson leaves out a
 * character where it has no memory for it, and then finds fault with the file. */
void *alloc_bytes(size_t len);

/* n elements of zeros, at least one; to be freed. */
void *alloc_zeros(size_t n, size_t element_bytes);

/* Makes room for n elements, at least one, of which those that were there are kept. */
void *alloc_resize(void *data, size_t n, size_t element_bytes);

/* A text as formatted, to be freed. */
char *alloc_text(const char *format, ...) PROGRAM_PRINTF(1, 2);

/* What is written to the stream is in *text, to be freed, when alloc_close has been called. */
FILE *alloc_open(char **text, size_t *len);
void alloc_close(FILE *stream);

#endif
