/* batch.h - inputs read together: what can be had without waiting, up to as much as takes about a
 * second. */
#ifndef TOOLS_BATCH_H
#define TOOLS_BATCH_H

#include "tools/encode/notes.h"
#include "tools/encode/tasks.h"

enum { BATCH_ITEMS = 2048, BATCH_BYTES_LEAST = 16 << 10, BATCH_BYTES_MOST = 1 << 20 };

struct left_out;

struct batch {
    const struct job *job;
    struct item items[BATCH_ITEMS];
    size_t n_items;
    size_t n_bytes;    /* of the items that are in it */
    size_t most_bytes; /* with so many it is full */
    double filled;     /* the time when it was filled, in seconds; 0: not yet */
};

/* Reads batch after batch to the end of the input, each in the place of the last, and has it
 * processed. Waits for the first input of a batch only; what was written is flushed before it
 * waits. `process` returns PROGRAM_DONE, or after a message an exit code that ends all. */
int batch_run(const struct job *job, int (*process)(void *task, struct batch *batch), void *task);

/* Puts the prompt before each text and tokenizes it. How many, from the first, could be; the
 * encoder's message says why not all. Texts that are left out are no longer in the batch; with NULL
 * there are none. */
size_t batch_tokenize(struct batch *batch, struct left_out *left);

/* Texts that are kept until all are read. */
struct kept {
    struct item *items; /* [n] */
    size_t n;
};

/* Moves the items of the batch, with notes of them, behind those that are kept already. */
void batch_keep(struct batch *batch, struct kept *kept);
void kept_free(struct kept *kept);

#endif
