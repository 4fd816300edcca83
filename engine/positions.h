/* positions.h - which positions a model and the options of a session come to. */
#ifndef ENGINE_POSITIONS_H
#define ENGINE_POSITIONS_H

#include "engine/session.h"
#include "model/layers/position.h"

/* The options as far as the caller's struct_bytes says that they go; the rest is zero. `given` may
 * be NULL. */
engine_status read_session_options(const engine_session_options *given,
                                   engine_session_options *options, engine_error *error);

/* Scheme, factors, base and frequencies for rows of `width` columns; frequencies that the options
 * give are borrowed. Without a model (NULL), options alone. */
engine_status settle_positions(const struct engine_model *model,
                               const engine_session_options *options, size_t width,
                               struct position_encoding *encoding, engine_error *error);

#endif
