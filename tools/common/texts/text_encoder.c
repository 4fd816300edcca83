/* text_encoder.c - from the command line and the weight file to what is in force: the model is
 * opened, asked whether it can do what the options want, and given a session; then what it says of
 * itself. */
#include "tools/common/texts/text_encoder.h"

#include "tools/common/options.h"
#include "tools/common/output.h"
#include "tools/common/print/display.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEFAULT_TOP = 5 };

/* ---- What is in force ---- */

/* The id of a token, or -1; it is the first one in most vocabularies. */
static int32_t find_token(const engine_model *model, const char *wanted)
{
    const size_t wanted_len = strlen(wanted);
    engine_info info = ENGINE_INFO();
    engine_model_info(model, &info, NULL);
    for (size_t id = 0; id < info.n_vocabulary; id++) {
        const char *text;
        size_t len;
        if (engine_token_text(model, (int32_t)id, &text, &len) == ENGINE_OK && len == wanted_len &&
            memcmp(text, wanted, len) == 0)
            return (int32_t)id;
    }
    return -1;
}

/* Chooses the id, if the user names none: that of [PAD], else of <pad>, else 0, which Keras keeps
 * for padding. For tokens alone prints a note if 0 is the id of a word. */
static void choose_padding(struct padding *padding, const engine_model *model,
                           const struct request_options *request)
{
    const bool is_used = request->padding.n || request->task == TASK_SHOW_MASK;
    int32_t named = find_token(model, "[PAD]");
    if (named < 0)
        named = find_token(model, "<pad>");
    const char *word;
    size_t len;
    const bool is_0_a_word = engine_token_text(model, 0, &word, &len) == ENGINE_OK && len > 0;
    padding->id = named < 0 ? 0 : named;
    if (request->input == INPUT_JSONL && (named >= 0 || !is_0_a_word))
        padding->likely = padding->id;
    if (task_is_tokens(request->task) && is_used && named < 0 && is_0_a_word)
        program_note("this vocabulary has neither [PAD] nor <pad>: padding has the id 0, which is "
                     "also that of \"%.*s\"; --pad-id takes another",
                     (int)(len < 64 ? len : 64), word);
}

/* --pad-to limits the length of texts, too. For tokens alone the model's limit does not hold,
 * unless --on-long is given without --pad-to. */
static void resolve_options(struct text_encoder *encoder)
{
    const struct request_options *request = &encoder->request;
    const engine_info *info = &encoder->info;
    const engine_position position = request->positions.position;
    const engine_mask mask = request->session.mask;
    const bool is_free =
        task_is_tokens(request->task) &&
        (request->encode.on_long == ENGINE_ON_LONG_MODEL || request->padding.n > 0);
    size_t limit = is_free ? 0 : info->max_text_tokens;
    if (request->padding.n && (limit == 0 || request->padding.n < limit))
        limit = request->padding.n;

    encoder->options = request->encode;
    encoder->options.max_tokens = request->encode.max_tokens ? request->encode.max_tokens : limit;
    encoder->options.prompt = encoder->options.query_prompt = ""; /* texts have theirs already */
    encoder->options.prompt_text = NULL;
    encoder->options.role = request->encode.prompt && strcmp(request->encode.prompt, "query") == 0
                                ? ENGINE_ROLE_QUERY
                                : ENGINE_ROLE_TEXT;
    encoder->mask = mask == ENGINE_MASK_MODEL ? info->mask : mask;
    encoder->position = position == ENGINE_POSITION_MODEL ? info->position : position;
    encoder->numbers = position_numbers(&request->positions, encoder->model, info->width);
    const char *in_attention =
        model_setting(encoder->model, ENGINE_SETTINGS_CONFIG, "attention_position");
    encoder->attention_position =
        in_attention != NULL && strcmp(in_attention, "none") != 0 ? in_attention : NULL;
    encoder->window = (size_t)model_number(encoder->model, "window", 0);
    const char *unknown = model_setting(encoder->model, ENGINE_SETTINGS_TOKENIZER, "unknown");
    encoder->unknown = unknown ? (int32_t)strtol(unknown, NULL, 10) : -1;
    const char *bytes = model_setting(encoder->model, ENGINE_SETTINGS_TOKENIZER, "byte_level");
    encoder->is_bytes = bytes != NULL && strcmp(bytes, "yes") == 0;
    const char *pools = model_setting(encoder->model, ENGINE_SETTINGS_CONFIG, "pools_prompt");
    encoder->skips_prompt = pools != NULL && strcmp(pools, "no") == 0;
    encoder->padding = request->padding;
    encoder->padding.likely = -1;
    if (!encoder->padding.is_named &&
        (request->padding.n || request->task == TASK_SHOW_MASK || request->input == INPUT_JSONL))
        choose_padding(&encoder->padding, encoder->model, request);
}

