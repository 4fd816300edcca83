/* region.c - how a parallel region begins.
 *
 * OpenMP keeps a pool of threads for each of the host's threads that begins regions, and ends the
 * process where the system refuses it a thread. So before a pool grows, as many threads as it lacks
 * are started here, and end again: if these can be had, so can OpenMP's a moment later.
 */
#include "engine/runtime/region.h"

#include "engine/runtime/cpus.h"
#include "engine/runtime/profile.h"

#include <omp.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LEAST_STACK = 256 * 1024 }; /* of a thread that computes */

/* The threads of the last region that the calling thread began, itself among them. */
static _Thread_local size_t n_in_pool = 1;

/* That had the first region; 0: there was none. A child does not have the pool that it remembers,
 * and GCC's OpenMP would wait for it forever. */
static _Atomic pid_t process_of_pools;

/* A thread begins with its maker's mask. OpenMP makes threads when a pool grows, but also when the
 * host has had a smaller region since, and for a region inside another. They block every signal
 * except their own faults and SIGPROF, so that the host's handlers run on the host's threads: a
 * fault must reach its handler, and a profiler counts all threads. (LLVM's block all in any case.)
 */
static void block_signals(sigset_t *before)
{
    static const int OWN[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGPROF};
    sigset_t others;
    sigfillset(&others);
    for (size_t i = 0; i < sizeof OWN / sizeof *OWN; i++)
        sigdelset(&others, OWN[i]);
    pthread_sigmask(SIG_SETMASK, &others, before);
}

static void *wait_for_all(void *all_are_made)
{
    event_wait(all_are_made, 0);
    return NULL;
}

/* The stack that OMP_STACKSIZE, or GOMP_STACKSIZE, asks for OpenMP's threads: a number, of KB, or
 * of the unit behind it. 0: none is asked for, or none that there can be. */
static size_t stack_asked(void)
{
    static const char UNITS[] = "BbKkMmGg";
    const char *asked = getenv("OMP_STACKSIZE");
    if (asked == NULL)
        asked = getenv("GOMP_STACKSIZE");
    char *end = NULL;
    size_t n = asked != NULL ? strtoul(asked, &end, 10) : 0;
    if (n == 0)
        return 0;
    end += strspn(end, " \t\n\v\f\r");
    const char *unit = *end != '\0' ? strchr(UNITS, *end) : strchr(UNITS, 'K');
    size_t bits = unit != NULL ? (size_t)(unit - UNITS) / 2 * 10 : 0;
    return unit != NULL && n <= SIZE_MAX >> bits ? n << bits : 0;
}

/* How many threads beside this one, at most n, the system lets us have at the same time, with the
 * stacks that OpenMP's will have. */
static size_t count_threads(size_t n)
{
    struct event all_are_made = {0};
    pthread_t threads[MAX_THREADS];
    pthread_attr_t attributes;
    sigset_t before;
    size_t n_made = 0, stack = stack_asked();
    pthread_attr_init(&attributes);
    if (stack > 0) /* where it is refused, the default stays */
        pthread_attr_setstacksize(&attributes, stack);
    if (pthread_attr_getstacksize(&attributes, &stack) != 0 || stack < LEAST_STACK)
        n = 0;
    block_signals(&before);
    while (n_made < n &&
           pthread_create(&threads[n_made], &attributes, wait_for_all, &all_are_made) == 0)
        n_made++;
    event_signal(&all_are_made);
    for (size_t i = 0; i < n_made; i++)
        pthread_join(threads[i], NULL);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    return n_made;
}

/* Each of the host's threads that calls has a pool of its own: they do not pile up without end. */
static bool is_room_for(size_t n)
{
    return process_threads() + n <= MAX_THREADS;
}

static void give_size(void *n_given, struct team team)
{
    if (team.rank == 0)
        *(size_t *)n_given = team.size;
}

/* Makes the calling thread's pool one of n threads; returns how many it has then. The region is for
 * that alone: its threads, and what OpenMP allocates for a region of so many, stay for the next. */
static size_t make_pool(size_t n)
{
    struct barrier barrier = {0};
    size_t n_given = 1;
    region_run(n, &barrier, give_size, &n_given);
    return n_given;
}

size_t region_threads(size_t n, bool *is_refused)
{
    pid_t none = 0, process = getpid();
    bool is_inside = omp_get_level() > 0; /* GCC's makes threads for each region in a region */
    size_t n_ready = is_inside ? 1 : n_in_pool;
    if (is_refused != NULL)
        *is_refused = false;
    if (n <= 1 || omp_get_active_level() >= omp_get_max_active_levels() ||
        (!atomic_compare_exchange_strong(&process_of_pools, &none, process) && none != process))
        return 1;
    if (n > n_ready) {
        if (!is_room_for(n - n_ready))
            return 1;
        size_t n_possible = n_ready + count_threads(n - n_ready);
        if (is_refused != NULL)
            *is_refused = n_possible < n;
        n = n_possible;
    }
    if (is_inside || n == n_ready)
        return n;
    return n_in_pool = make_pool(n);
}

double region_run(size_t n, struct barrier *barrier, team_job job, void *user)
{
    if (n == 1) {
        job(user, (struct team){0, 1, barrier});
        return 1;
    }
    sigset_t before;
    uint64_t begin_ns = now_ns();
    _Atomic uint64_t all_threads_ns = 0; /* of processor time */
    block_signals(&before);
#pragma omp parallel num_threads((int)n)
    {
        uint64_t begin_own_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
        if (omp_get_thread_num() == 0)
            pthread_sigmask(SIG_SETMASK, &before, NULL);
        struct team team = {(size_t)omp_get_thread_num(), (size_t)omp_get_num_threads(), barrier};
        job(user, team);
        atomic_fetch_add(&all_threads_ns, clock_ns(CLOCK_THREAD_CPUTIME_ID) - begin_own_ns);
        team_wait(team); /* politely, whatever OpenMP's own barrier is set to */
    }
    return (double)all_threads_ns / (double)(now_ns() - begin_ns);
}
