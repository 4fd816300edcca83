/* team.h - threads that work on one thing together: how they share it, and how they wait for each
 * other. */
#ifndef ENGINE_TEAM_H
#define ENGINE_TEAM_H

#include <stdalign.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

/* A count that threads wait for. Waiting spins for some microseconds, which is what threads are
 * apart on an idle machine, and then sleeps; where spinning turns out to be in vain, because other
 * work has the processors, it is cut short the next time, so that a machine with other work to do
 * loses little. */
struct bell {
    alignas(64) _Atomic uint32_t n_rung;
    _Atomic uint32_t n_sleepers;
    _Atomic uint32_t patience; /* nanoseconds of spinning; 0 at first, means the most */
};

/* Waits until the bell has rung more than n_seen times. */
void bell_wait(struct bell *bell, uint32_t n_seen);
void bell_ring(struct bell *bell);

struct barrier {
    alignas(64) _Atomic uint32_t n_arrived;
    struct bell bell; /* one ring is one meeting */
};

/* A team as one of its threads sees it. Alone (size 1), nobody is waited for. */
struct team {
    size_t rank, size;
    struct barrier *barrier; /* all zeros before the first meeting */
};

/* Waits until every thread of the team is here. */
void team_wait(struct team team);

/* This thread's share of 0 .. n-1: begin .. end-1, contiguous, as even as can be. */
struct share {
    size_t begin, end;
};

static inline struct share team_share(struct team team, size_t n)
{
    return (struct share){n * team.rank / team.size, n * (team.rank + 1) / team.size};
}

#endif
