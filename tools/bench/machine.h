/* machine.h - what this machine can do at most, measured: the figures that a share of peak refers
 * to, and what two threads need to hand work to each other. */
#ifndef TOOLS_BENCH_MACHINE_H
#define TOOLS_BENCH_MACHINE_H

#include <stdbool.h>
#include <stddef.h>

struct peaks {
    size_t n_threads;     /* that work at once, their rates added up */
    double f32_gflops;    /* fused multiply-adds of float32, 2 operations each */
    double int8_gops;     /* products of 8-bit numbers summed in 32 bits, 2 operations each */
    double read_gb_per_s; /* reading a block of memory far larger than a core's caches */
    const char *f32_isa, *int8_isa; /* the widest instructions of this CPU: "avx512-vnni" */

    /* Nanoseconds from one thread to another through a word of memory, the median of short series;
     * NaN with one thread. On virtual machines this flips between about 110 and 450. */
    double handover_ns;
};

/* Measures for some 50 ms and keeps of the two arithmetic peaks the better of what was there and
 * what is seen now, since a disturbance can only lower them; the hand-over is the present one.
 * Reading is measured once, for some 0.1 s. All zero but n_threads: nothing was there. False after
 * a message: there are no such threads. */
bool peaks_measure(struct peaks *peaks);

#endif
