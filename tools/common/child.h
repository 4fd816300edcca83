/* child.h - runs another program: bytes are its stdin, and its stdout becomes bytes. */
#ifndef TOOLS_CHILD_H
#define TOOLS_CHILD_H

#include <stdbool.h>
#include <stddef.h>

enum { CHILD_MESSAGE_BYTES = 4096 };

struct child_result {
    char *bytes; /* [len] of its stdout, then a NUL; to be freed; or NULL */
    size_t len;
    char message[CHILD_MESSAGE_BYTES]; /* the start of its stderr */
    int status;                        /* of waitpid */
};

/* Runs arguments[0], found by PATH, with the input as its stdin, and waits for its end. Its stdin
 * is a file, which it may open again as /dev/stdin. Returns 0, or errno if it could not be started
 * or its answers could not be read. */
int run_child(char *const arguments[], const char *input, size_t len, struct child_result *result);

#endif
