/* cold.h - a whole process, from its start to its end, for one text. */
#ifndef TOOLS_BENCH_COLD_H
#define TOOLS_BENCH_COLD_H

#include "tools/bench/series.h"
#include "tools/bench/subject.h"

/* Runs `encode -m FILE -t N -p mean -f npy TEXT`, the encode that lies beside this program, with
 * the weight file in the page cache. *resident_mb: the most memory that any of the processes had,
 * in 1e6 bytes; NaN if they ended before it could be read. False after a message, also where a
 * process failed or gave no vector. */
bool cold_time(const struct subject *subject, const char *text, size_t n_threads,
               const struct series_length *length, struct timing *timing, double *resident_mb);

#endif
