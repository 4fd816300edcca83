/* workload.h - sequences of token ids to encode, made from a seed or read from a file. */
#ifndef TOOLS_BENCH_WORKLOAD_H
#define TOOLS_BENCH_WORKLOAD_H

#include "engine/engine.h"

#include <stddef.h>
#include <stdint.h>

enum { WORKLOAD_NAME_BYTES = 64 };

struct workload {
    char name[WORKLOAD_NAME_BYTES];
    engine_input *inputs; /* [n] */
    size_t n;
    int32_t *ids; /* [n_tokens], of all sequences, end to end */
    size_t n_tokens, shortest, longest;
    double n_pairs; /* the sum of T² */
};

/* These functions fill an empty workload, and leave it for workload_free also if they fail. */

/* Makes one sequence of 16, 128 … tokens (lat16, lat128 …); 512 sequences of 8 to 40 tokens, 17.5
 * on average, many short ones and few long ones, in any order (thr); or 64 of 128 (thr128). */
void workload_random(struct workload *workload, const char *name, size_t n_vocabulary,
                     uint64_t seed);

/* Reads lines of ids separated by blanks, one sequence each, and skips lines without ids. The name
 * is that of the file without folder and ending. Returns PROGRAM_DONE, or an exit code after a
 * message. */
int workload_read(struct workload *workload, const char *path);

void workload_free(struct workload *workload);

#endif
