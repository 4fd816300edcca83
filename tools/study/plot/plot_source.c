/* plot_source.c - see plot_source.h. The encoder opens the file and makes tokens; sessions of our
 * own, one for each kind of positions, compute the numbers. */
#include "tools/study/plot/plot_source.h"

#include "tools/common/options.h"
#include "tools/common/texts/reader.h"

#include <math.h>
#include <string.h>

/* ---- The model and the texts ---- */

/* Reads and tokenizes the texts. Empty lines of stdin are skipped, but in a list of many. */
static void read_texts(struct plot_source *source)
{
    const struct request_options *request = &source->options->request;
    const struct plot_texts *texts = &PLOT_TEXTS[source->options->command];
    struct reader reader;
    struct record record;
    enum reader_state state;
    reader_open(&reader, request);
    while ((state = reader_next(&reader, true, &record)) == READER_RECORD) {
        const char *text = record.input.text;
        const size_t len = record.input.text_len;
        const bool is_one_of_few = record.line > 0 && texts->most <= 2;
        if (is_one_of_few && len == 0) {
            record_free(&record);
            continue;
        }
        if (is_one_of_few && memchr(text, '\0', len))
            program_die("line %zu of stdin has a NUL byte, so it is not a text", record.line);
        if (source->n_items == texts->most)
            program_die_misused("%s; there are more", texts->message);
        source_tokenize(source, text, len, source->n_items + 1)->record.storage = record.storage;
    }
    if (state == READER_FAILED)
        program_die("%s", reader.message);
    if (source->n_items < texts->least)
        program_die_misused("%s; there %s", texts->message,
                            source->n_items ? "is one" : "are none");
    reader_free(&reader);
}

void source_open(struct plot_source *source, const struct plot_options *options)
{
    const struct position_options *positions = &options->request.positions;
    struct request_options tokens = options->request;
    struct text_encoder *encoder = &source->encoder;
    tokens.task = TASK_TOKENS;
    tokens.positions = (struct position_options){0}; /* those of the sessions are chosen here */
    *source = (struct plot_source){.options = options, .scheme = positions->position};
    if (options->command == PLOT_POSITION &&
        options->request.n_texts == 0) /* it opens files itself */
        return;
    encoder_open(encoder, &tokens);
    if (!encoder->info.has_model)
        program_die("'%s' holds a tokenizer alone: pictures need a model", encoder->info.path);
    bool compares = options->command == PLOT_WORDS || options->command == PLOT_ORDER;
    bool has_none = encoder->info.position == ENGINE_POSITION_NONE && !encoder->attention_position;
    if (source->scheme == ENGINE_POSITION_MODEL && compares && has_none)
        source->scheme = ENGINE_POSITION_SINUSOIDAL;
    source->position = source->scheme ? source->scheme : encoder->info.position;
    read_texts(source);
    const char *conflict = position_options_conflict(positions, source->position);
    if (conflict)
        program_die_misused("%s; here they are %s", conflict,
                            engine_position_name(source->position));
}

void source_close(struct plot_source *source)
{
    for (size_t i = 0; i < source->n_items; i++)
        item_free(&source->items[i]);
    encoder_close(&source->encoder);
}

struct item *source_tokenize(struct plot_source *source, const char *text, size_t len,
                             size_t number)
{
    size_t most = source->encoder.info.max_tokens, n = source->n_items++;
    if ((n & (n - 1)) == 0) /* 0, 1, 2, 4, 8 … */
        source->items = alloc_resize(source->items, 2 * n + 1, sizeof *source->items);
    struct item *item = &source->items[n];
    *item = (struct item){.number = number, .record.input = {.text = text, .text_len = len}};
    if (!encoder_tokenize(&source->encoder, item))
        program_die("%s", item_fault(item));
    if (item->n_tokens > most)
        program_die("text %zu has %zu tokens, and this model takes at most %zu", number,
                    item->n_tokens, most);
    return item;
}

const struct item *source_only_text(struct plot_source *source, const char *no_layers)
{
    const struct item *item = &source->items[0];
    if (item->n_tokens == 0)
        program_die("the text has no tokens: there is nothing to look at");
    if (source->encoder.info.n_layers == 0)
        program_die("'%s' has no layers, so %s", source->encoder.info.path, no_layers);
    return item;
}

const char *source_label(const struct plot_source *source, const struct item *item, size_t i)
{
    size_t len;
    const char *word = encoder_unknown_word(&source->encoder, item, i, &len);
    if (!word)
        word = encoder_token_text(&source->encoder, item, i, &len);
    return text_of_bytes(word, len);
}

const char **source_labels(const struct plot_source *source, const struct item *item)
{
    const char **labels = alloc_zeros(item->n_tokens, sizeof *labels);
    for (size_t i = 0; i < item->n_tokens; i++)
        labels[i] = source_label(source, item, i);
    return labels;
}

const char *source_positions(const struct plot_source *source, enum with_positions with)
{
    const engine_position scheme =
        with == WITHOUT_POSITIONS ? ENGINE_POSITION_NONE : source->position;
    const bool without = scheme == ENGINE_POSITION_NONE;
    const char *name = engine_position_name(scheme);
    const char *words = position_words(source->encoder.model, &source->options->request.positions,
                                       scheme, source->encoder.info.width);
    /* No option removes the positions that the model's attention knows. */
    const char *in_attention = source->encoder.attention_position;
    if (in_attention)
        return text_new("with %s%s%s positions%s", without ? "" : name, without ? "" : " and ",
                        in_attention, words);
    return without ? text_new("without positions%s", words)
                   : text_new("with %s positions%s", name, words);
}

enum { FREQUENCIES_SHOWN = 4 };

