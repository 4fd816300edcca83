/* plot_source.c - see plot_source.h. The encoder opens the file and makes tokens; what is computed
 * is computed by sessions of our own, one for each kind of positions. */
#include "tools/plot/plot_source.h"

#include "tools/plot/text.h"

#include <math.h>
#include <string.h>

/* ---- The model ---- */

static void choose_positions(struct source *source)
{
    const struct position_options *positions = &source->options->request.positions;
    bool compares =
        source->options->command == PLOT_WORDS || source->options->command == PLOT_ORDER;
    bool has_none = strcmp(source->encoder.info.position, "none") == 0 &&
                    strcmp(source->encoder.attention_position, "none") == 0;
    source->scheme = positions->position;
    if (positions->position == ENGINE_POSITION_MODEL && compares && has_none)
        source->scheme = ENGINE_POSITION_SINUSOIDAL;
    source->position =
        source->scheme ? engine_position_name(source->scheme) : source->encoder.info.position;
    const char *conflict = position_options_conflict(positions, source->position);
    if (conflict)
        program_die_misused("%s; here they are %s", conflict, source->position);
}

void source_open(struct source *source, const struct plot_options *options)
{
    struct request_options tokens = options->request;
    tokens.task = TASK_TOKENS;
    tokens.positions = (struct position_options){0}; /* choose_positions knows the scheme */
    *source = (struct source){.options = options};
    if (options->command == PLOT_POSITION) /* opens what files it needs itself */
        return;
    encoder_open(&source->encoder, &tokens);
    if (!source->encoder.info.has_model)
        program_die("%s holds a tokenizer alone: pictures need a model", source->encoder.name);
    choose_positions(source);
}

void source_close(struct source *source)
{
    for (size_t i = 0; i < source->n_items; i++)
        item_free(&source->items[i]);
    encoder_close(&source->encoder);
}

/* ---- Texts ---- */

/* One more, all 0; room is doubled whenever it is used up. */
static struct item *add_item(struct source *source)
{
    size_t n = source->n_items++;
    if ((n & (n - 1)) == 0) { /* 0, 1, 2, 4, 8 … */
        struct item *items = alloc_zeros(2 * n + 1, sizeof *items);
        if (n)
            memcpy(items, source->items, n * sizeof *items);
        source->items = items;
    }
    return &source->items[n];
}

struct item *source_tokenize(struct source *source, const char *text, size_t len, size_t number)
{
    size_t most = source->encoder.info.max_tokens;
    struct item *item = add_item(source);
    item->number = number;
    item->record.input.text = text;
    item->record.input.text_len = len;
    if (!encoder_tokenize(&source->encoder, item))
        program_die("%s", source->encoder.message);
    if (item->n_tokens > most)
        program_die("text %zu has %zu tokens, and this model takes at most %zu", number,
                    item->n_tokens, most);
    return item;
}

const struct item *source_only_text(struct source *source, const char *no_layers)
{
    const char *text = source->options->request.texts[0];
    const struct item *item = source_tokenize(source, text, strlen(text), 1);
    if (item->n_tokens == 0)
        program_die("the text has no tokens: there is nothing to look at");
    if (source->encoder.info.n_layers == 0)
        program_die("%s has no layers, so %s", source->encoder.name, no_layers);
    return item;
}

const char *source_label(const struct source *source, const struct item *item, size_t i)
{
    size_t len;
    const char *word = encoder_unknown_word(&source->encoder, item, i, &len);
    if (!word)
        word = encoder_token_text(&source->encoder, item, i, &len);
    return text_of_bytes(word, len);
}

const char *source_positions(const struct source *source, enum with_positions with)
{
    bool without = with == WITHOUT_POSITIONS || strcmp(source->position, "none") == 0;
    const char *scheme = without ? "none" : source->position;
    const char *words = position_words(source->encoder.model, &source->options->request.positions,
                                       scheme, source->encoder.info.width);
    /* No option takes away what the model's attention knows. */
    const char *in_attention = source->encoder.attention_position;
    if (strcmp(in_attention, "none") != 0)
        return text_new("with %s%s%s positions%s", without ? "" : scheme, without ? "" : " and ",
                        in_attention, words);
    return without ? text_new("without positions%s", words)
                   : text_new("with %s positions%s", scheme, words);
}

/* ---- Sessions ---- */

