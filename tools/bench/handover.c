/* handover.c - ping-pong: thread 0 counts from even to odd, thread 1 from odd to even. */
#include "tools/bench/handover.h"

#include "tools/bench/timing.h"
#include "tools/bench/together.h"

#include <math.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>

enum { SERIES = 40, HANDOVERS = 200, SPINS = 20000 };

static const double MOST_SECONDS = 0.02;

struct game {
    _Alignas(128) _Atomic unsigned ball;
    _Alignas(128) _Atomic unsigned over;
    double ns[SERIES];
    size_t n_series;
};

/* Waits for the ball to have this parity; yields after a while, for there may be one core only. */
static void catch_ball(struct game *game, unsigned parity)
{
    for (size_t spin = 0; (atomic_load_explicit(&game->ball, memory_order_acquire) & 1) != parity;
         spin++)
        if (spin >= SPINS)
            sched_yield();
}

static void play(size_t rank, void *user)
{
    struct game *game = user;
    double start = now_seconds(), last = start;
    for (;;) {
        for (int i = 0; i < HANDOVERS / 2; i++) {
            catch_ball(game, (unsigned)rank);
            if (atomic_load_explicit(&game->over, memory_order_relaxed))
                return;
            atomic_fetch_add_explicit(&game->ball, 1, memory_order_release);
        }
        if (rank != 0)
            continue;
        double now = now_seconds();
        game->ns[game->n_series++] = 1e9 * (now - last) / HANDOVERS;
        last = now;
        if (game->n_series == SERIES || now - start > MOST_SECONDS) {
            catch_ball(game, 0);
            atomic_store(&game->over, 1);
            atomic_fetch_add(&game->ball, 1);
            return;
        }
    }
}

double handover_ns(void)
{
    struct game game = {.n_series = 0};
    double seconds;
    if (!together(2, NULL, play, &game, &seconds))
        return NAN;
    return timing_of(game.ns, game.n_series).median;
}

static const char *tag(double ns)
{
    return ns < 200 ? "fast" : ns < 1000 ? "slow" : "busy";
}

const char *handover_tag(double before_ns, double after_ns)
{
    if (isnan(before_ns) || isnan(after_ns))
        return "";
    return strcmp(tag(before_ns), tag(after_ns)) == 0 ? tag(before_ns) : "mixed";
}
