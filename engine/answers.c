/* answers.c - the public functions of engine_answers.h: labels, entities and words by a model's
 * head; ranks by vectors or by a cross-encoder; and comparing a host's vectors.
 */
#include "engine/encode.h"
#include "engine/info.h"
#include "engine/status.h"
#include "model/layers/entities.h"
#include "model/layers/head.h"
#include "model/layers/pooling.h"
#include "model/layers/search/sparse.h"
#include "model/layers/search/token_vector.h"
#include "model/tokenizer/tokens.h"
#include "model/unicode/unicode.h"

#include <float.h>
#include <stdio.h>

/* ---- Labels ---- */

const char *engine_label(const engine_model *model, size_t label)
{
    char key[32];
    if (model == NULL || label >= model->encoder.config.labels)
        return NULL;
    snprintf(key, sizeof key, "label.%zu", label);
    return engine_model_metadata(model, key);
}

/* Writes scores of pairs by a cross-encoder, [n]; parameters as in encode. */
static engine_status score_pairs(engine_session *session, const engine_input *inputs, size_t n,
                                 struct request *request, float *out, size_t cap, size_t *needed,
                                 engine_result *results)
{
    request->kind = ANSWER_LABELS;
    request->width = 1;
    if (session->model->encoder.config.labels > 1) /* softmax: the sigmoid of the difference */
        request->scores = request->options.raw_scores ? SCORES_NONE : SCORES_SIGMOID;
    return encode(session, inputs, n, request, out, cap, needed, results);
}

engine_status engine_score_pairs(engine_session *session, const engine_input *inputs, size_t n,
                                 const engine_encode_options *options, float *out, size_t cap,
                                 size_t *needed, engine_result *results)
{
    ENDS_WITH(session_end) engine_session *call = session_begin(session);
    if (call == NULL)
        return session_refusal(session);
    struct request request;
    if (!ranks_pairs(session->model)) {
        const engine_status status = refuse_labels(session->model, &session->error);
        return status != ENGINE_OK ? status
                                   : no_head(session->model, "pairs of texts", &session->error);
    }
    engine_status status =
        request_read(session->model, options, REQUEST_LABELS, &request, &session->error);
    return status == ENGINE_OK
               ? score_pairs(session, inputs, n, &request, out, cap, needed, results)
               : status;
}

/* Runs one input through the model; its rows stay in the pass. */
static engine_status encode_one(engine_session *session, const engine_input *input,
                                const engine_encode_options *options, struct request *request,
                                engine_result *result)
{
    engine_status status =
        request_read(session->model, options, REQUEST_TOKENS, request, &session->error);
    if (status != ENGINE_OK)
        return status;
    request->kind = ANSWER_NOTHING;
    return encode(session, input, 1, request, NULL, 0, NULL, result);
}

/* Returns scores of a row of the last pass, in the first thread's memory. Returns NULL if they are
 * not finite, or the call was interrupted; the session's error says which. */
