/* encoding.h - times a workload. */
#ifndef TOOLS_BENCH_ENCODING_H
#define TOOLS_BENCH_ENCODING_H

#include "tools/study/bench/subject.h"

#include <stdbool.h>

struct series_length {
    double seconds;
    size_t n_runs; /* 0: as many as fit into the seconds, at least 3, or 1 of more than 3 seconds */
};

/* In seconds. */
struct timing {
    size_t n_runs;
    double median, min;
    double spread; /* (upper quartile - lower quartile) / median */
};

/* Returns the timing of n >= 1 samples, which it sorts. */
struct timing timing_of(double *samples, size_t n);

/* Encodes a workload once; returns rows [n, width] to be freed, NULL after a message. */
float *encoding_vectors(const struct subject *subject, const struct workload *workload);

enum { PROFILE_SHARES = ENGINE_N_STEPS + 1 };

/* Shares of the time of all threads, by engine_step; the last is the rest. */
struct profile_shares {
    double share[PROFILE_SHARES];
};
const char *profile_share_name(size_t index);

/* Times calls of engine_encode with the complete workload, mean pooling, and a session that takes
 * 512 tokens or as many as the longest sequence has. If the session has another number of threads
 * than is asked, *n_threads becomes that, after a note. Returns false after a message. */
bool encoding_time(const struct subject *subject, const struct workload *workload,
                   size_t *n_threads, struct series_length length, struct timing *timing);

/* Measures where the time of such calls goes, in a session of its own, since that takes time: as
 * many calls as the length asks for, or half its seconds. Returns false after a message. */
bool encoding_profile(const struct subject *subject, const struct workload *workload,
                      size_t n_threads, struct series_length length,
                      struct profile_shares *profile);

#endif
