/* rank.c - engine_rank: scores how well texts answer a query, by vectors or by a cross-encoder. */
#include "engine/encode.h"
#include "engine/search/comparing.h"
#include "engine/status.h"
#include "model/layers/pooling.h"
#include "model/layers/search/sparse.h"

enum { RANK_BATCH = RANK_VECTORS - 1 };

static bool is_plain_text(const engine_input *input)
{
    return input->ids == NULL && input->n_ids == 0 && input->tokens == NULL &&
           input->n_tokens == 0 && input->pair == NULL && input->pair_len == 0 &&
           (input->text != NULL || input->text_len == 0);
}

/* A pair is made of two texts: other members of an input would be ignored. */
static engine_status check_pairs(engine_session *session, const engine_input *query,
                                 const engine_input *texts, size_t n)
{
    static const char NO_PLAIN_TEXT[] =
        " has ids, a pair, or a NULL text: a cross-encoder takes a text";
    if (!is_plain_text(query))
        return misused_input(&session->error, ENGINE_QUERY_INPUT, "%s", NO_PLAIN_TEXT);
    for (size_t i = 0; i < n; i++)
        if (!is_plain_text(&texts[i]))
            return misused_input(&session->error, i, "%s", NO_PLAIN_TEXT);
    return ENGINE_OK;
}

/* Scores pairs of the query and each text. If only the texts may be cut and no room is left for
 * them, the query is too long. */
static engine_status rank_pairs(engine_session *session, const engine_input *query,
                                const engine_input *texts, size_t n, struct request *request,
                                engine_result *results, float *out)
{
    engine_input pairs[RANK_BATCH] = {{0}};
    for (size_t i = 0; i < n; i++) {
        pairs[i].text = query->text;
        pairs[i].text_len = query->text_len;
        pairs[i].pair = texts[i].text != NULL ? texts[i].text : "";
        pairs[i].pair_len = texts[i].text_len;
    }
    engine_status status = score_pairs(session, pairs, n, request, out, n, NULL, results);
    const engine_error cause = session->error;
    if (cause.reason == ENGINE_REASON_NO_ROOM && request->truncation == ENGINE_TRUNCATE_ONLY_SECOND)
        fail_input(&session->error, status, cause.reason, ENGINE_QUERY_INPUT, "%s",
                   cause.message + cause.name_len);
    return status;
}

/* Computes the query's vector, first in session->rank_vectors, or its vectors. */
static engine_status encode_query(engine_session *session, const engine_input *query,
                                  struct request *request, engine_result *result)
{
    bool has_many = request->kind == ANSWER_VECTORS;
    size_t width = request->width, n_floats = 0;
    float *to = has_many ? session->query_vectors : session->rank_vectors;
    request->is_query = true;
    request->first_input = ENGINE_QUERY_INPUT;
    engine_status status =
        encode(session, query, 1, request, to, has_many ? session->max_tokens * width : width,
               &n_floats, result);
    request->is_query = false;
    if (!has_many)
        return status;
    request->kind = ANSWER_MAX_SIM; /* for the texts: scores instead of vectors */
    request->width = 1;
    request->query = to;
    request->query_width = width;
    request->n_query = n_floats / width;
    return status;
}

/* Compares the texts' vectors with the query's. A text without tokens of its own (engine_has_text)
 * gets the least possible score: the vector of [CLS] and [SEP] alone may be near to any. */
static engine_status rank_vectors(engine_session *session, const engine_input *texts, size_t n,
                                  struct request *request, engine_metric metric,
                                  bool query_has_text, engine_result *results, float *out)
{
    const enum answer_kind kind = request->kind;
    size_t width = request->width;
    float *query = session->rank_vectors, *vectors = kind == ANSWER_MAX_SIM ? out : query + width;
    bool have_text[RANK_BATCH];
    const bool is_product = kind == ANSWER_SPARSE && metric == ENGINE_METRIC_DOT;
    const double least = kind == ANSWER_MAX_SIM ? (double)-(ptrdiff_t)request->n_query
                         : is_product           ? 0
                                                : engine_similarity(metric, NULL, NULL, 0);
    request->have_text = have_text;
    engine_status status = encode(session, texts, n, request, vectors, n * width, NULL, results);
    for (size_t i = 0; i < n && status == ENGINE_OK; i++)
        if (!query_has_text || !have_text[i])
            out[i] = (float)least;
        else if (kind != ANSWER_MAX_SIM)
            out[i] = (float)(is_product ? sparse_product(query, vectors + i * width, width)
                                        : similarity(metric, query, vectors + i * width, width));
    return status;
}

