/* call.h - the inputs of one call, taken in their order into groups of rows.
 *
 * Threads take from a call one at a time (session->lock); what they take they encode by themselves.
 */
#ifndef ENGINE_CALL_H
#define ENGINE_CALL_H

#include "engine/answer.h"
#include "engine/tokenize.h"
#include "model/layers/mask.h"

/* Input `next`, read but in no group yet. */
struct head_of_line {
    bool is_read;
    size_t n_rows;           /* padding left out */
    struct kept_tokens kept; /* of ids; the tokens of a text are in session->tokens */
    engine_result result;
};

struct call {
    struct engine_session *session;
    const struct encode_settings *settings;
    const struct answer *answer;
    const engine_input *inputs;
    size_t n, next;         /* inputs 0 .. next-1 have been taken */
    engine_result *results; /* [n] or NULL */
    float *out;
    size_t cap, out_rows; /* per token: rows given out so far */
    bool counting;        /* the buffer is too small: find out how large it should be */
    engine_status status; /* of input `next`; after a failure nothing more is taken */
    struct head_of_line head;
    struct profile_slot *profile; /* of the thread that takes; NULL: nobody asked */
    size_t guess_left; /* rows of the inputs that are left, by the length of their texts */
    size_t guess_taken, rows_taken; /* of those taken: by the length, and in truth */
};

/* Everything but the guesses is filled in. */
void call_begin(struct call *call);

/* Rows that the inputs not yet taken will be, about. */
size_t call_rows_left(const struct call *call);

/* True if there are inputs left that can be taken. */
bool call_has_more(const struct call *call);

/* Takes inputs into an empty group, whose rows and sequences begin at `first` of the pass: up to
 * `most` rows, or one input of at most `room` >= most. The group stays empty if there is none left,
 * if the next one is wrong (status) or is longer than the room. */
void call_take(struct call *call, size_t first, size_t most, size_t room, struct group *group);

#endif