/* ---- What the model cannot do ---- */

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

static void check_head(const struct text_encoder *encoder)
{
    engine_error error;
    if (encoder->request.labels_of &&
        engine_zero_shot(encoder->model, NULL, 0, 0, NULL, &error) != ENGINE_OK)
        program_die("--labels-of: '%s': %s", encoder->info.path, error.message);
    const engine_info *info = &encoder->info;
    const enum task task = encoder->request.task;
    const bool is_token = info->head == ENGINE_HEAD_TOKEN;
    const char *missing = NULL;
    if (task == TASK_LABELS && info->head != ENGINE_HEAD_SEQUENCE && !is_token)
        missing = "head sequence or token";
    if (task == TASK_ENTITIES && !is_token)
        missing = "head token";
    if (task == TASK_FILL && info->head != ENGINE_HEAD_MASK)
        missing = "head mask";
    if (!info->has_model && !task_is_tokens(task))
        program_die("'%s' holds a tokenizer alone: --tokens and -f ids work, %s needs a model",
                    info->path, task == TASK_VECTORS ? "a vector" : task_option(task));
    if (missing)
        program_die("%s needs a model with %s; the head of '%s' is %s", task_option(task), missing,
                    info->path, head_use(info->head));
    if (task == TASK_FILL && info->mask_token < 0)
        program_die("--fill needs a tokenizer with a mask token; that of '%s' names none",
                    info->path);
}

/* Ends the program: the model has no such answer. */
static void refuse_result(const struct text_encoder *encoder, const engine_error *error)
{
    const engine_pooling pooling = encoder->options.pooling;
    const bool is_pooler = pooling == ENGINE_POOLING_POOLER;
    if (pooling == ENGINE_POOLING_MODEL || pooling == ENGINE_POOLING_TEXT)
        program_die("'%s': %s; %s-p mean is the mean of its last hidden states", encoder->info.path,
                    error->message,
                    strcmp(program_name(), "encode") == 0 ? "--labels prints its answer, " : "");
    program_die("-p %s: %s%s%s%s%s", engine_pooling_name(pooling), error->message,
                is_pooler ? "; the head of '" : "", is_pooler ? encoder->info.path : "",
                is_pooler ? "' is " : "", is_pooler ? head_use(encoder->info.head) : "");
}

/* Returns the pooling of a result that has rows: what its task needs, else what is asked for. */
static engine_pooling choose_pooling(const struct text_encoder *encoder)
{
    const struct request_options *request = &encoder->request;
    const enum task task = request->task;
    const bool compares = task == TASK_RANK || task == TASK_SIMILARITY;
    const bool is_chosen = request->has_pooling || request->encode.pooling != ENGINE_POOLING_NONE;
    if (task == TASK_LABELS || encoder->ranks_pairs)
        return ENGINE_POOLING_LABELS;
    if (is_chosen ? request->encode.pooling != ENGINE_POOLING_MODEL : !compares)
        return request->encode.pooling;
    const bool needs_one = compares || request->has_spans; /* also of a model without a pooling */
    return task == TASK_SIMILARITY || (needs_one && encoder->info.pooling == ENGINE_POOLING_NONE)
               ? ENGINE_POOLING_TEXT
               : ENGINE_POOLING_MODEL;
}

/* Asks the engine what a result is: a row of numbers, or of labels. The lists of heads, and tokens,
 * have no rows. */
