/* plot_source.h - the numbers of pictures of a model: one weight file, texts as tokens, and the
 * states and vectors that sessions with positions, or without, make of them. Errors end the
 * program. */
#ifndef TOOLS_PLOT_PLOT_SOURCE_H
#define TOOLS_PLOT_PLOT_SOURCE_H

#include "tools/common/texts/item.h"
#include "tools/study/plot/figure.h"
#include "tools/study/plot/plot_options.h"

struct plot_source {
    struct text_encoder encoder; /* for the model and its tokens */
    const struct plot_options *options;
    /* WITH_POSITIONS: the requested scheme, or the file's; if the file has no scheme and the
     * picture compares with and without, the sinusoid. */
    engine_position scheme;   /* as asked for */
    engine_position position; /* in force: never ENGINE_POSITION_MODEL */
    struct item *items;       /* [n_items]: the texts */
    size_t n_items;
};

/* Opens the model, and tokenizes the texts: those of the command line, else the lines of stdin. */
void source_open(struct plot_source *source, const struct plot_options *options);
void source_close(struct plot_source *source);

/* Makes one more text tokens, at most as many as the model takes; valid until the next call. */
struct item *source_tokenize(struct plot_source *source, const char *text, size_t len,
                             size_t number);

/* The text of a picture that takes one, and shows what layers do with its tokens. no_layers ends
 * the message about a model without layers. */
const struct item *source_only_text(struct plot_source *source, const char *no_layers);

/* The name of a token as it is shown; those of all tokens. */
const char *source_label(const struct plot_source *source, const struct item *item, size_t i);
const char **source_labels(const struct plot_source *source, const struct item *item);

enum with_positions { WITHOUT_POSITIONS, WITH_POSITIONS };

/* "without positions", "with sinusoidal positions, W1 = 1, W2 = 10": the scheme, and what is not
 * the default, also if it is the file's. */
const char *source_positions(const struct plot_source *source, enum with_positions with);

/* Names the numbers of a scheme that are not the default: ", base 100, W1 = 1, W2 = 10, frequencies
 * 0.1, 0.25" or "". They are those of the options, else of the model; model NULL: the default.
 * width: of the vectors of words, which W1 may be the root of; 0 if there are no words, and W1 is
 * not named. */
const char *position_words(const engine_model *model, const struct position_options *options,
                           engine_position scheme, size_t width);

/* Encodes a text of T >= 1 tokens; the callback gets views of these kinds of engine_trace. */
void source_watch(struct plot_source *source, enum with_positions with, const struct item *item,
                  unsigned kinds, engine_trace_callback callback, void *user);

/* Returns every hidden state, [L + 1, T, D], or every attention map, [L, H, T, T], of a text of
 * T >= 1 tokens. */
double *source_trace(struct plot_source *source, enum with_positions with, const struct item *item,
                     engine_trace kind);

/* Returns pooled vectors of all texts, [n_items, *width]. */
const float *source_pool(struct plot_source *source, enum with_positions with, size_t *width);

/* The name of the pooling: "mean". */
const char *source_pooling(const struct plot_source *source);

/* |a - b| */
double vector_distance(const double *a, const double *b, size_t n);

#endif
