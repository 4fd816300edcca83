/* The answers of encode-serve are templates: each name in them is one of VALUES or LISTS, each list
 * ends, and each value and list has a use. A changed template is noticed.
 *
 * Guarantee: no answer of encode-serve has a name that its writer does not know. */
#include "tools/hosts/serve/answers.c"

#include "tests/support.h"

/* What the writer calls, and this suite does not. */
bool request_fail(struct request *request, enum fault fault, const char *format, ...)
{
    (void)request, (void)fault, (void)format;
    return false;
}

bool request_hold(struct request *request, size_t n)
{
    (void)request, (void)n;
    return true;
}

void metrics_write(FILE *stream)
{
    (void)stream;
}

static size_t n_values[N_VALUES], n_lists[N_LISTS];

/* Returns whether a template is well formed, and counts the names in it. */
static bool is_right(const char *answer)
{
    int depth = 0;
    while (*answer) {
        const char c = *answer++;
        if (c == '$') {
            const int value = find_name(&answer, VALUE_NAMES, N_VALUES);
            if (value == N_VALUES)
                return false;
            n_values[value]++;
        } else if (c == '<') {
            const int list = find_name(&answer, LIST_NAMES, N_LISTS);
            if (list == N_LISTS || *answer != ' ')
                return false;
            n_lists[list]++;
            depth++;
        } else if (c == '>' && --depth < 0) {
            return false;
        }
    }
    return depth == 0;
}

/* Returns a template of the tables, or NULL for ANY, which has none. */
static const char *template_of(size_t i)
{
    const size_t n_routes = sizeof ROUTES / sizeof ROUTES[0];
    return i < n_routes ? ROUTES[i].answer : ERRORS[i - n_routes];
}

enum { N_TEMPLATES = sizeof ROUTES / sizeof ROUTES[0] + N_DIALECTS };

TEST(names_are_known)
{
    for (size_t i = 0; i < N_TEMPLATES; i++) {
        const char *answer = template_of(i);
        if (answer && !is_right(answer))
            fail_msg("an unknown name, or a list without an end: %s", answer);
        if (!answer)
            assert_int_equal(ROUTES[i].work, WORK_ANY);
    }
    for (size_t i = 0; i < N_VALUES; i++)
        if (n_values[i] == 0)
            fail_msg("$%s is in no answer", VALUE_NAMES[i]);
    for (size_t i = 0; i < N_LISTS; i++)
        if (n_lists[i] == 0)
            fail_msg("<%s is in no answer", LIST_NAMES[i]);
}

/* A letter more or less in any name, and a bracket more or less, are refused. */
TEST(changes_are_noticed)
{
    char changed[2000];
    size_t n_changes = 0;
    for (size_t i = 0; i < N_TEMPLATES; i++) {
        const char *answer = template_of(i);
        for (const char *at = answer; at && *at; at++) {
            if (!strchr("$<>", *at))
                continue;
            const int before = (int)(at - answer), after = before + 1;
            snprintf(changed, sizeof changed, "%.*s%s", before, answer, answer + after);
            assert_true(*at == '$' || !is_right(changed));
            snprintf(changed, sizeof changed, "%.*s%cx%s", before, answer, *at, answer + after);
            assert_true(*at == '>' || !is_right(changed));
            if (*at != '>') { /* without the name's first letter */
                snprintf(changed, sizeof changed, "%.*s%s", after, answer, answer + after + 1);
                assert_false(is_right(changed));
            }
            n_changes++;
        }
    }
    assert_true(n_changes > 100);
}