static void resolve_result(struct text_encoder *encoder)
{
    const engine_info *info = &encoder->info;
    const struct request_options *request = &encoder->request;
    const enum task task = request->task;
    const bool has_rows = !task_is_tokens(task) && task != TASK_ENTITIES && task != TASK_FILL;
    engine_error error;

    encoder->ranks_pairs = task == TASK_RANK && info->ranks_pairs;
    encoder->options.pooling = has_rows ? choose_pooling(encoder) : ENGINE_POOLING_NONE;
    encoder->shape = ENGINE_SHAPE(.per_token = 1);
    engine_encode_options uncut = encoder->options;
    uncut.dimensions = 0, uncut.normalize = 0; /* check_request has more to say of them */
    if (has_rows && engine_shape_of(encoder->model, &uncut, &encoder->shape, &error) != ENGINE_OK)
        refuse_result(encoder, &error);
    encoder->is_pooled = !encoder->shape.per_token;
    encoder->is_sparse = encoder->shape.pooling == ENGINE_POOLING_SPARSE;
    encoder->width = encoder->options.dimensions && has_rows ? encoder->options.dimensions
                                                             : encoder->shape.width;
    encoder->top = request->top ? request->top : DEFAULT_TOP;
    if (task == TASK_FILL && encoder->top > info->n_vocabulary)
        encoder->top = info->n_vocabulary;
}

static char *make_hypothesis(const char *form, const char *label)
{
    engine_error error;
    size_t n = 0;
    if (engine_hypothesis(form, label, NULL, 0, &n, &error) != ENGINE_ERROR_BUFFER)
        program_die_misused("--template: %s", error.message);
    char *hypothesis = alloc_zeros(n, 1);
    engine_hypothesis(form, label, hypothesis, n, NULL, &error);
    return hypothesis;
}

/* Reads the labels of --labels-of, without the blanks around them; empty ones are no labels. */
static void read_labels(struct text_encoder *encoder)
{
    const struct request_options *request = &encoder->request;
    size_t n = 0;
    encoder->labels = alloc_zeros(strlen(request->labels_of) + 1, sizeof *encoder->labels);
    encoder->hypotheses = alloc_zeros(strlen(request->labels_of) + 1, sizeof *encoder->labels);
    for (const char *text = request->labels_of, *end; *text; text = end + (*end == ',')) {
        end = text + strcspn(text, ",");
        text += strspn(text, " ");
        size_t len = (size_t)(end - text);
        while (len > 0 && text[len - 1] == ' ')
            len--;
        if (len == 0)
            continue;
        encoder->labels[n] = alloc_text("%.*s", (int)len, text);
        encoder->hypotheses[n] = make_hypothesis(request->hypothesis, encoder->labels[n]);
        n++;
    }
    if (n == 0)
        program_die_misused("--labels-of names no label; expected some with commas between them");
    encoder->labels[n] = NULL;
    encoder->width = n;
}

/* What is asked of this model and it cannot do. */
static void check_request(const struct text_encoder *encoder)
{
    const struct request_options *request = &encoder->request;
    const size_t most = encoder->info.max_tokens, asked = request->encode.max_tokens;
    const size_t dimensions = encoder->options.dimensions, whole = encoder->shape.width;
    const char *idle = encoder->info.has_model
                           ? position_options_conflict(&request->positions, encoder->position)
                           : NULL;
    if (request->encode.normalize && encoder->is_sparse)
        program_die_misused("-p sparse: --normalize is for pooled vectors");
    if (request->encode.normalize && !encoder->is_pooled)
        program_die_misused(encoder->shape.pooling == ENGINE_POOLING_COLBERT
                                ? "the vectors of -p colbert have length 1 without --normalize"
                                : "this model has no pooling of its own: --normalize requires "
                                  "-p " ENGINE_TEXT_POOLINGS);
    if (encoder->ranks_pairs && request->has_pooling)
        program_die_misused("this model is a cross-encoder, which reads both texts and makes no "
                            "vectors: it takes no -p");
    if (idle)
        program_die_misused("%s; here they are %s", idle, engine_position_name(encoder->position));
    if (request->task == TASK_RANK && !encoder->ranks_pairs && request->encode.raw_scores)
        program_die_misused("this model ranks by vectors: --raw-scores is for cross-encoders");
    if (dimensions > 0 && encoder->ranks_pairs)
        program_die_misused("this model ranks by its head, which makes no vectors: --rank cannot "
                            "be combined with --dimensions");
    if (dimensions > 0 && (encoder->shape.pooling == ENGINE_POOLING_NONE || encoder->is_sparse))
        program_die_misused("-p %s: --dimensions cuts vectors of texts, and those of -p colbert",
                            engine_pooling_name(encoder->shape.pooling));
    if (dimensions > whole && whole > 0)
        program_die_misused("--dimensions %zu is more than these vectors have: %zu", dimensions,
                            whole);
    if (!task_is_tokens(request->task) && asked > most)
        program_die_misused("--max-tokens %zu is more than this model takes: %zu token%s", asked,
                            most, plural(most));
}

