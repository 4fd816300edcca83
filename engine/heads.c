/* heads.c - the public functions that answer from a model's head: classify, entities, fill. */
#include "engine/encode.h"
#include "engine/search/comparing.h"
#include "engine/status.h"
#include "model/layers/entities.h"
#include "model/layers/head.h"
#include "model/tokenizer/tokens.h"
#include "model/unicode/unicode.h"

#include <stdio.h>

const char *engine_label(const engine_model *model, size_t label)
{
    char key[32];
    if (model == NULL || label >= model->encoder.config.labels)
        return NULL;
    snprintf(key, sizeof key, "label.%zu", label);
    return engine_model_metadata(model, key);
}

static engine_status no_head(engine_session *session, const char *wanted)
{
    return fail(&session->error, ENGINE_ERROR_UNSUPPORTED,
                "the model has no head for %s: its head is '%s'", wanted,
                config_name(&session->model->encoder.config, "head"));
}

engine_status classify(engine_session *session, const engine_input *inputs, size_t n,
                       struct request *request, float *out, size_t cap, size_t *needed,
                       engine_result *results)
{
    const struct model_config *config = &session->model->encoder.config;
    request->kind = config->head == HEAD_SEQUENCE ? ANSWER_LABELS : ANSWER_TOKEN_LABELS;
    request->width = config->labels;
    return encode(session, inputs, n, request, out, cap, needed, results);
}

engine_status score_pairs(engine_session *session, const engine_input *inputs, size_t n,
                          struct request *request, float *out, size_t cap, size_t *needed,
                          engine_result *results)
{
    request->kind = ANSWER_LABELS;
    request->width = 1;
    if (session->model->encoder.config.labels > 1) /* softmax: the sigmoid of the difference */
        request->scores = request->raw_scores ? SCORES_NONE : SCORES_SIGMOID;
    return encode(session, inputs, n, request, out, cap, needed, results);
}

/* Refuses a model that does not rank pairs. */
static engine_status refuse_pairs(engine_session *session)
{
    engine_pooling pooling;
    engine_status status = engine_text_pooling(session->model, &pooling, &session->error);
    return status != ENGINE_OK ? status : no_head(session, "pairs of texts");
}

engine_status engine_score_pairs(engine_session *session, const engine_input *inputs, size_t n,
                                 const engine_encode_options *options, float *out, size_t cap,
                                 size_t *needed, engine_result *results)
{
    struct request request;
    if (!session_begin(session))
        return session_refusal(session);
    engine_status status = ranks_pairs(session->model)
                               ? request_read(session, options, FOR_HEAD, &request)
                               : refuse_pairs(session);
    if (status == ENGINE_OK)
        status = score_pairs(session, inputs, n, &request, out, cap, needed, results);
    return session_end(session, status);
}

engine_status engine_classify(engine_session *session, const engine_input *inputs, size_t n,
                              const engine_encode_options *options, float *out, size_t cap,
                              size_t *needed, engine_result *results)
{
    struct request request;
    if (!session_begin(session))
        return session_refusal(session);
    int64_t head = session->model->encoder.config.head;
    engine_status status = head == HEAD_SEQUENCE || head == HEAD_TOKEN
                               ? request_read(session, options, FOR_HEAD, &request)
                               : no_head(session, "labels");
    if (status == ENGINE_OK)
        status = classify(session, inputs, n, &request, out, cap, needed, results);
    return session_end(session, status);
}

/* Runs one input through the model; its rows stay in the pass. */
static engine_status encode_one(engine_session *session, const engine_input *input,
                                const engine_encode_options *options, struct request *request,
                                engine_result *result)
{
    engine_status status = request_read(session, options, FOR_HEAD, request);
    if (status != ENGINE_OK)
        return status;
    request->kind = ANSWER_NOTHING;
    return encode(session, input, 1, request, NULL, 0, NULL, result);
}

/* Returns the rows of the last pass, which had one input. */
static size_t n_pass_rows(const engine_session *session)
{
    return session->pass.sequences[0].n_rows;
}

/* Returns scores of a row of the last pass, in the first thread's memory. Returns NULL if they are
 * not finite, or the call was interrupted; the session's error says which. */
