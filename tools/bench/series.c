/* series.c - repeats and their times. */
#include "tools/bench/series.h"

#include "tools/bench/together.h"
#include "tools/common/options.h"

#include <stdlib.h>

enum { RUNS_LEAST = 3, RUNS_MOST = 100000 };

static const double LONG_RUN = 3; /* seconds */

static bool is_enough(const struct series_length *length, size_t n, double elapsed, double first)
{
    if (length->n_runs > 0)
        return n >= length->n_runs;
    size_t least = first > LONG_RUN ? 1 : RUNS_LEAST;
    return n >= RUNS_MOST || (n >= least && elapsed >= length->seconds);
}

bool series(const struct series_length *length, bool (*once)(void *user), void *user,
            struct timing *timing)
{
    double *samples = malloc(RUNS_MOST * sizeof *samples), start = now_seconds();
    size_t n = 0;
    if (samples == NULL) {
        program_note("out of memory");
        return false;
    }
    bool done = once(user);
    double first = now_seconds() - start, begin = now_seconds();
    while (done && !is_enough(length, n, now_seconds() - begin, first)) {
        start = now_seconds();
        done = once(user);
        samples[n++] = now_seconds() - start;
    }
    if (done)
        *timing = timing_of(samples, n);
    free(samples);
    return done;
}
