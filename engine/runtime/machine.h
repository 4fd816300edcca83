/* machine.h - what the library asks of the machine; engine.h documents it for hosts: OpenMP's
 * threads, one parallel region for a call, how they share work and wait for each other, and what
 * each spends its time on; and the fastest kernels that may be used.
 */
#ifndef ENGINE_MACHINE_H
#define ENGINE_MACHINE_H

#include "engine/engine.h"
#include "model/kernels/blas.h"
#include "model/kernels/kernels.h"

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
    alignas(64) uint64_t last_ns;    /* start of the current step */
    uint64_t ns[ENGINE_N_STEPS + 1]; /* of the steps; and before a step begins */
};

/* Returns nanoseconds of a clock. */
uint64_t clock_ns(clockid_t clock);

/* Ends a step; ENGINE_N_STEPS: what came before one, which no profile shows. */
void profile_lap(struct profile_slot *slot, engine_step step);

/* ---- Teams ---- */

/* Where a team's threads wait for each other, again and again. A waiting thread first spins,
 * because on an idle machine the others are microseconds behind, and then sleeps. If spinning
 * fails, because other work uses the processors, the next wait spins for half as long; every two
 * milliseconds one wait spins for the longest time, to see if that has changed. */
struct barrier {
    alignas(64) _Atomic uint32_t n_arrived;
    alignas(64) _Atomic uint32_t n_meetings;
    _Atomic uint32_t n_sleepers;
    _Atomic uint32_t spin_ns;     /* spin time in nanoseconds */
    _Atomic uint64_t trial_ns;    /* when to spin for the longest time next; 0: in the first wait */
    struct profile_slot *profile; /* [threads] of the session; NULL: no profile */
};

/* A team as one of its threads sees it. Size 1: no waiting. */
struct team {
    size_t rank, size;
    struct barrier *barrier;      /* all zeros before the first wait, but for its profile */
    struct profile_slot *profile; /* of this thread */
};

/* Ends a step of this thread: notes its time, waits until every thread of the team has arrived, and
 * notes that. */
void end_step(struct team team, engine_step step);

/* ---- Regions ---- */

enum { MAX_THREADS = 1024 };

/* Returns the number of threads to use if the caller asks for n_asked. More threads than CPUs of
 * this process (by its affinity mask and the cgroup's quota) would only wait for each other, so the
 * CPUs are the limit, unless OMP_NUM_THREADS (its first number) is larger. 0: OMP_NUM_THREADS, else
 * the CPUs. At least 1, at most MAX_THREADS and OpenMP's limit (OMP_THREAD_LIMIT). */
size_t threads_choose(size_t n_asked);

/* Returns how many threads, at most n, a region started by the calling thread can have; missing
 * threads are created or, for a nested region, counted. 1 in a region of the host that allows no
 * nested one, and in a child of a process that has had regions. *is_refused (may be NULL) is set if
 * the system allows fewer. */
size_t region_threads(size_t n, bool *is_refused);

typedef void (*team_job)(void *user, struct team team);

/* Calls job(user, team), or nothing, in n threads, including this one, n as region_threads has just
 * returned it (OpenMP may still start fewer: team.size), and returns when all have finished. They
 * wait for each other at the barrier. One thread runs without a region. Returns the average number
 * of processors used: spinning at the end of the job's steps counts, sleeping does not. */
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

/* ---- Products ---- */

/* Asks Linux for AMX's tile registers, for kernels that need tiles. Returns false if refused. */
bool machine_allow_tiles(void);

/* Returns the kernels that ENGINE_ISA names, else the best that this CPU has and this process may
 * use. Returns NULL if the name is unknown. */
const struct kernels *machine_kernels(bool tiles, engine_error *error);

/* Returns OpenBLAS, set to one thread, so that each of ours can call it; loaded by the first call
 * in the process, and never unloaded. Returns NULL if it is missing, its build cannot be used
 * (blas.h), or the process's memory is limited. */
const struct blas *machine_blas(void);

#endif
