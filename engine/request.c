/* request.c - what a call or a session asks for, resolved once for all callers: pooling, width,
 * prompt and positions.
 *
 * An option that the selected scheme of positions does not use is refused: its caller expects
 * another scheme.
 */
#include "engine/request.h"

#include "engine/info.h"
#include "engine/status.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Prompts ---- */

static const char PREFIX[] = "prompt.";
enum { PREFIX_LEN = sizeof PREFIX - 1 };

/* Finds the next prompt in META from *at on. Returns true, and its setting. */
static bool next_prompt(const engine_model *model, size_t *at, struct setting *setting)
{
    while (weight_file_setting(&model->file.sections[SECTION_META], at, setting))
        if (strncmp(setting->key, PREFIX, PREFIX_LEN) == 0)
            return true;
    return false;
}

static bool find_prompt(const engine_model *model, const char *name, struct prompt *prompt)
{
    struct setting setting;
    for (size_t at = 0; next_prompt(model, &at, &setting);)
        if (strcmp(setting.key + PREFIX_LEN, name) == 0) {
            *prompt = (struct prompt){setting.value, setting.value_len};
            return true;
        }
    return false;
}

static engine_status unknown_prompt(const engine_model *model, const char *name,
                                    engine_error *error)
{
    char names[160] = ", nor any other";
    struct setting setting;
    for (size_t at = 0, used = 0; next_prompt(model, &at, &setting) && used < sizeof names;)
        used += (size_t)snprintf(names + used, sizeof names - used, "%s%s",
                                 used > 0 ? ", " : ": choose ", setting.key + PREFIX_LEN);
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

/* Writes a prompt and its text; returns the end of both. */
static char *prepend(char *to, struct prompt prompt, const char **text, size_t *len)
{
    const char *begin = to;
    if (prompt.len > 0)
        memcpy(to, prompt.text, prompt.len);
    if (*len > 0)
        memcpy(to + prompt.len, *text, *len);
    *text = begin;
    *len += prompt.len;
    return to + *len;
}

engine_status prompt_apply(engine_session *session, const struct request *request,
                           const engine_input *input, size_t index, struct token_input *texts)
{
    const struct prompt prompt = request->prompt, pair_prompt = request->pair_prompt;
    size_t n_bytes = prompt.len + (input->pair != NULL ? pair_prompt.len : 0);
    *texts = (struct token_input){
        .text = input->text != NULL ? input->text : "",
        .text_len = text_bytes(input->text, input->text_len),
        .pair = input->pair,
        .pair_len = text_bytes(input->pair, input->pair_len),
    };
    if (n_bytes == 0)
        return ENGINE_OK;
    n_bytes += texts->text_len + texts->pair_len;
    if (n_bytes > session->prompted_cap) {
        free(session->prompted);
        session->prompted = malloc(n_bytes);
        session->prompted_cap = session->prompted != NULL ? n_bytes : 0;
        if (session->prompted == NULL)
            return fail_input(&session->error, ENGINE_ERROR_MEMORY, ENGINE_REASON_NONE, index,
                              ": no memory for its text after the prompt, %zu bytes", n_bytes);
    }
    char *rest = prepend(session->prompted, prompt, &texts->text, &texts->text_len);
    if (texts->pair != NULL)
        prepend(rest, pair_prompt, &texts->pair, &texts->pair_len);
    return ENGINE_OK;
}

void prompt_move_spans(const struct request *request, engine_token *tokens, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        engine_token *token = &tokens[i];
        size_t len = token->in_pair ? request->pair_prompt.len : request->prompt.len;
        if (token->special || len == 0)
            continue;
        token->in_prompt = token->end <= len;
        token->begin = token->begin > len ? token->begin - len : 0;
        token->end = token->end > len ? token->end - len : 0;
    }
}

/* ---- Poolings ---- */

