/* encoder_open.c - from the command line and the weight file to what is in force: the model is
 * opened, asked whether it can do what the options want, and given a session; see encoder.h. */
#include "tools/common/texts/encoder.h"

#include "tools/common/inputs.h"
#include "tools/common/model_file.h"

#include <stdlib.h>
#include <string.h>

enum { DEFAULT_TOP = 5 };

static void open_model(struct encoder *encoder)
{
    const char *path = encoder->request.model_path;
    engine_error error = {0};
    if (engine_model_open(path, NULL, &encoder->model, &error) != ENGINE_OK)
        program_exit(model_open_failed(path, &error));
    encoder->info = ENGINE_INFO();
    engine_model_info(encoder->model, &encoder->info, NULL);
    input_remember(encoder->info.path);
    const char *unknown = model_setting(encoder->model, ENGINE_SETTINGS_TOKENIZER, "unknown");
    encoder->unknown = unknown ? (int32_t)strtol(unknown, NULL, 10) : -1;
    const char *bytes = model_setting(encoder->model, ENGINE_SETTINGS_TOKENIZER, "byte_level");
    encoder->is_bytes = bytes != NULL && strcmp(bytes, "yes") == 0;
    encoder->name = encoder->info.name[0] ? encoder->info.name : path_name(encoder->info.path);
}

/* ---- What the model cannot do ---- */

/* What its head is good for. */
static const char *head_use(engine_head head)
{
    switch (head) {
    case ENGINE_HEAD_SEQUENCE: return "sequence, for --labels and --rank";
    case ENGINE_HEAD_TOKEN: return "token, for --labels and --entities";
    case ENGINE_HEAD_MASK: return "mask, for --fill";
    case ENGINE_HEAD_POOLER: return "pooler, for -p pooler";
    case ENGINE_HEAD_NONE: break;
    }
    return "none";
}

/* The head that a task needs and the model does not have; NULL: nothing is missing. */
static const char *missing_head(const engine_info *info, enum task task)
{
    bool is_sequence = info->head == ENGINE_HEAD_SEQUENCE,
         is_token = info->head == ENGINE_HEAD_TOKEN;
    if (task == TASK_LABELS && !is_sequence && !is_token)
        return "head sequence or token";
    if (task == TASK_ENTITIES && !is_token)
        return "head token";
    if (task == TASK_FILL && info->head != ENGINE_HEAD_MASK)
        return "head mask";
    return NULL;
}

static void check_head(const struct encoder *encoder)
{
    const engine_info *info = &encoder->info;
    const char *option = task_option(encoder->request.task),
               *missing = missing_head(info, encoder->request.task);
    if (!info->has_model && !task_is_tokens(encoder->request.task))
        program_die("%s holds a tokenizer alone: --tokens and -f ids work, %s needs a model",
                    encoder->name, option[0] ? option : "a vector");
    if (missing)
        program_die("%s needs a model with %s; the head of %s is %s", option, missing,
                    encoder->name, head_use(info->head));
    if (encoder->request.task == TASK_FILL && info->mask_token < 0)
        program_die("--fill needs a tokenizer with a mask token; that of %s names none",
                    encoder->name);
}

static void check_dimensions(const struct encoder *encoder)
{
    const size_t dimensions = encoder->request.dimensions, whole = encoder->whole_width;
    if (encoder->ranks_pairs)
        program_die_misused("this model ranks by its head, which makes no vectors: --rank goes "
                            "without --dimensions");
    if (encoder->options.pooling == ENGINE_POOLING_NONE || encoder->is_sparse)
        program_die_misused("--dimensions cuts vectors of texts, and those of -p colbert; this "
                            "model's are neither");
    if (dimensions > whole && whole > 0)
        program_die_misused("--dimensions %zu is more than these vectors have: %zu", dimensions,
                            whole);
}

