/* answer.c - from the last hidden states of a sequence to the caller's buffer. */
#include "engine/encode.h"

#include "model/layers/head.h"
#include "model/layers/linear.h"
#include "model/layers/pooling.h"
#include "model/layers/search/sparse.h"
#include "model/layers/search/token_vector.h"

#include <math.h>
#include <string.h>

void answer_work_carve(struct answer_work *work, const struct encoder *encoder, size_t max_tokens,
                       struct arena *arena)
{
    const struct model_config *config = &encoder->config;
    work->pooled = arena_floats(arena, 1, row_stride(larger(config->width, encoder->output_width)));
    work->logits = arena_floats(arena, 1, row_stride(encoder->head.output.weight.rows));
    head_work_carve(&work->head, encoder, arena);
    work->vectors = arena_floats(arena, TOKEN_VECTOR_ROWS, row_stride(config->token_vectors));
    work->best = arena_floats(arena, 1, config->token_vectors > 0 ? max_tokens : 0);
    linear_work_carve(&work->of_vectors, linear_decoded(&encoder->token_vector), 0, arena);
    sparse_work_carve(&work->sparse, encoder, arena);
}

static const float *hidden_row(const engine_session *session, size_t row)
{
    return session->pass.x + row * session->pass.width_stride;
}

static void write_tokens(const engine_session *session, const struct request *request,
                         const struct sequence *sequence, float *out,
                         const struct answer_work *work)
{
    const struct encoder *encoder = &session->model->encoder;
    if (sequence->n_out > sequence->n_rows) /* rows of padding are zeros */
        memset(out, 0, sequence->n_out * request->width * sizeof *out);
    for (size_t r = sequence->row; r < sequence->row + sequence->n_rows; r++) {
        float *to = out + session->pass.out_offsets[r] * request->width;
        const float *values = hidden_row(session, r);
        if (request->kind == ANSWER_TOKEN_LABELS) {
            head_logits(encoder, values, work->logits, &work->head);
            head_scores(request->scores, work->logits, request->width);
            values = work->logits;
        }
        memcpy(to, values, request->width * sizeof *to);
    }
}

static void write_pooled(const engine_session *session, const struct request *request,
                         const struct sequence *sequence, float *out,
                         const struct answer_work *work)
{
    const struct encoder *encoder = &session->model->encoder;
    float *pooled = work->pooled;
    pool_rows(request->pooling, hidden_row(session, sequence->row), session->pass.width_stride,
              sequence->n_rows, encoder->config.width, pooled);
    if (request->pooling == POOLING_POOLER && sequence->n_rows > 0)
        head_hidden(encoder, pooled, pooled, &work->head);
    if (request->project) /* in place: the row is as wide as either */
        project_row(encoder, pooled, pooled, &work->head);
    memcpy(out, pooled, request->width * sizeof *out);
    if (request->normalize)
        normalize_row(out, request->width);
}

static void write_labels(const engine_session *session, const struct request *request,
                         const struct sequence *sequence, float *out,
                         const struct answer_work *work)
{
    const struct encoder *encoder = &session->model->encoder;
    float *logits = work->logits;
    memset(out, 0, request->width * sizeof *out);
    if (sequence->n_rows == 0) /* no token to classify */
        return;
    pool_rows(encoder->config.head_pooling, hidden_row(session, sequence->row),
              session->pass.width_stride, sequence->n_rows, encoder->config.width, work->pooled);
    head_logits(encoder, work->pooled, logits, &work->head);
    if (request->width < encoder->config.labels) /* a score of two labels: see score_pairs */
        logits[0] = logits[1] - logits[0];
    head_scores(request->scores, logits, request->width);
    memcpy(out, logits, request->width * sizeof *out);
}

/* Writes the vectors of a sequence's tokens, block by block: to out, or scored against a
 * query's. */
