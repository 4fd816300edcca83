/* team.h - threads that work on one task together: how they share it and wait for each other. */
#ifndef ENGINE_TEAM_H
#define ENGINE_TEAM_H

#include <stdalign.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

/* A recurring event, counted, that threads wait for. A waiting thread first spins, because on an
 * idle machine the others are microseconds behind, and then sleeps. If spinning fails, because
 * other work uses the processors, the next wait spins for half as long; every two milliseconds one
 * wait spins for the longest time, to see if that has changed. */
struct event {
    alignas(64) _Atomic uint32_t n_signals;
    _Atomic uint32_t n_sleepers;
    _Atomic uint32_t spin_ns;  /* spin time in nanoseconds */
    _Atomic uint64_t trial_ns; /* when to spin for the longest time next; 0: in the first wait */
};

/* Waits until the event has happened more than n_seen times. */
void event_wait(struct event *event, uint32_t n_seen);
void event_signal(struct event *event);

struct barrier {
    alignas(64) _Atomic uint32_t n_arrived;
    struct event met; /* all threads of the team have arrived */
};

/* A team as one of its threads sees it. Size 1: no waiting. */
struct team {
    size_t rank, size;
    struct barrier *barrier; /* all zeros before the first wait */
};

/* Waits until every thread of the team has arrived. */
void team_wait(struct team team);

/* This thread's share of 0 .. n-1: begin .. end-1, contiguous, as even as possible. */
struct share {
    size_t begin, end;
};

static inline struct share team_share(struct team team, size_t n)
{
    return (struct share){n * team.rank / team.size, n * (team.rank + 1) / team.size};
}

#endif
