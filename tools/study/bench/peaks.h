/* peaks.h - the most that this machine does with a set of kernels' instructions, measured: what a
 * share of peak is a share of. */
#ifndef TOOLS_BENCH_PEAKS_H
#define TOOLS_BENCH_PEAKS_H

#include <stddef.h>

struct peaks {
    size_t n_threads; /* that work at once, their rates added up */
    /* 10^9 operations per second, of which a multiply-add is two: of float32, of products of
     * bfloat16 summed in float32, and of 8-bit numbers summed in at least 16 bits. */
    double f32, bf16, int8;
};

/* Measures for some 40 ms and keeps the better of the rates before and now, since a disturbance can
 * only lower them. isa: kernels in use, of engine_info. */
void peaks_measure(struct peaks *peaks, const char *isa);

#endif
