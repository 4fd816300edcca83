/* shell.h - programs run as a user runs them: a shell command in a temporary folder, and its
 * outcome.
 *
 * Commands see $ENCODE and $NEW, the programs; and $ENCODE_MODEL, toy.weights in the folder: width
 * 8, 2 heads, 2 layers, sinusoidal, 16 tokens. */
#ifndef TESTS_TOOLS_SHELL_H
#define TESTS_TOOLS_SHELL_H

#include "tests/support.h"

struct shell_result {
    int code; /* exit code, or 128 + the signal */
    char *out, *err;
};

/* Goes into the suite's folder; for SET_UP(). */
void shell_setup(void);

/* Sets $VARIABLE to the path of a built program; before shell_setup(). */
void shell_set_program(const char *variable, const char *name);

/* Runs a command with /bin/sh; the result is valid until the next call. */
const struct shell_result *shell(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The same, and the exit code must be this one. */
const struct shell_result *shell_expect(int code, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The same with exit code 0. Returns the most memory that one of the programs took, in KiB. */
long shell_memory(const char *command);

/* Assertions that show the text. */
void assert_contains(const char *text, const char *part);
void assert_lacks(const char *text, const char *part);

#endif
