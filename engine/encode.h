/* encode.h - runs inputs through the model, for every public function that needs answers: shares
 * the work (encode.c), computes hidden states (forward.c), and answers from them (answer.c). */
#ifndef ENGINE_ENCODE_H
#define ENGINE_ENCODE_H

#include "engine/request/request.h"

/* Encodes n inputs and writes the answers, [n, width] or [sum of T, width]; out, cap, needed and
 * results are engine_encode's. With ANSWER_NOTHING, n is 1, out is not used, and the input's rows
 * stay in session->pass until the next call. */
engine_status encode(engine_session *session, const engine_input *inputs, size_t n,
                     const struct request *request, float *out, size_t cap, size_t *needed,
                     engine_result *results);

/* Writes scores of labels by the model's head, which must have labels; parameters as in encode. */
engine_status classify(engine_session *session, const engine_input *inputs, size_t n,
                       struct request *request, float *out, size_t cap, size_t *needed,
                       engine_result *results);

/* Writes scores of pairs by a cross-encoder, [n]; parameters as in encode. */
engine_status score_pairs(engine_session *session, const engine_input *inputs, size_t n,
                          struct request *request, float *out, size_t cap, size_t *needed,
                          engine_result *results);

/* Computes a group's last hidden states, session->pass.x, from token ids. Every thread of the team
 * calls it, with its own `profile` (or NULL) and its rank among all threads of the call: rank 0 is
 * the calling thread. */
void forward(engine_session *session, const struct group *group, struct team team,
             struct profile_slot *profile, size_t rank);

/* Returns ENGINE_ERROR_NOT_FINITE for an input, with the cause in the message. The index is counted
 * like request->first_input. */
engine_status not_finite(engine_session *session, size_t input);

/* Writes the answers of a group's sequences to their rows in out; every thread of the team calls
 * it. Returns the first input in this thread's share whose answer has a number that is not finite,
 * or SIZE_MAX. */
size_t answer_group(const engine_session *session, const struct request *request,
                    const struct group *group, struct team team, float *out,
                    const struct answer_work *work);
void answer_work_carve(struct answer_work *work, const struct encoder *encoder, size_t max_tokens,
                       struct arena *arena);

#endif
