/* machine.c - short stretches of work by all threads at once, the best of several; and ping-pong
 * between two threads. */
#include "tools/bench/machine.h"

#include "tools/bench/peak_loops.h"
#include "tools/bench/series.h"
#include "tools/common/options.h"

#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { STRETCHES = 4 };

/* ---- Threads that begin at the same moment ---- */

/* They wait for each other by spinning, since waking up takes longer than some of what is measured;
 * they yield, since there may be more of them than cores. */
struct crew {
    void (*work)(size_t rank, void *user); /* NULL: there is nothing to do after all */
    void *user;
    size_t n;
    _Atomic size_t n_ready, n_done;
};

static void wait_until(_Atomic size_t *count, size_t least)
{
    while (atomic_load(count) < least)
        sched_yield();
}

static void *take_part(void *argument)
{
    struct crew *crew = argument;
    size_t rank = atomic_fetch_add(&crew->n_ready, 1);
    wait_until(&crew->n_ready, crew->n);
    if (crew->work != NULL)
        crew->work(rank, crew->user);
    atomic_fetch_add(&crew->n_done, 1);
    return NULL;
}

/* Calls work(rank, user) in n threads, of which this is one. Seconds from the first start to the
 * last end; NaN after a message. */
static double together(size_t n, void (*work)(size_t rank, void *user), void *user)
{
    struct crew crew = {work, user, n, 0, 0};
    pthread_t *others = malloc(n * sizeof *others);
    size_t n_others = 0;
    if (others == NULL) {
        program_note("out of memory");
        return NAN;
    }
    while (n_others < n - 1 && pthread_create(&others[n_others], NULL, take_part, &crew) == 0)
        n_others++;
    wait_until(&crew.n_ready, n_others);
    bool is_complete = n_others == n - 1;
    if (!is_complete) {
        crew.work = NULL;
        atomic_store(&crew.n_ready, n);
        program_note("there are no %zu threads", n);
    }
    double begin = now_seconds();
    take_part(&crew);
    wait_until(&crew.n_done, n_others + 1);
    double end = now_seconds();
    for (size_t i = 0; i < n_others; i++)
        pthread_join(others[i], NULL);
    free(others);
    return is_complete ? end - begin : NAN;
}

/* Keeps in *best the largest of n_things per nanosecond that some stretches of such work show. */
static bool find_best(double n_things, size_t n_threads, void (*work)(size_t rank, void *user),
                      void *user, double *best)
{
    for (int i = 0; i < STRETCHES; i++) {
        double seconds = together(n_threads, work, user);
        if (isnan(seconds))
            return false;
        *best = fmax(*best, 1e-9 * n_things / seconds);
    }
    return true;
}

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

static bool find_rate(struct peak_loop loop, size_t n_threads, const char **isa, double *best)
{
    struct turns turns = {loop, 10000};
    while (together(1, take_turns, &turns) < 0.003)
        turns.n_turns *= 2;
    *isa = loop.isa;
    return find_best(loop.n_operations * (double)turns.n_turns * (double)n_threads, n_threads,
                     take_turns, &turns, best);
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

/* By the C library's search for a byte that is not there, which has the widest instructions. */
static void read_part(size_t rank, void *user)
{
    const struct block *block = user;
    volatile bool found = memchr(block->data + rank * block->n_bytes, 2, block->n_bytes) != NULL;
    (void)found;
}

static bool find_read_rate(struct peaks *peaks)
{
    enum { READ_BYTES = 128 << 20 };
    struct block block = {malloc(READ_BYTES), READ_BYTES / peaks->n_threads};
    if (block.data == NULL) {
        program_note("out of memory");
        return false;
    }
    bool done = !isnan(together(peaks->n_threads, touch, &block)) &&
                find_best(READ_BYTES, peaks->n_threads, read_part, &block, &peaks->read_gb_per_s);
    free(block.data);
    return done;
}

/* ---- Hand-over ---- */

/* Thread 0 waits for even numbers, thread 1 for odd ones; both count on. */
enum { SERIES = 40, HANDOVERS = 200, SPINS = 20000 };
#define OVER UINT_MAX /* an odd number that the count does not come to */

struct game {
    _Alignas(128) _Atomic unsigned count;
    _Alignas(128) double ns[SERIES];
    size_t n_series;
};

/* Yields after a while, for there may be one core only. */
static unsigned wait_for(struct game *game, size_t parity)
{
    unsigned count;
    for (size_t spin = 0;
         (count = atomic_load_explicit(&game->count, memory_order_acquire)) % 2 != parity; spin++)
        if (spin >= SPINS)
            sched_yield();
    return count;
}

static void count_on(struct game *game)
{
    atomic_fetch_add_explicit(&game->count, 1, memory_order_release);
}

static void play_second(struct game *game)
{
    while (wait_for(game, 1) != OVER)
        count_on(game);
}

static void play_first(struct game *game)
{
    double start = now_seconds(), last = start;
    while (game->n_series < SERIES && last - start < 0.02) {
        for (int i = 0; i < HANDOVERS / 2; i++) {
            wait_for(game, 0);
            count_on(game);
        }
        double now = now_seconds();
        game->ns[game->n_series++] = 1e9 * (now - last) / HANDOVERS;
        last = now;
    }
    wait_for(game, 0);
    atomic_store(&game->count, OVER);
}

static void play(size_t rank, void *user)
{
    if (rank == 0)
        play_first(user);
    else
        play_second(user);
}

static double handover_ns(void)
{
    struct game game = {.count = 0};
    return isnan(together(2, play, &game)) ? NAN : timing_of(game.ns, game.n_series).median;
}

/* ---- All of it ---- */

bool peaks_measure(struct peaks *peaks)
{
    peaks->handover_ns = peaks->n_threads > 1 ? handover_ns() : NAN;
    return find_rate(peak_f32(), peaks->n_threads, &peaks->f32_isa, &peaks->f32_gflops) &&
           find_rate(peak_int8(), peaks->n_threads, &peaks->int8_isa, &peaks->int8_gops) &&
           (peaks->read_gb_per_s > 0 || find_read_rate(peaks));
}
