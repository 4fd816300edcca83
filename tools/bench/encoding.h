/* encoding.h - times a workload, in this process or as one of its own. */
#ifndef TOOLS_BENCH_ENCODING_H
#define TOOLS_BENCH_ENCODING_H

#include "tools/bench/series.h"
#include "tools/bench/subject.h"
#include "tools/bench/workload.h"

enum { PROFILE_SHARES = ENGINE_N_STEPS + 1 };

/* Each share of the time of all threads, by engine_step; the last is what no step accounts for. */
struct profile_shares {
    double share[PROFILE_SHARES];
};
const char *profile_share_name(size_t index);

/* How many threads a session has that is asked for so many. */
size_t encoding_threads(const struct subject *subject, size_t n_threads);

/* One call of engine_encode with the whole workload, mean pooling, and a session that takes 512
 * tokens or as many as the longest has. For a workload without ids a whole process, from before its
 * start to behind its end: `encode -m FILE -t N -p mean -f npy SENTENCE`, the encode that lies
 * beside this program, with the weight file in the page cache. False after a message. */
bool encoding_time(const struct subject *subject, const struct workload *workload, size_t n_threads,
                   struct series_length length, struct timing *timing);

/* Where the time of such calls goes, in a session that watches itself: as many as the length says,
 * or half its seconds. False after a message. */
bool encoding_profile(const struct subject *subject, const struct workload *workload,
                      size_t n_threads, struct series_length length,
                      struct profile_shares *profile);

#endif
