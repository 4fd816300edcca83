/* growth.h - whether work grows as its input does, or faster. */
#ifndef TESTS_MODEL_GROWTH_H
#define TESTS_MODEL_GROWTH_H

#include <stddef.h>

/* CPU time of work(user, 4 n) over that of work(user, n), each the least of some runs: about 4
 * where the work is linear, 16 where it is quadratic. Other processes take time from both, so runs
 * are repeated while the growth is over GROWTH_MOST, half way between the two. */
enum { GROWTH_MOST = 8 };
double growth(void (*work)(void *user, size_t n), void *user, size_t n);

/* Seconds of CPU time of this thread, and of programs that it has run. */
double cpu_seconds(void);

#endif
