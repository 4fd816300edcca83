/* peaks.c - the best of several short stretches of work, each by all threads at once. */
#include "tools/bench/peaks.h"

#include "tools/bench/peak_loops.h"
#include "tools/bench/together.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { STRETCHES = 4, READ_BYTES = 128 << 20, READ_ALIGN = 512 };

/* ---- Arithmetic ---- */

struct turns {
    struct peak_loop loop;
    size_t n_turns;
};

static void take_turns(size_t rank, void *user)
{
    const struct turns *turns = user;
    (void)rank;
    volatile float kept = turns->loop.run(turns->n_turns);
    (void)kept;
}

/* Turns that take one thread about 3 ms. */
static size_t turns_of_a_stretch(const struct peak_loop *loop)
{
    struct turns turns = {*loop, 10000};
    for (;; turns.n_turns *= 2) {
        double start = now_seconds();
        take_turns(0, &turns);
        if (now_seconds() - start >= 0.003)
            return turns.n_turns;
    }
}

/* 1e9 operations per second of n threads, at best. */
static bool rate(const struct peak_loop *loop, size_t n_threads, double *best)
{
    struct turns turns = {*loop, turns_of_a_stretch(loop)};
    for (int i = 0; i < STRETCHES; i++) {
        double seconds;
        if (!together(n_threads, NULL, take_turns, &turns, &seconds))
            return false;
        double now =
            1e-9 * loop->n_operations * (double)turns.n_turns * (double)n_threads / seconds;
        *best = now > *best ? now : *best;
    }
    return true;
}

bool peaks_arithmetic(struct peaks *peaks)
{
    struct peak_loop f32 = peak_f32(), int8 = peak_int8();
    peaks->f32_isa = f32.isa;
    peaks->int8_isa = int8.isa;
    return rate(&f32, peaks->n_threads, &peaks->f32_gflops) &&
           rate(&int8, peaks->n_threads, &peaks->int8_gops);
}

/* ---- Memory ---- */

struct block {
    char *data;
    size_t n_bytes; /* of each thread */
};

/* Each thread touches its part first, so that it lies near to it. */
static void touch(size_t rank, void *user)
{
    const struct block *block = user;
    memset(block->data + rank * block->n_bytes, 1, block->n_bytes);
}

static void read_part(size_t rank, void *user)
{
    const struct block *block = user;
    volatile uint64_t kept = peak_read(block->data + rank * block->n_bytes, block->n_bytes);
    (void)kept;
}

bool peaks_memory(struct peaks *peaks)
{
    struct block block = {.n_bytes = READ_BYTES / peaks->n_threads / READ_ALIGN * READ_ALIGN};
    size_t n_bytes = block.n_bytes * peaks->n_threads;
    bool done = true;
    block.data = aligned_alloc(READ_ALIGN, n_bytes);
    if (block.data == NULL)
        return false;
    for (int i = 0; i < STRETCHES && done; i++) {
        double seconds;
        done = together(peaks->n_threads, i == 0 ? touch : NULL, read_part, &block, &seconds);
        double now = 1e-9 * (double)n_bytes / seconds;
        if (done && now > peaks->read_gb_per_s)
            peaks->read_gb_per_s = now;
    }
    free(block.data);
    return done;
}
