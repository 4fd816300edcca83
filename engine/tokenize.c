/* tokenize.c - text to tokens, and long texts to windows of their tokens. */
#include "engine/request.h"

#include "engine/status.h"
#include "model/tokenizer/tokens.h"

#include <stdlib.h>
#include <string.h>

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

/* Asked while a long text is tokenized. */
static bool is_over(void *user)
{
    engine_session *session = user;
    if (pthread_equal(session->caller, pthread_self()))
        session_report(session);
    return is_interrupted(session);
}

/* Checks an input, and puts its texts after their prompts, in the session's memory if there are
 * prompts. */
static engine_status add_prompts(engine_session *session, const struct request *request,
                                 const engine_input *input, size_t index, struct token_input *texts)
{
    const struct prompt prompt = request->prompt, pair_prompt = request->pair_prompt;
    *texts = (struct token_input){
        .text = input->text != NULL ? input->text : "",
        .text_len = text_bytes(input->text, input->text_len),
        .pair = input->pair,
        .pair_len = text_bytes(input->pair, input->pair_len),
        .is_over = is_over,
        .user = session,
    };
    if ((input->text == NULL && input->text_len > 0) ||
        (input->pair == NULL && input->pair_len > 0))
        return misused_input(&session->error, index, ": its text is NULL, but its length is not 0");
    if (session->model->tokenizer.vocabulary.n == 0)
        return fail_input(&session->error, ENGINE_ERROR_UNSUPPORTED, ENGINE_REASON_NONE, index,
                          " must be given as ids: the weight file has no vocabulary");
    if (input->ids == NULL && input->n_ids > 0)
        return misused_input(&session->error, index, ": ids is NULL, but n_ids is not 0");
    if (input->tokens == NULL && input->n_tokens > 0)
        return misused_input(&session->error, index, ": tokens is NULL, but n_tokens is not 0");
    if (input->ids != NULL || input->tokens != NULL)
        return misused_input(&session->error, index, " has %s: expected a text",
                             input->ids != NULL ? "ids" : "tokens");
    size_t n_bytes = prompt.len + (input->pair != NULL ? pair_prompt.len : 0);
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

/* Fails a text: the tokenizer knows why, or its special tokens alone are too many, or the request
 * does not cut it. */
static engine_status fail_length(engine_session *session, const struct request *request,
                                 size_t index, bool is_pair, const struct token_count *count,
                                 size_t limit)
{
    const struct tokenizer *tokenizer = &session->model->tokenizer;
    const bool may_raise = limit < session->model->encoder.config.max_tokens;
    if (count->wrong != NULL)
        return fail_input(&session->error, ENGINE_ERROR_LENGTH, ENGINE_REASON_NO_ROOM, index,
                          " has %zu tokens, the limit is %zu: %s", count->n, limit, count->wrong);
    if (request->truncate)
        return fail_input(&session->error, ENGINE_ERROR_LENGTH, ENGINE_REASON_NO_ROOM, index,
                          ": its %zu special tokens alone are more than the limit of %zu",
                          (is_pair ? &tokenizer->pair : &tokenizer->single)->n_special, limit);
    return fail_input(&session->error, ENGINE_ERROR_LENGTH, ENGINE_REASON_LONG_TEXT, index,
                      " has %zu tokens, the limit is %zu: set on_long to "
                      "ENGINE_ON_LONG_TRUNCATE to cut it%s",
                      count->n, limit, may_raise ? ", or raise max_tokens" : "");
}

/* Returns how many tokens the model leaves out of its own vectors: as sentence-transformers counts
 * them, those of the prompt alone, without a special token at its end. It writes to
 * session->tokens. */
static size_t count_unpooled(engine_session *session, const struct request *request,
                             const struct token_limit *cut)
{
    const struct tokenizer *tokenizer = &session->model->tokenizer;
    const struct token_input prompt = {.text = request->prompt.text,
                                       .text_len = request->prompt.len,
                                       .is_over = is_over,
                                       .user = session};
    const size_t n = tokenizer_encode(tokenizer, &prompt, request->special, cut, session->tokens,
                                      session->max_tokens, session->token_scratch)
                         .n;
    const bool is_seen = n > 0 && n <= session->max_tokens;
    return n - (is_seen && tokenizer_is_special(tokenizer, session->tokens[n - 1].id));
}

/* Appends special tokens up to n of them in all: padding, for models that were trained with texts
 * of one length, or fillers of a query. */
static void append_tokens(struct token_room room, size_t n, int32_t id, struct token_count *count)
{
    for (; count->n < n; count->n++)
        if (count->n < room.cap)
            room.tokens[count->n] = (engine_token){.id = id, .special = true};
}

/* Changes spans of tokens [n] from offsets in prompt and text to offsets in the text. */
static void prompt_move_spans(const struct request *request, engine_token *tokens, size_t n)
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

engine_status read_tokens(engine_session *session, const struct request *request,
                          const engine_input *input, size_t index, struct token_room room,
                          struct token_count *count)
{
    const struct model_config *config = &session->model->encoder.config;
    const bool is_limited = request->is_query && config->query_tokens > 0;
    const bool is_filled = is_limited && config->query_filler != CONFIG_ABSENT;
    if (is_filled || (is_limited && config->query_tokens < room.limit))
        room.limit = config->query_tokens;
    if (room.tokens == session->tokens && room.limit > room.cap)
        return fail(&session->error, ENGINE_ERROR_LENGTH,
                    "queries have %zu tokens in this model, the session has room for %zu",
                    room.limit, room.cap);
    const struct token_limit cut = {.most = request->truncate ? room.limit : SIZE_MAX,
                                    .truncation = request->options.truncation,
                                    .left = request->options.truncate_left != 0};
    struct token_input texts;
    engine_status status = add_prompts(session, request, input, index, &texts);
    if (status != ENGINE_OK)
        return status;
    const bool leaves_out = request->prompt.len > 0 && !session->model->encoder.config.pools_prompt;
    const size_t n_unpooled = leaves_out ? count_unpooled(session, request, &cut) : 0;
    *count = tokenizer_encode(&session->model->tokenizer, &texts, request->special, &cut,
                              room.tokens, room.cap, session->token_scratch);
    if (count->is_interrupted)
        return fail(&session->error, ENGINE_ERROR_INTERRUPTED, "interrupted");
    if (count->is_exceeded)
        return fail_input(&session->error, ENGINE_ERROR_LENGTH, ENGINE_REASON_NONE, index,
                          ": the tokenizer needs more than %d steps a byte for it: expected a "
                          "weight file of shorter words, added tokens and replacements",
                          METER_STEPS);
    if (count->wrong != NULL || count->n > room.limit)
        return fail_length(session, request, index, texts.pair != NULL, count, room.limit);
    const size_t n = count->n < room.cap ? count->n : room.cap;
    prompt_move_spans(request, room.tokens, n);
    for (size_t i = 0; i < n && i < n_unpooled; i++)
        room.tokens[i].unpooled = 1;
    const size_t padded = (size_t)session->model->tokenizer.padded_tokens;
    if (is_filled)
        append_tokens(room, config->query_tokens, (int32_t)config->query_filler, count);
    else if (request->special && padded > 0)
        append_tokens(room, padded < room.limit ? padded : room.limit,
                      session->model->tokenizer.padding, count);
    return ENGINE_OK;
}

engine_status engine_tokenize(engine_session *session, const engine_input *input,
                              const engine_encode_options *options, engine_token *out, size_t cap,
                              size_t *needed, engine_result *result)
{
    ENDS_WITH(session_end) engine_session *call = session_begin(session);
    if (call == NULL)
        return session_refusal(session);
    struct request request;
    struct token_count count;
    if (input == NULL || (out == NULL && cap > 0))
        return misused(&session->error, "engine_tokenize: input or out is NULL");
    session->n_done = 0;
    session->n_inputs = 1;
    engine_status status =
        request_read(session->model, options, REQUEST_TEXTS, &request, &session->error);
    request.truncate &= request.options.on_long == ENGINE_ON_LONG_TRUNCATE || result != NULL;
    const size_t max_tokens = request.options.max_tokens;
    const struct token_room room = {out, cap, max_tokens > 0 ? max_tokens : SIZE_MAX};
    if (status == ENGINE_OK)
        status = read_tokens(session, &request, input, 0, room, &count);
    if (status != ENGINE_OK)
        return status;
    if (result != NULL)
        *result = (engine_result){.n_tokens = count.n, .n_dropped = count.n_dropped};
    return answer_count(&session->error, "tokens", count.n, cap, needed);
}

engine_status engine_decode(const engine_model *model, const int32_t *ids, size_t n,
                            int skip_special, char *out, size_t cap, size_t *needed,
                            engine_error *error)
{
    size_t len, n_bytes = 0;
    bool is_first = true;
    if (model == NULL || (ids == NULL && n > 0) || (out == NULL && cap > 0))
        return misused(error, "engine_decode: model, ids or out is NULL");
    for (size_t i = 0; i < n; i++, n_bytes += len) {
        if (vocabulary_text(&model->tokenizer.vocabulary, ids[i], &len) == NULL)
            return fail_input(error, ENGINE_ERROR_ARGUMENT, ENGINE_REASON_BAD_ID, i,
                              ": %d is no id of a token", (int)ids[i]);
        bool still = is_first;
        len = tokenizer_decode(&model->tokenizer, ids[i], skip_special != 0, &is_first, NULL);
        if (n_bytes + len <= cap)
            tokenizer_decode(&model->tokenizer, ids[i], skip_special != 0, &still, out + n_bytes);
    }
    return answer_count(error, "bytes", n_bytes, cap, needed);
}

/* ---- Words ---- */

int engine_has_text(const engine_token *tokens, size_t n_tokens)
{
    for (size_t i = 0; i < n_tokens && tokens != NULL; i++)
        if (!tokens[i].special && !tokens[i].in_prompt)
            return 1;
    return 0;
}

engine_status engine_count_words(const engine_model *model, const engine_input *input,
                                 const engine_token *tokens, size_t n_tokens,
                                 engine_word_counts *counts)
{
    if (model == NULL || input == NULL || counts == NULL || (tokens == NULL && n_tokens > 0))
        return ENGINE_ERROR_ARGUMENT;
    const struct token_input texts = {.text = input->text,
                                      .text_len = text_bytes(input->text, input->text_len),
                                      .pair = input->pair,
                                      .pair_len = text_bytes(input->pair, input->pair_len)};
    return tokens_count_words(&model->tokenizer, &texts, tokens, n_tokens, counts)
               ? ENGINE_OK
               : ENGINE_ERROR_ARGUMENT;
}

/* ---- Windows ---- */

engine_status engine_windows(engine_session *session, const engine_token *tokens, size_t n_tokens,
                             const engine_encode_options *options, engine_window *out, size_t cap,
                             size_t *needed)
{
    ENDS_WITH(session_end) engine_session *call = session_begin(session);
    if (call == NULL)
        return session_refusal(session);
    struct request request;
    size_t n = 0;
    if ((tokens == NULL && n_tokens > 0) || (out == NULL && cap > 0))
        return misused(&session->error, "engine_windows: tokens or out is NULL");
    engine_status status =
        request_read(session->model, options, REQUEST_TEXTS, &request, &session->error);
    if (status != ENGINE_OK)
        return status;
    size_t limit = request_token_limit(&request, session->model);
    if (request.options.max_tokens == 0 && session->max_tokens < limit)
        limit = session->max_tokens;
    struct windows windows = {.tokenizer = &session->model->tokenizer,
                              .tokens = tokens,
                              .n_tokens = n_tokens,
                              .stride = request.options.stride,
                              .whole_words = request.options.whole_words != 0};
    windows_begin(&windows, request.options.truncation, limit > 0 ? limit : SIZE_MAX);
    bool is_long = n_tokens > limit && limit > 0;
    if (is_long && session->model->tokenizer.padded_tokens > 0)
        return fail_input(&session->error, ENGINE_ERROR_UNSUPPORTED, ENGINE_REASON_NONE, 0,
                          " has %zu tokens, and this model takes texts of %zu, padding included: "
                          "they can be cut, and not be split into windows",
                          n_tokens, (size_t)session->model->tokenizer.padded_tokens);
    if (is_long && windows.room == 0)
        return fail_input(&session->error, ENGINE_ERROR_LENGTH, ENGINE_REASON_NO_ROOM, 0,
                          " has %zu tokens that are in every window, and the limit is %zu: that "
                          "leaves no room",
                          n_tokens - windows.n, limit);
    if (is_long && windows.stride >= windows.room)
        return misused_input(&session->error, 0,
                             ": its windows have room for %zu token%s: the stride must be smaller",
                             windows.room, windows.room == 1 ? "" : "s");
    for (engine_window window; windows_next(&windows, &window); n++)
        if (n < cap)
            out[n] = window;
    return answer_count(&session->error, "windows", n, cap, needed);
}

/* Copies the part of the text, and the tokens before and after the text: these are adjacent, so a
 * text of many windows is not scanned for each window. */
void engine_window_tokens(const engine_window *window, const engine_token *tokens, size_t n_tokens,
                          engine_token *out)
{
    if (window == NULL || tokens == NULL || out == NULL || window->first > n_tokens ||
        window->n > n_tokens - window->first || window->n > window->n_tokens)
        return;
    const size_t n_around = window->n_tokens - window->n;
    size_t n_before = 0;
    while (n_before < n_around && n_before < window->first &&
           !token_is_of_text(&tokens[n_before], window->in_pair))
        *out++ = tokens[n_before++];
    for (size_t i = 0; i < window->n; i++)
        *out++ = tokens[window->first + i];
    for (size_t i = n_around - n_before; i > 0 && i <= n_tokens; i--)
        *out++ = tokens[n_tokens - i];
}
