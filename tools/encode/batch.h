/* batch.h - inputs read together: all that are available without waiting, up to about a second of
 * work. */
#ifndef TOOLS_BATCH_H
#define TOOLS_BATCH_H

#include "tools/encode/notes.h"

enum { BATCH_ITEMS = 2048, BATCH_BYTES_LEAST = 16 << 10, BATCH_BYTES_MOST = 1 << 20 };

struct left_out;

struct batch {
    struct job *job;
    struct item items[BATCH_ITEMS];
    size_t n_items;
    size_t n_bytes; /* of the items that are in it */
};

/* Reads the input batch after batch and calls `process` for each. Waits for the first input of a
 * batch only, and flushes the output before it waits. `process` returns PROGRAM_DONE, or after a
 * message an exit code that ends the run. */
int batch_run(struct job *job, int (*process)(void *task, struct batch *batch), void *task);

/* Prepends the prompt to each text, tokenizes it and pads it. Returns how many texts, from the
 * first, succeeded; the encoder's message is the error of the next. Skipped texts are removed from
 * the batch; if left is NULL, none is skipped. */
size_t batch_tokenize(struct batch *batch, struct left_out *left);

/* Texts that stay in memory until all are read. */
struct kept {
    struct item *items; /* [n] */
    size_t n;
};

/* Moves the items of the batch to the end of `kept`, and prints notes about them. */
void batch_keep(struct batch *batch, struct kept *kept);
void kept_free(struct kept *kept);

#endif
