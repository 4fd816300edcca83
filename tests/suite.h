/* suite.h - a suite is a file of tests and no more: a TEST is run because it is written, in the
 * order of the file, and main() is in suite.c.
 *
 *     TEST(empty_text_has_no_tokens)
 *     {
 *         assert_int_equal(...);
 *     }
 *
 * Written in the same way, each at most once: SET_UP() and TEAR_DOWN(), before the first test and
 * after the last, and SET_UP_EACH() and TEAR_DOWN_EACH(), around each of them.
 */
#ifndef TESTS_SUITE_H
#define TESTS_SUITE_H

/* Headers that cmocka.h requires before it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* What a call of the engine returns: all is well, or ENGINE_ERROR_ and this name. */
#define assert_ok(call)          assert_int_equal(call, ENGINE_OK)
#define assert_fails(name, call) assert_int_equal(call, ENGINE_ERROR_##name)

enum suite_part { SUITE_SET_UP, SUITE_TEAR_DOWN, SUITE_SET_UP_EACH, SUITE_TEAR_DOWN_EACH };

/* The line is that of the file, as constructors run in any order. */
void suite_add(const char *name, CMUnitTestFunction test, int line);
void suite_set(enum suite_part part, void (*function)(void));

#define TEST(name)                                                                                 \
    static void test_##name(void **unused);                                                        \
    __attribute__((constructor)) static void add_test_##name(void)                                 \
    {                                                                                              \
        suite_add("test_" #name, test_##name, __LINE__);                                           \
    }                                                                                              \
    static void test_##name(__attribute__((unused)) void **unused)

#define SUITE_PART(part)                                                                           \
    static void run_##part(void);                                                                  \
    __attribute__((constructor)) static void set_##part(void)                                      \
    {                                                                                              \
        suite_set(part, run_##part);                                                               \
    }                                                                                              \
    static void run_##part(void)

#define SET_UP()         SUITE_PART(SUITE_SET_UP)
#define TEAR_DOWN()      SUITE_PART(SUITE_TEAR_DOWN)
#define SET_UP_EACH()    SUITE_PART(SUITE_SET_UP_EACH)
#define TEAR_DOWN_EACH() SUITE_PART(SUITE_TEAR_DOWN_EACH)

#endif
