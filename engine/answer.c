/* answer.c - from the last hidden states of a sequence to the caller's buffer. */
#include "engine/encode.h"

#include "model/layers/head.h"
#include "model/layers/pooling.h"

#include <string.h>

static size_t logits_floats(const struct encoder *encoder)
{
    return row_stride(encoder->head.output.weight.rows);
}

size_t answer_scratch(const struct encoder *encoder)
{
    return row_stride((size_t)encoder->config.width) + logits_floats(encoder) +
           head_scratch(encoder);
}

static const float *hidden_row(const engine_session *session, size_t row)
{
    return session->pass.x + row * session->pass.width_stride;
}

static void write_tokens(const engine_session *session, const struct request *request,
                         const struct sequence *sequence, float *out, float *scratch)
{
    const struct encoder *encoder = &session->model->encoder;
    if (sequence->n_out > sequence->n_rows) /* padding gets zeros */
        memset(out, 0, sequence->n_out * request->width * sizeof *out);
    for (size_t r = sequence->row; r < sequence->row + sequence->n_rows; r++) {
        float *to = out + session->pass.out_offsets[r] * request->width;
        const float *values = hidden_row(session, r);
        if (request->kind == ANSWER_TOKEN_LABELS) {
            head_logits(encoder, values, scratch, scratch + logits_floats(encoder));
            head_scores(request->scores, scratch, request->width);
            values = scratch;
        }
        memcpy(to, values, request->width * sizeof *to);
    }
}

static void write_pooled(const engine_session *session, const struct request *request,
                         const struct sequence *sequence, float *out, float *scratch)
{
    const struct encoder *encoder = &session->model->encoder;
    size_t width = (size_t)encoder->config.width;
    float *pooled = scratch;
    scratch += row_stride(width);
    pool_rows(request->pooling, hidden_row(session, sequence->row), session->pass.width_stride,
              sequence->n_rows, width, pooled);
    if (request->pooling == POOLING_POOLER && sequence->n_rows > 0)
        head_hidden(encoder, pooled, pooled, scratch);
    if (request->project)
        project_row(encoder, pooled, out, scratch);
    else
        memcpy(out, pooled, width * sizeof *out);
    if (request->normalize)
        normalize_row(out, request->width);
}

static void write_labels(const engine_session *session, const struct request *request,
                         const struct sequence *sequence, float *out, float *scratch)
{
    const struct encoder *encoder = &session->model->encoder;
    size_t width = (size_t)encoder->config.width;
    float *pooled = scratch, *logits = scratch + row_stride(width);
    memset(out, 0, request->width * sizeof *out);
    if (sequence->n_rows == 0) /* nothing to judge */
        return;
    pool_rows((enum pooling)encoder->config.head_pooling, hidden_row(session, sequence->row),
              session->pass.width_stride, sequence->n_rows, width, pooled);
    head_logits(encoder, pooled, logits, logits + logits_floats(encoder));
    head_scores(request->scores, logits, request->width);
    memcpy(out, logits, request->width * sizeof *out);
}

bool answer_write(const engine_session *session, const struct request *request,
                  const struct sequence *sequence, float *out, float *scratch)
{
    bool per_token = answers_per_token(request);
    size_t n_rows = per_token ? sequence->n_out : 1;
    if (n_rows == 0 || request->kind == ANSWER_NOTHING) /* and out may be NULL */
        return true;
    out += (per_token ? sequence->out_row : sequence->input) * request->width;
    switch (request->kind) {
    case ANSWER_NOTHING: break;
    case ANSWER_TOKENS:
    case ANSWER_TOKEN_LABELS: write_tokens(session, request, sequence, out, scratch); break;
    case ANSWER_POOLED: write_pooled(session, request, sequence, out, scratch); break;
    case ANSWER_LABELS: write_labels(session, request, sequence, out, scratch); break;
    }
    return floats_are_finite(out, n_rows * request->width);
}
