/* batch.h - the inputs of one call, taken in their order into groups of rows.
 *
 * Threads take from a batch one at a time (session->lock); what they take they encode alone.
 */
#ifndef ENGINE_BATCH_H
#define ENGINE_BATCH_H

#include "engine/request/request.h"
#include "model/layers/mask.h"

/* The input that is next: read, but in no group yet. */
struct next_input {
    bool is_read;
    size_t n_rows;           /* padding left out */
    size_t n_out;            /* rows of an answer per token */
    struct kept_tokens kept; /* of ids and tokens; those of a text are in session->tokens */
    engine_result result;
};

struct batch {
    engine_session *session;
    const struct request *request;
    const engine_input *inputs;
    size_t n, n_taken;      /* inputs 0 .. n_taken-1 have been taken */
    engine_result *results; /* [n] or NULL */
    float *out;
    size_t cap, out_rows; /* per token: rows given out so far */
    bool counting;        /* the buffer is too small: find out how large it should be */
    engine_status status; /* of the next input; after a failure nothing more is taken */
    size_t not_finite;    /* the first input whose answer is not, under session->lock; n: none */
    struct next_input next;
    struct profile_slot *profile; /* of the thread that takes; NULL: nobody asked */
    size_t guess_left; /* rows of the inputs that are left, by the length of their texts */
    size_t guess_taken, rows_taken; /* of those taken: by the length, and in truth */
};

/* Everything but the guesses is filled in. */
void batch_begin(struct batch *batch);

/* Rows that the inputs not yet taken will be, about. */
size_t batch_rows_left(const struct batch *batch);

/* Takes inputs into an empty group, whose rows and sequences begin at `first` of the pass: up to
 * `most` rows, or one input of at most `room` >= most. The group stays empty if there is none left,
 * if the next one is wrong (status) or is longer than the room. */
void batch_take(struct batch *batch, size_t first, size_t most, size_t room, struct group *group);

#endif
