/* problem.h - what is wrong with a file that is read, in words: where, what was found, what was
 * expected. Nobody goes on with such a file: the words are said, and the program ends with exit
 * code 1. A test goes back to where it called from, and reads them (tests/tools/import/refusals.h).
 * There is one problem in a program, as there is one end of it.
 */
#ifndef TOOLS_PROBLEM_H
#define TOOLS_PROBLEM_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>

extern struct problem {
    char text[1024];
    void (*before_end)(void); /* called before anything is said; or NULL */
    bool goes_back;           /* to `back` */
    jmp_buf back;
} problem; /* all zero: the program ends */

_Noreturn void problem_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The same behind a file's name: "NAME: words"; or, where the format starts with a blank or a
 * comma, "NAME words" or "NAME, words". NULL: no name. */
_Noreturn void problem_of(const char *name, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
_Noreturn void problem_in(const char *name, const char *format, va_list arguments)
    __attribute__((format(printf, 2, 0)));

#endif
