/* heads.c - the public functions that answer from a model's head: classify, entities, fill, rank.
 */
#include "engine/encode.h"
#include "engine/status.h"
#include "model/layers/head.h"
#include "model/layers/pooling.h"

#include <stdio.h>
#include <string.h>

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

/* A label's place in an entity: B-X begins one, I-X and a bare X go on with X, O (or no name) is
 * none. */
struct tag {
    bool outside, begins;
    const char *kind;
};

static struct tag tag_of(const engine_model *model, size_t label)
{
    const char *name = engine_label(model, label);
    struct tag tag = {.kind = name};
    if (name == NULL || strcmp(name, "O") == 0)
        tag.outside = true;
    else if ((name[0] == 'B' || name[0] == 'I') && name[1] == '-') {
        tag.begins = name[0] == 'B';
        tag.kind = name + 2;
    }
    return tag;
}

struct entity_list {
    engine_entity *out;
    size_t cap, n;
    engine_entity open; /* the one that may go on */
    struct tag tag;
    size_t n_tokens; /* of it; 0: none is open */
    double sum;
};

static void close_entity(struct entity_list *list)
{
    if (list->n_tokens == 0)
        return;
    list->open.score = (float)(list->sum / (double)list->n_tokens);
    if (list->n < list->cap)
        list->out[list->n] = list->open;
    list->n++;
    list->n_tokens = 0;
}

/* A piece that goes on with the word before it, by its text: "##ing". */
static bool continues_word(const struct tokenizer *tokenizer, int32_t id)
{
    size_t len = 0;
    const char *text = vocabulary_text(&tokenizer->vocabulary, id, &len);
    return tokenizer->kind == TOKENIZER_WORDPIECE && text != NULL && tokenizer->prefix_bytes > 0 &&
           len > tokenizer->prefix_bytes &&
           memcmp(text, tokenizer->prefix, tokenizer->prefix_bytes) == 0;
}

static void add_token(struct entity_list *list, const struct token *token, bool joined,
                      size_t label, struct tag tag, float score)
{
    bool open = list->n_tokens > 0;
    bool same = open && !tag.outside && strcmp(tag.kind, list->tag.kind) == 0 &&
                token->in_pair == list->open.in_pair;
    if (tag.outside || !same || (tag.begins && !joined))
        close_entity(list);
    if (tag.outside)
        return;
    if (list->n_tokens == 0) {
        list->open =
            (engine_entity){.label = label, .begin = token->begin, .in_pair = token->in_pair};
        list->tag = tag;
        list->sum = 0;
    }
    list->open.end = token->end;
    list->sum += (double)score;
    list->n_tokens++;
}

static void list_entities(engine_session *session, const struct encode_settings *settings,
                          struct entity_list *list)
{
    const engine_model *model = session->model;
    size_t n_labels = (size_t)model->encoder.config.labels;
    for (size_t t = 0; t < n_pass_rows(session); t++) {
        const struct token *token = &session->tokens[t];
        if (token->special) {
            close_entity(list);
            continue;
        }
        float *scores = row_logits(session, t);
        size_t best = 0;
        head_scores(settled_scores(session, settings), scores, n_labels);
        for (size_t i = 1; i < n_labels; i++)
            best = scores[i] > scores[best] ? i : best;
        bool joined = continues_word(&model->tokenizer, token->id);
        add_token(list, token, joined, best, tag_of(model, best), scores[best]);
    }
    close_entity(list);
}

engine_status engine_entities(engine_session *session, const engine_input *input,
                              const engine_encode_options *options, engine_entity *out, size_t cap,
                              size_t *needed, engine_result *result)
{
    struct encode_settings settings = {0};
    struct entity_list list = {.out = out, .cap = cap};
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

/* The k largest of n scores, best first (the smaller id of equals), by insertion. */
static void best_candidates(const float *scores, size_t n, size_t token, size_t k,
                            engine_candidate *out)
{
    size_t count = 0;
    for (size_t id = 0; id < n; id++) {
        if (count == k && !(scores[id] > out[k - 1].score))
            continue;
        size_t at = count < k ? count++ : k - 1;
        for (; at > 0 && scores[id] > out[at - 1].score; at--)
            out[at] = out[at - 1];
        out[at] = (engine_candidate){.token = token, .id = (int32_t)id, .score = scores[id]};
    }
}

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
        best_candidates(scores, (size_t)config->vocabulary, session->pass.out_offsets[row], k, out);
        out += k;
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