static const float *row_scores(engine_session *session, size_t row, enum scores kind)
{
    const struct encoder *encoder = &session->model->encoder;
    size_t n = encoder->head.output.weight.rows;
    const struct answer_work *work = &session->pass.works[0].answer;
    float *scores = work->logits;
    if (is_interrupted(session)) {
        fail(&session->error, ENGINE_ERROR_INTERRUPTED, "interrupted");
        return NULL;
    }
    head_logits(encoder, session->pass.x + row * session->pass.width_stride, scores, &work->head);
    head_scores(kind, scores, n);
    if (floats_are_finite(scores, n))
        return scores;
    not_finite(session, 0);
    return NULL;
}

/* ---- Entities ---- */

/* The word that is read, and what its tokens say of its label. */
struct labelled_word {
    struct labelled_token token;
    size_t n;    /* tokens; 0: no word is open */
    float *sums; /* [labels]: of the scores, to be averaged */
};

/* Returns whether a token continues the word before it, as the pipeline of transformers judges: a
 * piece, if pieces have a prefix, is not as long as its text; of others there is no blank (of
 * ASCII) at its start. A host's tokens may have no text, or another. */
static bool continues_word(const struct tokenizer *tokenizer, const engine_input *input,
                           const engine_token *token, size_t end_before)
{
    const char *text = token->in_pair ? input->pair : input->text;
    const size_t text_len = text_bytes(text, token->in_pair ? input->pair_len : input->text_len);
    const bool has_prefix = tokenizer->prefix.len > 0 && (tokenizer->kind == TOKENIZER_WORDPIECE ||
                                                          tokenizer->kind == TOKENIZER_BPE);
    if (token->id == tokenizer->unknown)
        return false;
    if (text == NULL || token->end > text_len)
        return has_prefix ? tokenizer_continues_word(tokenizer, token->id)
                          : token->begin > 0 && token->begin == end_before;
    if (!has_prefix)
        return token->begin > 0 && text[token->begin - 1] != ' ' &&
               (token->begin == text_len || text[token->begin] != ' ');
    size_t len = 0;
    const char *own = vocabulary_text(&tokenizer->vocabulary, token->id, &len);
    return own != NULL &&
           utf8_count(own, len) != utf8_count(text + token->begin, token->end - token->begin);
}

/* Adds a token's scores [n_labels] to its word. */
static void add_to_word(struct labelled_word *word, engine_strategy strategy,
                        const engine_token *token, const float *scores, size_t n_labels)
{
    engine_candidate best;
    top_k(scores, n_labels, 1, &best);
    if (word->n == 0)
        word->token = (struct labelled_token){.label = (size_t)best.id,
                                              .score = best.score,
                                              .begin = token->begin,
                                              .in_pair = token->in_pair};
    if (strategy == ENGINE_STRATEGY_MAX && best.score > word->token.score) {
        word->token.label = (size_t)best.id;
        word->token.score = best.score;
    }
    for (size_t i = 0; strategy == ENGINE_STRATEGY_AVERAGE && i < n_labels; i++)
        word->sums[i] = (word->n > 0 ? word->sums[i] : 0) + scores[i];
    word->token.end = token->end;
    word->n++;
}

static void end_word(struct labelled_word *word, engine_strategy strategy,
                     const engine_model *model, struct entity_list *list)
{
    engine_candidate best;
    if (word->n == 0)
        return;
    if (strategy == ENGINE_STRATEGY_AVERAGE) {
        top_k(word->sums, model->encoder.config.labels, 1, &best);
        word->token.label = (size_t)best.id;
        word->token.score = best.score / (float)word->n;
    }
    word->token.name = engine_label(model, word->token.label);
    entities_add(list, &word->token);
    word->n = 0;
}

/* tokens: all tokens of the input. */
static engine_status list_entities(engine_session *session, const engine_input *input,
                                   const engine_token *tokens, const struct request *request,
                                   struct entity_list *list)
{
    const engine_model *model = session->model;
    const engine_strategy strategy = request->strategy;
    struct labelled_word word = {.sums = session->rank_vectors};
    list->is_each = strategy == ENGINE_STRATEGY_NONE;
    for (size_t row = 0; row < n_pass_rows(session); row++) {
        const engine_token *token = &tokens[session->pass.out_offsets[row]];
        if (token->special || token->in_prompt)
            continue;
        const float *scores = row_scores(session, row, request->scores);
        if (scores == NULL)
            return session->error.status;
        if (word.n == 0 || list->is_each || strategy == ENGINE_STRATEGY_SIMPLE ||
            token->in_pair != word.token.in_pair ||
            !continues_word(&model->tokenizer, input, token, word.token.end))
            end_word(&word, strategy, model, list);
        add_to_word(&word, strategy, token, scores, model->encoder.config.labels);
    }
    end_word(&word, strategy, model, list);
    entities_close(list);
    return ENGINE_OK;
}