/* With the positions of the command line, or with none; what else is asked for is in options. */
static engine_session *open_session(const struct source *source, enum with_positions with,
                                    engine_session_options options)
{
    const struct request_options *request = &source->options->request;
    struct position_options positions = request->positions;
    engine_session *session = NULL;
    engine_error error = {0};
    positions.position = source->scheme;
    if (with == WITHOUT_POSITIONS) /* W1 alone is left */
        positions = (struct position_options){
            .position = ENGINE_POSITION_NONE,
            .has_embedding_scale = positions.has_embedding_scale,
            .embedding_scale = positions.embedding_scale,
            .embedding_scale_is_sqrt = positions.embedding_scale_is_sqrt,
        };
    position_options_apply(&positions, source->encoder.info.width, &options);
    options.mask = request->session.mask;
    options.n_threads = request->session.n_threads;
    if (engine_session_new(source->encoder.model, &options, &session, &error) != ENGINE_OK)
        program_die("%s", error.message);
    return session;
}

/* The vectors of a text into out. */
static void encode_item(const struct source *source, engine_session *session,
                        const struct item *item, engine_pooling pooling, float *out, size_t n)
{
    engine_encode_options options = ENGINE_ENCODE_OPTIONS(.pooling = pooling);
    const engine_input input = {
        .tokens = item->tokens, .mask = item->mask, .n_tokens = item->n_tokens};
    if (engine_encode(session, &input, 1, &options, out, n, NULL, NULL) == ENGINE_OK)
        return;
    const engine_error *error = engine_session_error(session);
    program_die("text %zu%s%s%s", item->number, error->name_len ? "" : ": ",
                error->message + error->name_len,
                position_scale_hint(&source->options->request.positions, error->reason));
}

/* ---- Hidden states and attention ---- */

void source_watch(struct source *source, enum with_positions with, const struct item *item,
                  unsigned kinds, engine_trace_callback callback, void *user)
{
    size_t n = item->n_tokens, n_numbers = n * source->encoder.info.width;
    engine_session *session =
        open_session(source, with,
                     ENGINE_SESSION_OPTIONS(.trace = kinds, .trace_callback = callback,
                                            .trace_user = user, .max_tokens = n));
    encode_item(source, session, item, ENGINE_POOLING_NONE, alloc_zeros(n_numbers, sizeof(float)),
                n_numbers);
    engine_session_free(session);
}

/* Where the numbers go, and how many there are of one layer. */
struct tracing {
    double *out;
    size_t n_layer;
};

static void take(const engine_trace_view *view, void *user)
{
    const struct tracing *tracing = user;
    for (size_t i = 0; i < tracing->n_layer; i++)
        tracing->out[view->index * tracing->n_layer + i] = (double)view->values[i];
}

double *source_trace(struct source *source, enum with_positions with, const struct item *item,
                     engine_trace kind)
{
    const engine_info *info = &source->encoder.info;
    size_t n = item->n_tokens, n_layers = info->n_layers + (kind == ENGINE_TRACE_HIDDEN);
    size_t n_layer = kind == ENGINE_TRACE_HIDDEN ? n * info->width : info->n_heads * n * n;
    struct tracing tracing = {alloc_zeros(n_layers, n_layer * sizeof(double)), n_layer};
    source_watch(source, with, item, kind, take, &tracing);
    return tracing.out;
}

/* ---- Pooled vectors ---- */

static engine_pooling pooling_of(const struct source *source)
{
    const struct request_options *options = &source->options->request;
    if (options->has_pooling)
        return options->encode.pooling;
    return strcmp(source->encoder.info.pooling, "none") == 0 ? ENGINE_POOLING_MEAN
                                                             : ENGINE_POOLING_MODEL;
}

const char *source_pooling(const struct source *source)
{
    engine_pooling pooling = pooling_of(source);
    return pooling == ENGINE_POOLING_MODEL ? source->encoder.info.pooling
                                           : engine_pooling_name(pooling);
}

const float *source_pool(struct source *source, enum with_positions with, size_t *width)
{
    const engine_info *info = &source->encoder.info;
    engine_pooling pooling = pooling_of(source);
    engine_session *session = open_session(source, with, ENGINE_SESSION_OPTIONS());
    *width = pooling == ENGINE_POOLING_MODEL ? info->output_width : info->width;
    float *vectors = alloc_zeros(source->n_items, *width * sizeof *vectors);
    for (size_t i = 0; i < source->n_items; i++) {
        const struct item *item = &source->items[i];
        encode_item(source, session, item, pooling, vectors + i * *width, *width);
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