/* A weight that was asked for is named even if it is 1, and if one weight is named so is the other:
 * only W1 : W2 matters. */
const char *position_words(const engine_model *model, const struct position_options *options,
                           engine_position scheme, size_t width)
{
    struct position_numbers numbers = position_numbers(options, model, width);
    double w1 = numbers.embedding_scale, w2 = numbers.position_scale;
    bool has_positions = scheme != ENGINE_POSITION_NONE;
    bool names_w1 = width > 0 && (w1 != 1 || options->has_embedding_scale);
    bool names_w2 = has_positions && (w2 != 1 || options->has_position_scale);
    bool is_root = options->embedding_scale_is_sqrt ||
                   (fabs(w1 * w1 - (double)width) <= 1e-5 * (double)width && w1 != round(w1));
    size_t n = scheme == ENGINE_POSITION_FOURIER ? numbers.n_frequencies : 0;
    struct written text;
    FILE *words = alloc_open(&text);
    if (engine_position_has_base(scheme) &&
        (numbers.base != POSITION_DEFAULT_BASE || options->base != 0))
        fprintf(words, ", base %g", numbers.base);
    if (width > 0 && (names_w1 || names_w2) && is_root)
        fprintf(words, ", W1 = √%zu", width);
    else if (width > 0 && (names_w1 || names_w2))
        fprintf(words, ", W1 = %g", w1);
    if (names_w2 || (names_w1 && has_positions))
        fprintf(words, ", W2 = %g", w2);
    if (n > 0 && (!options->frequencies || n > FREQUENCIES_SHOWN))
        fprintf(words, ", %zu frequenc%s", n, n == 1 ? "y" : "ies");
    else
        for (size_t i = 0; i < n; i++)
            fprintf(words, "%s%g",
                    i        ? ", "
                    : n == 1 ? ", frequency "
                             : ", frequencies ",
                    options->frequencies[i]);
    return alloc_close(words, &text);
}

/* ---- Sessions ---- */

/* Opens a session with the positions of the command line, or with none, and these options. */
static engine_session *open_plot_session(const struct plot_source *source, enum with_positions with,
                                         engine_session_options options)
{
    const struct request_options *request = &source->options->request;
    struct position_options positions = request->positions;
    engine_session *session = NULL;
    engine_error error = {0};
    positions.position = source->scheme;
    if (with == WITHOUT_POSITIONS) /* only W1 is kept */
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

/* Writes the vectors of a text to out. */
static void encode_item(const struct plot_source *source, engine_session *session,
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

void source_watch(struct plot_source *source, enum with_positions with, const struct item *item,
                  unsigned kinds, engine_trace_callback callback, void *user)
{
    size_t n = item->n_tokens, n_numbers = n * source->encoder.info.width;
    engine_session *session =
        open_plot_session(source, with,
                          ENGINE_SESSION_OPTIONS(.trace = kinds, .trace_callback = callback,
                                                 .trace_user = user, .max_tokens = n));
    encode_item(source, session, item, ENGINE_POOLING_NONE, alloc_zeros(n_numbers, sizeof(float)),
                n_numbers);
    engine_session_free(session);
}

struct tracing {
    double *out;    /* [layers, n_layer] */
    size_t n_layer; /* numbers of one layer */
};

static void copy_layer(const engine_trace_view *view, void *user)
{
    const struct tracing *tracing = user;
    for (size_t i = 0; i < tracing->n_layer; i++)
        tracing->out[view->index * tracing->n_layer + i] = (double)view->values[i];
}

double *source_trace(struct plot_source *source, enum with_positions with, const struct item *item,
                     engine_trace kind)
{
    const engine_info *info = &source->encoder.info;
    size_t n = item->n_tokens, n_layers = info->n_layers + (kind == ENGINE_TRACE_HIDDEN);
    size_t n_layer = kind == ENGINE_TRACE_HIDDEN ? n * info->width : info->n_heads * n * n;
    struct tracing tracing = {alloc_zeros(n_layers, n_layer * sizeof(double)), n_layer};
    source_watch(source, with, item, kind, copy_layer, &tracing);
    return tracing.out;
}

/* ---- Pooled vectors ---- */

/* Returns what a text's vector is: by the requested pooling, else the model's own or the mean. */
static engine_shape pooled_shape(const struct plot_source *source, engine_pooling *pooling)
{
    const struct request_options *options = &source->options->request;
    engine_shape shape = ENGINE_SHAPE();
    engine_error error;
    *pooling = options->has_pooling ? options->encode.pooling : ENGINE_POOLING_TEXT;
    const engine_encode_options asked = ENGINE_ENCODE_OPTIONS(.pooling = *pooling);
    if (engine_shape_of(source->encoder.model, &asked, &shape, &error) != ENGINE_OK)
        program_die("%s", error.message);
    return shape;
}

const char *source_pooling(const struct plot_source *source)
{
    engine_pooling pooling;
    return engine_pooling_name(pooled_shape(source, &pooling).pooling);
}

const float *source_pool(struct plot_source *source, enum with_positions with, size_t *width)
{
    engine_pooling pooling;
    *width = pooled_shape(source, &pooling).width;
    engine_session *session = open_plot_session(source, with, ENGINE_SESSION_OPTIONS());
    float *vectors = alloc_zeros(source->n_items, *width * sizeof *vectors);
    for (size_t i = 0; i < source->n_items; i++) {
        const struct item *item = &source->items[i];
        encode_item(source, session, item, pooling, vectors + i * *width, *width);
    }
    engine_session_free(session);
    return vectors;
}

double vector_distance(const double *a, const double *b, size_t n)
{
    double squares = 0;
    for (size_t i = 0; i < n; i++)
        squares += (a[i] - b[i]) * (a[i] - b[i]);
    return sqrt(squares);
}
