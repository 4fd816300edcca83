/* encode.h - inputs through the model, for every public function that answers from it: shared out
 * (encode.c), from rows to hidden states (forward.c), and from these to answers (answer.c). */
#ifndef ENGINE_ENCODE_H
#define ENGINE_ENCODE_H

#include "engine/request/request.h"

/* Encodes n inputs and writes the answers, [n, width] or [sum of T, width]; out, cap, needed and
 * results are engine_encode's. With ANSWER_NOTHING, n is 1, out is not used, and the input's rows
 * stand in session->pass until the next call. */
engine_status encode(engine_session *session, const engine_input *inputs, size_t n,
                     const struct request *request, float *out, size_t cap, size_t *needed,
                     engine_result *results);

/* Scores of labels by the model's head, which has some: the rest as encode. */
engine_status classify(engine_session *session, const engine_input *inputs, size_t n,
                       struct request *request, float *out, size_t cap, size_t *needed,
                       engine_result *results);

/* Takes a group's rows from token ids to last hidden states, session->pass.x. Every thread of the
 * team calls it; `profile` (or NULL) and `scratch` are that thread's own. */
void forward(const engine_session *session, const struct group *group, struct team team,
             struct profile_slot *profile, float *scratch);

/* ENGINE_ERROR_NOT_FINITE for an input, and where that comes from: an index that is counted as
 * request->first_input is. */
engine_status not_finite(engine_session *session, size_t input);

/* Writes the answers of a group's sequences to their places in out; every thread of the team calls
 * it. Returns an input, the first in this thread's share, whose answer has a number that is not
 * finite; SIZE_MAX: none. answer_scratch: the floats of scratch that a thread needs for it. */
size_t answer_group(const engine_session *session, const struct request *request,
                    const struct group *group, struct team team, float *out, float *scratch);
size_t answer_scratch(const struct encoder *encoder, size_t max_tokens);

#endif
