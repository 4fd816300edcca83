/* batch.h - the inputs of one call, collected in order into groups of rows.
 *
 * Threads read from a batch one at a time (session->lock); each encodes its inputs alone.
 */
#ifndef ENGINE_BATCH_H
#define ENGINE_BATCH_H

#include "engine/request/request.h"
#include "model/layers/mask.h"

/* The next input: read, but not yet in a group. */
struct next_input {
    bool is_read;
    size_t n_rows;           /* without padding */
    size_t n_out;            /* answer rows, if there is one per token */
    struct kept_tokens kept; /* of ids and tokens; tokens of a text are in session->tokens */
    engine_result result;
};

struct batch {
    engine_session *session;
    const struct request *request;
    const engine_input *inputs;
    size_t n, n_taken;      /* inputs 0 .. n_taken-1 are in groups, or counted */
    engine_result *results; /* [n] or NULL */
    float *out;
    size_t cap, out_rows; /* if answers have a row per token: rows assigned so far */
    bool counting;        /* the buffer is too small: continue counting the required size */
    engine_status status; /* of the next input; after a failure no input is read */
    size_t not_finite;    /* first input whose answer is not finite, under session->lock; or n */
    struct next_input next;
    struct profile_slot *profile; /* of the reading thread; NULL: no profile */
    size_t guess_left; /* rows of the remaining inputs, estimated from the length of their texts */
    size_t guess_taken, rows_taken; /* rows of the inputs in groups: estimated and actual */
};

/* Starts a batch in which all members but the estimates are set. */
void batch_begin(struct batch *batch);

/* Returns the estimated number of rows of the inputs not yet in a group. */
size_t batch_rows_left(const struct batch *batch);

/* Adds inputs to an empty group, whose rows and sequences start at `first` of the pass: up to
 * `most` rows, or one input of at most `room` >= most. The group stays empty if no input remains,
 * if the next one is invalid (status) or is longer than the room. */
void batch_fill(struct batch *batch, size_t first, size_t most, size_t room, struct group *group);

#endif
