/* encoder.c - tokenizing and encoding with the public API; see encoder.h.
 *
 * A text is tokenized once, for its spans; its vectors are made from the ids, which the engine
 * takes as they are.
 */
#include "tools/encoder.h"

#include "tools/default_weights.h"
#include "tools/options.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The message is the item's name and what the format makes. */
static bool fail(struct encoder *encoder, const struct item *item, const char *format, ...)
    PROGRAM_PRINTF(3, 4);

static bool fail(struct encoder *encoder, const struct item *item, const char *format, ...)
{
    va_list arguments;
    size_t len = strlen(item_name(item, encoder->message));
    va_start(arguments, format);
    vsnprintf(encoder->message + len, sizeof encoder->message - len, format, arguments);
    va_end(arguments);
    return false;
}

/* ---- Opening ---- */

static const char *file_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}

static int32_t find_unknown(const engine_model *model)
{
    const char *key, *value;
    for (size_t i = 0;
         engine_model_setting(model, ENGINE_SETTINGS_TOKENIZER, i, &key, &value, NULL) == ENGINE_OK;
         i++)
        if (strcmp(key, "unknown") == 0)
            return (int32_t)strtol(value, NULL, 10);
    return -1;
}

static bool open_model(struct encoder *encoder, const char *named)
{
    const char *path = named;
    engine_error error = {0};

    if (!path) {
        if (!default_weights_path(encoder->default_path, sizeof encoder->default_path))
            return false;
        path = encoder->default_path;
    }
    if (engine_model_open(path, NULL, &encoder->model, &error) != ENGINE_OK) {
        program_fail("%s", error.message);
        return false;
    }
    encoder->info.struct_bytes = sizeof encoder->info;
    engine_model_info(encoder->model, &encoder->info);
    encoder->unknown = find_unknown(encoder->model);
    encoder->name = encoder->info.name[0] ? encoder->info.name : file_name(path);
    return true;
}

static void settle(struct encoder *encoder, const struct encode_options *options)
{
    static const char *const pooling_names[] = {NULL, "none", "mean", "cls", "max"};
    const engine_info *info = &encoder->info;
    engine_encode_options *encode = &encoder->options;

    encoder->position = options->position == ENGINE_POSITION_NONE         ? "none"
                        : options->position == ENGINE_POSITION_SINUSOIDAL ? "sinusoidal"
                                                                          : info->position;
    encoder->mask = options->mask == ENGINE_MASK_FULL     ? "full"
                    : options->mask == ENGINE_MASK_CAUSAL ? "causal"
                                                          : info->mask;
    encoder->pooling =
        options->pooling == ENGINE_POOLING_MODEL ? info->pooling : pooling_names[options->pooling];
    encoder->is_pooled = strcmp(encoder->pooling, "none") != 0;
    encoder->width = options->tokens_only ? 0 : info->width;
    encoder->token_limit = options->max_tokens    ? options->max_tokens
                           : options->tokens_only ? 0
                                                  : info->max_tokens;
    encode->struct_bytes = sizeof *encode;
    encode->pooling = encoder->is_pooled ? options->pooling : ENGINE_POOLING_NONE;
    encode->normalize = options->normalize;
    encode->no_special = options->no_special;
    encode->on_long = options->on_long;
    encode->max_tokens = encoder->token_limit;
}

/* What the options ask of this model and it cannot do; NULL: nothing. */
static const char *model_conflict(struct encoder *encoder, const struct encode_options *options)
{
    size_t most = encoder->info.max_tokens;
    if (options->normalize && !encoder->is_pooled)
        return "this model has no pooling of its own: --normalize goes with -p mean, cls or max";
    if (!encoder->width || options->max_tokens <= most)
        return NULL;
    snprintf(encoder->message, sizeof encoder->message,
             "--max-tokens %zu is more than this model takes: %zu token%s", options->max_tokens,
             most, plural(most));
    return encoder->message;
}

bool encoder_open(struct encoder *encoder, const struct encode_options *options, int *exit_code)
{
    engine_session_options session = {.struct_bytes = sizeof session};
    engine_error error = {0};

    *encoder = (struct encoder){0};
    *exit_code = PROGRAM_FAILED;
    if (!open_model(encoder, options->model_path))
        return false;
    settle(encoder, options);
    const char *conflict = model_conflict(encoder, options);
    if (conflict) {
        *exit_code = program_misuse("%s", conflict);
        return false;
    }
    session.n_threads = options->n_threads;
    session.max_tokens = encoder->width ? encoder->token_limit : 0;
    session.position = options->position;
    session.mask = options->mask;
    if (engine_session_new(encoder->model, &session, &encoder->session, &error) != ENGINE_OK) {
        program_fail("%s", error.message);
        return false;
    }
    return true;
}

