/* workers.h - a session's threads beside the one that calls it. Between jobs they sleep. */
#ifndef ENGINE_WORKERS_H
#define ENGINE_WORKERS_H

#include "engine/runtime/team.h"

#include <pthread.h>

typedef void (*team_job)(void *user, struct team team);

struct workers;

struct worker {
    struct workers *workers;
    size_t rank; /* from 1 */
    pthread_t thread;
};

struct workers {
    struct worker *list; /* [n] */
    size_t n;
    pid_t process; /* that has these threads */
    team_job job;  /* NULL: leave */
    void *user;
    struct event new_job; /* a job has been set */
    struct barrier barrier;
};

/* Starts n threads, described in list [n], which outlives them; returns how many were made. */
size_t workers_start(struct workers *workers, struct worker *list, size_t n);
void workers_stop(struct workers *workers);

/* How many do a job, with the caller: 1 in a child of fork(), which does not have the threads. */
size_t workers_team(const struct workers *workers);

/* Calls job(user, team) in all threads and in this one, and returns when all have. */
void workers_run(struct workers *workers, team_job job, void *user);

#endif
