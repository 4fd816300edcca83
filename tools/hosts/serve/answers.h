/* answers.h - routes, and answers as JSON. */
#ifndef TOOLS_SERVE_ANSWERS_H
#define TOOLS_SERVE_ANSWERS_H

#include "tools/hosts/serve/serve.h"

/* Returns the route of a path, if it has several that whose key the body has (NULL: none yet), with
 * another method if there is none with this one; else NULL. */
const struct route *route_find(const char *method, const char *path, const json_t *body);

/* Counts the memory of the answer, or returns false after request_fail; writes the answer, or the
 * error in the client's dialect. */
bool answer_hold(struct request *request, const struct result *result);
void answer_write(const struct request *request, struct result *result);

/* Returns how many rows of n_tokens numbers the steps of a text have before its vector: lengths of
 * the hidden states, how far each layer moves them, and the maps of all heads. */
size_t answer_step_rows(const struct request *request);

#endif
