/* plot_source.h - where pictures of a model get their numbers: one weight file, texts as tokens,
 * and what a session with these or no positions makes of them. */
#ifndef TOOLS_PLOT_PLOT_SOURCE_H
#define TOOLS_PLOT_PLOT_SOURCE_H

#include "tools/common/texts/encoder_tokens.h"
#include "tools/plot/figure.h"
#include "tools/plot/plot_options.h"

struct source {
    struct encoder encoder; /* for the model and its tokens */
    const struct plot_options *options;
    engine_position
        scheme; /* WITH_POSITIONS: what was asked for; where that and the file say nothing of
                   any, and the picture compares with and without, the sinusoid */
    const char *position; /* the name of the scheme in force */
    struct item *items;   /* [n_items]: the texts */
    size_t n_items;
};

/* Whatever fails here says so and ends the program. */

void source_open(struct source *source, const struct plot_options *options);
void source_close(struct source *source);

/* One more text, as tokens, at most as many as the model takes; valid until the next one. */
struct item *source_tokenize(struct source *source, const char *text, size_t len, size_t number);

/* The text of a picture that takes one, and shows what layers do with its tokens; what it cannot
 * show of a model without layers ends the message. */
const struct item *source_only_text(struct source *source, const char *no_layers);

/* The name of a token as it is shown. */
const char *source_label(const struct source *source, const struct item *item, size_t i);

enum with_positions { WITHOUT_POSITIONS, WITH_POSITIONS };

/* How these positions are called: "without positions", "with sinusoidal positions, W1 = 1, W2 =
 * 10"; what is not the default is named, from the file too. */
const char *source_positions(const struct source *source, enum with_positions with);

/* What of the positions in force is not the default (position_words.c): ", base 100, W1 = 1, W2 =
 * 10, frequencies 0.1, 0.25" or "". What the command line does not say is the model's; model NULL:
 * the default. scheme: the one in force. width: of the words' vectors, for W1 that is the root of
 * it; 0: there are no words, and W1 is not named. */
const char *position_words(const engine_model *model, const struct position_options *options,
                           const char *scheme, size_t width);

/* Encodes a text of T >= 1 tokens for what a callback is shown of these engine_trace kinds. */
void source_watch(struct source *source, enum with_positions with, const struct item *item,
                  unsigned kinds, engine_trace_callback callback, void *user);

/* Every hidden state, [L + 1, T, D], or every attention map, [L, H, T, T], of a text of T >= 1
 * tokens. */
double *source_trace(struct source *source, enum with_positions with, const struct item *item,
                     engine_trace kind);

/* Pooled vectors of all texts, [n_items, *width]. */
const float *source_pool(struct source *source, enum with_positions with, size_t *width);
/* What pools: "mean". */
const char *source_pooling(const struct source *source);

/* |a - b|, or 1 - cosine. */
double vector_distance(const double *a, const double *b, size_t n, bool by_cosine);

#endif
