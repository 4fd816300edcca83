/* batch.h - inputs read together: what can be had without waiting, up to as much as takes about a
 * second. */
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

/* Reads batch after batch to the end of the input, each in the place of the last, and has it
 * processed. Waits for the first input of a batch only; what was written is flushed before it
 * waits. `process` returns PROGRAM_DONE, or after a message an exit code that ends all. */
int batch_run(struct job *job, int (*process)(void *task, struct batch *batch), void *task);

/* Puts the prompt before each text, tokenizes it and pads it. Returns how many, from the first,
 * could be; the encoder's message says why not all. Texts that are left out are no longer in the
 * batch; if left is NULL there are none. */
size_t batch_tokenize(struct batch *batch, struct left_out *left);

/* Texts that are kept until all are read. */
struct kept {
    struct item *items; /* [n] */
    size_t n;
};

/* Moves the items of the batch, with notes of them, to the end of those that are kept already. */
void batch_keep(struct batch *batch, struct kept *kept);
void kept_free(struct kept *kept);

#endif
