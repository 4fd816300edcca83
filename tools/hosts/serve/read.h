/* read.h - requests, from the body to tokens. */
#ifndef TOOLS_SERVE_READ_H
#define TOOLS_SERVE_READ_H

#include "tools/hosts/serve/serve.h"

const char *request_text_name(const struct request *request, size_t text); /* until the next call */
/* Parses the body, finds the model, and tokenizes. Returns false after request_fail; if its client
 * has gone the answer is not to be sent. */
bool request_read(struct request *request);
bool request_has_hung_up(const struct request *request);

/* The progress callback of sessions that read: ends a request whose client has gone, and one that
 * takes more than a second when the server ends. */
int request_is_over(size_t n_done, size_t n, void *unused);

/* Memory of jansson. While a body is parsed it counts for its request. */
void *read_alloc(size_t len);
void read_free(void *data);

#endif
