/* request.c - what a call asks for, resolved once for all callers: pooling, width and prompt. */
#include "engine/request.h"

#include "engine/info.h"
#include "engine/status.h"

#include <stdio.h>
#include <string.h>

/* ---- Prompts ---- */

static const char PREFIX[] = "prompt.";

static bool find_prompt(const engine_model *model, const char *name, struct prompt *prompt)
{
    struct setting setting;
    size_t at = 0;
    if (!next_metadata(model, &at, PREFIX, name, &setting))
        return false;
    *prompt = (struct prompt){setting.value, setting.value_len};
    return true;
}

static engine_status unknown_prompt(const engine_model *model, const char *name,
                                    engine_error *error)
{
    char names[160] = ", nor any other";
    struct setting setting;
    size_t at = 0, used = 0;
    while (next_metadata(model, &at, PREFIX, NULL, &setting) && used < sizeof names)
        used += (size_t)snprintf(names + used, sizeof names - used, "%s%s",
                                 used > 0 ? ", " : ": choose ", setting.key + strlen(PREFIX));
    return misused(error, "this model has no prompt '%.48s'%s", name, names);
}

/* Chooses the file's prompt for texts without an explicit one, as sentence-transformers' encode,
 * encode_query and encode_document do; of a cross-encoder's pairs only the query has one. */
static engine_status choose_default(const engine_model *model, engine_role role,
                                    struct prompt *prompt, engine_error *error)
{
    const bool of_pairs = ranks_pairs(model);
    if (role != ENGINE_ROLE_TEXT && !of_pairs)
        find_prompt(model, role == ENGINE_ROLE_QUERY ? "query" : "document", prompt);
    if (role == ENGINE_ROLE_DOCUMENT || (role == ENGINE_ROLE_QUERY && !of_pairs))
        return ENGINE_OK;
    const char *name = engine_model_metadata(model, "default_prompt");
    if (name == NULL || name[0] == '\0' || find_prompt(model, name, prompt))
        return ENGINE_OK;
    return damaged(error,
                   "the file's default_prompt is '%.48s', and it has no prompt.%.48s: name another "
                   "prompt, or none",
                   name, name);
}

static engine_status choose_prompt(const engine_model *model, const engine_encode_options *options,
                                   struct prompt *prompt, engine_error *error)
{
    enum { MOST_BYTES = 1 << 16 }; /* it is read again before each text */
    engine_status status = ENGINE_OK;
    const char *name = options->prompt;
    const engine_pooling pooling = options->pooling; /* these have the file's own prompts: */
    const bool has_own =
        pooling == ENGINE_POOLING_MODEL || pooling == ENGINE_POOLING_TEXT ||
        pooling == ENGINE_POOLING_SPARSE || pooling == ENGINE_POOLING_COLBERT ||
        (pooling == ENGINE_POOLING_LABELS && model->encoder.config.head == HEAD_SEQUENCE);
    if (name != NULL && options->prompt_text != NULL)
        return misused(error, "prompt and prompt_text are both given: expected one of them");
    *prompt = (struct prompt){options->prompt_text,
                              text_bytes(options->prompt_text, options->prompt_len)};
    if (options->prompt_text != NULL)
        return ENGINE_OK;
    if (name == NULL && has_own)
        status = choose_default(model, options->role, prompt, error);
    else if (name != NULL && name[0] != '\0' && !find_prompt(model, name, prompt))
        return unknown_prompt(model, name, error);
    if (prompt->len > MOST_BYTES)
        return damaged(error, "a prompt of the file has %zu bytes, expected at most %d",
                       prompt->len, MOST_BYTES);
    return status;
}

/* ---- Poolings ---- */

/* Returns how vectors are compared: as the file says of its own, sparse ones else by products. */
static engine_metric metric_of(const engine_model *model, engine_pooling pooling)
{
    static const char *const NAMES[] = {"cosine", "dot", "euclidean", "manhattan"};
    const bool is_sparse = pooling == ENGINE_POOLING_SPARSE;
    const bool is_told = !is_sparse || own_pooling(&model->encoder.config) == pooling;
    const char *name = is_told ? engine_model_metadata(model, "similarity") : NULL;
    for (size_t i = 0; name != NULL && i < sizeof NAMES / sizeof *NAMES; i++)
        if (strcmp(NAMES[i], name) == 0)
            return (engine_metric)i;
    return is_sparse ? ENGINE_METRIC_DOT : ENGINE_METRIC_COSINE;
}