/* Resolves MODEL and TEXT. Returns whether they are the model's own pooling, which may do more. */
static bool resolve_pooling(const struct model_config *config, engine_pooling *pooling)
{
    const engine_pooling own = own_pooling(config);
    const bool is_text = own != ENGINE_POOLING_NONE && own != ENGINE_POOLING_COLBERT;
    const bool is_own =
        *pooling == ENGINE_POOLING_MODEL || (*pooling == ENGINE_POOLING_TEXT && is_text);
    if (is_own)
        *pooling = own;
    else if (*pooling == ENGINE_POOLING_TEXT)
        *pooling = ENGINE_POOLING_MEAN;
    return is_own;
}

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
    return ENGINE_OK;
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

/* Sets the form and the width of an answer's rows. Returns what is missing if the model has no such
 * answer, else NULL. */
static const char *choose_form(const struct encoder *encoder, bool is_own, struct request *request)
{
    const struct model_config *config = &encoder->config;
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
        request->pooling = (enum pooling)choice_find(POOLING_CHOICES, (int)request->answer)->value;
        request->is_own = is_own;
        request->normalize |= is_own && config->normalize;
    }
    request->width = is_own ? encoder->output_width : config->width;
    return request->pooling == POOLING_POOLER && !has_pooler(encoder) ? "pooler" : NULL;
}

