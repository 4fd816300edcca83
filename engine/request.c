/* request.c - reads the options of a call. */
#include "engine/request.h"

#include "engine/status.h"

_Static_assert((int)ENGINE_TRUNCATE_ONLY_SECOND == (int)TRUNCATE_ONLY_SECOND,
               "engine_truncation is enum truncation");

engine_status request_options(const engine_encode_options *given, engine_encode_options *options,
                              engine_error *error)
{
    return read_struct("engine_encode_options", given, offsetof(engine_encode_options, prompt),
                       options, sizeof *options, error);
}

static engine_status check_options(const engine_encode_options *options, engine_error *error)
{
    if ((unsigned)options->pooling > ENGINE_POOLING_POOLER ||
        (unsigned)options->on_long > ENGINE_ON_LONG_ERROR)
        return misused(error, "pooling is %d, expected 0 to %d; on_long is %d, expected 0 to %d",
                       (int)options->pooling, ENGINE_POOLING_POOLER, (int)options->on_long,
                       ENGINE_ON_LONG_ERROR);
    if ((unsigned)options->truncation > ENGINE_TRUNCATE_ONLY_SECOND)
        return misused(error, "truncation is %d, expected 0 to %d", (int)options->truncation,
                       ENGINE_TRUNCATE_ONLY_SECOND);
    if ((unsigned)options->role > ENGINE_ROLE_DOCUMENT)
        return misused(error, "role is %d, expected 0 to %d", (int)options->role,
                       ENGINE_ROLE_DOCUMENT);
    if (options->normalize != 0 && options->pooling == ENGINE_POOLING_NONE)
        return misused(error,
                       "normalize is for pooled vectors, but pooling is ENGINE_POOLING_NONE");
    return ENGINE_OK;
}

/* by_default: the file's own prompt is used where its own pooling is. */
static engine_status read_request(engine_session *session, const engine_encode_options *given,
                                  bool by_default, struct request *request)
{
    const engine_model *model = session->model;
    const struct model_config *config = &model->encoder.config;
    engine_encode_options options;
    engine_status status = request_options(given, &options, &session->error);
    if (status == ENGINE_OK)
        status = check_options(&options, &session->error);
    if (status != ENGINE_OK)
        return status;
    bool own = options.pooling == ENGINE_POOLING_MODEL;
    *request = (struct request){
        .pooling = (enum pooling)choice_value((int)options.pooling, config->pooling),
        .normalize = options.normalize != 0 || (own && config->normalize),
        .special = options.no_special == 0,
        .project = own && config->projections > 0 && config->pooling != POOLING_NONE,
        .scores = options.raw_scores != 0 ? SCORES_NONE : (enum scores)config->scores,
        .raw_scores = options.raw_scores != 0,
        .truncate = options.on_long == ENGINE_ON_LONG_MODEL
                        ? model->tokenizer.truncate
                        : options.on_long == ENGINE_ON_LONG_TRUNCATE,
        .truncation = (enum truncation)options.truncation,
        .truncate_left = options.truncate_left != 0,
        .max_tokens = options.max_tokens,
        .stride = options.stride,
        .whole_words = options.whole_words != 0,
    };
    return prompt_of_options(model, &options, by_default && own, &request->prompt, &session->error);
}

/* A classifier's dense layer is a pooler if it is BERT's: with tanh, of the first token. */
static bool has_pooler(const struct encoder *encoder)
{
    enum dense_activation dense = encoder->head.dense.activation;
    switch ((enum head_kind)encoder->config.head) {
    case HEAD_POOLER: return dense != DENSE_NONE;
    case HEAD_SEQUENCE: return dense == DENSE_TANH && encoder->config.head_pooling == POOLING_CLS;
    case HEAD_NONE:
    case HEAD_TOKEN:
    case HEAD_MASK: break;
    }
    return false;
}

static engine_status choose_vectors(engine_session *session, struct request *request)
{
    const struct encoder *encoder = &session->model->encoder;
    if (request->pooling == POOLING_POOLER && !has_pooler(encoder))
        return fail(&session->error, ENGINE_ERROR_UNSUPPORTED, "the model has no pooler");
    request->kind = request->pooling == POOLING_NONE ? ANSWER_TOKENS : ANSWER_POOLED;
    request->width = request->project ? encoder->output_width : (size_t)encoder->config.width;
    return ENGINE_OK;
}

engine_status request_read(engine_session *session, const engine_encode_options *options,
                           enum purpose purpose, struct request *request)
{
    engine_status status = read_request(session, options, purpose != FOR_HEAD, request);
    return status == ENGINE_OK && purpose == FOR_VECTORS ? choose_vectors(session, request)
                                                         : status;
}

size_t request_token_limit(const struct request *request, const engine_model *model)
{
    return request->max_tokens > 0 ? request->max_tokens
                                   : (size_t)model->encoder.config.max_text_tokens;
}
