/* spans.c - one text in one pass: vectors of its spans, or its vector as a sum over its tokens. */
#include "engine/encode.h"
#include "engine/status.h"
#include "model/layers/head.h"

#include <math.h>
#include <string.h>

/* ---- Vectors of spans ---- */

static bool is_in_span(const engine_token *token, const engine_span *span)
{
    return !token->special && !token->in_prompt && !token->in_pair && span->begin < span->end &&
           token->begin < span->end && token->end > span->begin;
}

/* Pools the rows of a span, which follow each other. */
static void write_span(const engine_session *session, const struct request *request,
                       const engine_token *tokens, const engine_span *span, float *out)
{
    const struct pass *pass = &session->pass;
    const size_t n_rows = pass->sequences[0].n_rows;
    size_t first = 0, end;
    memset(out, 0, request->width * sizeof *out);
    while (first < n_rows && !is_in_span(&tokens[pass->out_offsets[first]], span))
        first++;
    for (end = first; end < n_rows && is_in_span(&tokens[pass->out_offsets[end]], span);)
        end++;
    if (end > first)
        write_pooled(session, request, first, end - first, 0, out, &pass->works[0]);
}

static bool is_of_all_tokens(unsigned pooling)
{
    return pooling != POOLING_CLS && pooling != POOLING_LAST && pooling != POOLING_POOLER;
}

static engine_status read_spans(const engine_session *session, const engine_input *input,
                                const engine_encode_options *options, struct request *request,
                                engine_error *error)
{
    engine_status status = request_read(session->model, options, REQUEST_ANSWER, request, error);
    if (status != ENGINE_OK)
        return status;
    const config_list joined = session->model->encoder.config.joined_poolings;
    bool fits = request->kind == ANSWER_POOLED && is_of_all_tokens(request->pooling);
    for (size_t i = 0; request->is_own && i < LIST_MOST; i++)
        fits = fits && is_of_all_tokens(list_item(joined, i));
    if (!fits)
        return fail(error, ENGINE_ERROR_UNSUPPORTED,
                    "the pooling '%s' makes no vector of a part of a text; expected one of all "
                    "tokens, as ENGINE_POOLING_MEAN",
                    engine_pooling_name(request->answer));
    request->kind = ANSWER_NOTHING;
    return input->ids == NULL ? ENGINE_OK
                              : misused(error, "engine_encode_spans: ids have no spans");
}

engine_status engine_encode_spans(engine_session *session, const engine_input *input,
                                  const engine_span *spans, size_t n,
                                  const engine_encode_options *options, float *out, size_t cap,
                                  size_t *needed, engine_result *result)
{
    ENDS_WITH(session_end) engine_session *call = session_begin(session);
    if (call == NULL)
        return session_refusal(session);
    struct request request;
    if (input == NULL || (spans == NULL && n > 0) || (out == NULL && cap > 0))
        return misused(&session->error, "engine_encode_spans: input, spans or out is NULL");
    engine_status status = read_spans(session, input, options, &request, &session->error);
    if (status != ENGINE_OK)
        return status;
    const size_t len = input->text != NULL ? text_bytes(input->text, input->text_len) : SIZE_MAX;
    for (size_t i = 0; i < n; i++)
        if (spans[i].begin > spans[i].end || spans[i].end > len)
            return misused(&session->error,
                           "span %zu is [%zu, %zu]; expected [begin, end] of the text, which has "
                           "%zu bytes",
                           i, spans[i].begin, spans[i].end, len);
    const size_t width = request.width;
    status = answer_count(&session->error, "numbers", n * width, cap, needed);
    if (status == ENGINE_OK)
        status = encode(session, input, 1, &request, NULL, 0, NULL, result);
    const engine_token *tokens = input->tokens != NULL ? input->tokens : session->tokens;
    for (size_t i = 0; i < n && status == ENGINE_OK; i++) {
        write_span(session, &request, tokens, &spans[i], out + i * width);
        if (!floats_are_finite(out + i * width, width))
            status = not_finite(session, 0);
    }
    return status;
}

/* ---- A vector as a sum ----
 *
 * pooled = sum of weight(t) x[t]; projections without activation are P pooled + b; so the part of
 * token t is weight(t) P x[t], and b is one more part. A length divides all of them. */

/* Returns why a vector is no sum of its tokens' parts, after "a vector of the pooling 'cls' ", or
 * NULL if it is one. */
