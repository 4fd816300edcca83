/* program_ends.h - what ends a program leads back to the test that called it, not to the end of the
 * test. The end of the program would have freed its memory, so leaks are not looked for
 * meanwhile. */
#ifndef TESTS_TOOLS_PROGRAM_ENDS_H
#define TESTS_TOOLS_PROGRAM_ENDS_H

#include "tools/common/options.h"

#include <setjmp.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define LEAKS_ARE_SOUGHT
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define LEAKS_ARE_SOUGHT
#endif

#ifdef LEAKS_ARE_SOUGHT
#include <sanitizer/lsan_interface.h>
#define LEAKS_IGNORE() __lsan_disable()
#define LEAKS_SEEK()   __lsan_enable()
#else
#define LEAKS_IGNORE() ((void)0)
#define LEAKS_SEEK()   ((void)0)
#endif

extern jmp_buf program_back;
extern int program_code;         /* with which it ended; -1: it went on */
extern char program_words[1024]; /* the message with which it ended, or "" */

__attribute__((noreturn)) void program_go_back(int code, const char *message);

/* Runs a statement, which may end the program; program_code says whether it did. As with any
 * setjmp, what the statement changes is static, or not looked at afterwards. */
#define PROGRAM_TRY(statement)                                                                     \
    do {                                                                                           \
        program_code = -1;                                                                         \
        program_words[0] = '\0';                                                                   \
        program_ending = program_go_back;                                                          \
        if (setjmp(program_back) == 0)                                                             \
            statement;                                                                             \
    } while (0)
#define PROGRAM_RUN(statement)                                                                     \
    do {                                                                                           \
        LEAKS_IGNORE();                                                                            \
        PROGRAM_TRY(statement);                                                                    \
        LEAKS_SEEK();                                                                              \
    } while (0)

#endif