void encoder_close(struct encoder *encoder)
{
    engine_session_free(encoder->session);
    engine_model_close(encoder->model);
    free(encoder->inputs);
    free(encoder->ids);
    free(encoder->vectors);
    *encoder = (struct encoder){0};
}

/* ---- Tokens ---- */

/* Room for at least n >= 1 elements; what was in it is lost. NULL, and nothing kept, on failure. */
static void *make_room(void *data, size_t *cap, size_t n, size_t element_bytes)
{
    if (n <= *cap)
        return data;
    free(data);
    data = n <= SIZE_MAX / element_bytes ? malloc(n * element_bytes) : NULL;
    *cap = data ? n : 0;
    return data;
}

static bool fail_memory(struct encoder *encoder, const struct item *item)
{
    return fail(encoder, item, ": not enough memory");
}

/* The engine counts the inputs of one call, the user all texts: "input 0" becomes "text 7" or
 * "line 7 of stdin". */
static bool fail_in_engine(struct encoder *encoder, const struct item *item)
{
    static const char first[] = "input 0";
    const char *message = engine_session_message(encoder->session);
    if (strncmp(message, first, sizeof first - 1) == 0)
        return fail(encoder, item, "%s", message + sizeof first - 1);
    return fail(encoder, item, ": %s", message);
}

/* Says how long the text is and what would help; where cutting would not, the engine knows why. */
static bool fail_too_long(struct encoder *encoder, const struct item *item)
{
    engine_encode_options options = encoder->options;
    bool may_raise = !encoder->width || encoder->token_limit < encoder->info.max_tokens;
    size_t n_tokens = 0;

    options.on_long = ENGINE_ON_LONG_TRUNCATE;
    if (engine_tokenize(encoder->session, &item->record.input, &options, NULL, 0, NULL, NULL) ==
        ENGINE_ERROR_LENGTH)
        return fail_in_engine(encoder, item);
    options.max_tokens = 0;
    engine_tokenize(encoder->session, &item->record.input, &options, NULL, 0, &n_tokens, NULL);
    return fail(encoder, item,
                " has %zu token%s and the limit is %zu: --on-long truncate cuts it%s", n_tokens,
                plural(n_tokens), encoder->token_limit,
                may_raise ? ", a larger --max-tokens takes more" : "");
}

static bool tokenize_text(struct encoder *encoder, struct item *item)
{
    const engine_input *input = &item->record.input;
    size_t text_bytes = input->text_len + input->pair_len;
    size_t guess = text_bytes < 1024 ? text_bytes + 32 : 1024 + text_bytes / 4;
    size_t cap = 0;
    engine_result result = {0};
    engine_status status;

    if (encoder->token_limit && guess > encoder->token_limit)
        guess = encoder->token_limit;
    do {
        item->tokens = make_room(item->tokens, &cap, guess, sizeof *item->tokens);
        if (!item->tokens)
            return fail_memory(encoder, item);
        status = engine_tokenize(encoder->session, input, &encoder->options, item->tokens, cap,
                                 &guess, &result);
    } while (status == ENGINE_ERROR_BUFFER && guess > cap);
    if (status == ENGINE_ERROR_LENGTH)
        return fail_too_long(encoder, item);
    if (status != ENGINE_OK)
        return fail_in_engine(encoder, item);
    item->n_tokens = result.n_tokens;
    item->n_dropped = result.n_dropped;
    return true;
}

/* Padding may hold any number; a model without a type table takes any type. */
static bool check_number(struct encoder *encoder, const struct item *item, const char *key,
                         size_t i, int32_t number, size_t n_allowed)
{
    if (n_allowed == 0 || item_is_masked(item, i) || (size_t)number < n_allowed)
        return true;
    return fail(encoder, item, ": \"%s\"[%zu] is %d, and this model's %s end at %zu", key, i,
                (int)number, key, n_allowed - 1);
}

