/* machine.h - what this machine can do at most, measured: the figures that a share of peak refers
 * to. */
#ifndef TOOLS_BENCH_MACHINE_H
#define TOOLS_BENCH_MACHINE_H

#include <stdbool.h>
#include <stddef.h>

struct peak_rate {
    double giga_per_s; /* operations, of which a multiply-add is two */
    const char *isa;   /* the widest instructions of this CPU: "avx512-vnni" */
};

struct peaks {
    size_t n_threads;      /* that work at once, their rates added up */
    struct peak_rate f32;  /* fused multiply-adds of float32 */
    struct peak_rate int8; /* products of 8-bit numbers summed in 32 bits */
};

/* Measures for some 30 ms and keeps the better of what was there and what is seen now, since a
 * disturbance can only lower it. All zero but n_threads: nothing was there. Where there are no such
 * threads the program ends. */
void peaks_measure(struct peaks *peaks);

/* The loops that keep a core as busy as it can be (peak_loops.c). */
struct peak_loop {
    const char *isa;
    double n_operations;          /* of one turn of the loop */
    float (*run)(size_t n_turns); /* the result only keeps the compiler from leaving the work out */
};

/* The widest that this CPU has. */
struct peak_loop peak_f32(void);
struct peak_loop peak_int8(void);

#endif