/* What is asked of this model and it cannot do. */
static void check_request(const struct encoder *encoder)
{
    const struct request_options *request = &encoder->request;
    const size_t most = encoder->info.max_tokens;
    const char *idle = encoder->info.has_model
                           ? position_options_conflict(&request->positions, encoder->position)
                           : NULL;
    if (request->normalize && !encoder->is_pooled)
        program_die_misused(
            encoder->options.pooling == ENGINE_POOLING_COLBERT
                ? "the vectors of -p colbert have length 1 without --normalize"
                : "this model has no pooling of its own: --normalize goes with -p mean, cls or "
                  "max");
    if (encoder->ranks_pairs && request->has_pooling)
        program_die_misused(
            "this model ranks by its head, which reads both texts: --rank goes without -p");
    if (idle)
        program_die_misused("%s; here they are %s", idle, encoder->position);
    if (request->task == TASK_RANK && !encoder->ranks_pairs && request->raw_scores)
        program_die_misused("this model ranks by vectors: --raw-scores is for cross-encoders");
    if (request->dimensions)
        check_dimensions(encoder);
    if (!task_is_tokens(request->task) && request->max_tokens > most)
        program_die_misused("--max-tokens %zu is more than this model takes: %zu token%s",
                            request->max_tokens, most, plural(most));
}

/* ---- What is in force ---- */

static void settle_pooling(struct encoder *encoder)
{
    const engine_info *info = &encoder->info;
    const enum task task = encoder->request.task;
    bool by_cosine = task == TASK_RANK || task == TASK_SIMILARITY;
    bool has_own = strcmp(info->pooling, "none") != 0;
    engine_pooling pooling = encoder->request.pooling;

    if (by_cosine && !encoder->request.has_pooling)
        pooling = ENGINE_POOLING_MODEL;
    if (pooling == ENGINE_POOLING_MODEL && !has_own)
        pooling = by_cosine ? ENGINE_POOLING_MEAN : ENGINE_POOLING_NONE;
    if (pooling == ENGINE_POOLING_MODEL && strcmp(info->pooling, "sparse") == 0)
        pooling = ENGINE_POOLING_SPARSE;
    if (pooling == ENGINE_POOLING_MODEL && strcmp(info->pooling, "colbert") == 0)
        pooling = task == TASK_SIMILARITY ? ENGINE_POOLING_MEAN : ENGINE_POOLING_COLBERT;
    encoder->options.pooling = pooling;
    encoder->pooling =
        pooling == ENGINE_POOLING_MODEL ? info->pooling : engine_pooling_name(pooling);
    encoder->is_pooled = pooling != ENGINE_POOLING_NONE && pooling != ENGINE_POOLING_COLBERT;
    encoder->is_sparse = pooling == ENGINE_POOLING_SPARSE && task != TASK_LABELS;
    encoder->whole_width = pooling == ENGINE_POOLING_SPARSE    ? info->n_vocabulary
                           : pooling == ENGINE_POOLING_COLBERT ? info->token_vectors
                           : pooling == ENGINE_POOLING_MODEL   ? info->output_width
                                                               : info->width;
    encoder->width =
        encoder->request.dimensions ? encoder->request.dimensions : encoder->whole_width;
}

/* Heads answer in rows of labels, or in lists of their own. */
static void settle_head(struct encoder *encoder)
{
    const engine_info *info = &encoder->info;
    const struct request_options *request = &encoder->request;
    encoder->ranks_pairs =
        request->task == TASK_RANK && info->head == ENGINE_HEAD_SEQUENCE && info->n_labels == 1;
    if (request->task == TASK_LABELS) {
        encoder->is_pooled = info->head == ENGINE_HEAD_SEQUENCE;
        encoder->width = info->n_labels;
    } else if (task_is_tokens(request->task) || request->task == TASK_ENTITIES ||
               request->task == TASK_FILL) {
        encoder->width = 0;
    }
    encoder->top = request->top ? request->top : DEFAULT_TOP;
    if (request->task == TASK_FILL && encoder->top > info->n_vocabulary)
        encoder->top = info->n_vocabulary;
}

/* Texts that are to have N tokens may not have more, whatever the model takes. For tokens alone
 * that limit is none, unless the user says what becomes of a text above it and names no length. */
static size_t token_limit(const struct encoder *encoder)
{
    const struct request_options *request = &encoder->request;
    bool is_free = task_is_tokens(request->task) &&
                   (request->on_long == ENGINE_ON_LONG_MODEL || request->pad_to > 0);
    size_t limit = is_free ? 0 : encoder->info.max_text_tokens;
    if (request->max_tokens)
        return request->max_tokens;
    return request->pad_to && (limit == 0 || request->pad_to < limit) ? request->pad_to : limit;
}

