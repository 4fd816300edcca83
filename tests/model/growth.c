/* growth.c - see growth.h. */
#include "tests/model/growth.h"

#include <sys/resource.h>
#include <time.h>

static double seconds_of(struct timeval time)
{
    return (double)time.tv_sec + 1e-6 * (double)time.tv_usec;
}

double cpu_seconds(void)
{
    struct timespec time;
    struct rusage children;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    getrusage(RUSAGE_CHILDREN, &children);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec + seconds_of(children.ru_utime) +
           seconds_of(children.ru_stime);
}

static double seconds_of_calls(void (*work)(void *user, size_t n), void *user, size_t n, int calls)
{
    const double begin = cpu_seconds();
    for (int call = 0; call < calls; call++)
        work(user, n);
    return cpu_seconds() - begin;
}

double growth(void (*work)(void *user, size_t n), void *user, size_t n)
{
    enum { LEAST_PAIRS = 3, MOST_PAIRS = 99 };
    double sorted[MOST_PAIRS], median = 0;
    for (int pair = 0; pair < MOST_PAIRS && (pair < LEAST_PAIRS || median > GROWTH_MOST); pair++) {
        const double small = seconds_of_calls(work, user, n, 4) / 4;
        const double found = seconds_of_calls(work, user, 4 * n, 1) / small;
        int at = pair;
        for (; at > 0 && sorted[at - 1] > found; at--)
            sorted[at] = sorted[at - 1];
        sorted[at] = found;
        median = sorted[pair / 2];
    }
    return median;
}