/* Sets the request for the texts, and the query's prompt. */
static engine_status request_rank(engine_session *session, engine_encode_options *options,
                                  bool by_pair, struct request *texts, struct prompt *query)
{
    const engine_model *model = session->model;
    engine_status status = ENGINE_OK;
    if (options->pooling == ENGINE_POOLING_NONE)
        return misused(&session->error,
                       "engine_rank: pooling is ENGINE_POOLING_NONE, but texts are compared whole");
    bool by_default = by_pair || pooling_has_prompts(options->pooling);
    options->role = ENGINE_ROLE_DOCUMENT;
    if (options->pooling == ENGINE_POOLING_MODEL && !by_pair && model->has_encoder)
        status = engine_text_pooling(model, &options->pooling, &session->error);
    if (status == ENGINE_OK)
        status = request_read(session, options, by_pair ? FOR_HEAD : FOR_VECTORS, texts);
    if (status == ENGINE_OK)
        status = prompt_of_options(model, options, by_default, &texts->prompt, &session->error);
    if (status == ENGINE_OK)
        status = prompt_choose(model, ENGINE_ROLE_QUERY, options->query_prompt, by_default, query,
                               &session->error);
    return status;
}

static size_t count_cut(const engine_result *results, size_t n)
{
    size_t n_cut = 0;
    for (size_t i = 0; i < n && results != NULL; i++)
        n_cut += results[i].n_dropped > 0;
    return n_cut;
}

static engine_status rank_texts(engine_session *session, const engine_input *query,
                                const engine_input *texts, size_t n,
                                const engine_encode_options *given, float *out)
{
    struct request request;
    struct prompt query_prompt;
    engine_encode_options options;
    if (query == NULL || (texts == NULL && n > 0) || (out == NULL && n > 0))
        return misused(&session->error, "engine_rank: query, texts or out is NULL");
    engine_status status =
        read_struct("ENGINE_ENCODE_OPTIONS", given, &options, sizeof options, &session->error);
    if (status != ENGINE_OK)
        return status;
    const bool by_pair = ranks_pairs(session->model);
    const engine_metric metric = engine_model_metric(session->model, options.pooling);
    status = request_rank(session, &options, by_pair, &request, &query_prompt);
    if (status != ENGINE_OK)
        return status;
    struct prompt text_prompt = request.prompt;
    engine_result seen[RANK_BATCH] = {{0}}, *results = options.n_cut != NULL ? seen : NULL;
    bool query_has_text = true;
    request.have_text = by_pair ? NULL : &query_has_text;
    request.n_inputs = n;
    request.prompt = query_prompt;
    if (by_pair) /* the text is the second one of each pair */
        request.pair_prompt = text_prompt;
    status = by_pair ? check_pairs(session, query, texts, n)
                     : encode_query(session, query, &request, results);
    size_t n_cut = count_cut(results, by_pair ? 0 : 1);
    if (!by_pair)
        request.prompt = text_prompt;
    for (size_t i = 0; i < n && status == ENGINE_OK; i += RANK_BATCH) {
        size_t count = n - i < RANK_BATCH ? n - i : RANK_BATCH;
        request.first_input = i;
        status = by_pair ? rank_pairs(session, query, texts + i, count, &request, results, out + i)
                         : rank_vectors(session, texts + i, count, &request, metric, query_has_text,
                                        results, out + i);
        n_cut += count_cut(results, count);
    }
    if (results != NULL)
        *options.n_cut = n_cut;
    return status;
}

engine_status engine_rank(engine_session *session, const engine_input *query,
                          const engine_input *texts, size_t n, const engine_encode_options *options,
                          float *out)
{
    return SESSION_CALL(session, rank_texts(session, query, texts, n, options, out));
}
