/* suite.h - a suite is a file of tests and no more: a TEST is run because it is written, in the
 * order of the file, and main() is in suite.c.
 *
 *     TEST(empty_text_has_no_tokens)
 *     {
 *         assert_int_equal(...);
 *     }
 *
 * A suite may name what runs before the first test and after the last, SUITE_FIXTURE(set_up,
 * tear_down), and what runs around each of them, TEST_FIXTURE(set_up, tear_down), each once; a
 * function that is not needed is NULL.
 */
#ifndef TESTS_SUITE_H
#define TESTS_SUITE_H

/* What cmocka.h wants to have seen. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* The line is that of the file, as constructors run in any order. */
void suite_add(const char *name, CMUnitTestFunction test, int line);
void suite_set_fixture(CMFixtureFunction set_up, CMFixtureFunction tear_down);
void suite_set_test_fixture(CMFixtureFunction set_up, CMFixtureFunction tear_down);

#define TEST(name)                                                                                 \
    static void test_##name(void **unused);                                                        \
    __attribute__((constructor)) static void add_test_##name(void)                                 \
    {                                                                                              \
        suite_add("test_" #name, test_##name, __LINE__);                                           \
    }                                                                                              \
    static void test_##name(__attribute__((unused)) void **unused)

#define SUITE_FIXTURE(set_up, tear_down)                                                           \
    __attribute__((constructor)) static void set_fixture(void)                                     \
    {                                                                                              \
        suite_set_fixture(set_up, tear_down);                                                      \
    }

#define TEST_FIXTURE(set_up, tear_down)                                                            \
    __attribute__((constructor)) static void set_test_fixture(void)                                \
    {                                                                                              \
        suite_set_test_fixture(set_up, tear_down);                                                 \
    }

#endif