/* Ids are their own tokens; they have no spans. */
static bool take_ids(struct encoder *encoder, struct item *item)
{
    const engine_input *input = &item->record.input;
    const engine_info *info = &encoder->info;
    size_t n = input->n_ids;

    item->tokens = calloc(n ? n : 1, sizeof *item->tokens);
    if (!item->tokens)
        return fail_memory(encoder, item);
    for (size_t i = 0; i < n; i++) {
        engine_token *token = &item->tokens[i];
        token->id = input->ids[i];
        token->type = input->types ? input->types[i] : 0;
        if (!check_number(encoder, item, "ids", i, token->id, info->n_vocabulary) ||
            !check_number(encoder, item, "types", i, token->type, info->n_types))
            return false;
    }
    item->n_tokens = n;
    return true;
}

bool encoder_tokenize(struct encoder *encoder, struct item *item)
{
    return item->record.input.ids ? take_ids(encoder, item) : tokenize_text(encoder, item);
}

/* ---- Vectors ---- */

static size_t count_rows(const struct encoder *encoder, const struct item *items, size_t n)
{
    size_t n_rows = 0;
    for (size_t i = 0; i < n; i++)
        n_rows += encoder->is_pooled ? 1 : items[i].n_tokens;
    return n_rows;
}

/* The ids and types of all texts behind one another, and the inputs that point at them. */
static bool gather_inputs(struct encoder *encoder, const struct item *items, size_t n)
{
    size_t n_ids = 0;
    for (size_t i = 0; i < n; i++)
        n_ids += items[i].n_tokens;
    encoder->inputs = make_room(encoder->inputs, &encoder->inputs_cap, n, sizeof *encoder->inputs);
    encoder->ids = make_room(encoder->ids, &encoder->ids_cap, 2 * n_ids + 1, sizeof *encoder->ids);
    if (!encoder->inputs || !encoder->ids)
        return false;

    int32_t *next = encoder->ids;
    for (size_t i = 0; i < n; i++) {
        size_t n_tokens = items[i].n_tokens;
        int32_t *ids = next, *types = next + n_tokens;
        for (size_t t = 0; t < n_tokens; t++) {
            ids[t] = items[i].tokens[t].id;
            types[t] = items[i].tokens[t].type;
        }
        next += 2 * n_tokens;
        encoder->inputs[i] = items[i].record.input;
        if (!items[i].record.input.ids)
            encoder->inputs[i] = (engine_input){
                .ids = ids, .types = encoder->info.n_types ? types : NULL, .n_ids = n_tokens};
    }
    return true;
}

bool encoder_encode(struct encoder *encoder, struct item *items, size_t n)
{
    size_t width = encoder->width;
    size_t n_rows = count_rows(encoder, items, n);
    size_t needed = 0;

    if (n == 0)
        return true;
    if (!gather_inputs(encoder, items, n) || n_rows >= SIZE_MAX / width)
        return fail_memory(encoder, items);
    encoder->vectors = make_room(encoder->vectors, &encoder->vectors_cap, n_rows * width + 1,
                                 sizeof *encoder->vectors);
    if (!encoder->vectors)
        return fail_memory(encoder, items);
    if (engine_encode(encoder->session, encoder->inputs, n, &encoder->options, encoder->vectors,
                      n_rows * width, &needed, NULL) != ENGINE_OK)
        return fail_in_engine(encoder, items);

    const float *next = encoder->vectors;
    for (size_t i = 0; i < n; i++) {
        items[i].vectors = next;
        next += (encoder->is_pooled ? 1 : items[i].n_tokens) * width;
    }
    return true;
}

const char *encoder_token_text(const struct encoder *encoder, const struct item *item, size_t i,
                               size_t *len)
{
    const char *text = NULL;
    if (engine_token_text(encoder->model, item->tokens[i].id, &text, len) == ENGINE_OK)
        return text;
    return item_span_text(item, i, len);
}

const char *encoder_unknown_word(const struct encoder *encoder, const struct item *item, size_t i,
                                 size_t *len)
{
    size_t token_len;
    const char *token = encoder_token_text(encoder, item, i, &token_len);
    const char *word = item_span_text(item, i, len);
    bool is_unknown = item->tokens[i].id == encoder->unknown && *len > 0;
    bool is_its_own = *len == token_len && memcmp(word, token, token_len) == 0;
    return is_unknown && !is_its_own ? word : NULL;
}
