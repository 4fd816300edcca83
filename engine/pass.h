/* pass.h - one pass through the model: forward.c takes rows from ids to hidden states, answer.c makes
 * of them what was asked for. */
#ifndef ENGINE_PASS_H
#define ENGINE_PASS_H

#include "engine/request.h"

/* Takes a group's rows from token ids to last hidden states, session->pass.x. Every thread of the
 * team calls it; `profile` (or NULL) and `scratch` are that thread's own. */
void forward(const struct engine_session *session, const struct group *group, struct team team,
             struct profile_slot *profile, float *scratch);

/* Floats of scratch that a thread needs. */
size_t answer_scratch(const struct encoder *encoder);

/* Writes the answer of a sequence of the pass to its place in out. */
void answer_write(const struct engine_session *session, const struct request *request,
                  const struct sequence *sequence, float *out, float *scratch);

#endif
