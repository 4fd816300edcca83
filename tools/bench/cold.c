/* cold.c - from before the start of a process to behind its end. What it prints is thrown away: a
 * program that cannot encode says so by its exit code. */
#include "tools/bench/cold.h"

#include "tools/bench/sibling.h"
#include "tools/common/options.h"

#include <stdio.h>

struct cold {
    const char *file;
    char threads[32];
};

static bool run_once(void *user)
{
    static const char SENTENCE[] = "the dog bites the man who lives on the bank of the river";
    const struct cold *cold = user;
    const char *const arguments[] = {"-m",   cold->file, "-t",  cold->threads, "-p",
                                     "mean", "-f",       "npy", SENTENCE,      NULL};
    if (sibling_run("encode", arguments) == PROGRAM_DONE)
        return true;
    program_note("cold: 'encode' failed");
    return false;
}

bool cold_time(const struct subject *subject, size_t n_threads, struct series_length length,
               struct timing *timing)
{
    struct cold cold = {.file = subject->file};
    snprintf(cold.threads, sizeof cold.threads, "%zu", n_threads);
    return series(length, run_once, &cold, timing);
}