/* Sets the answer; refuses one that the model does not have. */
static engine_status choose_answer(const engine_model *model, const engine_encode_options *options,
                                   struct request *request, engine_error *error)
{
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
    request->answer = options->pooling;
    const bool is_own = resolve_pooling(config, &request->answer);
    const char *missing = choose_form(&model->encoder, is_own, request);
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
    engine_encode_options options;
    engine_status status =
        read_struct("ENGINE_ENCODE_OPTIONS", given, &options, sizeof options, error);
    if (status == ENGINE_OK && (part == REQUEST_LABELS || part == REQUEST_TOKENS)) {
        options.pooling = part == REQUEST_LABELS ? ENGINE_POOLING_LABELS : ENGINE_POOLING_NONE;
        options.normalize = 0;
        options.dimensions = 0;
    }
    if (status == ENGINE_OK)
        status = check_options(&options, error);
    if (status != ENGINE_OK)
        return status;
    *request = (struct request){
        .normalize = options.normalize != 0,
        .is_query = options.role == ENGINE_ROLE_QUERY,
        .special = options.no_special == 0,
        .scores = options.raw_scores != 0 ? SCORES_NONE : model->encoder.config.scores,
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
    engine_pooling answer = options.pooling;
    resolve_pooling(&model->encoder.config, &answer);
    request_set_by_ids(model, request->is_query && answer == ENGINE_POOLING_SPARSE, request);
    status = choose_prompt(model, &options, &request->prompt, error);
    return status == ENGINE_OK && part != REQUEST_TEXTS
               ? choose_answer(model, &options, request, error)
               : status;
}

void request_set_by_ids(const engine_model *model, bool is_sparse_query, struct request *request)
{
    request->by_ids = is_sparse_query && model->encoder.query_weights != NULL;
    request->special = request->special && !request->by_ids;
}

size_t request_token_limit(const struct request *request, const engine_model *model)
{
    return request->max_tokens > 0 ? request->max_tokens : model->encoder.config.max_text_tokens;
}

engine_status engine_shape_of(const engine_model *model, const engine_encode_options *options,
                              engine_shape *shape, engine_error *error)
{
    engine_shape given;
    struct request request = {0};
    if (model == NULL || shape == NULL)
        return misused(error, "engine_shape_of: model or shape is NULL");
    engine_status status = read_struct("ENGINE_SHAPE", shape, &given, sizeof given, error);
    if (status != ENGINE_OK)
        return status;
    status = request_read(model, options, REQUEST_ANSWER, &request, error);
    *shape = (engine_shape){
        .struct_bytes = sizeof *shape,
        .pooling = request.answer,
        .width = status == ENGINE_OK ? request.width : 0,
        .per_token = answers_per_token(&request),
        .normalized =
            request.kind == ANSWER_VECTORS || (request.kind == ANSWER_POOLED && request.normalize),
        .metric = request.metric,
        .prompt = request.prompt.len > 0 ? request.prompt.text : "",
        .prompt_len = request.prompt.len,
    };
    return status == ENGINE_OK ? succeed(error) : status;
}

/* ---- Positions ---- */

static engine_status choose_scheme(const engine_model *model, engine_position position,
                                   struct position_encoding *encoding, engine_error *error)
{
    enum position_scheme own = model != NULL ? model->encoder.config.position : POSITION_NONE;
    const struct choice *found = choice_find(POSITION_CHOICES, (int)position);
    if (found == NULL)
        return misused(error, "position is %d, expected 0 to %d", (int)position,
                       choice_last(POSITION_CHOICES));
    if (position == ENGINE_POSITION_MODEL && model == NULL)
        return misused(error, "position is ENGINE_POSITION_MODEL, but model is NULL");
    if (position == ENGINE_POSITION_LEARNED && own != POSITION_LEARNED)
        return fail(error, ENGINE_ERROR_UNSUPPORTED, "%s",
                    model != NULL ? "the model has no table of learned positions"
                                  : "learned positions need a model, but model is NULL");
    encoding->scheme = found->value >= 0 ? (enum position_scheme)found->value : own;
    return ENGINE_OK;
}

/* Sets the numbers that the options give: the base, frequencies, the scale of positions. */
static engine_status choose_numbers(const engine_session_options *options,
                                    struct position_encoding *encoding, engine_error *error)
{
    const double base = options->position_base;
    const double *const scales[] = {options->embedding_scale, options->position_scale};
    const float *frequencies = options->frequencies;
    const size_t n = options->n_frequencies;
    if (base != 0 && !position_is_base(base))
        return misused(error, "position_base is %g, expected a number from %g to %g", base,
                       ENGINE_POSITION_BASE_LEAST, ENGINE_POSITION_BASE_MOST);
    if (base != 0 && !position_has_base(encoding->scheme))
        return misused(error,
                       "position_base is given, but only positions " ENGINE_POSITIONS_WITH_BASE
                       " have a base");
    if (frequencies == NULL && n > 0)
        return misused(error, "frequencies is NULL, but n_frequencies is %zu", n);
    if (frequencies != NULL && encoding->scheme != POSITION_FOURIER)
        return misused(error, "frequencies are given, but only position fourier has them");
    if (n > (encoding->width + 1) / 2)
        return misused(
            error,
            "%zu frequencies are given, but rows of %zu columns hold at most %zu: each takes two",
            n, encoding->width, (encoding->width + 1) / 2);
    for (size_t i = 0; i < n; i++)
        if (!(fabs((double)frequencies[i]) <= ENGINE_POSITION_FREQUENCY_MOST))
            return misused(error, "frequency %zu is %g, expected a number up to %g", i,
                           (double)frequencies[i], ENGINE_POSITION_FREQUENCY_MOST);
    for (size_t i = 0; i < 2; i++)
        if (scales[i] != NULL && !(*scales[i] >= 0 && *scales[i] <= (double)FLT_MAX))
            return misused(error, "%s_scale is %g, expected a finite number, 0 or more",
                           i == 0 ? "embedding" : "position", *scales[i]);
    if (scales[1] != NULL && encoding->scheme == POSITION_NONE)
        return misused(error, "position_scale is given, but no positions are added");
    encoding->base = base != 0 ? base : encoding->base;
    encoding->scale = scales[1] != NULL ? *scales[1] : encoding->scale;
    if (frequencies != NULL) {
        encoding->n_frequencies = n;
        encoding->frequencies = frequencies;
    }
    return ENGINE_OK;
}

engine_status choose_positions(const engine_model *model, const engine_session_options *options,
                               size_t width, struct position_encoding *encoding,
                               engine_error *error)
{
    *encoding = (struct position_encoding){.width = width, .base = 10000, .scale = 1};
    engine_status status = choose_scheme(model, options->position, encoding, error);
    if (model != NULL) {
        const struct model_config *config = &model->encoder.config;
        encoding->base = config->position_base;
        encoding->scale = config->position_scale;
        encoding->n_frequencies = config->position_frequencies;
        encoding->frequencies = model->encoder.frequencies;
        encoding->period = config->max_tokens;
    }
    return status == ENGINE_OK ? choose_numbers(options, encoding, error) : status;
}

/* ---- The public matrix ---- */

/* Computes rows of the table times the scale, in float32 like the rows that are added: the product
 * of two float32 is exact in double. Writes to out, or to exact if out is NULL. Returns false if
 * one is not finite. */
static bool learned_rows(const struct encoder *encoder, double scale, size_t n, size_t width,
                         float *out, double *exact)
{
    enum { PIECE = 64 };
    size_t offset = encoder->config.position_offset;
    bool are_finite = true;
    float piece[PIECE];
    for (size_t p = 0; p < n; p++)
        for (size_t k = 0; k < width; k += PIECE) {
            size_t count = width - k < PIECE ? width - k : PIECE;
            matrix_piece(&encoder->position_table, p + offset, k, count, piece);
            for (size_t i = 0; i < count; i++) {
                double value = (double)piece[i] * (double)(float)scale;
                are_finite &= isfinite((float)value);
                if (out != NULL)
                    out[p * width + k + i] = (float)value;
                else
                    exact[p * width + k + i] = value;
            }
        }
    return are_finite;
}

/* Sets the columns of rows: the model's; without a model as requested. */
static engine_status choose_width(const engine_model *model, size_t *width, engine_error *error)
{
    size_t own = model != NULL ? model->encoder.config.embedding_width : *width;
    if (model == NULL && *width == 0)
        return misused(error, "engine_position_matrix: model is NULL and width is 0");
    if (*width != 0 && *width != own)
        return misused(
            error,
            "engine_position_matrix: width is %zu, but the model adds positions of %zu columns",
            *width, own);
    *width = own;
    return ENGINE_OK;
}

/* Implements both functions below: writes to out or, if that is NULL, to exact; [cap]. */
static engine_status position_matrix(const engine_model *model, const engine_session_options *given,
                                     size_t width, size_t n, float *out, double *exact, size_t cap,
                                     size_t *needed, engine_error *error)
{
    engine_session_options options;
    struct position_encoding encoding;
    size_t numbers;
    engine_status status = choose_width(model, &width, error);
    if (status == ENGINE_OK)
        status = read_struct("ENGINE_SESSION_OPTIONS", given, &options, sizeof options, error);
    if (status == ENGINE_OK)
        status = choose_positions(model, &options, width, &encoding, error);
    if (status != ENGINE_OK)
        return status;
    if (out == NULL && exact == NULL && cap > 0)
        return misused(error, "positions: out is NULL, but cap is %zu", cap);
    if (encoding.scheme == POSITION_LEARNED) {
        size_t rows = model->encoder.position_table.rows - model->encoder.config.position_offset;
        if (n > rows)
            return fail(error, ENGINE_ERROR_LENGTH,
                        "%zu positions asked for, the model's table has %zu", n, rows);
    }
    if (__builtin_mul_overflow(n, width, &numbers))
        return misused(error, "%zu positions are too many", n);
    if (needed != NULL)
        *needed = numbers;
    if (cap < numbers)
        return fail(error, ENGINE_ERROR_BUFFER,
                    "%zu positions take %zu numbers, the buffer has %zu", n, numbers, cap);
    encoding.n_tokens = n;
    if (model == NULL)
        encoding.period = options.max_tokens > 0 ? options.max_tokens : n;
    bool are_finite = true;
    if (encoding.scheme == POSITION_LEARNED)
        are_finite = learned_rows(&model->encoder, encoding.scale, n, width, out, exact);
    else
        position_rows(&encoding, 0, n, width, out, exact);
    return are_finite ? succeed(error)
                      : fail(error, ENGINE_ERROR_NOT_FINITE,
                             "the model's table of positions, or that times position_scale, holds "
                             "NaN or an infinity");
}

engine_status engine_position_matrix(const engine_model *model,
                                     const engine_session_options *options, size_t width, size_t n,
                                     float *out, size_t cap, size_t *needed, engine_error *error)
{
    return position_matrix(model, options, width, n, out, NULL, cap, needed, error);
}

engine_status engine_position_matrix_exact(const engine_model *model,
                                           const engine_session_options *options, size_t width,
                                           size_t n, double *out, size_t cap, size_t *needed,
                                           engine_error *error)
{
    return position_matrix(model, options, width, n, NULL, out, cap, needed, error);
}
