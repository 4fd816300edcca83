/* threads.h - how many threads to work with, how they share a pass, and how they wait for each other. */
#ifndef ENGINE_THREADS_H
#define ENGINE_THREADS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MAX_THREADS = 1024 };

/* OMP_NUM_THREADS (its first number), else the CPUs this process may use: the affinity mask, and no
 * more than the cgroup's quota. At least 1, at most MAX_THREADS. */
size_t threads_default(void);

/* True in a process that was forked off one that had already worked with several threads: OpenMP does not
 * bring its threads along, and would wait for them for ever. Such a process works with one. */
bool threads_lost(void);

/* Where the threads of a team meet. Waiting spins for a few microseconds, which is what a step's threads are
 * apart on an idle machine, and then sleeps, so that a machine with other work to do loses nothing. */
struct barrier {
    _Atomic uint32_t n_arrived;
    _Atomic uint32_t n_meetings;
};

/* The threads that work on one thing together, as one of them sees it. Alone (size 1), nobody is waited
 * for. */
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
