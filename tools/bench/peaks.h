/* peaks.h - what this machine can do at most, measured: the figures that a share of peak refers to.
 *
 * With n threads, n of them work at once and their rates are added up. */
#ifndef TOOLS_BENCH_PEAKS_H
#define TOOLS_BENCH_PEAKS_H

#include <stdbool.h>
#include <stddef.h>

struct peaks {
    size_t n_threads;
    double f32_gflops;    /* fused multiply-adds of float32, 2 operations each */
    double int8_gops;     /* products of 8-bit numbers summed in 32 bits, 2 operations each */
    double read_gb_per_s; /* reading a block of memory far larger than a core's caches; 0: not
                             measured */
    const char *f32_isa,
        *int8_isa; /* the widest instructions of this CPU: "avx512", "avx512-vnni" */
};

/* Measures the two arithmetic peaks for some 30 ms and keeps the better of what was there and what
 * is seen now, since a disturbance can only lower them. All zero but n_threads: nothing was there.
 * False if there is no memory or there are no threads. */
bool peaks_arithmetic(struct peaks *peaks);

/* The same of reading memory, some 0.3 s. */
bool peaks_memory(struct peaks *peaks);

#endif
