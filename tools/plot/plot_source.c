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

static int check_positions(struct source *source)
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
    return conflict ? program_misuse("%s; here they are %s", conflict, source->position)
                    : PROGRAM_DONE;
}

bool source_open(struct source *source, const struct plot_options *options, int *exit_code)
{
    struct request_options tokens = options->request;
    tokens.task = TASK_TOKENS;
    tokens.positions = (struct position_options){0}; /* check_positions knows the scheme */
    *source = (struct source){.options = options};
    if (!encoder_open(&source->encoder, &tokens, exit_code))
        return false;
    if (!source->encoder.info.has_model) {
        *exit_code =
            program_fail("%s holds a tokenizer alone: pictures need a model", source->encoder.name);
        return false;
    }
    *exit_code = check_positions(source);
    return *exit_code == PROGRAM_DONE;
}

void source_close(struct source *source)
{
    encoder_close(&source->encoder);
}

/* ---- Texts ---- */

bool source_tokenize(struct source *source, const char *text, size_t len, size_t number,
                     struct item *item)
{
    const engine_info *info = &source->encoder.info;
    *item = (struct item){.number = number};
    item->record.input.text = text;
    item->record.input.text_len = len;
    if (!encoder_tokenize(&source->encoder, item)) {
        program_fail("%s", source->encoder.message);
        return false;
    }
    if (item->n_tokens <= info->max_tokens)
        return true;
    program_fail("text %zu has %zu tokens, and this model takes at most %zu", number,
                 item->n_tokens, info->max_tokens);
    return false;
}

void source_label(const struct source *source, const struct item *item, size_t i, char **label)
{
    size_t len;
    const char *word = encoder_unknown_word(&source->encoder, item, i, &len);
    if (!word)
        word = encoder_token_text(&source->encoder, item, i, &len);
    text_set_bytes(label, word, len);
}

/* ---- Sessions ---- */

