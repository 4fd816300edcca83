/* threads.h - OpenMP's threads, one parallel region for a call: what each spends its time on, how
 * they share work, and how they wait for each other. */
#ifndef ENGINE_THREADS_H
#define ENGINE_THREADS_H

#include "engine/engine.h"

#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

/* ---- Time ----
 * How long each thread of a session spends in each step. A thread has a slot of its own. Between
 * two laps it works on one step, so a lap adds the time since the last lap to the step that has
 * just ended. A NULL slot turns profiling off. */

/* On a cache line of its own, so that threads do not disturb each other. */
struct profile_slot {
    _Alignas(64) uint64_t last_ns; /* start of the current step */
    uint64_t ns[ENGINE_N_STEPS];
};

/* Returns nanoseconds of a clock. */
uint64_t clock_ns(clockid_t clock);

void profile_start(struct profile_slot *slot);
void profile_lap(struct profile_slot *slot, engine_step step);

/* ---- Teams ---- */

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

/* ---- Regions ---- */

/* Returns how many threads, at most n, a region started by the calling thread can have; missing
 * threads are created or, for a nested region, counted. 1 in a region of the host that allows no
 * nested one, and in a child of a process that has had regions. *is_refused (may be NULL) is set if
 * the system allows fewer. */
size_t region_threads(size_t n, bool *is_refused);

typedef void (*team_job)(void *user, struct team team);

/* Calls job(user, team) in n threads, including this one, n as region_threads has just returned it
 * (OpenMP may still start fewer: team.size), and returns when all have finished. They wait for each
 * other at the barrier. One thread runs without a region. Returns the average number of processors
 * used: spinning in the job's team_waits counts, sleeping does not. */
double region_run(size_t n, struct barrier *barrier, team_job job, void *user);

/* What a host has seen of passes that threads share, to use one thread where several are not worth
 * it; at first all zeros. */
struct sharing {
    uint64_t alone_until_ns; /* until then one thread runs each pass: several would take turns */
    uint64_t pause_ns;       /* length of the last such pause; 0: several threads were worth it */
    struct ways {
        uint64_t ns[2];             /* of a pass by several threads, by one; 0: not seen */
        unsigned until_trial, wait; /* passes before the slower is tried again */
    } by_rows[8];                   /* of 1, 2, 3 to 4, 5 to 8 ... 128 rows */
};

/* region_run of a job whose threads meet after every step, with n threads or with one. */
void region_share(struct sharing *seen, size_t n_rows, size_t n, struct barrier *barrier,
                  team_job job, void *user);

#endif
