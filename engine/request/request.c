/* request.c - reads the options of a call. */
#include "engine/request/request.h"

#include "engine/choices.h"
#include "engine/status.h"

static engine_status check_options(const engine_encode_options *options, engine_error *error)
{
    if (choice_find(POOLING_CHOICES, (int)options->pooling) == NULL ||
        (unsigned)options->on_long > ENGINE_ON_LONG_ERROR)
        return misused(error, "pooling is %d, expected 0 to %d; on_long is %d, expected 0 to %d",
                       (int)options->pooling, choice_last(POOLING_CHOICES), (int)options->on_long,
                       ENGINE_ON_LONG_ERROR);
    if ((unsigned)options->truncation > ENGINE_TRUNCATE_ONLY_SECOND)
        return misused(error, "truncation is %d, expected 0 to %d", (int)options->truncation,
                       ENGINE_TRUNCATE_ONLY_SECOND);
    if ((unsigned)options->strategy > ENGINE_STRATEGY_NONE)
        return misused(error, "strategy is %d, expected 0 to %d", (int)options->strategy,
                       ENGINE_STRATEGY_NONE);
    if ((unsigned)options->role > ENGINE_ROLE_DOCUMENT)
        return misused(error, "role is %d, expected 0 to %d", (int)options->role,
                       ENGINE_ROLE_DOCUMENT);
    if (options->normalize != 0 &&
        (options->pooling == ENGINE_POOLING_NONE || options->pooling == ENGINE_POOLING_SPARSE))
        return misused(error, "normalize is for pooled vectors, but pooling is %s",
                       options->pooling == ENGINE_POOLING_NONE ? "ENGINE_POOLING_NONE"
                                                               : "ENGINE_POOLING_SPARSE");
    return ENGINE_OK;
}

/* Returns the form of a pooling's answers. */
static enum answer_kind kind_of(engine_pooling pooling)
{
    switch (pooling) {
    case ENGINE_POOLING_SPARSE: return ANSWER_SPARSE;
    case ENGINE_POOLING_COLBERT: return ANSWER_VECTORS;
    case ENGINE_POOLING_NONE: return ANSWER_TOKENS;
    default: return ANSWER_POOLED;
    }
}

/* A classifier's dense layer is a pooler if it is BERT's: with tanh, of the first token. */
static bool has_pooler(const struct encoder *encoder)
{
    enum dense_activation dense = encoder->head.dense.activation;
    switch (encoder->config.head) {
    case HEAD_POOLER: return dense != DENSE_NONE;
    case HEAD_SEQUENCE: return dense == DENSE_TANH && encoder->config.head_pooling == POOLING_CLS;
    case HEAD_NONE:
    case HEAD_TOKEN:
    case HEAD_MASK: break;
    }
    return false;
}

/* Chooses the width of an answer row; refuses answers that the model does not have. */
static engine_status choose_vectors(engine_session *session, struct request *request)
{
    engine_error *error = &session->error;
    size_t dimensions = request->dimensions;
    if (!session->model->has_encoder)
        return fail(error, ENGINE_ERROR_UNSUPPORTED, "the weight file holds a tokenizer alone");
    if (request->kind == ANSWER_POOLED && request->pooling == POOLING_NONE)
        request->kind = ANSWER_TOKENS;
    const struct encoder *encoder = &session->model->encoder;
    const struct model_config *config = &encoder->config;
    request->width = request->project ? encoder->output_width : config->width;
    if (request->kind == ANSWER_VECTORS)
        request->width = config->token_vectors;
    else if (request->kind == ANSWER_SPARSE)
        request->width = config->sparse != SPARSE_NONE ? config->vocabulary : 0;
    else if (request->pooling == POOLING_POOLER && !has_pooler(encoder))
        request->width = 0;
    if (request->width == 0)
        return fail(error, ENGINE_ERROR_UNSUPPORTED, "the model has no %s",
                    request->kind == ANSWER_SPARSE    ? "sparse weights, as SPLADE has"
                    : request->kind == ANSWER_VECTORS ? "layer for tokens' vectors, as ColBERT has"
                                                      : "pooler");
    if (dimensions > 0 && request->kind != ANSWER_POOLED && request->kind != ANSWER_VECTORS)
        return misused(error,
                       "dimensions is %zu, but only vectors of texts and those of "
                       "ENGINE_POOLING_COLBERT are cut",
                       dimensions);
    if (dimensions > request->width)
        return misused(error, "dimensions is %zu, the vectors have %zu", dimensions,
                       request->width);
    if (dimensions > 0)
        request->width = dimensions;
    return ENGINE_OK;
}

