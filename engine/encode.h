/* encode.h - inputs through the model, for every public function that answers from it. */
#ifndef ENGINE_ENCODE_H
#define ENGINE_ENCODE_H

#include "engine/answer.h"
#include "engine/tokenize.h"

/* What engine_encode answers by these settings; ENGINE_ERROR_UNSUPPORTED for a pooler that is not
 * there. */
engine_status settle_answer(struct engine_session *session, const struct encode_settings *settings,
                            struct answer *answer);

/* Encodes n inputs and writes the answers, [n, width] or [sum of T, width]; out, cap, needed and
 * results are engine_encode's. With ANSWER_NOTHING, n is 1, out is not used, and the input's rows
 * stand in session->pass until the next call. */
engine_status encode(struct engine_session *session, const engine_input *inputs, size_t n,
                     const struct encode_settings *settings, const struct answer *answer,
                     float *out, size_t cap, size_t *needed, engine_result *results);

#endif
