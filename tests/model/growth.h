/* growth.h - whether work grows as its input does, or faster. */
#ifndef TESTS_MODEL_GROWTH_H
#define TESTS_MODEL_GROWTH_H

#include <stddef.h>

/* CPU time of work(user, 4 n) over that of work(user, n): about 4 where the work is linear, 16
 * where it is quadratic. Four calls with n are timed beside one with 4 n, so that a disturbance
 * (other processes in the caches, time that the host of a virtual machine takes back) meets both
 * sides alike, and the median of such pairs is taken, which no single reading can move: of three,
 * and of up to 99 while it is over GROWTH_MOST, half way between the two. */
enum { GROWTH_MOST = 8 };
double growth(void (*work)(void *user, size_t n), void *user, size_t n);

/* Seconds of CPU time of this thread, and of programs that it has run. */
double cpu_seconds(void);

#endif