engine_status no_head(const engine_model *model, const char *wanted, engine_error *error)
{
    return fail(error, ENGINE_ERROR_UNSUPPORTED, "the model has no head for %s: its head is '%s'",
                wanted, config_value_name("head", model->encoder.config.head));
}

engine_status refuse_labels(const engine_model *model, engine_error *error)
{
    char names[120] = "";
    const struct model_config *config = &model->encoder.config;
    const engine_pooling own = own_pooling(config);
    if (own == ENGINE_POOLING_SPARSE || own == ENGINE_POOLING_COLBERT ||
        (config->head != HEAD_SEQUENCE && config->head != HEAD_TOKEN))
        return ENGINE_OK;
    for (size_t i = 0, used = 0; i < config->labels && used < sizeof names; i++) {
        const char *name = engine_label(model, i);
        used += (size_t)snprintf(names + used, sizeof names - used, name ? "%s'%.40s'" : "%s%s%zu",
                                 i > 0 ? ", " : "", name ? name : "LABEL_", i);
    }
    return fail(error, ENGINE_ERROR_UNSUPPORTED,
                "the model labels %s (%s): it makes no vectors of texts, and %s",
                config->head == HEAD_TOKEN ? "tokens" : "texts", names,
                ranks_pairs(model) ? "ranks pairs of texts alone" : "does not rank them");
}

/* ---- Options ---- */

static engine_status check_options(const engine_encode_options *options, engine_error *error)
{
    const struct {
        const char *name;
        int value, most;
    } choices[] = {
        {"pooling", (int)options->pooling, ENGINE_POOLING_LABELS},
        {"on_long", (int)options->on_long, ENGINE_ON_LONG_ERROR},
        {"truncation", (int)options->truncation, ENGINE_TRUNCATE_ONLY_SECOND},
        {"strategy", (int)options->strategy, ENGINE_STRATEGY_NONE},
        {"role", (int)options->role, ENGINE_ROLE_DOCUMENT},
    };
    for (size_t i = 0; i < sizeof choices / sizeof *choices; i++)
        if (choices[i].value < 0 || choices[i].value > choices[i].most)
            return misused(error, "%s is %d, expected 0 to %d", choices[i].name, choices[i].value,
                           choices[i].most);
    return ENGINE_OK;
}

/* A classifier's dense layer is a pooler if it is BERT's: with tanh, of the first token. */
static bool has_pooler(const struct model_config *config)
{
    return config->head == HEAD_POOLER ||
           (config->head == HEAD_SEQUENCE && config->head_dense == DENSE_TANH &&
            config->head_pooling == POOLING_CLS);
}

/* Sets the form and the width of an answer's rows. Returns what is missing if the model has no such
 * answer, else NULL. */
static const char *choose_form(const struct encoder *encoder, struct request *request)
{
    const struct model_config *config = &encoder->config;
    const bool is_own = request->is_own;
    request->is_own = false;
    switch (request->answer) {
    case ENGINE_POOLING_NONE: request->kind = ANSWER_TOKENS; break;
    case ENGINE_POOLING_SPARSE:
        request->kind = ANSWER_SPARSE;
        request->width = config->vocabulary;
        return config->sparse == SPARSE_NONE ? "sparse weights, as SPLADE has" : NULL;
    case ENGINE_POOLING_COLBERT:
        request->kind = ANSWER_VECTORS;
        request->width = config->token_vectors;
        return request->width == 0 ? "layer for tokens' vectors, as ColBERT has" : NULL;
    case ENGINE_POOLING_LABELS:
        request->kind = config->head == HEAD_TOKEN ? ANSWER_TOKEN_LABELS : ANSWER_LABELS;
        request->width = config->labels;
        return NULL;
    default:
        request->kind = ANSWER_POOLED;
        request->pooling = pooling_of(request->answer);
        request->is_own = is_own;
        request->normalize |= is_own && config->normalize;
    }
    request->width = is_own ? encoder->output_width : config->width;
    return request->pooling == POOLING_POOLER && !has_pooler(config) ? "pooler" : NULL;
}

