/* pipeline.h - texts on their way to an output. */
#ifndef TOOLS_ENCODE_PIPELINE_H
#define TOOLS_ENCODE_PIPELINE_H

#include "tools/encode/job.h"

/* ---- Inputs read together: all that are available without waiting, up to about a second of
 * ---- work ---- */

enum { BATCH_ITEMS = 2048, BATCH_BYTES_LEAST = 16 << 10, BATCH_BYTES_MOST = 1 << 20 };

struct item_batch {
    struct item items[BATCH_ITEMS];
    size_t n_items;
    size_t n_bytes; /* of the items that are in it */
};

/* Reads the input batch after batch and calls `process` for each. Waits for the first input of a
 * batch only, and flushes the output before it waits. `process` returns PROGRAM_DONE, or after a
 * message an exit code that ends the run. */
int batch_run(struct job *job, int (*process)(void *task, struct item_batch *batch), void *task);

/* Prints vectors, tokens, labels, entities or words, result by result, in constant memory. */
int encode_texts(struct job *job);

#endif
