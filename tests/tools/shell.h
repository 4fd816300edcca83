/* shell.h - programs run as a user runs them: a shell command in a temporary folder, and its
 * outcome.
 *
 * Commands see $ENCODE and $NEW, the programs; $ENCODE_MODEL, toy.weights; and in the folder
 *   toy.weights   width 8, 2 heads, 2 layers, sinusoidal, 16 tokens; Keras rules; ids of the words
 * below; templates [CLS] A [SEP] and [CLS] A [SEP] B [SEP]; unknown words are [UNK] plain.weights
 * the same words without special tokens, in whose texts unknown words are skipped
 * and $AWAIT EXPRESSION FILE, which waits until the file has such a line, five minutes at most.
 */
#ifndef TESTS_TOOLS_SHELL_H
#define TESTS_TOOLS_SHELL_H

#include "tests/support.h"

enum { TOY_WIDTH = 8, TOY_LIMIT = 16, CLS = 9, SEP = 10, UNK = 1, I = 2, RIDE = 3, BIKE = 4 };

struct shell_result {
    int code; /* exit code, or 128 + the signal */
    char *out, *err;
    size_t out_len, err_len; /* a NUL byte follows */
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

/* Assertions that show the text. */
void assert_contains(const char *text, const char *part);
void assert_lacks(const char *text, const char *part);
void assert_lines(const char *text, size_t n);

#endif
