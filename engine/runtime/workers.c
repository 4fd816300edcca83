/* workers.c - threads that wait for jobs.
 *
 * OpenMP's are not used: they spin for milliseconds before they sleep (GCC) or stay awake for 200
 * (LLVM), which takes the processors from whatever else runs there, and only the environment of the
 * process can change that.
 */
#include "engine/runtime/workers.h"

#include <signal.h>
#include <unistd.h>

static void *work(void *user)
{
    const struct worker *worker = user;
    struct workers *workers = worker->workers;
    struct team team = {worker->rank, 0, &workers->barrier};
    for (uint32_t n_done = 0;; n_done++) {
        event_wait(&workers->new_job, n_done);
        if (workers->job == NULL)
            return NULL;
        team.size = workers->n + 1; /* known when all have been started */
        workers->job(workers->user, team);
        team_wait(team); /* after this, what `user` points to may be gone */
    }
}

/* Workers block every signal except their own faults and SIGPROF, so that the host's handlers run
 * on the host's threads: a fault must reach its handler, and a profiler counts all threads. */
static void block_signals(sigset_t *before)
{
    static const int OWN[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGPROF};
    sigset_t others;
    sigfillset(&others);
    for (size_t i = 0; i < sizeof OWN / sizeof *OWN; i++)
        sigdelset(&others, OWN[i]);
    pthread_sigmask(SIG_SETMASK, &others, before);
}

size_t workers_start(struct workers *workers, struct worker *list, size_t n)
{
    sigset_t before;
    size_t n_made = 0;
    *workers = (struct workers){.list = list, .process = getpid()};
    block_signals(&before);
    for (; n_made < n; n_made++) {
        list[n_made] = (struct worker){.workers = workers, .rank = n_made + 1};
        if (pthread_create(&list[n_made].thread, NULL, work, &list[n_made]) != 0)
            break;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    workers->n = n_made;
    return n_made;
}

void workers_stop(struct workers *workers)
{
    if (workers->n == 0 || workers->process != getpid())
        return;
    workers->job = NULL;
    event_signal(&workers->new_job);
    for (size_t i = 0; i < workers->n; i++)
        pthread_join(workers->list[i].thread, NULL);
    workers->n = 0;
}

size_t workers_team(const struct workers *workers)
{
    return workers->n > 0 && workers->process == getpid() ? workers->n + 1 : 1;
}

void workers_run(struct workers *workers, team_job job, void *user)
{
    struct team team = {0, workers_team(workers), &workers->barrier};
    if (team.size > 1) {
        workers->job = job;
        workers->user = user;
        event_signal(&workers->new_job);
    }
    job(user, team);
    team_wait(team);
}