static const float *row_scores(engine_session *session, size_t row, enum scores kind)
{
    const struct encoder *encoder = &session->model->encoder;
    size_t n = encoder->head.output.weight.rows;
    const struct thread_work *work = &session->pass.works[0];
    float *scores = work->logits;
    if (is_interrupted(session)) {
        fail(&session->error, ENGINE_ERROR_INTERRUPTED, "interrupted");
        return NULL;
    }
    head_logits(encoder, hidden_row(session, row), scores, &work->head);
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
    const engine_strategy strategy = request->options.strategy;
    struct labelled_word word = {.sums = session->rank_vectors};
    list->is_each = strategy == ENGINE_STRATEGY_NONE;
    for (size_t row = 0; row < session->pass.sequences[0].n_rows; row++) {
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

engine_status engine_entities(engine_session *session, const engine_input *input,
                              const engine_encode_options *options, engine_entity *out, size_t cap,
                              size_t *needed, engine_result *result)
{
    ENDS_WITH(session_end) engine_session *call = session_begin(session);
    if (call == NULL)
        return session_refusal(session);
    struct request request;
    struct entity_list list = {.out = out, .cap = cap};
    if (input == NULL || (out == NULL && cap > 0) || input->ids != NULL)
        return misused(
            &session->error,
            "engine_entities: input or out is NULL, or the input has ids, which have no spans");
    if (session->model->encoder.config.head != HEAD_TOKEN)
        return no_head(session->model, "labels of tokens", &session->error);
    engine_input read = *input; /* the text beside tokens is for list_entities */
    if (input->tokens != NULL)
        read.text = read.pair = NULL, read.text_len = read.pair_len = 0;
    engine_status status = encode_one(session, &read, options, &request, result);
    if (status != ENGINE_OK)
        return status;
    status = list_entities(session, input, input->tokens != NULL ? input->tokens : session->tokens,
                           &request, &list);
    return status != ENGINE_OK ? status
                               : answer_count(&session->error, "entities", list.n, cap, needed);
}

/* ---- Fill ---- */

engine_status engine_fill(engine_session *session, const engine_input *input, size_t k,
                          const engine_encode_options *options, engine_candidate *out, size_t cap,
                          size_t *needed, engine_result *result)
{
    ENDS_WITH(session_end) engine_session *call = session_begin(session);
    if (call == NULL)
        return session_refusal(session);
    struct request request;
    const struct model_config *config = &session->model->encoder.config;
    int32_t mask_token = session->model->tokenizer.mask_token;
    if (config->head != HEAD_MASK)
        return no_head(session->model, "mask tokens", &session->error);
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
    const size_t n_rows = session->pass.sequences[0].n_rows;
    size_t n_masks = 0;
    for (size_t row = 0; row < n_rows; row++)
        n_masks += session->pass.ids[row] == mask_token;
    status = answer_count(&session->error, "candidates", n_masks * k, cap, needed);
    if (status != ENGINE_OK)
        return status;
    for (size_t row = 0; row < n_rows; row++) {
        if (session->pass.ids[row] != mask_token)
            continue;
        const float *scores =
            row_scores(session, row, request.options.raw_scores ? SCORES_NONE : SCORES_SOFTMAX);
        if (scores == NULL)
            return session->error.status;
        top_k(scores, config->vocabulary, k, out);
        for (size_t i = 0; i < k; i++)
            (out++)->token = session->pass.out_offsets[row];
    }
    return ENGINE_OK;
}

/* ---- Ranks ---- */

enum { RANK_BATCH = RANK_VECTORS - 1 };

static bool is_plain_text(const engine_input *input)
{
    return input->ids == NULL && input->n_ids == 0 && input->tokens == NULL &&
           input->n_tokens == 0 && input->pair == NULL && input->pair_len == 0 &&
           (input->text != NULL || input->text_len == 0);
}

/* A pair is made of two texts: other members of an input would be ignored. */
static engine_status check_pairs(engine_session *session, const engine_input *query,
                                 const engine_input *texts, size_t n)
{
    static const char NO_PLAIN_TEXT[] =
        " has ids, a pair, or a NULL text: a cross-encoder takes a text";
    if (!is_plain_text(query))
        return misused_input(&session->error, ENGINE_QUERY_INPUT, "%s", NO_PLAIN_TEXT);
    for (size_t i = 0; i < n; i++)
        if (!is_plain_text(&texts[i]))
            return misused_input(&session->error, i, "%s", NO_PLAIN_TEXT);
    return ENGINE_OK;
}

/* Scores pairs of the query and each text. If only the texts may be cut and no room is left for
 * them, the query is too long. */
static engine_status rank_pairs(engine_session *session, const engine_input *query,
                                const engine_input *texts, size_t n, struct request *request,
                                engine_result *results, float *out)
{
    engine_input pairs[RANK_BATCH] = {{0}};
    for (size_t i = 0; i < n; i++) {
        pairs[i].text = query->text;
        pairs[i].text_len = query->text_len;
        pairs[i].pair = texts[i].text != NULL ? texts[i].text : "";
        pairs[i].pair_len = texts[i].text_len;
    }
    engine_status status = score_pairs(session, pairs, n, request, out, n, NULL, results);
    const engine_error cause = session->error;
    if (cause.reason == ENGINE_REASON_NO_ROOM &&
        request->options.truncation == ENGINE_TRUNCATE_ONLY_SECOND)
        fail_input(&session->error, status, cause.reason, ENGINE_QUERY_INPUT, "%s",
                   cause.message + cause.name_len);
    return status;
}

/* Computes the query's vector, first in session->rank_vectors, or its vectors. */
static engine_status encode_query(engine_session *session, const engine_input *input,
                                  struct request *query, struct request *texts,
                                  engine_result *result)
{
    bool has_many = query->kind == ANSWER_VECTORS;
    size_t width = query->width, n_floats = 0;
    float *to = has_many ? session->query_vectors : session->rank_vectors;
    query->first_input = ENGINE_QUERY_INPUT;
    engine_status status =
        encode(session, input, 1, query, to, has_many ? session->max_tokens * width : width,
               &n_floats, result);
    if (has_many) {
        texts->kind = ANSWER_MAX_SIM;
        texts->width = 1;
        texts->query = to;
        texts->query_width = width;
        texts->n_query = n_floats / width;
    }
    return status;
}

/* Compares the texts' vectors with the query's. A text without tokens of its own (engine_has_text)
 * gets the least possible score: the vector of [CLS] and [SEP] alone may be near to any. */
static engine_status rank_vectors(engine_session *session, const engine_input *texts, size_t n,
                                  struct request *request, bool query_has_text,
                                  engine_result *results, float *out)
{
    const enum answer_kind kind = request->kind;
    const engine_metric metric = request->metric;
    size_t width = request->width;
    float *query = session->rank_vectors, *vectors = kind == ANSWER_MAX_SIM ? out : query + width;
    bool have_text[RANK_BATCH];
    const bool is_product = kind == ANSWER_SPARSE && metric == ENGINE_METRIC_DOT;
    const double least = kind == ANSWER_MAX_SIM ? (double)-(ptrdiff_t)request->n_query
                         : is_product           ? 0
                                                : engine_similarity(metric, NULL, NULL, 0);
    request->have_text = have_text;
    engine_status status = encode(session, texts, n, request, vectors, n * width, NULL, results);
    for (size_t i = 0; i < n && status == ENGINE_OK; i++)
        if (!query_has_text || !have_text[i])
            out[i] = (float)least;
        else if (kind != ANSWER_MAX_SIM)
            out[i] = (float)similarity(metric, query, vectors + i * width, width);
    return status;
}

/* Reads what is asked of the texts and of the query. Changes the options. */
static engine_status request_rank(engine_session *session, engine_encode_options *options,
                                  bool by_pair, struct request *texts, struct request *query)
{
    const engine_model *model = session->model;
    const enum request_part part = by_pair ? REQUEST_LABELS : REQUEST_ANSWER;
    if (options->pooling == ENGINE_POOLING_NONE ||
        (options->pooling == ENGINE_POOLING_LABELS && !by_pair))
        return misused(&session->error,
                       "engine_rank: pooling is '%s', but texts are compared whole",
                       engine_pooling_name(options->pooling));
    if (options->pooling == ENGINE_POOLING_MODEL &&
        own_pooling(&model->encoder.config) == ENGINE_POOLING_NONE)
        options->pooling = ENGINE_POOLING_TEXT;
    options->role = ENGINE_ROLE_DOCUMENT;
    engine_status status = request_read(model, options, part, texts, &session->error);
    options->role = ENGINE_ROLE_QUERY;
    options->prompt = options->query_prompt;
    options->prompt_text = NULL;
    return status == ENGINE_OK ? request_read(model, options, part, query, &session->error)
                               : status;
}

static size_t count_cut(const engine_result *results, size_t n)
{
    size_t n_cut = 0;
    for (size_t i = 0; i < n && results != NULL; i++)
        n_cut += results[i].n_dropped > 0;
    return n_cut;
}

engine_status engine_rank(engine_session *session, const engine_input *query,
                          const engine_input *texts, size_t n, const engine_encode_options *given,
                          float *out)
{
    ENDS_WITH(session_end) engine_session *call = session_begin(session);
    if (call == NULL)
        return session_refusal(session);
    struct request asked, request; /* of the query; of the texts or pairs */
    engine_encode_options options;
    if (query == NULL || (texts == NULL && n > 0) || (out == NULL && n > 0))
        return misused(&session->error, "engine_rank: query, texts or out is NULL");
    engine_status status =
        read_struct("ENGINE_ENCODE_OPTIONS", given, &options, sizeof options, &session->error);
    if (status != ENGINE_OK)
        return status;
    const bool by_pair = ranks_pairs(session->model);
    status = request_rank(session, &options, by_pair, &request, &asked);
    if (status != ENGINE_OK)
        return status;
    engine_result seen[RANK_BATCH] = {{0}}, *results = options.n_cut != NULL ? seen : NULL;
    bool query_has_text = true;
    asked.have_text = &query_has_text;
    asked.n_inputs = request.n_inputs = n;
    if (by_pair) { /* the text is the second one of each pair */
        request.pair_prompt = request.prompt;
        request.prompt = asked.prompt;
    }
    status = by_pair ? check_pairs(session, query, texts, n)
                     : encode_query(session, query, &asked, &request, results);
    size_t n_cut = count_cut(results, by_pair ? 0 : 1);
    for (size_t i = 0; i < n && status == ENGINE_OK; i += RANK_BATCH) {
        size_t count = n - i < RANK_BATCH ? n - i : RANK_BATCH;
        request.first_input = i;
        status = by_pair ? rank_pairs(session, query, texts + i, count, &request, results, out + i)
                         : rank_vectors(session, texts + i, count, &request, query_has_text,
                                        results, out + i);
        n_cut += count_cut(results, count);
    }
    if (results != NULL)
        *options.n_cut = n_cut;
    return status;
}

/* ---- Vectors of a host ---- */

double engine_similarity(engine_metric metric, const float *a, const float *b, size_t n)
{
    if (a == NULL || b == NULL)
        return metric == ENGINE_METRIC_COSINE ? -1 : (double)-FLT_MAX;
    return similarity(metric, a, b, n);
}

double engine_cosine(const float *a, const float *b, size_t n)
{
    return engine_similarity(ENGINE_METRIC_COSINE, a, b, n);
}

size_t engine_sparse_entries(const float *row, size_t n, engine_weight *out, size_t cap)
{
    size_t n_entries = 0;
    for (size_t id = 0; row != NULL && id < n; id++) {
        if (row[id] == 0)
            continue;
        if (out != NULL && n_entries < cap)
            out[n_entries] = (engine_weight){(int32_t)id, row[id]};
        n_entries++;
    }
    return n_entries;
}

double engine_sparse_product(const engine_weight *a, size_t n_a, const engine_weight *b, size_t n_b)
{
    double sum = 0;
    for (size_t i = 0, k = 0; a != NULL && b != NULL && i < n_a && k < n_b;) {
        if (a[i].id == b[k].id)
            sum += (double)a[i++].weight * (double)b[k++].weight;
        else if (a[i].id < b[k].id)
            i++;
        else
            k++;
    }
    return sum;
}

double engine_max_sim(const float *query, size_t n_query, const float *text, size_t n_text,
                      size_t width)
{
    return query != NULL && text != NULL ? max_sim(query, n_query, text, n_text, width) : 0;
}

int engine_token_has_vector(const engine_model *model, int32_t id, size_t index, engine_role role)
{
    return model != NULL && token_has_vector(model, id, index, role == ENGINE_ROLE_QUERY);
}
