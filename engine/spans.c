/* spans.c - vectors of parts of a long text, from one pass over all of it. */
#include "engine/encode.h"
#include "engine/info.h"
#include "engine/status.h"
#include "model/layers/head.h"
#include "model/layers/pooling.h"

#include <string.h>

static bool is_in_span(const engine_token *token, const engine_span *span)
{
    return !token->special && !token->in_prompt && !token->in_pair && span->begin < span->end &&
           token->begin < span->end && token->end > span->begin;
}

/* Pools the rows of a span, which follow each other, as write_pooled of encode.c those of a text.
 */
static void write_span(const engine_session *session, const struct request *request,
                       const engine_token *tokens, const engine_span *span, float *out)
{
    const struct encoder *encoder = &session->model->encoder;
    const struct pass *pass = &session->pass;
    const struct answer_work *work = &pass->works[0].answer;
    const size_t n_rows = pass->sequences[0].n_rows;
    size_t first = 0, end;
    memset(out, 0, request->width * sizeof *out);
    while (first < n_rows && !is_in_span(&tokens[pass->out_offsets[first]], span))
        first++;
    for (end = first; end < n_rows && is_in_span(&tokens[pass->out_offsets[end]], span);)
        end++;
    if (end == first)
        return;
    pool_rows(request->pooling, pass->x + first * pass->width_stride, pass->width_stride,
              end - first, encoder->config.width, work->pooled);
    if (request->project)
        project_row(encoder, work->pooled, work->pooled, &work->head);
    memcpy(out, work->pooled, request->width * sizeof *out);
    if (request->normalize)
        normalize_row(out, request->width);
}

static engine_status read_spans(const engine_session *session, const engine_input *input,
                                const engine_encode_options *options, struct request *request,
                                engine_error *error)
{
    engine_status status = request_read(session->model, options, request, error);
    if (status != ENGINE_OK)
        return status;
    if (request->kind != ANSWER_POOLED || request->pooling == POOLING_CLS ||
        request->pooling == POOLING_LAST || request->pooling == POOLING_POOLER)
        return fail(error, ENGINE_ERROR_UNSUPPORTED,
                    "the pooling '%s' makes no vector of a part of a text; expected one of all "
                    "tokens, as ENGINE_POOLING_MEAN",
                    engine_pooling_name(request->answer));
    request->kind = ANSWER_NOTHING;
    return input->ids == NULL ? ENGINE_OK
                              : misused(error, "engine_encode_spans: ids have no spans");
}

static engine_status encode_spans(engine_session *session, const engine_input *input,
                                  const engine_span *spans, size_t n,
                                  const engine_encode_options *options, float *out, size_t cap,
                                  size_t *needed, engine_result *result)
{
    struct request request;
    if (input == NULL || (spans == NULL && n > 0) || (out == NULL && cap > 0))
        return misused(&session->error, "engine_encode_spans: input, spans or out is NULL");
    engine_status status = read_spans(session, input, options, &request, &session->error);
    if (status != ENGINE_OK)
        return status;
    const size_t width = request.width;
    if (needed != NULL)
        *needed = n * width;
    if (n > cap / width)
        return fail(&session->error, ENGINE_ERROR_BUFFER,
                    "%zu spans take %zu floats, the buffer has %zu", n, n * width, cap);
    status = encode(session, input, 1, &request, NULL, 0, NULL, result);
    const engine_token *tokens = input->tokens != NULL ? input->tokens : session->tokens;
    for (size_t i = 0; i < n && status == ENGINE_OK; i++) {
        write_span(session, &request, tokens, &spans[i], out + i * width);
        if (!floats_are_finite(out + i * width, width))
            status = not_finite(session, 0);
    }
    return status;
}

engine_status engine_encode_spans(engine_session *session, const engine_input *input,
                                  const engine_span *spans, size_t n,
                                  const engine_encode_options *options, float *out, size_t cap,
                                  size_t *needed, engine_result *result)
{
    return SESSION_CALL(session,
                        encode_spans(session, input, spans, n, options, out, cap, needed, result));
}
