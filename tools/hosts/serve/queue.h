/* queue.h - calls that wait to be computed. */
#ifndef TOOLS_SERVE_QUEUE_H
#define TOOLS_SERVE_QUEUE_H

#include "tools/hosts/serve/serve.h"

/* Starts the threads that read long bodies, and the one that computes what waits, a text of each
 * call in turn: calls share a batch when the machine is busy, and none waits when it is not. They
 * resume the connection of a call that has its rows, needs none or has failed, or has no client. */
void queue_start(size_t most_waiting, size_t most_at_once);

/* Reads a call and counts it. Returns false if it has all rows, or after request_fail: its text is
 * wrong, or too much waits. A call is added when its connection is suspended: one that was
 * admitted, or one to be read first. */
bool queue_admit(struct call *call);
void queue_add(struct call *call);

#endif
