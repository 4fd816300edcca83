/* alloc.h - memory for a program, which ends with a message and exit code 1 if there is not enough.
 * What it has written to stdout is kept; of an output file that is not finished nothing is
 * left. */
#ifndef TOOLS_ALLOC_H
#define TOOLS_ALLOC_H

#include "tools/common/options.h"

#include <stddef.h>
#include <stdio.h>

/* Names what memory is requested for from here on, for the message: "text 2". */
void alloc_for(const char *format, ...) PROGRAM_PRINTF(1, 2);

/* Ends the program. */
_Noreturn void alloc_die(void);

/* ---- The arena: what a program that makes one weight file allocates is never freed one by one.
 * ---- Once it is on, the blocks of alloc_bytes, alloc_zeros and alloc_resize are in it. It is for
 * ---- tests and leak checkers: it costs encode-import time that grows with the vocabulary, and the
 * ---- end of the process frees as well. ---- */

void alloc_in_arena(bool on);

/* Adds a block of malloc, if the arena is on. NULL: there was no memory for the block. */
void *alloc_own(void *data);

/* Frees a block before the rest, or one that is not in the arena. */
void alloc_free(void *data);

/* Frees all blocks of the arena: a test does, after a file that was refused. */
void alloc_free_all(void);

/* ---- Blocks ---- */

/* malloc, for json_set_alloc_funcs in the main of a program that reads JSON: jansson leaves out a
 * character where it has no memory for it, and then finds fault with the file. */
void *alloc_bytes(size_t len);

/* n elements of zeros, at least one. */
void *alloc_zeros(size_t n, size_t element_bytes);

/* Makes room for n elements, at least one, and keeps the old ones. */
void *alloc_resize(void *data, size_t n, size_t element_bytes);

/* A text as formatted, to be freed. */
char *alloc_text(const char *format, ...) PROGRAM_PRINTF(1, 2);

/* A stream into memory: what is written to it is in `text`, which alloc_close returns, to be
 * freed. */
struct written {
    char *bytes; /* [len], then a NUL */
    size_t len;
};
FILE *alloc_open(struct written *text);
char *alloc_close(FILE *stream, const struct written *text);

#endif