void source_session(const struct source *source, enum with_positions with,
                    struct position_options *positions, engine_session_options *session)
{
    *session = (engine_session_options){.struct_bytes = sizeof *session};
    *positions = source->options->request.positions;
    positions->position = source->scheme;
    if (with == WITHOUT_POSITIONS) {
        positions->position = ENGINE_POSITION_NONE;
        positions->base = 0;
        positions->frequencies = NULL; /* the command line's: not ours to free */
        positions->n_frequencies = 0;
        positions->has_position_scale = false;
    }
    position_options_apply(positions, source->encoder.info.width, session);
    session->mask = source->options->request.mask;
    session->n_threads = source->options->request.n_threads;
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

static engine_session *open_session(struct source *source, engine_session_options *options)
{
    engine_session *session = NULL;
    engine_error error = {ENGINE_OK, ""};
    if (engine_session_new(source->encoder.model, options, &session, &error) != ENGINE_OK)
        program_fail("%s", error.message);
    return session;
}

/* ---- Hidden states and attention ---- */

struct tracing {
    struct states *states;
    const size_t *places; /* of the visible tokens among all */
};

static void take_hidden(const struct tracing *tracing, const engine_trace_view *view)
{
    const struct states *states = tracing->states;
    size_t width = view->width;
    double *layer = states->hidden + view->index * states->n_tokens * width;
    for (size_t t = 0; t < view->n_tokens; t++)
        for (size_t i = 0; i < width; i++)
            layer[tracing->places[t] * width + i] = (double)view->values[t * width + i];
}

static void take_attention(const struct tracing *tracing, const engine_trace_view *view)
{
    const struct states *states = tracing->states;
    size_t n = view->n_tokens, all = states->n_tokens;
    double *layer = states->attention + view->index * view->n_heads * all * all;
    for (size_t h = 0; h < view->n_heads; h++)
        for (size_t query = 0; query < n; query++)
            for (size_t key = 0; key < n; key++)
                layer[(h * all + tracing->places[query]) * all + tracing->places[key]] =
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

/* a * b * c * d zeros, at least one; NULL: no memory, or too many to count. */
static double *make_zeros(size_t a, size_t b, size_t c, size_t d)
{
    size_t n = 0;
    bool is_too_large = __builtin_mul_overflow(a, b, &n) || __builtin_mul_overflow(n, c, &n) ||
                        __builtin_mul_overflow(n, d, &n) || n > SIZE_MAX / sizeof(double) - 1;
    return is_too_large ? NULL : calloc(n + 1, sizeof(double));
}

/* A text as the engine takes it, with the padding of tools/common/texts/padding.c. */
struct padded {
    struct item item;
    int32_t *ids, *types; /* [n] */
    uint8_t *mask;        /* [n], 0: padding */
    size_t *places;       /* of the text's own tokens among all */
    size_t n;
};

static void free_padded(struct padded *padded)
{
    item_free(&padded->item);
    free(padded->ids);
    free(padded->types);
    free(padded->mask);
    free(padded->places);
}

static bool copy_tokens(const struct item *from, struct item *to)
{
    to->tokens = calloc(from->n_tokens + 1, sizeof *to->tokens);
    if (!to->tokens)
        return false;
    if (from->n_tokens > 0)
        memcpy(to->tokens, from->tokens, from->n_tokens * sizeof *to->tokens);
    to->n_tokens = from->n_tokens;
    return true;
}

/* False: no memory; free_padded is safe either way. */
static bool pad(const struct item *item, size_t n, bool left, struct padded *padded)
{
    const struct padding padding = {.n = n, .on_left = left};
    *padded = (struct padded){.n = n};
    padded->ids = calloc(n + 1, sizeof *padded->ids);
    padded->types = calloc(n + 1, sizeof *padded->types);
    padded->mask = calloc(n + 1, sizeof *padded->mask);
    padded->places = calloc(n + 1, sizeof *padded->places);
    if (!padded->ids || !padded->types || !padded->mask || !padded->places ||
        !copy_tokens(item, &padded->item) || !padding_apply(&padding, &padded->item))
        return false;
    for (size_t i = 0, next = 0; i < n; i++) {
        padded->ids[i] = padded->item.tokens[i].id;
        padded->types[i] = padded->item.tokens[i].type;
        padded->mask[i] = !item_is_masked(&padded->item, i);
        if (padded->mask[i])
            padded->places[next++] = i;
    }
    return true;
}

static bool encode_padded(struct source *source, enum with_positions with,
                          const struct padded *padded, unsigned kinds, struct tracing *tracing)
{
    struct position_options positions;
    engine_session_options options;
    source_session(source, with, &positions, &options);
    options.trace = kinds;
    options.trace_callback = take;
    options.trace_user = tracing;
    options.max_tokens = padded->n;
    engine_session *session = open_session(source, &options);
    if (!session)
        return false;
    size_t n_rows = padded->n * source->encoder.info.width;
    float *rows = malloc((n_rows + 1) * sizeof *rows);
    engine_input input = {.ids = padded->ids,
                          .mask = padded->mask,
                          .n_ids = padded->n,
                          .types = source->encoder.info.n_types ? padded->types : NULL};
    engine_encode_options encode = {.struct_bytes = sizeof encode, .pooling = ENGINE_POOLING_NONE};
    bool is_good =
        rows && engine_encode(session, &input, 1, &encode, rows, n_rows, NULL, NULL) == ENGINE_OK;
    if (!is_good)
        program_fail("%s", rows ? engine_session_message(session) : "not enough memory");
    free(rows);
    engine_session_free(session);
    return is_good;
}

static bool make_states(const engine_info *info, size_t n_tokens, unsigned kinds,
                        struct states *states)
{
    *states = (struct states){n_tokens, info->n_layers, info->n_heads, info->width, NULL, NULL};
    if (kinds & ENGINE_TRACE_HIDDEN)
        states->hidden = make_zeros(info->n_layers + 1, n_tokens, info->width, 1);
    if (kinds & ENGINE_TRACE_ATTENTION)
        states->attention = make_zeros(info->n_layers, info->n_heads, n_tokens, n_tokens);
    return (states->hidden || !(kinds & ENGINE_TRACE_HIDDEN)) &&
           (states->attention || !(kinds & ENGINE_TRACE_ATTENTION));
}

bool source_trace(struct source *source, enum with_positions with, const struct item *item,
                  unsigned kinds, size_t pad_to, bool pad_left, struct states *states)
{
    struct padded padded;
    size_t n = pad_to > item->n_tokens ? pad_to : item->n_tokens;
    bool is_good = make_states(&source->encoder.info, n, kinds, states);
    if (!pad(item, n, pad_left, &padded) || !is_good) {
        program_fail("not enough memory");
        is_good = false;
    }
    struct tracing tracing = {states, padded.places};
    is_good =
        is_good && (item->n_tokens == 0 || encode_padded(source, with, &padded, kinds, &tracing));
    free_padded(&padded);
    if (!is_good)
        states_free(states);
    return is_good;
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

static bool pool_one(struct source *source, engine_session *session, const struct item *item,
                     float *out, size_t width)
{
    engine_encode_options encode = {.struct_bytes = sizeof encode, .pooling = pooling_of(source)};
    struct padded padded;
    if (!pad(item, item->n_tokens, false, &padded)) {
        free_padded(&padded);
        program_fail("not enough memory");
        return false;
    }
    engine_input input = {.ids = padded.ids,
                          .n_ids = item->n_tokens,
                          .types = source->encoder.info.n_types ? padded.types : NULL};
    bool is_good = engine_encode(session, &input, 1, &encode, out, width, NULL, NULL) == ENGINE_OK;
    if (!is_good)
        program_fail("text %zu: %s", item->number, engine_session_message(session));
    free_padded(&padded);
    return is_good;
}

float *source_pool(struct source *source, enum with_positions with, const struct item *items,
                   size_t n, size_t *width)
{
    const engine_info *info = &source->encoder.info;
    struct position_options positions;
    engine_session_options options;
    *width = pooling_of(source) == ENGINE_POOLING_MODEL ? info->output_width : info->width;
    source_session(source, with, &positions, &options);
    engine_session *session = open_session(source, &options);
    if (!session)
        return NULL;
    float *vectors = calloc(n + 1, *width * sizeof *vectors);
    bool is_good = vectors != NULL;
    if (!is_good)
        program_fail("not enough memory");
    for (size_t i = 0; i < n && is_good; i++)
        is_good = pool_one(source, session, &items[i], vectors + i * *width, *width);
    engine_session_free(session);
    if (!is_good) {
        free(vectors);
        return NULL;
    }
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
