/* problem.h - what is wrong with a file that is read, in words: where, what was found, what was
 * expected. Nobody goes on with such a file: the words are said, and the program ends with exit
 * code 1. A test goes back to where it called from, and reads them (tests/tools/import/refusals.h).
 */
#ifndef TOOLS_PROBLEM_H
#define TOOLS_PROBLEM_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>

/* All zero: the program ends. */
struct problem {
    char text[1024];
    void (*before_end)(void); /* called before anything is said; or NULL */
    bool goes_back;           /* to `back` */
    jmp_buf back;
};

_Noreturn void problem_say(struct problem *problem, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The same behind a file's name: "NAME: words"; or, where the format starts with a blank or a
 * comma, "NAME words" or "NAME, words". NULL: no name. */
_Noreturn void problem_of(struct problem *problem, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
_Noreturn void problem_in(struct problem *problem, const char *name, const char *format,
                          va_list arguments) __attribute__((format(printf, 3, 0)));

#endif
