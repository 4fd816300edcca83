/* problem.h - what is wrong with a checkpoint, in words: where, what was found, what was expected.
 */
#ifndef TOOLS_IMPORT_PROBLEM_H
#define TOOLS_IMPORT_PROBLEM_H

#include <stdbool.h>

struct problem {
    char text[1024];
};

/* Writes the words and returns false, so that a check can end with it. Names that come from files
 * may hold anything: control characters are shown as '?'. */
bool problem_say(struct problem *problem, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

bool problem_memory(struct problem *problem);

#endif