static const char *why_no_sum(const struct encoder *encoder, const struct request *request)
{
    for (size_t i = 0; request->is_own && i < encoder->config.projections; i++)
        if (encoder->projections[i].activation != DENSE_NONE &&
            encoder->projections[i].activation != DENSE_IDENTITY)
            return "goes through a projection with an activation or a norm, which is not linear";
    if (request->is_own && encoder->config.joined_poolings != 0)
        return "is several vectors side by side";
    if (request->kind == ANSWER_SPARSE)
        return "has the largest weight that a token gives to each id";
    if (request->kind == ANSWER_VECTORS)
        return "is one token's, and texts are compared by the best match of each";
    if (request->kind != ANSWER_POOLED)
        return request->kind == ANSWER_TOKENS ? "is one token's" : "holds scores of labels";
    if (request->pooling == POOLING_MAX)
        return "takes each number from the token where it is largest";
    if (is_of_all_tokens(request->pooling))
        return NULL;
    return request->pooling == POOLING_LAST ? "is that of the last token alone"
                                            : "is that of the first token alone";
}

/* Returns the weight of row t of n in the sums of pooling.c, which have no row before `first`. */
static double row_weight(enum pooling pooling, size_t t, size_t n, size_t first)
{
    _Static_assert(POOLING_POOLER == 7, "a new pooling: is_of_all_tokens, why_no_sum, row_weight");
    const double rows = (double)(n - first);
    if (t < first)
        return 0;
    if (pooling == POOLING_WEIGHTED_MEAN)
        return (double)(t + 1) / (rows * (double)first + rows * (rows + 1) / 2);
    return pooling == POOLING_MEAN ? 1 / rows : 1 / sqrt(rows);
}

/* Writes the parts of the pass' one sequence to out [n_tokens + 1, width], biases last. */
static void write_parts(const engine_session *session, const struct request *request,
                        size_t n_tokens, float *out)
{
    const struct encoder *encoder = &session->model->encoder;
    const struct pass *pass = &session->pass;
    const struct thread_work *work = &pass->works[0];
    const size_t n_rows = pass->sequences[0].n_rows, width = request->width;
    const size_t n_skipped = request->is_own ? pass->sequences[0].n_unpooled : 0;
    const bool is_projected = request->is_own && encoder->config.projections > 0;
    float *bias = out + n_tokens * width;
    memset(out, 0, (n_tokens + 1) * width * sizeof *out);
    memset(work->pooled, 0, encoder->config.width * sizeof *work->pooled);
    if (is_projected) {
        project_row(encoder, work->pooled, work->pooled, &work->head);
        memcpy(bias, work->pooled, width * sizeof *bias);
    }
    for (size_t t = 0; t < n_rows; t++) {
        const double weight = row_weight(request->pooling, t, n_rows, n_skipped);
        const float *row = hidden_row(session, t);
        float *part = out + pass->out_offsets[t] * width;
        if (is_projected)
            project_row(encoder, row, work->pooled, &work->head);
        for (size_t i = 0; i < width; i++)
            part[i] = (float)(weight *
                              ((double)(is_projected ? work->pooled : row)[i] - (double)bias[i]));
    }
}

/* Divides the rows [n, width] by the length of their sum, as normalize_row divides it. */
static void normalize_sum(float *rows, size_t n, size_t width)
{
    double squares = 0;
    for (size_t i = 0; i < width; i++) {
        double sum = 0;
        for (size_t row = 0; row < n; row++)
            sum += (double)rows[row * width + i];
        squares += sum * sum;
    }
    const double length = fmax(sqrt(squares), 1e-12);
    for (size_t i = 0; i < n * width; i++)
        rows[i] = (float)((double)rows[i] / length);
}

engine_status engine_encode_parts(engine_session *session, const engine_input *input,
                                  const engine_encode_options *options, float *out, size_t cap,
                                  size_t *needed, engine_result *result)
{
    ENDS_WITH(session_end) engine_session *call = session_begin(session);
    if (call == NULL)
        return session_refusal(session);
    struct request request;
    engine_result here;
    if (input == NULL || (out == NULL && cap > 0))
        return misused(&session->error, "engine_encode_parts: input or out is NULL");
    engine_status status =
        request_read(session->model, options, REQUEST_ANSWER, &request, &session->error);
    if (status != ENGINE_OK)
        return status;
    const char *reason = why_no_sum(&session->model->encoder, &request);
    if (reason != NULL)
        return fail(&session->error, ENGINE_ERROR_UNSUPPORTED,
                    "a vector of the pooling '%s' %s: it is no sum over tokens, as means are",
                    engine_pooling_name(request.answer), reason);
    request.kind = ANSWER_NOTHING;
    status = encode(session, input, 1, &request, NULL, 0, NULL, &here);
    if (status != ENGINE_OK)
        return status;
    if (result != NULL)
        *result = here;
    const size_t n = here.n_tokens + 1;
    status = answer_count(&session->error, "numbers", n * request.width, cap, needed);
    if (status != ENGINE_OK)
        return status;
    write_parts(session, &request, here.n_tokens, out);
    if (request.normalize)
        normalize_sum(out, n, request.width);
    return floats_are_finite(out, n * request.width) ? ENGINE_OK : not_finite(session, 0);
}
