/* machine.c - short stretches of work by all threads at once, the best of several. */
#include "tools/bench/machine.h"

#include "tools/common/alloc.h"

#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { STRETCHES = 4 };

static const double STRETCH_SECONDS = 0.003;

/* Threads that begin a loop at the same moment. They wait for each other by spinning, since waking
 * up takes longer than some of what is measured; they yield, since there may be more of them than
 * cores. */
struct crew {
    struct peak_loop loop;
    size_t n_turns;
    size_t n;
    _Atomic size_t n_ready, n_done;
};

static void wait_until(_Atomic size_t *count, size_t least)
{
    while (atomic_load(count) < least)
        sched_yield();
}

static void *take_turns(void *argument)
{
    struct crew *crew = argument;
    atomic_fetch_add(&crew->n_ready, 1);
    wait_until(&crew->n_ready, crew->n);
    volatile float kept = crew->loop.run(crew->n_turns);
    (void)kept;
    atomic_fetch_add(&crew->n_done, 1);
    return NULL;
}

/* Seconds that n threads, of which this is one, take for so many turns each, from the first start
 * to the last end. */
static double together(size_t n, struct peak_loop loop, size_t n_turns)
{
    struct crew crew = {.loop = loop, .n_turns = n_turns, .n = n};
    pthread_t *others = alloc_zeros(n, sizeof *others);
    size_t n_others = 0;
    while (n_others < n - 1 && pthread_create(&others[n_others], NULL, take_turns, &crew) == 0)
        n_others++;
    wait_until(&crew.n_ready, n_others);
    if (n_others < n - 1)
        program_die("there are no %zu threads", n);
    double begin = program_seconds();
    take_turns(&crew);
    wait_until(&crew.n_done, n);
    double end = program_seconds();
    for (size_t i = 0; i < n_others; i++)
        pthread_join(others[i], NULL);
    free(others);
    return end - begin;
}

/* Keeps in the rate the largest that some stretches show. */
static void find_rate(struct peak_loop loop, size_t n_threads, struct peak_rate *rate)
{
    size_t n_turns = 10000;
    while (together(1, loop, n_turns) < STRETCH_SECONDS)
        n_turns *= 2;
    rate->isa = loop.isa;
    for (int i = 0; i < STRETCHES; i++) {
        double seconds = together(n_threads, loop, n_turns);
        double n_operations = loop.n_operations * (double)n_turns * (double)n_threads;
        rate->giga_per_s = fmax(rate->giga_per_s, 1e-9 * n_operations / seconds);
    }
}

void peaks_measure(struct peaks *peaks)
{
    find_rate(peak_f32(), peaks->n_threads, &peaks->f32);
    find_rate(peak_int8(), peaks->n_threads, &peaks->int8);
}
