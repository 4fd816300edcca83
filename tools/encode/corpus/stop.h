/* stop.h - SIGINT and SIGTERM as a request: the session's call is interrupted, and what is
 * complete is kept. A second signal ends the program at once, as it would by default. */
#ifndef TOOLS_ENCODE_STOP_H
#define TOOLS_ENCODE_STOP_H

#include "engine/engine.h"

/* From here on the signals that are not ignored are requests, and interrupt the session. Returns a
 * descriptor that becomes readable with the first one, for those who wait; -1 if it fails. */
int stop_catch(engine_session *session);

/* Call before the session is freed. */
void stop_release(void);

/* The signal that came; 0: none has. */
int stop_signal(void);

/* The session's progress callback: interrupts a call that began after the signal. */
int stop_progress(size_t n_done, size_t n, void *user);

#endif
