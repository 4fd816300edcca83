/* refusals.h - readers of files in a test: what is wrong with a file leads back to the test, not
 * to the end of the program. What the readers allocated and opened is kept until import_free, as
 * the program keeps it until it ends. */
#ifndef TESTS_TOOLS_IMPORT_REFUSALS_H
#define TESTS_TOOLS_IMPORT_REFUSALS_H

#include "tests/tools/program_ends.h"

/* Memory comes from the arena between these two, that of jansson too: a test's own does not. */
void import_begin(void);
void import_pause(void);

/* Frees the arena and closes the files that were opened since the first import_begin. */
void import_free(void);

/* Runs a statement; *is_right (which it does not change) is whether nothing was refused; if
 * something was, program_words says what. As with any setjmp, what the statement changes is
 * static, or not looked at afterwards. */
#define READ_OR_REFUSE(is_right, statement)                                                        \
    do {                                                                                           \
        import_begin();                                                                            \
        PROGRAM_TRY(statement);                                                                    \
        *(is_right) = program_code < 0;                                                            \
        import_pause();                                                                            \
    } while (0)

/* The same of what must be right. */
#define READ_OR_FAIL(statement)                                                                    \
    do {                                                                                           \
        static bool is_read;                                                                       \
        READ_OR_REFUSE(&is_read, statement);                                                       \
        if (!is_read)                                                                              \
            fail_msg("%s", program_words);                                                         \
    } while (0)

#endif
