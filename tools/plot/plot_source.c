/* plot_source.c - see plot_source.h. The encoder opens the file and makes tokens; what is computed
 * is computed by sessions of our own, one for each kind of positions. */
#include "tools/plot/plot_source.h"

#include "tools/plot/memory.h"
#include "tools/plot/pictures/position_words.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- The model ---- */

static void choose_positions(struct source *source)
{
    const struct position_options *positions = &source->options->request.positions;
    bool compares =
        source->options->command == PLOT_WORDS || source->options->command == PLOT_ORDER;
    bool has_none =
        strcmp(source->encoder.info.position, engine_position_name(ENGINE_POSITION_NONE)) == 0;
    source->scheme = positions->position;
    if (positions->position == ENGINE_POSITION_MODEL && compares && has_none)
        source->scheme = ENGINE_POSITION_SINUSOIDAL;
    source->position =
        source->scheme ? engine_position_name(source->scheme) : source->encoder.info.position;
    const char *conflict = position_options_conflict(positions, source->position);
    if (conflict)
        exit(program_misuse("%s; here they are %s", conflict, source->position));
}

void source_open(struct source *source, const struct plot_options *options)
{
    struct request_options tokens = options->request;
    int code;
    tokens.task = TASK_TOKENS;
    tokens.positions = (struct position_options){0}; /* choose_positions knows the scheme */
    *source = (struct source){.options = options};
    if (!encoder_open(&source->encoder, &tokens, &code))
        exit(code);
    if (!source->encoder.info.has_model)
        exit(program_fail("%s holds a tokenizer alone: pictures need a model",
                          source->encoder.name));
    choose_positions(source);
}

void source_close(struct source *source)
{
    encoder_close(&source->encoder);
}

/* ---- Texts ---- */

void source_tokenize(struct source *source, const char *text, size_t len, size_t number,
                     struct item *item)
{
    size_t most = source->encoder.info.max_tokens;
    *item = (struct item){.number = number};
    item->record.input.text = text;
    item->record.input.text_len = len;
    if (!encoder_tokenize(&source->encoder, item))
        exit(program_fail("%s", source->encoder.message));
    if (item->n_tokens > most)
        exit(program_fail("text %zu has %zu tokens, and this model takes at most %zu", number,
                          item->n_tokens, most));
}

void source_label(const struct source *source, const struct item *item, size_t i, char **label)
{
    size_t len;
    const char *word = encoder_unknown_word(&source->encoder, item, i, &len);
    if (!word)
        word = encoder_token_text(&source->encoder, item, i, &len);
    text_set_bytes(label, word, len);
}

const char *source_positions(const struct source *source, enum with_positions with,
                             char out[POSITIONS_BYTES])
{
    bool without = with == WITHOUT_POSITIONS || strcmp(source->position, "none") == 0;
    const char *scheme = without ? "none" : source->position;
    char words[POSITION_WORDS_BYTES];
    position_words(source->encoder.model, &source->options->request.positions, scheme,
                   source->encoder.info.width, words);
    if (without)
        snprintf(out, POSITIONS_BYTES, "without positions%s", words);
    else
        snprintf(out, POSITIONS_BYTES, "with %s positions%s", scheme, words);
    return out;
}

/* ---- Sessions ---- */

/* With the positions of the command line, or with none; what else is asked for is in options. */
static engine_session *open_session(const struct source *source, enum with_positions with,
                                    engine_session_options options)
{
    const struct request_options *request = &source->options->request;
    struct position_options positions = {0};
    engine_session *session = NULL;
    engine_error error = {ENGINE_OK, ""};
    if (with == WITH_POSITIONS)
        positions = request->positions;
    positions.position = with == WITH_POSITIONS ? source->scheme : ENGINE_POSITION_NONE;
    positions.has_embedding_scale = request->positions.has_embedding_scale;
    positions.embedding_scale = request->positions.embedding_scale;
    positions.embedding_scale_is_sqrt = request->positions.embedding_scale_is_sqrt;
    options.struct_bytes = sizeof options;
    position_options_apply(&positions, source->encoder.info.width, &options);
    options.mask = request->mask;
    options.n_threads = request->n_threads;
    if (engine_session_new(source->encoder.model, &options, &session, &error) != ENGINE_OK)
        exit(program_fail("%s", error.message));
    return session;
}

/* A text's tokens as the engine takes them; input.ids, which types are behind, is to be freed. */
static engine_input make_input(const struct source *source, const struct item *item)
{
    size_t n = item->n_tokens;
    int32_t *ids = memory_zeros(2 * n, sizeof *ids);
    for (size_t i = 0; i < n; i++) {
        ids[i] = item->tokens[i].id;
        ids[n + i] = item->tokens[i].type;
    }
    return (engine_input){
        .ids = ids, .n_ids = n, .types = source->encoder.info.n_types ? ids + n : NULL};
}

/* The vectors of a text into out; `about` opens the message where that fails. */
static void encode_item(const struct source *source, engine_session *session,
                        const struct item *item, engine_pooling pooling, float *out, size_t n,
                        const char *about)
{
    engine_encode_options options = {.struct_bytes = sizeof options, .pooling = pooling};
    engine_input input = make_input(source, item);
    if (engine_encode(session, &input, 1, &options, out, n, NULL, NULL) != ENGINE_OK)
        exit(program_fail("%s%s", about, engine_session_message(session)));
    free((void *)input.ids);
}