/* ---- Prompts ---- */

/* Finds the prompt of a role. */
static void find_prompt(const struct text_encoder *encoder, engine_role role, struct prompt *prompt)
{
    const struct request_options *request = &encoder->request;
    const bool is_query = role == ENGINE_ROLE_QUERY;
    const char *name = is_query ? request->encode.query_prompt : request->encode.prompt;
    if (name == NULL && request->no_prompt)
        name = "";
    const engine_encode_options asked =
        ENGINE_ENCODE_OPTIONS(.pooling = encoder->options.pooling, .prompt = name, .role = role,
                              .prompt_text = is_query ? NULL : request->encode.prompt_text,
                              .prompt_len = ENGINE_NUL_TERMINATED);
    engine_shape shape = ENGINE_SHAPE();
    engine_error error = {0};
    const engine_status status = engine_shape_of(encoder->model, &asked, &shape, &error);
    *prompt = (struct prompt){shape.prompt, shape.prompt_len};
    if (status == ENGINE_OK ||
        status == ENGINE_ERROR_UNSUPPORTED) /* a tokenizer has prompts, too */
        return;
    if (name)
        program_die_misused("%s: %s%s", is_query ? "--query-prompt" : "--prompt", error.message,
                            is_query ? "" : "; --prompt-text TEXT takes any prompt");
    program_die("%s (--prompt, --prompt-text or --no-prompt)", error.message);
}

/* ---- Opening and closing ---- */

/* Of a window, ids take all tokens; texts leave some to the prompt and to the special tokens. */
static void check_stride(const struct text_encoder *encoder)
{
    const engine_input around = {.text = encoder->prompt.text, .text_len = encoder->prompt.len};
    const size_t limit = encoder->options.max_tokens, stride = encoder->options.stride;
    size_t n = 0;
    if (encoder->request.input != INPUT_JSONL)
        engine_tokenize(encoder->session, &around, &encoder->options, NULL, 0, &n, NULL);
    if (limit > n && stride >= limit - n)
        program_die_misused("--stride %zu: windows have room for %zu token%s, and the stride must "
                            "be smaller",
                            stride, limit - n, plural(limit - n));
}

void encoder_open(struct text_encoder *encoder, const struct request_options *request)
{
    const bool is_rank = request->task == TASK_RANK, is_computed = !task_is_tokens(request->task);
    struct position_options positions = request->positions;
    engine_session_options session = request->session;
    engine_error error = {0};
    *encoder = (struct text_encoder){.request = *request, .info = ENGINE_INFO()};
    if (engine_model_open(request->model_path, &request->model, &encoder->model, &error) !=
        ENGINE_OK)
        model_open_die(request->model_path, &error);
    engine_model_info(encoder->model, &encoder->info, NULL);
    if (encoder->info.is_emulated)
        program_note("these kernels (%s) have no instruction for bf16: --precision bf16 is slower "
                     "here than exact; fast takes the faster of both",
                     encoder->info.isa);
    input_remember(encoder->info.path);
    encoder->name = encoder->info.name[0] ? encoder->info.name : path_name(encoder->info.path);
    resolve_options(encoder);
    check_head(encoder);
    resolve_result(encoder);
    if (request->labels_of)
        read_labels(encoder);
    check_request(encoder);
    find_prompt(encoder, is_rank ? ENGINE_ROLE_DOCUMENT : ENGINE_ROLE_TEXT, &encoder->prompt);
    if (is_rank)
        find_prompt(encoder, ENGINE_ROLE_QUERY, &encoder->query_prompt);
    session.position = ENGINE_POSITION_NONE;
    session.max_tokens = is_computed ? request->encode.max_tokens : 1; /* tokens need no rows */
    if (is_computed)
        position_options_apply(&positions, encoder->info.width, &session);
    const engine_status status =
        engine_session_new(encoder->model, &session, &encoder->session, &error);
    if (status != ENGINE_OK)
        program_die("%s%s", error.message, position_next_step(session.position, status));
    if (request->encode.stride > 0)
        check_stride(encoder);
}

