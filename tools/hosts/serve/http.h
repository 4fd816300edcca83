/* http.h - connections: its threads receive, read short bodies, and write. */
#ifndef TOOLS_SERVE_HTTP_H
#define TOOLS_SERVE_HTTP_H

#include "tools/hosts/serve/serve.h"

/* Serves on a listening socket. Ends the program if that fails. */
void http_start(int socket, const struct serve_options *options);

/* Accepts no connection any more, and lets none have another call. Returns true if no call is open,
 * and then closes all connections. */
bool http_drain(void);
extern atomic_bool http_is_draining;

#endif
