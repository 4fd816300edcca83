/* timing.h - what a series of times comes to. */
#ifndef TOOLS_BENCH_TIMING_H
#define TOOLS_BENCH_TIMING_H

#include <stddef.h>

struct timing {
    size_t n_runs;
    double median, min;
    double spread; /* (upper quartile - lower quartile) / median */
};

/* Sorts the samples. n is at least 1. */
struct timing timing_of(double *samples, size_t n);

#endif
