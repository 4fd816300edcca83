/* region.h - OpenMP's threads: one parallel region for a call. */
#ifndef ENGINE_REGION_H
#define ENGINE_REGION_H

#include "engine/runtime/team.h"

#include <stdbool.h>

/* How many threads, at most n, a region that the calling thread begins can have; those that are
 * missing are made, or, for a region inside another, counted. 1 in a region of the host, if that
 * cannot have another inside, and in a child of a process that has had regions. *is_refused (may be
 * NULL): the system lets us have fewer. */
size_t region_threads(size_t n, bool *is_refused);

typedef void (*team_job)(void *user, struct team team);

/* Calls job(user, team) in n threads, this one among them, as many as region_threads has just said
 * (OpenMP may still give fewer: team.size), and returns when all have. They meet at the barrier.
 * One thread does it without a region. Returns how many processors they had, on average: spinning
 * in the job's team_waits counts, sleeping does not. */
double region_run(size_t n, struct barrier *barrier, team_job job, void *user);

#endif
