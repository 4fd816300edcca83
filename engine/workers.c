/* workers.c - threads that wait for jobs.
 *
 * OpenMP's are not used: they spin for milliseconds before they sleep (GCC) or stay awake for 200 (LLVM), which takes the
 * processors from whatever else runs there, and only the environment of the process can change that.
 */
#include "engine/workers.h"

#include <signal.h>
#include <unistd.h>

static void *work(void *user)
{
    const struct worker *worker = user;
    struct workers *workers = worker->workers;
    struct team team = {worker->rank, worker->team_size, &workers->barrier};
    for (uint32_t n_done = 0;; n_done++) {
        bell_wait(&workers->jobs, n_done);
        if (workers->job == NULL)
            return NULL;
        workers->job(workers->user, team);
        team_wait(team); /* after this, what `user` points to may be gone */
    }
}

bool workers_start(struct workers *workers, struct worker *list, size_t n)
{
    sigset_t all, before;
    *workers = (struct workers){.list = list, .n = n, .process = getpid()};
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before); /* signals are for the host's threads */
    for (size_t i = 0; i < n; i++) {
        list[i] = (struct worker){.workers = workers, .rank = i + 1, .team_size = n + 1};
        if (pthread_create(&list[i].thread, NULL, work, &list[i]) != 0) {
            workers->n = i;
            workers_stop(workers);
            break;
        }
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return workers->n == n;
}

void workers_stop(struct workers *workers)
{
    if (workers->n == 0 || workers->process != getpid())
        return;
    workers->job = NULL;
    bell_ring(&workers->jobs);
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
        bell_ring(&workers->jobs);
    }
    job(user, team);
    team_wait(team);
}
