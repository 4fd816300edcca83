/* int8_factors.h - what the columns of a matrix are multiplied by before it is rounded to int8. */
#ifndef TOOLS_IMPORT_INT8_FACTORS_H
#define TOOLS_IMPORT_INT8_FACTORS_H

#include "tools/import/checkpoint/plan.h"

/* Root mean squares of the residual stream's columns, as far as the weights tell them. */
struct residual_stream {
    size_t cap;
    double *size;   /* [cap] */
    double *seen;   /* [cap]: behind the last norm */
    float *largest; /* [cap]: scratch, of a matrix' columns */
};

/* Room for all tensors of the plan. */
void residual_stream_open(struct residual_stream *stream, const struct plan *plan);
void residual_stream_free(struct residual_stream *stream);

/* Goes on behind the tensor at `index`; those of a plan follow each other as in the model. */
void residual_stream_pass(struct residual_stream *stream, const struct plan *plan, size_t index);

/* factors [cols] of what the matrix at `index` multiplies, as weight_writer_factors() takes them,
 * once the stream has passed what stands before it. */
void int8_factors(struct residual_stream *stream, const struct plan *plan, size_t index,
                  float *factors);

#endif
