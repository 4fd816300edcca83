/* distances.h - the biases of MPNet: a table for buckets of distances becomes one for distances. */
#ifndef TOOLS_IMPORT_DISTANCES_H
#define TOOLS_IMPORT_DISTANCES_H

#include <stdint.h>

/* From the largest of these distances on, all are in the same bucket. */
enum { DISTANCES = 128, DISTANCE_BUCKETS = 32 };

/* The bucket of a key that stands `distance` tokens behind the query (negative: before it). */
int distance_bucket(int64_t distance);

#endif
