/* encode.h - inputs through the model, for every public function that answers from it. */
#ifndef ENGINE_ENCODE_H
#define ENGINE_ENCODE_H

#include "engine/request.h"

/* Encodes n inputs and writes the answers, [n, width] or [sum of T, width]; out, cap, needed and
 * results are engine_encode's. With ANSWER_NOTHING, n is 1, out is not used, and the input's rows
 * stand in session->pass until the next call. */
engine_status encode(struct engine_session *session, const engine_input *inputs, size_t n,
                     const struct request *request, float *out, size_t cap, size_t *needed,
                     engine_result *results);

/* Scores of labels by the model's head, which has some: the rest as encode. */
engine_status classify(struct engine_session *session, const engine_input *inputs, size_t n,
                       struct request *request, float *out, size_t cap, size_t *needed,
                       engine_result *results);

#endif