/* ---- Hidden states and attention ---- */

struct tracing {
    struct states *states;
    size_t first; /* where the text's own tokens begin among all */
};

static void take_hidden(const struct tracing *tracing, const engine_trace_view *view)
{
    const struct states *states = tracing->states;
    double *layer =
        states->hidden + (view->index * states->n_tokens + tracing->first) * view->width;
    for (size_t i = 0; i < view->n_tokens * view->width; i++)
        layer[i] = (double)view->values[i];
}

static void take_attention(const struct tracing *tracing, const engine_trace_view *view)
{
    const struct states *states = tracing->states;
    size_t n = view->n_tokens, all = states->n_tokens, first = tracing->first;
    double *layer = states->attention + view->index * view->n_heads * all * all;
    for (size_t h = 0; h < view->n_heads; h++)
        for (size_t query = 0; query < n; query++)
            for (size_t key = 0; key < n; key++)
                layer[(h * all + first + query) * all + first + key] =
                    (double)view->values[(h * n + query) * n + key];
}

static void take(const engine_trace_view *view, void *user)
{
    const struct tracing *tracing = user;
    if (view->kind == ENGINE_TRACE_HIDDEN && tracing->states->hidden)
        take_hidden(tracing, view);
    else if (view->kind == ENGINE_TRACE_ATTENTION && tracing->states->attention)
        take_attention(tracing, view);
}

/* Padding changes no other token's numbers, so the engine is given the text alone. */
void source_trace(struct source *source, enum with_positions with, const struct item *item,
                  unsigned kinds, size_t pad_to, bool pad_left, struct states *states)
{
    const engine_info *info = &source->encoder.info;
    size_t n = pad_to > item->n_tokens ? pad_to : item->n_tokens;
    struct tracing tracing = {states, pad_left ? n - item->n_tokens : 0};
    *states = (struct states){n, info->n_layers, info->n_heads, info->width, NULL, NULL};
    if (kinds & ENGINE_TRACE_HIDDEN)
        states->hidden = memory_zeros((info->n_layers + 1) * n * info->width, sizeof(double));
    if (kinds & ENGINE_TRACE_ATTENTION)
        states->attention = memory_zeros(info->n_layers * info->n_heads * n * n, sizeof(double));
    if (item->n_tokens == 0)
        return;
    engine_session *session = open_session(source, with,
                                           (engine_session_options){.trace = kinds,
                                                                    .trace_callback = take,
                                                                    .trace_user = &tracing,
                                                                    .max_tokens = item->n_tokens});
    size_t n_rows = item->n_tokens * info->width;
    float *rows = memory_zeros(n_rows, sizeof *rows);
    encode_item(source, session, item, ENGINE_POOLING_NONE, rows, n_rows, "");
    free(rows);
    engine_session_free(session);
}

void states_free(struct states *states)
{
    free(states->hidden);
    free(states->attention);
    *states = (struct states){0};
}

/* ---- Pooled vectors ---- */

static engine_pooling pooling_of(const struct source *source)
{
    const struct request_options *options = &source->options->request;
    if (options->has_pooling)
        return options->pooling;
    return strcmp(source->encoder.info.pooling, "none") == 0 ? ENGINE_POOLING_MEAN
                                                             : ENGINE_POOLING_MODEL;
}

const char *source_pooling(const struct source *source)
{
    static const char *const names[] = {NULL,        "none",          "mean", "cls",   "max",
                                        "mean_sqrt", "weighted_mean", "last", "pooler"};
    engine_pooling pooling = pooling_of(source);
    return pooling == ENGINE_POOLING_MODEL ? source->encoder.info.pooling : names[pooling];
}

float *source_pool(struct source *source, enum with_positions with, const struct item *items,
                   size_t n, size_t *width)
{
    const engine_info *info = &source->encoder.info;
    engine_pooling pooling = pooling_of(source);
    engine_session *session = open_session(source, with, (engine_session_options){0});
    *width = pooling == ENGINE_POOLING_MODEL ? info->output_width : info->width;
    float *vectors = memory_zeros(n, *width * sizeof *vectors);
    for (size_t i = 0; i < n; i++) {
        char about[32];
        snprintf(about, sizeof about, "text %zu: ", items[i].number);
        encode_item(source, session, &items[i], pooling, vectors + i * *width, *width, about);
    }
    engine_session_free(session);
    return vectors;
}

double vector_distance(const double *a, const double *b, size_t n, bool by_cosine)
{
    double squares = 0, product = 0, aa = 0, bb = 0;
    for (size_t i = 0; i < n; i++) {
        squares += (a[i] - b[i]) * (a[i] - b[i]);
        product += a[i] * b[i];
        aa += a[i] * a[i];
        bb += b[i] * b[i];
    }
    if (!by_cosine)
        return sqrt(squares);
    return aa > 0 && bb > 0 ? 1 - product / sqrt(aa) / sqrt(bb) : 0;
}
