/* profile.h - how long each thread of a session spends in each step.
 *
 * A thread has a slot of its own. Between two laps it works on one step, so a lap adds the time
 * since the last lap to the step that has just ended. A NULL slot turns profiling off. */
#ifndef ENGINE_PROFILE_H
#define ENGINE_PROFILE_H

#include "engine/engine.h"

#include <time.h>

/* On a cache line of its own, so that threads do not disturb each other. */
struct profile_slot {
    _Alignas(64) uint64_t last_ns; /* start of the current step */
    uint64_t ns[ENGINE_N_STEPS];
};

/* Returns nanoseconds of a clock. */
uint64_t clock_ns(clockid_t clock);

void profile_start(struct profile_slot *slot);
void profile_lap(struct profile_slot *slot, engine_step step);

#endif
