/* shard_number.h - which part of a corpus a run makes: the I-th of N, as --shard says. */
#ifndef TOOLS_ENCODE_SHARD_NUMBER_H
#define TOOLS_ENCODE_SHARD_NUMBER_H

#include <stddef.h>

struct shard_number {
    size_t index, of; /* from 1 to `of`; of 0: none, all lines are read */
};

/* "3/8", or "auto": from the environment of Slurm or MPI. */
struct shard_number shard_number_read(const char *option, const char *text);

#endif
