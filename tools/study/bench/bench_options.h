/* bench_options.h - the command line of encode-bench. */
#ifndef TOOLS_BENCH_OPTIONS_H
#define TOOLS_BENCH_OPTIONS_H

#include "engine/engine.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    BENCH_LIST_MOST = 16,
    BENCH_FILES_MOST = 32,
    BENCH_THREADS_MOST = 1024,
    BENCH_NAME_BYTES = 32
};

struct bench_list {
    char names[BENCH_LIST_MOST][BENCH_NAME_BYTES];
    size_t counts[BENCH_LIST_MOST], n; /* counts: of a list of numbers */
};

struct bench_options {
    const char *model; /* a weight file; NULL for one of the shape */
    const char *shape;
    const char *reference; /* file whose vectors are compared with; NULL: the same model in f32 */
    struct bench_list types, precisions, workloads, threads;
    bool has_workloads; /* given: one that the model cannot take is a failure */
    const char *ids_files[BENCH_FILES_MOST];
    size_t n_ids_files;
    double seconds;
    size_t n_runs; /* 0: as many as fit into the seconds */
    uint64_t seed;
    bool profile, is_json;
};

void bench_options_read(struct bench_options *options, int argc, char **argv);

#endif
