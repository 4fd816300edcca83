/* answer.h - what a caller gets of a sequence: its rows, one pooled vector, or scores of labels. */
#ifndef ENGINE_ANSWER_H
#define ENGINE_ANSWER_H

#include "engine/request.h"

/* Floats of scratch that a thread needs. */
size_t answer_scratch(const struct encoder *encoder);

/* Writes the answer of a sequence of the pass to its place in out. */
void answer_write(const struct engine_session *session, const struct request *request,
                  const struct sequence *sequence, float *out, float *scratch);

#endif