size_t encoder_most_pooled(const struct text_encoder *encoder)
{
    enum { MOST_NUMBERS = 4 << 20 };
    size_t n = encoder->width > 0 ? MOST_NUMBERS / encoder->width : SIZE_MAX;
    return n > 0 ? n : 1;
}

const char *encoder_pooling_asked(const struct text_encoder *encoder)
{
    const bool is_own = encoder->options.pooling == ENGINE_POOLING_MODEL && encoder->is_pooled;
    return is_own && !encoder->is_sparse ? "model" : engine_pooling_name(encoder->shape.pooling);
}

void encoder_close(struct text_encoder *encoder)
{
    engine_session_free(encoder->session);
    engine_model_close(encoder->model);
    for (size_t i = 0; encoder->labels && encoder->labels[i]; i++) {
        free(encoder->labels[i]);
        free(encoder->hypotheses[i]);
    }
    free(encoder->labels);
    free(encoder->hypotheses);
    free(encoder->inputs);
    free(encoder->rows);
    *encoder = (struct text_encoder){0};
}

/* ---- The heading: the model and what is in force ---- */

enum { NAME_COLUMNS = 70 /* of the model */ };

static const char *score_kind(const struct text_encoder *encoder)
{
    static const char *const KINDS[] = {"logits", "softmax", "sigmoid"};
    if (encoder->labels)
        return encoder->request.is_multi ? "zero-shot, each alone" : "zero-shot";
    return KINDS[encoder->options.raw_scores ? ENGINE_SCORES_NONE : encoder->info.scores];
}

/* What is made of a text. */
static void print_result_kind(FILE *stream, const struct text_encoder *encoder)
{
    const engine_info *info = &encoder->info;
    const engine_pooling pooling = encoder->shape.pooling;
    const bool has_length_1 = encoder->options.normalize || encoder->shape.normalized;
    switch (encoder->request.task) {
    case TASK_LABELS:
        fprintf(stream, "%zu label%s per %s (%s)", encoder->width, plural(encoder->width),
                encoder->is_pooled ? "text" : "token", score_kind(encoder));
        break;
    case TASK_ENTITIES:
        fprintf(stream, "%zu label%s per token (%s)", info->n_labels, plural(info->n_labels),
                score_kind(encoder));
        break;
    case TASK_FILL:
        fprintf(stream, "%zu word%s per mask token", encoder->top, plural(encoder->top));
        break;
    case TASK_RANK:
    case TASK_SIMILARITY:
        if (encoder->ranks_pairs)
            fprintf(stream, "scores of pairs (%s)", score_kind(encoder));
        else if (pooling == ENGINE_POOLING_COLBERT)
            fputs("MaxSim of vectors of tokens", stream);
        else
            fprintf(stream, "%s of %s %s", metric_words(encoder->shape.metric),
                    engine_pooling_name(pooling), encoder->is_sparse ? "weights" : "pooling");
        break;
    default:
        if (encoder->is_sparse || pooling == ENGINE_POOLING_COLBERT) {
            fputs(encoder->is_sparse ? "sparse weights" : "vectors of length 1 of tokens", stream);
            break;
        }
        if (!encoder->is_pooled)
            fputs("one vector per token", stream);
        else
            fprintf(stream, "%s pooling%s", engine_pooling_name(pooling),
                    has_length_1 ? " to length 1" : "");
    }
}

/* "learned positions", "rotary positions", or both, and the numbers that they are computed with,
 * as " (base 50, W2 3)": the requested numbers, and the file's numbers that differ from the
 * format's defaults. */
