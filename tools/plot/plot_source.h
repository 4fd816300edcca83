/* plot_source.h - where pictures of a model get their numbers: one weight file, texts as tokens,
 * and what a session with these or no positions makes of them. */
#ifndef TOOLS_PLOT_PLOT_SOURCE_H
#define TOOLS_PLOT_PLOT_SOURCE_H

#include "tools/common/texts/encoder.h"
#include "tools/plot/gnuplot/figure.h"
#include "tools/plot/plot_options.h"

struct source {
    struct encoder encoder; /* for the model and its tokens */
    const struct plot_options *options;
    engine_position
        scheme; /* WITH_POSITIONS: what was asked for; where that and the file say nothing of
                   any, and the picture compares with and without, the sinusoid */
    const char *position; /* the name of the scheme in force */
};

/* Whatever fails here says so and ends the program. */

void source_open(struct source *source, const struct plot_options *options);
void source_close(struct source *source);

/* A text's tokens, at most as many as the model takes. The item is freed by the caller. */
void source_tokenize(struct source *source, const char *text, size_t len, size_t number,
                     struct item *item);

/* The name of a token as it is shown. */
void source_label(const struct source *source, const struct item *item, size_t i, char **label);

enum with_positions { WITHOUT_POSITIONS, WITH_POSITIONS };

/* How these positions are called: "without positions", "with sinusoidal positions, W1 = 1, W2 =
 * 10"; what is not the default is named, from the file too. */
enum { POSITIONS_BYTES = 256 };
const char *source_positions(const struct source *source, enum with_positions with,
                             char out[POSITIONS_BYTES]);

/* Every hidden state and attention map of one text. Tokens that are padding have zeros. */
struct states {
    size_t n_tokens, n_layers, n_heads, width;
    double *hidden;    /* [L + 1, T, D], or NULL */
    double *attention; /* [L, H, T, T], or NULL */
};

/* kinds: engine_trace. pad_to: 0, or the number of tokens with padding (at least as many as there
 * are), at the end or, with pad_left, at the start. */
void source_trace(struct source *source, enum with_positions with, const struct item *item,
                  unsigned kinds, size_t pad_to, bool pad_left, struct states *states);
void states_free(struct states *states);

/* Pooled vectors of n texts, [n, *width], to be freed. */
float *source_pool(struct source *source, enum with_positions with, const struct item *items,
                   size_t n, size_t *width);
/* What pools: "mean". */
const char *source_pooling(const struct source *source);

/* |a - b|, or 1 - cosine. */
double vector_distance(const double *a, const double *b, size_t n, bool by_cosine);

#endif
