/* tokenize.c - options of a call, and text to tokens. */
#include "engine/tokenize.h"

#include "engine/status.h"

engine_status settle_options(struct engine_session *session, const engine_encode_options *given,
                             struct encode_settings *settings)
{
    const struct engine_model *model = session->model;
    const struct model_config *config = &model->encoder.config;
    engine_encode_options options = {0};
    if (given != NULL && given->struct_bytes != 0 && given->struct_bytes < sizeof options)
        return fail(&session->error, ENGINE_ERROR_ARGUMENT,
                    "engine_encode_options.struct_bytes is %zu, expected 0 or sizeof the struct",
                    given->struct_bytes);
    if (given != NULL)
        options = *given;
    if ((unsigned)options.pooling > ENGINE_POOLING_POOLER ||
        (unsigned)options.on_long > ENGINE_ON_LONG_ERROR)
        return fail(&session->error, ENGINE_ERROR_ARGUMENT,
                    "pooling is %d, expected 0 to %d; on_long is %d, expected 0 to %d",
                    (int)options.pooling, ENGINE_POOLING_POOLER, (int)options.on_long,
                    ENGINE_ON_LONG_ERROR);
    if ((unsigned)options.truncation > ENGINE_TRUNCATE_ONLY_SECOND)
        return fail(&session->error, ENGINE_ERROR_ARGUMENT, "truncation is %d, expected 0 to %d",
                    (int)options.truncation, ENGINE_TRUNCATE_ONLY_SECOND);
    bool own = options.pooling == ENGINE_POOLING_MODEL;
    if (options.normalize != 0 && options.pooling == ENGINE_POOLING_NONE)
        return fail(&session->error, ENGINE_ERROR_ARGUMENT,
                    "normalize is for pooled vectors, but pooling is ENGINE_POOLING_NONE");
    *settings = (struct encode_settings){
        .pooling = own ? (enum pooling)config->pooling : (enum pooling)(options.pooling - 1),
        .normalize = options.normalize != 0 || (own && config->normalize),
        .special = options.no_special == 0,
        .project = own && config->projections > 0 && config->pooling != POOLING_NONE,
        .raw_scores = options.raw_scores != 0,
        .truncate = options.on_long == ENGINE_ON_LONG_MODEL
                        ? model->tokenizer.truncate
                        : options.on_long == ENGINE_ON_LONG_TRUNCATE,
        .truncation = (enum truncation)options.truncation,
        .truncate_left = options.truncate_left != 0,
        .max_tokens = options.max_tokens,
    };
    return ENGINE_OK;
}

static engine_status check_text(struct engine_session *session, const engine_input *input,
                                size_t index)
{
    if ((input->text == NULL && input->text_len > 0) ||
        (input->pair == NULL && input->pair_len > 0))
        return fail(&session->error, ENGINE_ERROR_ARGUMENT,
                    "input %zu: its text is NULL, but its length is not 0", index);
    if (session->model->tokenizer.vocabulary.n == 0)
        return fail(&session->error, ENGINE_ERROR_UNSUPPORTED,
                    "the weight file has no vocabulary: input %zu must be given as ids", index);
    if (input->ids == NULL && input->n_ids > 0)
        return fail(&session->error, ENGINE_ERROR_ARGUMENT,
                    "input %zu: ids is NULL, but n_ids is not 0", index);
    if (input->ids != NULL)
        return fail(&session->error, ENGINE_ERROR_ARGUMENT, "input %zu has ids: expected a text",
                    index);
    return ENGINE_OK;
}

static struct token_input token_input(const engine_input *input)
{
    return (struct token_input){
        .text = input->text != NULL ? input->text : "",
        .text_len = input->text_len,
        .pair = input->pair,
        .pair_len = input->pair_len,
    };
}

/* Tokens of a text in out, cut to the limit where the settings say so. n counts those that did not
 * fit into cap. */
