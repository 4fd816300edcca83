/* encode.h - runs inputs through the model, for every public function that needs answers: shares
 * the work and answers from hidden states (encode.c), which forward.c computes. */
#ifndef ENGINE_ENCODE_H
#define ENGINE_ENCODE_H

#include "engine/request.h"

/* Encodes n inputs and writes the answers, [n, width] or [sum of T, width]; out, cap, needed and
 * results are engine_encode's. With ANSWER_NOTHING, n is 1, out is not used, and the input's rows
 * stay in session->pass until the next call. */
engine_status encode(engine_session *session, const engine_input *inputs, size_t n,
                     const struct request *request, float *out, size_t cap, size_t *needed,
                     engine_result *results);

/* Computes a group's last hidden states, session->pass.x, from token ids. Every thread of the team
 * calls it, with its rank among all threads of the call: rank 0 is the calling thread. */
void forward(engine_session *session, const struct group *group, struct team team, size_t rank);

/* Returns ENGINE_ERROR_NOT_FINITE for an input, with the cause in the message. The index is counted
 * like request->first_input. */
engine_status not_finite(engine_session *session, size_t input);

/* Pools n rows of the pass, from `row` on, to out [width], without the first n_unpooled. */
void write_pooled(const engine_session *session, const struct request *request, size_t row,
                  size_t n, size_t n_unpooled, float *out, const struct thread_work *work);

/* Returns whether the index-th token of a text, not counting padding, has a vector. */
bool token_has_vector(const engine_model *model, int32_t id, size_t index, bool in_query);

#endif