static void write_vectors(const engine_session *session, const struct request *request,
                          const struct sequence *sequence, float *out,
                          const struct answer_work *work)
{
    const struct encoder *encoder = &session->model->encoder;
    bool is_score = request->kind == ANSWER_MAX_SIM;
    size_t width = is_score ? request->query_width : request->width;
    size_t stride = row_stride(encoder->config.token_vectors);
    float *best = work->best;
    size_t end = sequence->row + sequence->n_rows, n;
    for (size_t i = 0; i < request->n_query; i++)
        best[i] = -INFINITY;
    for (size_t row = sequence->row; row < end; row += n) {
        n = end - row < TOKEN_VECTOR_ROWS ? end - row : TOKEN_VECTOR_ROWS;
        token_vectors(encoder, hidden_row(session, row), session->pass.width_stride, n, width,
                      work->vectors, &work->of_vectors);
        for (size_t i = 0; i < n; i++) {
            const float *vector = work->vectors + i * stride;
            uint32_t offset = session->pass.out_offsets[row + i];
            if (offset != NO_ROW && is_score)
                best_products(request->query, request->n_query, width, vector, best);
            else if (offset != NO_ROW)
                memcpy(out + offset * width, vector, width * sizeof *out);
        }
    }
    if (is_score)
        *out = sequence->n_vectors > 0 ? (float)sum_of_best(best, request->n_query) : 0;
}

static bool answer_write(const engine_session *session, const struct request *request,
                         const struct sequence *sequence, float *out,
                         const struct answer_work *work)
{
    const struct encoder *encoder = &session->model->encoder;
    const struct id_list *skipped = &session->model->tokenizer.skip_weights;
    bool per_token = answers_per_token(request);
    size_t n_rows = per_token ? sequence->n_out : 1;
    if (n_rows == 0 || request->kind == ANSWER_NOTHING) /* out may be NULL */
        return true;
    out += (per_token ? sequence->out_row : sequence->input) * request->width;
    switch (request->kind) {
    case ANSWER_TOKENS:
    case ANSWER_TOKEN_LABELS: write_tokens(session, request, sequence, out, work); break;
    case ANSWER_POOLED: write_pooled(session, request, sequence, out, work); break;
    case ANSWER_LABELS: write_labels(session, request, sequence, out, work); break;
    case ANSWER_VECTORS:
    case ANSWER_MAX_SIM: write_vectors(session, request, sequence, out, work); break;
    case ANSWER_SPARSE:
        return sparse_of_tokens(encoder, hidden_row(session, sequence->row),
                                session->pass.width_stride, session->pass.ids + sequence->row,
                                sequence->n_rows, skipped->ids, skipped->n, out, &work->sparse);
    case ANSWER_NOTHING: break;
    }
    return floats_are_finite(out, n_rows * request->width);
}

/* ---- Groups ---- */

/* Writes sparse weights of the mask head. Its layer is as large as several of the encoder's, so
 * threads share its columns, the ids. Its input is stored in y, which the pass no longer needs. */
static size_t write_logits(const engine_session *session, const struct request *request,
                           const struct group *group, struct team team, float *out,
                           const struct answer_work *work)
{
    const struct encoder *encoder = &session->model->encoder;
    const struct pass *pass = &session->pass;
    size_t stride = pass->width_stride, wrong = SIZE_MAX;
    struct share rows = session_share(session, team, group->n_rows);
    for (size_t r = group->row + rows.begin; r < group->row + rows.end; r++)
        head_hidden(encoder, hidden_row(session, r), pass->y + r * stride, &work->head);
    team_wait(team);
    struct share panels = session_share(session, team, linear_panels(&encoder->head.output));
    for (size_t panel = panels.begin; panel < panels.end; panel += SPARSE_PANELS) {
        size_t end = panels.end - panel < SPARSE_PANELS ? panels.end : panel + SPARSE_PANELS;
        struct sparse_block block = sparse_block(encoder, panel, end, &work->sparse);
        for (size_t i = 0; i < group->n_sequences; i++) {
            const struct sequence *sequence = &pass->sequences[group->sequence + i];
            if (!sparse_of_logits(encoder, &block, pass->y + sequence->row * stride, stride,
                                  sequence->n_rows, out + sequence->input * request->width,
                                  &work->sparse) &&
                i < wrong)
                wrong = i;
        }
    }
    return wrong < SIZE_MAX ? pass->sequences[group->sequence + wrong].input : SIZE_MAX;
}

size_t answer_group(const engine_session *session, const struct request *request,
                    const struct group *group, struct team team, float *out,
                    const struct answer_work *work)
{
    size_t wrong = SIZE_MAX;
    if (request->kind == ANSWER_SPARSE && session->model->encoder.config.sparse == SPARSE_MASK)
        return write_logits(session, request, group, team, out, work);
    struct share share = session_share(session, team, group->n_sequences);
    for (size_t i = share.end; i-- > share.begin;) {
        const struct sequence *sequence = &session->pass.sequences[group->sequence + i];
        if (!answer_write(session, request, sequence, out, work))
            wrong = sequence->input;
    }
    return wrong;
}
