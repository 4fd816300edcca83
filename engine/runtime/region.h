/* region.h - OpenMP's threads: one parallel region for a call. */
#ifndef ENGINE_REGION_H
#define ENGINE_REGION_H

#include "engine/runtime/team.h"

#include <stdbool.h>

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

#endif
