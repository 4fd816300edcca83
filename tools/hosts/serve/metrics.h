/* metrics.h - counts, and a line for each call. */
#ifndef TOOLS_SERVE_METRICS_H
#define TOOLS_SERVE_METRICS_H

#include "tools/hosts/serve/serve.h"

extern atomic_size_t queue_tokens; /* that wait or are computed */

/* Count an ended call, and print its line; count a batch; write the counts. */
void metrics_end_call(const struct call *call, enum log_format format);
void metrics_add_batch(size_t n_texts, size_t n_tokens);
void metrics_write(FILE *stream);

#endif
