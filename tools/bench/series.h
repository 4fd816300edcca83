/* series.h - repeats a call, and measures how long it takes each time. */
#ifndef TOOLS_BENCH_SERIES_H
#define TOOLS_BENCH_SERIES_H

#include <stdbool.h>
#include <stddef.h>

struct series_length {
    double seconds;
    size_t n_runs; /* 0: as many as fit into the seconds, at least 3, or 1 of more than 3 seconds */
};

/* In seconds. */
struct timing {
    size_t n_runs;
    double median, min;
    double spread; /* (upper quartile - lower quartile) / median */
};

/* Returns the timing of n >= 1 samples, which it sorts. */
struct timing timing_of(double *samples, size_t n);

/* Calls once() for warming up, then as often as the length says. If once() returns false, after a
 * message, series() does too. */
bool series(struct series_length length, bool (*once)(void *user), void *user,
            struct timing *timing);

#endif
