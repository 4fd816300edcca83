/* status.h - how a failure finds its words. */
#ifndef ENGINE_STATUS_H
#define ENGINE_STATUS_H

#include "engine/engine.h"

/* Fills error (may be NULL) and returns its status, so that a caller can write `return fail(...)`.
 * Longer messages are cut. */
engine_status fail(engine_error *error, engine_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* ENGINE_OK and an empty message. */
engine_status succeed(engine_error *error);

#endif
