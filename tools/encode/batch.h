/* batch.h - inputs read together: what can be had without waiting, up to as much as takes about a
 * second; and what is said of them on stderr. */
#ifndef TOOLS_BATCH_H
#define TOOLS_BATCH_H

#include "tools/common/texts/encoder.h"
#include "tools/common/texts/reader.h"
#include "tools/encode/text_count.h"

enum { BATCH_ITEMS = 2048, BATCH_BYTES_LEAST = 16 << 10, BATCH_BYTES_MOST = 1 << 20 };

struct batch {
    struct encoder *encoder;
    struct reader *reader;
    struct text_count text_count;
    struct item items[BATCH_ITEMS];
    size_t n_items;
    size_t n_bytes, most_bytes; /* of these items; where the batch is full */
    double filled;              /* when it was, in seconds; 0: not yet */
    size_t n_read, n_cut;       /* inputs, of all batches, without the query */
    size_t n_cut_named;         /* of these, in a note */
    bool has_noted_empty, has_noted_cut, has_noted_mask, has_noted_padding;
};

/* NULL: no memory. */
struct batch *batch_new(const struct encode_options *options, struct encoder *encoder,
                        struct reader *reader);
void batch_free(struct batch *batch);

/* Reads the next inputs in the place of the last ones; waits for the first only. READER_RECORD: the
 * batch is full, and there may be more. */
enum reader_state batch_fill(struct batch *batch);

/* Puts the prompt before each text and tokenizes it. How many, from the first, could be; the
 * encoder's message says why not all. */
size_t batch_tokenize(struct batch *batch);

/* Says what may surprise: that a text was cut, has no tokens, or no mask token, that ids look
 * padded; once each, of the first. */
void batch_note(struct batch *batch, const struct item *item);

/* The last batch is done, and with it all: says how many texts were cut, where the note was not of
 * all. */
void batch_end(struct batch *batch);

/* program_fail, on a line of its own. */
int batch_fail(const struct batch *batch, const char *message);

#endif
