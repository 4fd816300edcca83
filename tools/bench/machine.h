/* machine.h - what this machine can do at most, measured: the figures that a share of peak refers
 * to, and what two threads need to hand work to each other. */
#ifndef TOOLS_BENCH_MACHINE_H
#define TOOLS_BENCH_MACHINE_H

#include <stdbool.h>
#include <stddef.h>

/* Rates of n threads that work at once, added up. */
struct peaks {
    size_t n_threads;
    double f32_gflops;    /* fused multiply-adds of float32, 2 operations each */
    double int8_gops;     /* products of 8-bit numbers summed in 32 bits, 2 operations each */
    double read_gb_per_s; /* reading a block of memory far larger than a core's caches */
    const char *f32_isa,
        *int8_isa; /* the widest instructions of this CPU: "avx512", "avx512-vnni" */
};

/* Measures the two arithmetic peaks for some 30 ms and keeps the better of what was there and what
 * is seen now, since a disturbance can only lower them. All zero but n_threads: nothing was there.
 * False after a message: there are no such threads. */
bool peaks_arithmetic(struct peaks *peaks);

/* The same of reading memory, some 0.1 s. */
bool peaks_memory(struct peaks *peaks);

/* Nanoseconds from one thread to another through a word of memory: the median of short series,
 * within some 20 ms. NaN if there are no two threads. On virtual machines this flips between about
 * 110 and 450 ns. */
double handover_ns(void);

/* What to call a run with these before and after it: "fast" below 200 ns, "slow" below 1,000,
 * "busy" above (another process had one of the cores), "mixed" where the two differ, "" where there
 * are none. Runs with different tags do not compare. */
const char *handover_tag(double before_ns, double after_ns);

#endif
