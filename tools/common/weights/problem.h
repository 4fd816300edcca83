/* problem.h - what is wrong with a file that is read, in words: where, what was found, what was
 * expected. Who reads it goes on no further: the words are left in the problem, and the program is
 * back where the problem was opened, in one place for all that may be wrong:
 *
 *     static struct problem problem;
 *     if (PROBLEM_OPEN(problem))
 *         checkpoint_read(&checkpoint, path, &problem);
 *     else
 *         return program_fail("%s", problem.text);
 *
 * As with any setjmp, what is changed in between is static, or not looked at afterwards. Memory
 * and files that are open then stay so until the program ends.
 */
#ifndef TOOLS_PROBLEM_H
#define TOOLS_PROBLEM_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>

struct problem {
    char text[1024];
    jmp_buf back;
};

/* True at first; false when something is wrong, which the text says then. */
#define PROBLEM_OPEN(problem) (setjmp((problem).back) == 0)

/* Leaves the words and goes back. Names that come from files may hold anything: control characters
 * are shown as '?'. */
_Noreturn void problem_say(struct problem *problem, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The same behind a file's name: "NAME: words"; or, where the format starts with a blank or a
 * comma, "NAME words" or "NAME, words". NULL: no name. */
_Noreturn void problem_of(struct problem *problem, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
_Noreturn void problem_in(struct problem *problem, const char *name, const char *format,
                          va_list arguments) __attribute__((format(printf, 3, 0)));

/* A note on stderr with such names; nothing is wrong. */
void problem_note(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
