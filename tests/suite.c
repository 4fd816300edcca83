/* suite.c - collects the tests of a suite before main() runs them; see suite.h. */
#include "tests/suite.h"

#include "tests/owned.h"
#include "tests/support.h"

#include <stdlib.h>

enum { MOST_TESTS = 100, N_PARTS = SUITE_TEAR_DOWN_EACH + 1 };

static struct line {
    struct CMUnitTest test;
    int line;
} suite[MOST_TESTS];

static size_t n_tests;
static void (*parts[N_PARTS])(void);

void suite_add(const char *name, CMUnitTestFunction test, int line)
{
    if (n_tests == MOST_TESTS)
        abort();
    suite[n_tests++] = (struct line){{.name = name, .test_func = test}, line};
}

void suite_set(enum suite_part part, void (*function)(void))
{
    parts[part] = function;
}

static size_t before_test; /* what SET_UP made ends here */

static int run(enum suite_part part)
{
    if (parts[part])
        parts[part]();
    return 0;
}

static int set_up(void **unused)
{
    (void)unused;
    return run(SUITE_SET_UP);
}

static int tear_down(void **unused)
{
    (void)unused;
    run(SUITE_TEAR_DOWN);
    owned_release(0);
    support_remove_folder();
    return 0;
}

static int set_up_each(void **unused)
{
    (void)unused;
    before_test = owned_mark();
    return run(SUITE_SET_UP_EACH);
}

static int tear_down_each(void **unused)
{
    (void)unused;
    run(SUITE_TEAR_DOWN_EACH);
    owned_release(before_test);
    return 0;
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
        tests[i].setup_func = set_up_each;
        tests[i].teardown_func = tear_down_each;
    }
    return _cmocka_run_group_tests("tests", tests, n_tests, set_up, tear_down);
}
