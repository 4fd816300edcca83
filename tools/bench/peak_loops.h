/* peak_loops.h - the loops that keep a core as busy as it can be. */
#ifndef TOOLS_BENCH_PEAK_LOOPS_H
#define TOOLS_BENCH_PEAK_LOOPS_H

#include <stddef.h>
#include <stdint.h>

struct peak_loop {
    const char *isa;
    double n_operations;          /* of one turn of the loop */
    float (*run)(size_t n_turns); /* the result only keeps the compiler from leaving the work out */
};

/* The widest that this CPU has. */
struct peak_loop peak_f32(void);
struct peak_loop peak_int8(void);

#endif