static void print_positions(FILE *stream, const struct text_encoder *encoder)
{
    const engine_position added = encoder->position;
    const char *in_attention = encoder->attention_position;
    const bool are_added = added != ENGINE_POSITION_NONE;
    const struct position_options *asked = &encoder->request.positions;
    const struct position_numbers *numbers = &encoder->numbers;
    const char *before = " (";
    fprintf(stream, "%s%s%s positions", are_added ? engine_position_name(added) : "",
            are_added && in_attention ? " and " : "",
            in_attention ? in_attention
            : are_added  ? ""
                         : "no");
    if ((asked->base != 0 || numbers->base != POSITION_DEFAULT_BASE) &&
        engine_position_has_base(added)) {
        fprintf(stream, "%sbase %g", before, numbers->base);
        before = ", ";
    }
    if (added == ENGINE_POSITION_FOURIER && numbers->n_frequencies > 0) {
        fprintf(stream, "%s%zu frequenc%s", before, numbers->n_frequencies,
                numbers->n_frequencies == 1 ? "y" : "ies");
        before = ", ";
    }
    if (asked->has_embedding_scale || numbers->embedding_scale != 1) {
        fprintf(stream, "%sW1 %g", before, numbers->embedding_scale);
        before = ", ";
    }
    if (are_added && (asked->has_position_scale || numbers->position_scale != 1)) {
        fprintf(stream, "%sW2 %g", before, numbers->position_scale);
        before = ", ";
    }
    fputs(before[0] == ',' ? ")" : "", stream);
}

void print_heading(FILE *stream, const struct text_encoder *encoder)
{
    const engine_info *info = &encoder->info;
    display_text(stream, encoder->name, strlen(encoder->name), NAME_COLUMNS);
    if (info->has_model && info->n_layers == 0)
        fprintf(stream, ": no layers, width %zu, vocabulary %zu\n", info->width,
                info->n_vocabulary);
    else if (info->has_model)
        fprintf(stream, ": %zu layer%s, width %zu, %zu head%s, feed-forward %zu, vocabulary %zu\n",
                info->n_layers, plural(info->n_layers), info->width, info->n_heads,
                plural(info->n_heads), info->feed_forward, info->n_vocabulary);
    else
        fputs(": no model\n", stream);
    if (task_is_tokens(encoder->request.task)) {
        fprintf(stream, "%s tokenizer\n",
                model_setting(encoder->model, ENGINE_SETTINGS_TOKENIZER, "kind"));
        return;
    }
    print_positions(stream, encoder);
    fprintf(stream, ", %s mask, ", engine_mask_name(encoder->mask));
    if (encoder->window > 0)
        fprintf(stream, "window of %zu, ", encoder->window);
    print_result_kind(stream, encoder);
    fprintf(stream, ", at most %zu token%s\n", encoder->options.max_tokens,
            plural(encoder->options.max_tokens));
}

/* ---- What labels and tokens are called ---- */

const char *encoder_label(const struct text_encoder *encoder, size_t label)
{
    static char numbered[32];
    const char *name =
        encoder->labels ? encoder->labels[label] : engine_label(encoder->model, label);
    if (name)
        return name;
    snprintf(numbered, sizeof numbered, "LABEL_%zu", label);
    return numbered;
}

const char *encoder_id_text(const struct text_encoder *encoder, int32_t id, size_t *len)
{
    const char *text = NULL;
    if (engine_token_text(encoder->model, id, &text, len) == ENGINE_OK)
        return text;
    *len = 0;
    return "";
}

const char *encoder_word(const struct text_encoder *encoder, int32_t id,
                         char word[ENCODER_WORD_BYTES], size_t *len)
{
    const engine_tokenizer kind = encoder->info.tokenizer;
    const bool has_blanks = kind == ENGINE_TOKENIZER_UNIGRAM || kind == ENGINE_TOKENIZER_BPE;
    const char *token = encoder_id_text(encoder, id, len);
    size_t n = 0, first = 0;
    if (!has_blanks ||
        engine_decode(encoder->model, &id, 1, 0, word, ENCODER_WORD_BYTES, &n, NULL) != ENGINE_OK)
        return token;
    while (first < n && word[first] == ' ')
        first++;
    if (first == n || !utf8_is_valid(word + first, n - first))
        return token;
    *len = n - first;
    return word + first;
}