static void settle_positions(struct encoder *encoder)
{
    const struct position_options *options = &encoder->request.positions;
    encoder->position = options->position == ENGINE_POSITION_MODEL
                            ? encoder->info.position
                            : engine_position_name(options->position);
    encoder->numbers = position_numbers(options, encoder->model, encoder->info.width);
    const char *in_attention =
        model_setting(encoder->model, ENGINE_SETTINGS_CONFIG, "attention_position");
    encoder->attention_position = in_attention != NULL ? in_attention : "none";
    encoder->window = (size_t)model_number(encoder->model, "window", 0);
}

static void settle(struct encoder *encoder)
{
    const struct request_options *request = &encoder->request;
    settle_positions(encoder);
    encoder->mask =
        request->mask == ENGINE_MASK_MODEL ? encoder->info.mask : engine_mask_name(request->mask);
    /* Texts and the query have their prompts already. */
    encoder->options =
        ENGINE_ENCODE_OPTIONS(.prompt = "", .query_prompt = "", .normalize = request->normalize,
                              .no_special = request->no_special, .on_long = request->on_long,
                              .max_tokens = token_limit(encoder), .truncation = request->truncation,
                              .truncate_left = request->truncate_left,
                              .raw_scores = request->raw_scores, .stride = request->stride,
                              .whole_words = request->task == TASK_ENTITIES,
                              .dimensions = request->dimensions,
                              .role = request->prompt && strcmp(request->prompt, "query") == 0
                                          ? ENGINE_ROLE_QUERY
                                          : ENGINE_ROLE_TEXT);
    settle_pooling(encoder);
    settle_head(encoder);
    encoder->token_options = encoder->options;
    encoder->token_options.max_tokens = 0; /* as many as the session takes */
    padding_settle(&encoder->padding, encoder->model, request, task_is_tokens(request->task));
}

/* ---- Session ---- */

static void open_session(struct encoder *encoder)
{
    const struct request_options *request = &encoder->request;
    const bool is_computed = !task_is_tokens(request->task);
    struct position_options positions = request->positions;
    engine_session_options session =
        ENGINE_SESSION_OPTIONS(.n_threads = request->n_threads,
                               .max_tokens = is_computed ? request->max_tokens
                                                         : 1, /* tokens alone need no rows */
                               .position = ENGINE_POSITION_NONE, .mask = request->mask,
                               .progress = request->progress);
    engine_error error = {0};

    if (is_computed)
        position_options_apply(&positions, encoder->info.width, &session);
    engine_status status = engine_session_new(encoder->model, &session, &encoder->session, &error);
    if (status != ENGINE_OK)
        program_die("%s%s", error.message, position_next_step(session.position, status));
    /* Without inputs: whether the model has the pooling that is asked for. */
    if (!is_computed || encoder->options.pooling == ENGINE_POOLING_NONE ||
        engine_encode(encoder->session, NULL, 0, &encoder->options, NULL, 0, NULL, NULL) ==
            ENGINE_OK)
        return;
    bool is_pooler = encoder->options.pooling == ENGINE_POOLING_POOLER;
    program_die("-p %s: %s%s%s%s%s", encoder->pooling, engine_session_message(encoder->session),
                is_pooler ? "; the head of " : "", is_pooler ? encoder->name : "",
                is_pooler ? " is " : "", is_pooler ? head_use(encoder->info.head) : "");
}

void encoder_open(struct encoder *encoder, const struct request_options *request)
{
    *encoder = (struct encoder){.request = *request};
    open_model(encoder);
    settle(encoder);
    check_head(encoder);
    check_request(encoder);
    prompt_resolve(encoder->model, request, encoder->ranks_pairs, &encoder->prompt,
                   &encoder->query_prompt);
    open_session(encoder);
}

const char *encoder_pooling_asked(const struct encoder *encoder)
{
    return encoder->options.pooling == ENGINE_POOLING_MODEL ? "model" : encoder->pooling;
}

void encoder_close(struct encoder *encoder)
{
    engine_session_free(encoder->session);
    engine_model_close(encoder->model);
    free(encoder->inputs);
    free(encoder->rows);
    *encoder = (struct encoder){0};
}
