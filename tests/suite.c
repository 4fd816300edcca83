/* suite.c - collects the tests of a suite before main() runs them; see suite.h. */
#include "tests/suite.h"

#include <stdlib.h>

enum { MOST_TESTS = 100 };

struct fixture {
    CMFixtureFunction set_up, tear_down;
};

static struct line {
    struct CMUnitTest test;
    int line;
} suite[MOST_TESTS];

static size_t n_tests;
static struct fixture around_all, around_each;

void suite_add(const char *name, CMUnitTestFunction test, int line)
{
    if (n_tests == MOST_TESTS)
        abort();
    suite[n_tests++] = (struct line){{.name = name, .test_func = test}, line};
}

void suite_set_fixture(CMFixtureFunction set_up, CMFixtureFunction tear_down)
{
    around_all = (struct fixture){set_up, tear_down};
}

void suite_set_test_fixture(CMFixtureFunction set_up, CMFixtureFunction tear_down)
{
    around_each = (struct fixture){set_up, tear_down};
}

static int compare_lines(const void *a, const void *b)
{
    return ((const struct line *)a)->line - ((const struct line *)b)->line;
}

int main(void)
{
    struct CMUnitTest tests[MOST_TESTS];
    qsort(suite, n_tests, sizeof suite[0], compare_lines);
    for (size_t i = 0; i < n_tests; i++) {
        tests[i] = suite[i].test;
        tests[i].setup_func = around_each.set_up;
        tests[i].teardown_func = around_each.tear_down;
    }
    return _cmocka_run_group_tests("tests", tests, n_tests, around_all.set_up,
                                   around_all.tear_down);
}