static engine_status tokens_of(struct engine_session *session, const engine_input *input,
                               size_t index, const struct encode_settings *settings, size_t limit,
                               struct token *out, size_t cap, struct token_count *count)
{
    const struct tokenizer *tokenizer = &session->model->tokenizer;
    struct token_input text = token_input(input);
    const struct token_limit cut = {.most = settings->truncate ? limit : SIZE_MAX,
                                    .truncation = settings->truncation,
                                    .left = settings->truncate_left};
    *count = tokenizer_encode(tokenizer, &text, settings->special, &cut, out, cap,
                              session->token_scratch);
    if (count->wrong != NULL)
        return fail(&session->error, ENGINE_ERROR_LENGTH,
                    "input %zu has %zu tokens, the limit is %zu: %s", index, count->n, limit,
                    count->wrong);
    if (count->n <= limit)
        return ENGINE_OK;
    if (settings->truncate)
        return fail(&session->error, ENGINE_ERROR_LENGTH,
                    "input %zu: its %zu special tokens alone are more than the limit of %zu", index,
                    count->n, limit);
    return fail(&session->error, ENGINE_ERROR_LENGTH,
                "input %zu has %zu tokens, the limit is %zu: set on_long to "
                "ENGINE_ON_LONG_TRUNCATE to cut it%s",
                index, count->n, limit,
                limit < (size_t)session->model->encoder.config.max_tokens ? ", or raise max_tokens"
                                                                          : "");
}

engine_status read_tokens(struct engine_session *session, const engine_input *input, size_t index,
                          const struct encode_settings *settings, struct token_count *count)
{
    size_t wanted = settings->max_tokens > 0
                        ? settings->max_tokens
                        : (size_t)session->model->encoder.config.max_text_tokens;
    size_t limit = wanted < session->max_tokens ? wanted : session->max_tokens;
    engine_status status = check_text(session, input, index);
    if (status != ENGINE_OK)
        return status;
    return tokens_of(session, input, index, settings, limit, session->tokens, session->max_tokens,
                     count);
}

/* A caller's engine_token is filled as a struct token: the same fields in the same places. */
#define SAME_FIELD(field)                                                                          \
    _Static_assert(offsetof(struct token, field) == offsetof(engine_token, field) &&               \
                       sizeof(((struct token *)0)->field) == sizeof(((engine_token *)0)->field),   \
                   "struct token and engine_token differ in " #field)
SAME_FIELD(id);
SAME_FIELD(type);
SAME_FIELD(begin);
SAME_FIELD(end);
SAME_FIELD(special);
SAME_FIELD(in_pair);
_Static_assert(sizeof(struct token) == sizeof(engine_token),
               "struct token and engine_token differ");

engine_status engine_tokenize(engine_session *session, const engine_input *input,
                              const engine_encode_options *options, engine_token *out, size_t cap,
                              size_t *needed, engine_result *result)
{
    struct encode_settings settings = {0};
    struct token_count count;
    if (session == NULL)
        return ENGINE_ERROR_ARGUMENT;
    if (input == NULL || (out == NULL && cap > 0))
        return fail(&session->error, ENGINE_ERROR_ARGUMENT,
                    "engine_tokenize: input or out is NULL");
    engine_status status = settle_options(session, options, &settings);
    if (status == ENGINE_OK)
        status = check_text(session, input, 0);
    if (status == ENGINE_OK)
        status = tokens_of(session, input, 0, &settings,
                           settings.max_tokens > 0 ? settings.max_tokens : SIZE_MAX,
                           (struct token *)out, cap, &count);
    if (status != ENGINE_OK)
        return status;
    if (needed != NULL)
        *needed = count.n;
    if (result != NULL)
        *result = (engine_result){.n_tokens = count.n, .n_dropped = count.n_dropped};
    if (count.n > cap)
        return fail(&session->error, ENGINE_ERROR_BUFFER,
                    "the text has %zu tokens, the buffer takes %zu", count.n, cap);
    return succeed(&session->error);
}
