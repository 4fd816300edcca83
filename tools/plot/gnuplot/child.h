/* child.h - another program: bytes go in, bytes come out. */
#ifndef TOOLS_PLOT_CHILD_H
#define TOOLS_PLOT_CHILD_H

#include <stdbool.h>
#include <stddef.h>

enum { CHILD_MESSAGE_BYTES = 4096 };

struct child_result {
    char *bytes; /* [len] of its stdout, then a NUL; to be freed; NULL where len is 0 */
    size_t len;
    char message[CHILD_MESSAGE_BYTES]; /* the start of its stderr */
    int status;                        /* of waitpid */
    bool took_all;                     /* it read its input to the end */
    bool no_memory;                    /* for what it wrote */
};

/* Runs arguments[0], found by PATH, gives it the input and waits for its end. 0, or the errno value
 * that says why it could not be started. */
int child_run(char *const arguments[], const char *input, size_t len, struct child_result *result);

#endif
