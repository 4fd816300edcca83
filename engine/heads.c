/* heads.c - the public functions that answer from a model's head: classify, entities, fill, rank.
 */
#include "engine/encode.h"
#include "engine/status.h"
#include "model/layers/entities.h"
#include "model/layers/head.h"
#include "model/layers/pooling.h"
#include "model/layers/top_k.h"

#include <stdio.h>

/* Callers' buffers are filled as the structs of model/: the same fields in the same places. */
#define SAME_FIELD(ours, theirs, field)                                                            \
    _Static_assert(offsetof(struct ours, field) == offsetof(theirs, field) &&                      \
                       sizeof(((struct ours *)0)->field) == sizeof(((theirs *)0)->field) &&        \
                       sizeof(struct ours) == sizeof(theirs),                                      \
                   "struct " #ours " and " #theirs " differ in " #field)
SAME_FIELD(entity, engine_entity, label);
SAME_FIELD(entity, engine_entity, score);
SAME_FIELD(entity, engine_entity, begin);
SAME_FIELD(entity, engine_entity, end);
SAME_FIELD(entity, engine_entity, in_pair);
SAME_FIELD(candidate, engine_candidate, token);
SAME_FIELD(candidate, engine_candidate, id);
SAME_FIELD(candidate, engine_candidate, score);

const char *engine_label(const engine_model *model, size_t label)
{
    char key[32];
    if (model == NULL || label >= (size_t)model->encoder.config.labels)
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

static enum scores settled_scores(const engine_session *session,
                                  const struct encode_settings *settings)
{
    return settings->raw_scores ? SCORES_NONE : (enum scores)session->model->encoder.config.scores;
}

engine_status engine_classify(engine_session *session, const engine_input *inputs, size_t n,
                              const engine_encode_options *options, float *out, size_t cap,
                              size_t *needed, engine_result *results)
{
    struct encode_settings settings = {0};
    if (session == NULL)
        return ENGINE_ERROR_ARGUMENT;
    const struct model_config *config = &session->model->encoder.config;
    if (config->head != HEAD_SEQUENCE && config->head != HEAD_TOKEN)
        return no_head(session, "labels");
    engine_status status = settle_options(session, options, &settings);
    if (status != ENGINE_OK)
        return status;
    struct answer answer = {
        .kind = config->head == HEAD_SEQUENCE ? ANSWER_LABELS : ANSWER_TOKEN_LABELS,
        .scores = settled_scores(session, &settings),
        .width = (size_t)config->labels,
    };
    return encode(session, inputs, n, &settings, &answer, out, cap, needed, results);
}

/* One input through the model; its rows stay in the pass. */
static engine_status encode_one(engine_session *session, const engine_input *input,
                                const struct encode_settings *settings, engine_result *result)
{
    struct answer nothing = {.kind = ANSWER_NOTHING};
    return encode(session, input, 1, settings, &nothing, NULL, 0, NULL, result);
}

/* Rows of the last pass: it held one input. */
static size_t n_pass_rows(const engine_session *session)
{
    return session->pass.sequences[0].n_rows;
}

/* Logits of a row of the last pass, in the first thread's scratch. */
static float *row_logits(engine_session *session, size_t row)
{
    const struct encoder *encoder = &session->model->encoder;
    float *logits = session->pass.scratch;
    head_logits(encoder, session->pass.x + row * session->pass.width_stride, logits,
                logits + row_stride(encoder->head.output.weight.rows));
    return logits;
}

/* ---- Entities ---- */

static void list_entities(engine_session *session, const struct encode_settings *settings,
                          struct entity_list *list)
{
    const engine_model *model = session->model;
    size_t n_labels = (size_t)model->encoder.config.labels;
    for (size_t t = 0; t < n_pass_rows(session); t++) {
        const struct token *token = &session->tokens[t];
        struct candidate best;
        if (token->special) {
            entities_close(list);
            continue;
        }
        float *scores = row_logits(session, t);
        head_scores(settled_scores(session, settings), scores, n_labels);
        top_k(scores, n_labels, 1, &best);
        entities_add(list,
                     &(struct labelled_token){
                         .label = (size_t)best.id,
                         .name = engine_label(model, (size_t)best.id),
                         .score = best.score,
                         .begin = token->begin,
                         .end = token->end,
                         .in_pair = token->in_pair,
                         .continues_word = tokenizer_continues_word(&model->tokenizer, token->id),
                     });
    }
    entities_close(list);
}

engine_status engine_entities(engine_session *session, const engine_input *input,
                              const engine_encode_options *options, engine_entity *out, size_t cap,
                              size_t *needed, engine_result *result)
{
    struct encode_settings settings = {0};
    struct entity_list list = {.out = (struct entity *)out, .cap = cap};
    if (session == NULL)
        return ENGINE_ERROR_ARGUMENT;
    if (input == NULL || (out == NULL && cap > 0) || input->ids != NULL)
        return fail(
            &session->error, ENGINE_ERROR_ARGUMENT,
            "engine_entities: input or out is NULL, or the input has ids, which have no spans");
    if (session->model->encoder.config.head != HEAD_TOKEN)
        return no_head(session, "labels of tokens");
    engine_status status = settle_options(session, options, &settings);
    if (status == ENGINE_OK)
        status = encode_one(session, input, &settings, result);
    if (status != ENGINE_OK)
        return status;
    list_entities(session, &settings, &list);
    if (needed != NULL)
        *needed = list.n;
    if (list.n > cap)
        return fail(&session->error, ENGINE_ERROR_BUFFER,
                    "the text has %zu entities, the buffer takes %zu", list.n, cap);
    return succeed(&session->error);
}

/* ---- Fill ---- */

static size_t count_masks(const engine_session *session, int32_t mask_token)
{
    size_t n = 0;
    for (size_t row = 0; row < n_pass_rows(session); row++)
        n += session->pass.ids[row] == mask_token;
    return n;
}

engine_status engine_fill(engine_session *session, const engine_input *input, size_t k,
                          const engine_encode_options *options, engine_candidate *out, size_t cap,
                          size_t *needed, engine_result *result)
{
    struct encode_settings settings = {0};
    if (session == NULL)
        return ENGINE_ERROR_ARGUMENT;
    const struct model_config *config = &session->model->encoder.config;
    int32_t mask_token = session->model->tokenizer.mask_token;
    if (config->head != HEAD_MASK || mask_token < 0)
        return no_head(session, "mask tokens");
    if (input == NULL || (out == NULL && cap > 0) || k == 0 || k > (size_t)config->vocabulary)
        return fail(&session->error, ENGINE_ERROR_ARGUMENT,
                    "engine_fill: input or out is NULL, or k is %zu, expected 1 to %lld", k,
                    (long long)config->vocabulary);
    engine_status status = settle_options(session, options, &settings);
    if (status == ENGINE_OK)
        status = encode_one(session, input, &settings, result);
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
        float *scores = row_logits(session, row);
        if (!settings.raw_scores)
            head_scores(SCORES_SOFTMAX, scores, (size_t)config->vocabulary);
        top_k(scores, (size_t)config->vocabulary, k, (struct candidate *)out);
        for (size_t i = 0; i < k; i++)
            (out++)->token = session->pass.out_offsets[row];
    }
    return succeed(&session->error);
}

/* ---- Rank ---- */

enum { RANK_BATCH = RANK_VECTORS - 1 };

static bool is_plain_text(const engine_input *input)
{
    return input->ids == NULL && input->n_ids == 0 && input->pair == NULL && input->pair_len == 0 &&
           (input->text != NULL || input->text_len == 0);
}

/* A pair is made of two texts: anything else would be lost in it. */
static engine_status check_pairs(engine_session *session, const engine_input *query,
                                 const engine_input *texts, size_t n)
{
    if (!is_plain_text(query))
        return fail(&session->error, ENGINE_ERROR_ARGUMENT,
                    "the query has ids, a pair, or a NULL text: a cross-encoder takes a text");
    for (size_t i = 0; i < n; i++)
        if (!is_plain_text(&texts[i]))
            return fail(&session->error, ENGINE_ERROR_ARGUMENT,
                        "input %zu has ids, a pair, or a NULL text: a cross-encoder takes a text",
                        i);
    return ENGINE_OK;
}

/* The scores of pairs of the query and each text. */
static engine_status rank_pairs(engine_session *session, const engine_input *query,
                                const engine_input *texts, size_t n,
                                const engine_encode_options *options, float *out)
{
    engine_input pairs[RANK_BATCH] = {{0}};
    for (size_t i = 0; i < n; i++) {
        pairs[i].text = query->text;
        pairs[i].text_len = query->text_len;
        pairs[i].pair = texts[i].text != NULL ? texts[i].text : "";
        pairs[i].pair_len = texts[i].text_len;
    }
    return engine_classify(session, pairs, n, options, out, n, NULL, NULL);
}

/* The cosines of the texts' vectors and the query's, which stands first in session->rank_vectors.
 */
static engine_status rank_vectors(engine_session *session, const engine_input *texts, size_t n,
                                  const struct encode_settings *settings,
                                  const struct answer *answer, float *out)
{
    float *query = session->rank_vectors, *vectors = query + answer->width;
    engine_status status =
        encode(session, texts, n, settings, answer, vectors, n * answer->width, NULL, NULL);
    for (size_t i = 0; i < n && status == ENGINE_OK; i++)
        out[i] = (float)cosine(query, vectors + i * answer->width, answer->width);
    return status;
}

engine_status engine_rank(engine_session *session, const engine_input *query,
                          const engine_input *texts, size_t n, const engine_encode_options *options,
                          float *out)
{
    struct encode_settings settings = {0};
    struct answer answer = {0};
    if (session == NULL)
        return ENGINE_ERROR_ARGUMENT;
    if (query == NULL || (texts == NULL && n > 0) || (out == NULL && n > 0))
        return fail(&session->error, ENGINE_ERROR_ARGUMENT,
                    "engine_rank: query, texts or out is NULL");
    const struct encoder *encoder = &session->model->encoder;
    bool by_pair = encoder->config.head == HEAD_SEQUENCE && encoder->config.labels == 1;
    engine_status status = settle_options(session, options, &settings);
    if (settings.pooling == POOLING_NONE)
        settings.pooling = POOLING_MEAN;
    if (status == ENGINE_OK)
        status = by_pair ? check_pairs(session, query, texts, n)
                         : settle_answer(session, &settings, &answer);
    if (status == ENGINE_OK && !by_pair)
        status = encode(session, query, 1, &settings, &answer, session->rank_vectors, answer.width,
                        NULL, NULL);
    for (size_t i = 0; i < n && status == ENGINE_OK; i += RANK_BATCH) {
        size_t count = n - i < RANK_BATCH ? n - i : RANK_BATCH;
        status = by_pair ? rank_pairs(session, query, texts + i, count, options, out + i)
                         : rank_vectors(session, texts + i, count, &settings, &answer, out + i);
    }
    return status;
}