/* Sets the answer; refuses one that the model does not have. */
static engine_status choose_answer(const engine_model *model, struct request *request,
                                   engine_error *error)
{
    const engine_encode_options *options = &request->options;
    const struct model_config *config = &model->encoder.config;
    const size_t dimensions = options->dimensions;
    if (!model->has_encoder)
        return fail(error, ENGINE_ERROR_UNSUPPORTED, "the weight file holds a tokenizer alone");
    if (options->pooling == ENGINE_POOLING_MODEL || options->pooling == ENGINE_POOLING_TEXT) {
        engine_status status = refuse_labels(model, error);
        if (status != ENGINE_OK)
            return status;
    }
    if (options->pooling == ENGINE_POOLING_LABELS && config->head != HEAD_SEQUENCE &&
        config->head != HEAD_TOKEN)
        return no_head(model, "labels", error);
    const char *missing = choose_form(&model->encoder, request);
    request->metric = metric_of(model, request->answer);
    if (missing != NULL)
        return fail(error, ENGINE_ERROR_UNSUPPORTED, "the model has no %s", missing);
    if (options->normalize != 0 && request->kind != ANSWER_POOLED &&
        request->kind != ANSWER_VECTORS)
        return misused(error, "normalize is for pooled vectors, but pooling is '%s'",
                       engine_pooling_name(request->answer));
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

engine_status request_read(const engine_model *model, const engine_encode_options *given,
                           enum request_part part, struct request *request, engine_error *error)
{
    const struct model_config *config = &model->encoder.config;
    engine_encode_options *options = &request->options;
    *request = (struct request){0};
    engine_status status =
        read_struct("ENGINE_ENCODE_OPTIONS", given, options, sizeof *options, error);
    if (status == ENGINE_OK && (part == REQUEST_LABELS || part == REQUEST_TOKENS)) {
        options->pooling = part == REQUEST_LABELS ? ENGINE_POOLING_LABELS : ENGINE_POOLING_NONE;
        options->normalize = 0;
        options->dimensions = 0;
    }
    if (status == ENGINE_OK)
        status = check_options(options, error);
    if (status != ENGINE_OK)
        return status;
    const engine_pooling own = own_pooling(config);
    const bool of_text = options->pooling == ENGINE_POOLING_TEXT;
    request->is_own = options->pooling == ENGINE_POOLING_MODEL ||
                      (of_text && own != ENGINE_POOLING_NONE && own != ENGINE_POOLING_COLBERT);
    request->answer = request->is_own ? own : of_text ? ENGINE_POOLING_MEAN : options->pooling;
    request->normalize = options->normalize != 0;
    request->is_query = options->role == ENGINE_ROLE_QUERY;
    request->by_ids = request->is_query && request->answer == ENGINE_POOLING_SPARSE &&
                      model->encoder.query_weights != NULL;
    request->special = options->no_special == 0 && !request->by_ids;
    request->scores = options->raw_scores != 0 ? SCORES_NONE : config->scores;
    request->truncate = options->on_long == ENGINE_ON_LONG_MODEL
                            ? model->tokenizer.truncate
                            : options->on_long == ENGINE_ON_LONG_TRUNCATE;
    status = choose_prompt(model, options, &request->prompt, error);
    return status == ENGINE_OK && part != REQUEST_TEXTS ? choose_answer(model, request, error)
                                                        : status;
}

size_t request_token_limit(const struct request *request, const engine_model *model)
{
    const size_t asked = request->options.max_tokens;
    return asked > 0 ? asked : model->encoder.config.max_text_tokens;
}

engine_status engine_shape_of(const engine_model *model, const engine_encode_options *options,
                              engine_shape *shape, engine_error *error)
{
    engine_shape given;
    struct request request;
    if (model == NULL || shape == NULL)
        return misused(error, "engine_shape_of: model or shape is NULL");
    engine_status status = read_struct("ENGINE_SHAPE", shape, &given, sizeof given, error);
    if (status != ENGINE_OK)
        return status;
    status = request_read(model, options, REQUEST_ANSWER, &request, error);
    *shape = (engine_shape){
        .struct_bytes = sizeof *shape,
        .prompt = request.prompt.len > 0 ? request.prompt.text : "",
        .prompt_len = request.prompt.len,
    };
    if (status != ENGINE_OK)
        return status;
    shape->pooling = request.answer;
    shape->width = request.width;
    shape->per_token = answers_per_token(&request);
    shape->normalized =
        request.kind == ANSWER_VECTORS || (request.kind == ANSWER_POOLED && request.normalize);
    shape->metric = request.metric;
    return succeed(error);
}
