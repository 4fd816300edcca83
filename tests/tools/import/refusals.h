/* refusals.h - readers of files in a test: what is wrong with a file leads back to the test, not
 * to the end of the program, with which its memory would go. So leaks are not looked for meanwhile.
 */
#ifndef TESTS_TOOLS_IMPORT_REFUSALS_H
#define TESTS_TOOLS_IMPORT_REFUSALS_H

#include "tests/tools/program_ends.h"
#include "tools/common/weights/problem.h"

/* True at first; false when something is wrong, which the problem's text says then. As with any
 * setjmp, what is changed in between is static, or not looked at afterwards. */
#define PROBLEM_OPEN() (problem.goes_back = true, setjmp(problem.back) == 0)

/* Runs a statement; *is_right (which it does not change) tells whether nothing was refused. */
#define READ_OR_REFUSE(is_right, statement)                                                        \
    do {                                                                                           \
        *(is_right) = false;                                                                       \
        LEAKS_IGNORE();                                                                            \
        if (PROBLEM_OPEN()) {                                                                      \
            statement;                                                                             \
            *(is_right) = true;                                                                    \
        }                                                                                          \
        LEAKS_SEEK();                                                                              \
    } while (0)

#endif
