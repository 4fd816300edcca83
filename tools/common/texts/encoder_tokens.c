/* encoder_tokens.c - an input's tokens, and what they are called; see encoder.h. */
#include "tools/common/texts/encoder.h"

#include <stdlib.h>
#include <string.h>

/* Says how long the text is and what would help; where cutting would not, the engine knows why. */
static bool fail_too_long(struct encoder *encoder, const struct item *item)
{
    engine_encode_options options = encoder->options;
    bool may_raise = task_is_tokens(encoder->request.task) ||
                     encoder->options.max_tokens < encoder->info.max_tokens;
    bool may_chunk = encoder->request.task < TASK_RANK && encoder->request.task != TASK_SHOW_MASK;
    bool by_padding = encoder->options.max_tokens == encoder->padding.n;
    size_t n_tokens = 0;

    options.on_long = ENGINE_ON_LONG_TRUNCATE;
    if (engine_tokenize(encoder->session, &item->record.input, &options, NULL, 0, NULL, NULL) ==
        ENGINE_ERROR_LENGTH)
        return encoder_fail_in_engine(encoder, item);
    options.max_tokens = 0;
    engine_tokenize(encoder->session, &item->record.input, &options, NULL, 0, &n_tokens, NULL);
    return encoder_fail(encoder, item,
                        " has %zu token%s and the limit is %zu: --on-long truncate cuts it%s%s",
                        n_tokens, plural(n_tokens), encoder->options.max_tokens,
                        may_chunk ? ", --on-long chunk makes windows of it" : "",
                        !may_raise   ? ""
                        : by_padding ? ", a larger --pad-to takes more"
                                     : ", a larger --max-tokens takes more");
}

static bool of_length(struct encoder *encoder, bool is_good)
{
    if (!is_good)
        encoder->fault = FAULT_OF_LENGTH;
    return is_good;
}

/* As the library marks the words of a prompt that it puts before a text. */
static void mark_prompt(struct item *item)
{
    for (size_t i = 0; i < item->n_tokens; i++) {
        engine_token *token = &item->tokens[i];
        token->in_prompt = !token->special && !token->in_pair && token->end <= item->prompt_len;
    }
}

static bool tokenize_text(struct encoder *encoder, struct item *item)
{
    const engine_input *input = &item->record.input;
    engine_encode_options options = encoder->options;
    size_t text_bytes = input->text_len + input->pair_len;
    size_t guess = text_bytes < 1024 ? text_bytes + 32 : 1024 + text_bytes / 4;
    size_t cap = 0;
    engine_result result = {0};
    engine_status status;

    if (encoder->request.is_chunked) /* windows are cut from all tokens */
        options.max_tokens = 0;
    else if (encoder->options.max_tokens && guess > encoder->options.max_tokens)
        guess = encoder->options.max_tokens;
    do {
        item->tokens = alloc_resize(item->tokens, cap = guess, sizeof *item->tokens);
        status =
            engine_tokenize(encoder->session, input, &options, item->tokens, cap, &guess, &result);
    } while (status == ENGINE_ERROR_BUFFER && guess > cap);
    if (status == ENGINE_ERROR_LENGTH)
        return of_length(encoder, fail_too_long(encoder, item));
    if (status != ENGINE_OK) {
        encoder_fail_in_engine(encoder, item);
        encoder->fault = status == ENGINE_ERROR_TEXT ? FAULT_OF_TEXT : FAULT_OF_ALL;
        return false;
    }
    item->n_tokens = result.n_tokens;
    item->n_dropped = result.n_dropped;
    mark_prompt(item);
    return true;
}

/* Padding may hold any number; a model without a type table takes any type. */
static bool check_number(struct encoder *encoder, const struct item *item, const char *key,
                         size_t i, int32_t number, size_t n_allowed)
{
    if (n_allowed == 0 || item_is_masked(item, i) || (size_t)number < n_allowed)
        return true;
    return encoder_fail(encoder, item, ": \"%s\"[%zu] is %d, and this model's %s end at %zu", key,
                        i, (int)number, key, n_allowed - 1);
}

