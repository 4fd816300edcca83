/* problem.h - what is wrong with a file that is read, in words: where, what was found, what was
 * expected. The first problem stays: what follows from it is not told.
 */
#ifndef TOOLS_PROBLEM_H
#define TOOLS_PROBLEM_H

#include <stdarg.h>
#include <stdbool.h>

/* All zero: nothing is wrong. */
struct problem {
    char text[1024];
};

/* Writes the words, unless there are some, and returns false, so that a check can end with it.
 * Names that come from files may hold anything: control characters are shown as '?'. */
bool problem_say(struct problem *problem, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The same behind a file's name: "NAME: words"; or, where the format starts with a blank or a
 * comma, "NAME words" or "NAME, words". NULL: no name. */
bool problem_of(struct problem *problem, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
bool problem_in(struct problem *problem, const char *name, const char *format, va_list arguments)
    __attribute__((format(printf, 3, 0)));

bool problem_memory(struct problem *problem);

#endif
