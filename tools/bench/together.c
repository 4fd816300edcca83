/* together.c - threads that begin at the same moment: they wait for a flag by spinning, since
 * waking up takes longer than some of what is measured; they yield, since there may be more of them
 * than cores. */
#include "tools/bench/together.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

double now_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

enum phase { PHASE_WAIT, PHASE_GO, PHASE_GIVE_UP };

struct crew {
    void (*prepare)(size_t rank, void *user);
    void (*work)(size_t rank, void *user);
    void *user;
    _Atomic size_t n_ready;
    _Atomic int phase;
};

struct member {
    struct crew *crew;
    size_t rank;
    pthread_t thread;
    double begin, end;
};

static void *run_member(void *argument)
{
    struct member *member = argument;
    struct crew *crew = member->crew;
    if (crew->prepare != NULL)
        crew->prepare(member->rank, crew->user);
    atomic_fetch_add(&crew->n_ready, 1);
    while (atomic_load(&crew->phase) == PHASE_WAIT)
        sched_yield();
    member->begin = now_seconds();
    if (atomic_load(&crew->phase) == PHASE_GO)
        crew->work(member->rank, crew->user);
    member->end = now_seconds();
    return NULL;
}

static double span(const struct member *members, size_t n)
{
    double begin = members[0].begin, end = members[0].end;
    for (size_t i = 1; i < n; i++) {
        begin = members[i].begin < begin ? members[i].begin : begin;
        end = members[i].end > end ? members[i].end : end;
    }
    return end - begin;
}

bool together(size_t n_threads, void (*prepare)(size_t rank, void *user),
              void (*work)(size_t rank, void *user), void *user, double *seconds)
{
    struct crew crew = {.prepare = prepare, .work = work, .user = user};
    struct member *members = calloc(n_threads, sizeof *members);
    size_t n = members != NULL;
    if (members == NULL)
        return false;
    for (size_t i = 0; i < n_threads; i++)
        members[i] = (struct member){.crew = &crew, .rank = i};
    while (n < n_threads && pthread_create(&members[n].thread, NULL, run_member, &members[n]) == 0)
        n++;
    /* The thread that calls is the first member. */
    if (n == n_threads && prepare != NULL)
        prepare(0, user);
    while (atomic_load(&crew.n_ready) < n - 1)
        sched_yield();
    atomic_store(&crew.phase, n == n_threads ? PHASE_GO : PHASE_GIVE_UP);
    members[0].begin = now_seconds();
    if (n == n_threads)
        work(0, user);
    members[0].end = now_seconds();
    for (size_t i = 1; i < n; i++)
        pthread_join(members[i].thread, NULL);
    *seconds = span(members, n);
    free(members);
    return n == n_threads;
}