engine_status request_read(engine_session *session, const engine_encode_options *given,
                           enum purpose purpose, struct request *request)
{
    const engine_model *model = session->model;
    const struct model_config *config = &model->encoder.config;
    engine_encode_options options;
    engine_status status =
        read_struct("ENGINE_ENCODE_OPTIONS", given, &options, sizeof options, &session->error);
    if (status == ENGINE_OK)
        status = check_options(&options, &session->error);
    if (status != ENGINE_OK)
        return status;
    bool own = options.pooling == ENGINE_POOLING_MODEL;
    enum answer_kind kind = kind_of(own ? own_pooling(config) : options.pooling);
    bool has_one = kind == ANSWER_SPARSE || kind == ANSWER_VECTORS;
    *request = (struct request){
        .kind = kind,
        .pooling = has_one ? POOLING_NONE
                           : (enum pooling)choice_value(POOLING_CHOICES, (int)options.pooling,
                                                        (int)config->pooling),
        .is_query = options.role == ENGINE_ROLE_QUERY,
        .dimensions = options.dimensions,
        .normalize = options.normalize != 0 || (own && config->normalize),
        .special = options.no_special == 0,
        .project = own && config->projections > 0 && config->pooling != POOLING_NONE,
        .scores = options.raw_scores != 0 ? SCORES_NONE : config->scores,
        .raw_scores = options.raw_scores != 0,
        .truncate = options.on_long == ENGINE_ON_LONG_MODEL
                        ? model->tokenizer.truncate
                        : options.on_long == ENGINE_ON_LONG_TRUNCATE,
        .truncates_unseen = options.on_long == ENGINE_ON_LONG_TRUNCATE,
        .truncation = options.truncation,
        .truncate_left = options.truncate_left != 0,
        .max_tokens = options.max_tokens,
        .strategy = options.strategy,
        .stride = options.stride,
        .whole_words = options.whole_words != 0,
    };
    bool by_default =
        purpose == FOR_HEAD ? config->head == HEAD_SEQUENCE : pooling_has_prompts(options.pooling);
    engine_pooling pooling;
    if (purpose == FOR_VECTORS && own && model->has_encoder) /* of a model that gives labels? */
        status = engine_text_pooling(model, &pooling, &session->error);
    if (status == ENGINE_OK)
        status = prompt_of_options(model, &options, by_default, &request->prompt, &session->error);
    return status == ENGINE_OK && purpose == FOR_VECTORS ? choose_vectors(session, request)
                                                         : status;
}

size_t request_token_limit(const struct request *request, const engine_model *model)
{
    return request->max_tokens > 0 ? request->max_tokens : model->encoder.config.max_text_tokens;
}

engine_status engine_prompt(const engine_model *model, const engine_encode_options *given,
                            const char **text, size_t *len, engine_error *error)
{
    engine_encode_options options;
    struct prompt prompt;
    if (model == NULL || text == NULL || len == NULL)
        return misused(error, "engine_prompt: model, text or len is NULL");
    engine_status status =
        read_struct("ENGINE_ENCODE_OPTIONS", given, &options, sizeof options, error);
    if (status == ENGINE_OK)
        status = prompt_of_options(model, &options, pooling_has_prompts(options.pooling), &prompt,
                                   error);
    if (status != ENGINE_OK)
        return status;
    *text = prompt.len > 0 ? prompt.text : "";
    *len = prompt.len;
    return succeed(error);
}
