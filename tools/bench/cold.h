/* cold.h - a whole process, from its start to its end, for one sentence. */
#ifndef TOOLS_BENCH_COLD_H
#define TOOLS_BENCH_COLD_H

#include "tools/bench/series.h"
#include "tools/bench/subject.h"

/* Runs `encode -m FILE -t N -p mean -f npy SENTENCE`, the encode that lies beside this program, with
 * the weight file in the page cache. False after a message, also where a process failed. */
bool cold_time(const struct subject *subject, size_t n_threads, struct series_length length,
               struct timing *timing);

#endif
