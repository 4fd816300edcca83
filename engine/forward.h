/* forward.h - one pass through the model. */
#ifndef ENGINE_FORWARD_H
#define ENGINE_FORWARD_H

#include "engine/session.h"

/* Takes a group's rows from token ids to last hidden states, session->pass.x. Every thread of the
 * team calls it; `profile` (or NULL) and `scratch` are that thread's own. */
void forward(const struct engine_session *session, const struct group *group, struct team team,
             struct profile_slot *profile, float *scratch);

#endif