/* The limit is that of the session, not the model's for texts; padding at the ends is free. */
static bool check_n_ids(struct encoder *encoder, const struct item *item)
{
    const size_t asked = encoder->request.max_tokens, most = encoder->info.max_tokens;
    const size_t limit = asked || task_is_tokens(encoder->request.task) ? asked : most;
    size_t begin = 0, end = item->n_tokens;
    while (end > begin && item_is_masked(item, end - 1))
        end--;
    while (begin < end && item_is_masked(item, begin))
        begin++;
    return limit == 0 || end - begin <= limit ||
           encoder_fail(encoder, item,
                        " has %zu ids and the limit is %zu; ids are taken as they are, not cut and "
                        "not in windows%s",
                        end - begin, limit,
                        limit < most ? ": a larger --max-tokens takes more" : "");
}

/* Ids are their own tokens; they have no spans. */
static bool take_ids(struct encoder *encoder, struct item *item)
{
    const engine_input *input = &item->record.input;
    const engine_info *info = &encoder->info;
    size_t n = input->n_ids;

    if (encoder->request.task == TASK_ENTITIES)
        return encoder_fail(encoder, item, ": --entities takes texts; ids have no places in one");
    item->tokens = alloc_zeros(n, sizeof *item->tokens);
    item->n_tokens = n;
    padding_find(&encoder->padding, item);
    for (size_t i = 0; i < n; i++) {
        engine_token *token = &item->tokens[i];
        token->id = input->ids[i];
        token->type = input->types ? input->types[i] : 0;
        if (!check_number(encoder, item, "ids", i, token->id, info->n_vocabulary) ||
            !check_number(encoder, item, "types", i, token->type, info->n_types))
            return false;
    }
    return of_length(encoder, check_n_ids(encoder, item));
}

bool encoder_tokenize(struct encoder *encoder, struct item *item)
{
    item_takes_memory(item);
    return item->record.input.ids ? take_ids(encoder, item) : tokenize_text(encoder, item);
}

bool encoder_pad(struct encoder *encoder, struct item *item)
{
    size_t most = encoder->padding.n;
    if (most && item->n_tokens > most)
        return of_length(
            encoder,
            encoder_fail(encoder, item, " has %zu %s and --pad-to is %zu%s", item->n_tokens,
                         item->record.input.ids ? "ids" : "tokens", most,
                         item->record.input.ids ? "; ids are taken as they are, not cut" : ""));
    padding_apply(&encoder->padding, item);
    return true;
}

/* ---- What tokens are called ---- */

const char *encoder_id_text(const struct encoder *encoder, int32_t id, size_t *len)
{
    const char *text = NULL;
    if (engine_token_text(encoder->model, id, &text, len) == ENGINE_OK)
        return text;
    *len = 0;
    return "";
}

const char *encoder_token_text(const struct encoder *encoder, const struct item *item, size_t i,
                               size_t *len)
{
    const char *text = encoder_id_text(encoder, item->tokens[i].id, len);
    return *len ? text : item_span_text(item, i, len);
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

const char *encoder_bytes_text(const struct encoder *encoder, const struct item *item, size_t i,
                               size_t *len)
{
    static const char blank[] = "Ġ"; /* U+0120, the byte 32 */
    size_t token_len;
    const char *token = encoder_token_text(encoder, item, i, &token_len);
    const char *text = item_span_text(item, i, len), *end = text + *len;
    bool is_own = *len == token_len && memcmp(text, token, token_len) == 0;
    bool is_seen = true;
    for (size_t at = 0; at < token_len;) {
        bool is_blank = token_len - at >= 2 && memcmp(token + at, blank, 2) == 0;
        is_seen = is_seen && (is_blank || (unsigned char)token[at] < 0x80);
        at += is_blank ? 2 : 1;
    }
    while (text < end && *text == ' ')
        text++;
    *len = (size_t)(end - text);
    return encoder->is_bytes && !is_own && !is_seen && *len > 0 ? text : NULL;
}

/* ---- Windows ---- */

engine_window *encoder_windows(struct encoder *encoder, struct item *item, size_t *n)
{
    engine_window *windows = NULL;
    engine_status status;
    size_t cap;
    *n = 1;
    do {
        windows = alloc_resize(windows, cap = *n, sizeof *windows);
        status = engine_windows(encoder->session, item->tokens, item->n_tokens, &encoder->options,
                                windows, cap, n);
    } while (status == ENGINE_ERROR_BUFFER && *n > cap);
    if (status == ENGINE_OK)
        return windows;
    encoder_fail_in_engine(encoder, item);
    free(windows);
    return NULL;
}
