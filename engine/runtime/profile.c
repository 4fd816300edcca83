/* profile.c - laps of a stopwatch: one reading of the clock (some 20 ns) per step and thread. */
#include "engine/runtime/profile.h"

uint64_t clock_ns(clockid_t clock)
{
    struct timespec time;
    clock_gettime(clock, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

void profile_start(struct profile_slot *slot)
{
    if (slot != NULL)
        slot->last_ns = clock_ns(CLOCK_MONOTONIC);
}

void profile_lap(struct profile_slot *slot, engine_step step)
{
    if (slot == NULL)
        return;
    uint64_t now = clock_ns(CLOCK_MONOTONIC);
    slot->ns[step] += now - slot->last_ns;
    slot->last_ns = now;
}

const char *engine_step_name(engine_step step)
{
    static const char *const NAMES[ENGINE_N_STEPS] = {
        [ENGINE_STEP_TOKENIZE] = "tokenize", [ENGINE_STEP_EMBED] = "embed",
        [ENGINE_STEP_LINEAR] = "linear",     [ENGINE_STEP_ATTENTION] = "attention",
        [ENGINE_STEP_NORM] = "norm",         [ENGINE_STEP_QUANTIZE] = "quantize",
        [ENGINE_STEP_ANSWER] = "answer",     [ENGINE_STEP_WAIT] = "wait",
    };
    return (unsigned)step < ENGINE_N_STEPS ? NAMES[step] : NULL;
}
