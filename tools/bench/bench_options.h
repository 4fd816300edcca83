/* bench_options.h - what encode-bench is asked for. */
#ifndef TOOLS_BENCH_OPTIONS_H
#define TOOLS_BENCH_OPTIONS_H

#include "tools/bench/bert_file.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { BENCH_LIST_MOST = 16, BENCH_FILES_MOST = 32, BENCH_THREADS_MOST = 1024 };

extern const char *const BENCH_WORKLOADS[];
enum { BENCH_N_DEFAULT_WORKLOADS = 6, BENCH_N_WORKLOADS = 8 };

struct bench_options {
    const char *model; /* a weight file; NULL: the shape */
    const char *shape_text;
    struct bert_shape shape;
    const char *precisions[BENCH_LIST_MOST];
    size_t n_precisions;
    size_t threads[BENCH_LIST_MOST];
    size_t n_threads;                  /* 0: one thread, and all */
    size_t workloads[BENCH_LIST_MOST]; /* indexes */
    size_t n_workloads;
    bool has_workloads; /* asked for by name: one that cannot be served is a failure */
    const char *ids_files[BENCH_FILES_MOST];
    size_t n_ids_files;
    double seconds;
    size_t n_runs; /* 0: as many as fit into the seconds */
    uint64_t seed;
    bool profile, peaks_alone, is_json;
};

/* PROGRAM_DONE, or an exit code after a message. *ends: --help or --version was served, and the
 * program ends with that code. */
int bench_options_read(int argc, char *argv[], struct bench_options *options, bool *ends);

#endif
