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

static void keep_least(double *least, void (*work)(void *user, size_t n), void *user, size_t n)
{
    const double begin = cpu_seconds();
    work(user, n);
    const double seconds = cpu_seconds() - begin;
    if (*least == 0 || seconds < *least)
        *least = seconds;
}

double growth(void (*work)(void *user, size_t n), void *user, size_t n)
{
    enum { LEAST_RUNS = 2, MOST_RUNS = 200 };
    double small = 0, large = 0;
    for (int run = 0; run < MOST_RUNS && (run < LEAST_RUNS || large > GROWTH_MOST * small); run++) {
        keep_least(&small, work, user, n);
        keep_least(&large, work, user, 4 * n);
    }
    return large / small;
}