static engine_status entities(engine_session *session, const engine_input *input,
                              const engine_encode_options *options, struct entity_list *list,
                              size_t *needed, engine_result *result)
{
    struct request request;
    if (input == NULL || (list->out == NULL && list->cap > 0) || input->ids != NULL)
        return misused(
            &session->error,
            "engine_entities: input or out is NULL, or the input has ids, which have no spans");
    if (session->model->encoder.config.head != HEAD_TOKEN)
        return no_head(session, "labels of tokens");
    engine_input read = *input; /* the text beside tokens is for list_entities */
    if (input->tokens != NULL)
        read.text = read.pair = NULL, read.text_len = read.pair_len = 0;
    engine_status status = encode_one(session, &read, options, &request, result);
    if (status != ENGINE_OK)
        return status;
    status = list_entities(session, input, input->tokens != NULL ? input->tokens : session->tokens,
                           &request, list);
    if (status != ENGINE_OK)
        return status;
    return answer_count(&session->error, "entities", list->n, list->cap, needed);
}

engine_status engine_entities(engine_session *session, const engine_input *input,
                              const engine_encode_options *options, engine_entity *out, size_t cap,
                              size_t *needed, engine_result *result)
{
    struct entity_list list = {.out = out, .cap = cap};
    return SESSION_CALL(session, entities(session, input, options, &list, needed, result));
}

/* ---- Fill ---- */

static size_t count_masks(const engine_session *session, int32_t mask_token)
{
    size_t n = 0;
    for (size_t row = 0; row < n_pass_rows(session); row++)
        n += session->pass.ids[row] == mask_token;
    return n;
}

static engine_status fill_masks(engine_session *session, const engine_input *input, size_t k,
                                const engine_encode_options *options, engine_candidate *out,
                                size_t cap, size_t *needed, engine_result *result)
{
    struct request request;
    const struct model_config *config = &session->model->encoder.config;
    int32_t mask_token = session->model->tokenizer.mask_token;
    if (config->head != HEAD_MASK)
        return no_head(session, "mask tokens");
    if (mask_token < 0)
        return fail(&session->error, ENGINE_ERROR_UNSUPPORTED,
                    "the model has a head for mask tokens, but its tokenizer names no mask token");
    if (input == NULL || (out == NULL && cap > 0) || k == 0 || k > config->vocabulary)
        return misused(&session->error,
                       "engine_fill: input or out is NULL, or k is %zu, expected 1 to %lld", k,
                       (long long)config->vocabulary);
    engine_status status = encode_one(session, input, options, &request, result);
    if (status != ENGINE_OK)
        return status;
    size_t n_masks = count_masks(session, mask_token);
    if (needed != NULL)
        *needed = n_masks * k;
    if (n_masks * k > cap)
        return fail(&session->error, ENGINE_ERROR_BUFFER,
                    "%zu mask tokens take %zu candidates, the buffer has %zu", n_masks, n_masks * k,
                    cap);
    for (size_t row = 0; row < n_pass_rows(session); row++) {
        if (session->pass.ids[row] != mask_token)
            continue;
        const float *scores =
            row_scores(session, row, request.raw_scores ? SCORES_NONE : SCORES_SOFTMAX);
        if (scores == NULL)
            return session->error.status;
        top_k(scores, config->vocabulary, k, out);
        for (size_t i = 0; i < k; i++)
            (out++)->token = session->pass.out_offsets[row];
    }
    return succeed(&session->error);
}

engine_status engine_fill(engine_session *session, const engine_input *input, size_t k,
                          const engine_encode_options *options, engine_candidate *out, size_t cap,
                          size_t *needed, engine_result *result)
{
    return SESSION_CALL(session, fill_masks(session, input, k, options, out, cap, needed, result));
}
