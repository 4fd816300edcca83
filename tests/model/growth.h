/* growth.h - whether work grows as its input does, or faster. */
#ifndef TESTS_MODEL_GROWTH_H
#define TESTS_MODEL_GROWTH_H

#include <stddef.h>

/* CPU time of work(user, 4 n) over that of work(user, n), each the least of some runs: about 4
 * where the work is linear, 16 where it is quadratic. CPU time is not the machine's load, but other
 * processes take caches from both, so runs are repeated while the growth is over GROWTH_MOST, half
 * way between the two: up to 200 times, of which one undisturbed run is enough. */
enum { GROWTH_MOST = 8 };
double growth(void (*work)(void *user, size_t n), void *user, size_t n);

/* Seconds of CPU time of this thread, and of programs that it has run. */
double cpu_seconds(void);

#endif
