/* encoder_open.c - from the command line and the weight file to what is in force: the model is
 * opened, asked whether it can do what the options want, and given a session; see encoder.h. */
#include "tools/common/texts/encoder.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEFAULT_TOP = 5 };

static const char *file_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}

static bool open_model(struct encoder *encoder, const char *path)
{
    engine_error error = {0};
    if (engine_model_open(path, NULL, &encoder->model, &error) != ENGINE_OK) {
        program_fail("%s%s", error.message, path ? "" : " (-m FILE; encode-new makes one)");
        return false;
    }
    encoder->info.struct_bytes = sizeof encoder->info;
    engine_model_info(encoder->model, &encoder->info);
    const char *unknown = encoder_setting(encoder, "unknown");
    encoder->unknown = unknown ? (int32_t)strtol(unknown, NULL, 10) : -1;
    encoder->name = encoder->info.name[0] ? encoder->info.name : file_name(encoder->info.path);
    return true;
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

static bool check_head(const struct encoder *encoder)
{
    const engine_info *info = &encoder->info;
    const char *option = task_option(encoder->task), *missing = missing_head(info, encoder->task);
    if (!info->has_model && !task_is_tokens(encoder->task)) {
        program_fail("%s holds a tokenizer alone: --tokens and -f ids work, %s needs a model",
                     encoder->name, option[0] ? option : "a vector");
        return false;
    }
    if (missing) {
        program_fail("%s needs a model with %s; the head of %s is %s", option, missing,
                     encoder->name, head_use(info->head));
        return false;
    }
    if (encoder->task == TASK_FILL && info->mask_token < 0) {
        program_fail("--fill needs a tokenizer with a mask token; that of %s names none",
                     encoder->name);
        return false;
    }
    return true;
}

/* What the options ask of this model and it cannot do; NULL: nothing. */
static const char *model_conflict(struct encoder *encoder, const struct request_options *options)
{
    size_t most = encoder->info.max_tokens;
    if (options->normalize && !encoder->is_pooled)
        return "this model has no pooling of its own: --normalize goes with -p mean, cls or max";
    if (encoder->ranks_pairs && options->has_pooling)
        return "this model ranks by its head, which reads both texts: --rank goes without -p";
    if (encoder->info.has_model &&
        position_options_conflict(&options->positions, encoder->position)) {
        snprintf(encoder->message, sizeof encoder->message, "%s; here they are %s",
                 position_options_conflict(&options->positions, encoder->position),
                 encoder->position);
        return encoder->message;
    }
    if (encoder->task == TASK_RANK && !encoder->ranks_pairs && options->raw_scores)
        return "this model ranks by cosine: --raw-scores is for cross-encoders";
    if (task_is_tokens(encoder->task) || options->max_tokens <= most)
        return NULL;
    snprintf(encoder->message, sizeof encoder->message,
             "--max-tokens %zu is more than this model takes: %zu token%s", options->max_tokens,
             most, plural(most));
    return encoder->message;
}

/* ---- What is in force ---- */

static void settle_pooling(struct encoder *encoder, const struct request_options *options)
{
    static const char *const names[] = {NULL,        "none",          "mean", "cls",   "max",
                                        "mean_sqrt", "weighted_mean", "last", "pooler"};
    const engine_info *info = &encoder->info;
    bool by_cosine = encoder->task == TASK_RANK || encoder->task == TASK_SIMILARITY;
    bool has_own = strcmp(info->pooling, "none") != 0;
    engine_pooling pooling = options->pooling;

    if (by_cosine && !options->has_pooling)
        pooling = ENGINE_POOLING_MODEL;
    if (pooling == ENGINE_POOLING_MODEL && !has_own)
        pooling = by_cosine ? ENGINE_POOLING_MEAN : ENGINE_POOLING_NONE;
    encoder->options.pooling = pooling;
    encoder->pooling = pooling == ENGINE_POOLING_MODEL ? info->pooling : names[pooling];
    encoder->is_pooled = pooling != ENGINE_POOLING_NONE;
    encoder->width = pooling == ENGINE_POOLING_MODEL ? info->output_width : info->width;
}

/* Heads answer in rows of labels, or in lists of their own. */
static void settle_head(struct encoder *encoder)
{
    const engine_info *info = &encoder->info;
    encoder->ranks_pairs =
        encoder->task == TASK_RANK && info->head == ENGINE_HEAD_SEQUENCE && info->n_labels == 1;
    if (encoder->task == TASK_LABELS) {
        encoder->is_pooled = info->head == ENGINE_HEAD_SEQUENCE;
        encoder->width = info->n_labels;
    } else if (task_is_tokens(encoder->task) || encoder->task == TASK_ENTITIES ||
               encoder->task == TASK_FILL) {
        encoder->width = 0;
    }
}

/* Texts that are to have N tokens may not have more, whatever the model takes. */
static size_t token_limit(const struct encoder *encoder, const struct request_options *options)
{
    bool is_free = task_is_tokens(encoder->task) && !options->is_chunked;
    size_t limit = is_free ? 0 : encoder->info.max_text_tokens;
    if (options->max_tokens)
        return options->max_tokens;
    return options->pad_to && (limit == 0 || options->pad_to < limit) ? options->pad_to : limit;
}

static double config_number(const struct encoder *encoder, const char *key, double if_absent)
{
    const char *value = encoder_config(encoder, key);
    return value ? strtod(value, NULL) : if_absent;
}

/* The numbers that positions are computed with: those that the options give, and those of the file
 * that are not what the format has where a file says nothing. */
static void describe_positions(struct encoder *encoder, const struct position_options *options,
                               double embedding_scale, double position_scale)
{
    const char *scheme = encoder->position;
    bool has_base = strcmp(scheme, "sinusoidal") == 0 || strcmp(scheme, "exponential") == 0;
    double base =
        options->base != 0 ? options->base : config_number(encoder, "position_base", 10000);
    size_t n_frequencies = options->frequencies
                               ? options->n_frequencies
                               : (size_t)config_number(encoder, "position_frequencies", 0);
    char *out = encoder->position_about;
    size_t cap = sizeof encoder->position_about, used = 0;

    if (has_base && (options->base != 0 || base != 10000))
        used += (size_t)snprintf(out, cap, ", base %g", base);
    if (strcmp(scheme, "fourier") == 0 && n_frequencies > 0)
        used += (size_t)snprintf(out + used, cap - used, ", %zu frequenc%s", n_frequencies,
                                 n_frequencies == 1 ? "y" : "ies");
    if (options->has_embedding_scale || embedding_scale != 1)
        used += (size_t)snprintf(out + used, cap - used, ", W1 %g", embedding_scale);
    if (strcmp(scheme, "none") != 0 && (options->has_position_scale || position_scale != 1))
        used += (size_t)snprintf(out + used, cap - used, ", W2 %g", position_scale);
    if (used > 0) {
        memcpy(out, " (", 2); /* in place of ", " */
        snprintf(out + used, cap - used, ")");
    }
}

static void settle_positions(struct encoder *encoder, const struct position_options *options)
{
    double embedding_scale = options->embedding_scale_is_sqrt ? sqrt((double)encoder->info.width)
                             : options->has_embedding_scale
                                 ? options->embedding_scale
                                 : config_number(encoder, "embedding_scale", 1);
    double position_scale = options->has_position_scale
                                ? options->position_scale
                                : config_number(encoder, "position_scale", 1);
    encoder->position = options->position == ENGINE_POSITION_MODEL
                            ? encoder->info.position
                            : position_name(options->position);
    encoder->has_positions = strcmp(encoder->position, "none") != 0 && position_scale != 0;
    describe_positions(encoder, options, embedding_scale, position_scale);
}

static void settle(struct encoder *encoder, const struct request_options *options)
{
    const engine_info *info = &encoder->info;
    engine_encode_options *encode = &encoder->options;

    encoder->task = options->task;
    settle_positions(encoder, &options->positions);
    encoder->mask = options->mask == ENGINE_MASK_FULL     ? "full"
                    : options->mask == ENGINE_MASK_CAUSAL ? "causal"
                                                          : info->mask;
    settle_pooling(encoder, options);
    settle_head(encoder);
    encoder->is_chunked = options->is_chunked;
    encoder->stride = options->stride;
    encoder->top = options->top ? options->top : DEFAULT_TOP;
    if (encoder->task == TASK_FILL && encoder->top > info->n_vocabulary)
        encoder->top = info->n_vocabulary;
    encoder->token_limit = token_limit(encoder, options);
    padding_settle(&encoder->padding, encoder->model, options, task_is_tokens(encoder->task));
    encode->struct_bytes = sizeof *encode;
    encode->normalize = options->normalize;
    encode->no_special = options->no_special;
    encode->on_long = options->on_long;
    encode->max_tokens = encoder->token_limit;
    encode->truncation = options->truncation;
    encode->truncate_left = options->truncate_left;
    encode->raw_scores = options->raw_scores;
}

/* ---- Session ---- */

static bool open_session(struct encoder *encoder, const struct request_options *options)
{
    engine_session_options session = {.struct_bytes = sizeof session};
    engine_error error = {0};
    bool is_computed = !task_is_tokens(encoder->task);

    session.n_threads = options->n_threads;
    session.max_tokens = is_computed ? options->max_tokens : 1; /* tokens alone need no rows */
    struct position_options positions = options->positions;
    session.position = ENGINE_POSITION_NONE;
    if (is_computed)
        position_options_apply(&positions, encoder->info.width, &session);
    session.mask = options->mask;
    engine_status status = engine_session_new(encoder->model, &session, &encoder->session, &error);
    if (status != ENGINE_OK) {
        program_fail("%s%s", error.message, position_next_step(session.position, status));
        return false;
    }
    /* Without inputs: whether the model has the pooling that is asked for. */
    if (is_computed && encoder->is_pooled &&
        engine_encode(encoder->session, NULL, 0, &encoder->options, NULL, 0, NULL, NULL) !=
            ENGINE_OK) {
        program_fail("-p %s: %s; the head of %s is %s", encoder->pooling,
                     engine_session_message(encoder->session), encoder->name,
                     head_use(encoder->info.head));
        return false;
    }
    return true;
}

bool encoder_open(struct encoder *encoder, const struct request_options *options, int *exit_code)
{
    *encoder = (struct encoder){0};
    *exit_code = PROGRAM_FAILED;
    if (!open_model(encoder, options->model_path))
        return false;
    settle(encoder, options);
    if (!check_head(encoder))
        return false;
    const char *conflict = model_conflict(encoder, options);
    if (conflict) {
        *exit_code = program_misuse("%s", conflict);
        return false;
    }
    return prompt_resolve(encoder->model, options, encoder->ranks_pairs, &encoder->prompt,
                          &encoder->query_prompt, exit_code) &&
           open_session(encoder, options);
}

void encoder_close(struct encoder *encoder)
{
    engine_session_free(encoder->session);
    engine_model_close(encoder->model);
    free(encoder->inputs);
    free(encoder->ids);
    free(encoder->masks);
    free(encoder->rows);
    *encoder = (struct encoder){0};
}
