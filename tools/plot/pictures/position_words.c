/* position_words.c - see plot_source.h. A weight that was asked for is named even if it is 1,
 * and of two weights both are named where one is: what counts is W1 : W2. */
#include "tools/plot/plot_source.h"

#include "tools/common/model_setting.h"
#include "tools/plot/memory.h"

#include <math.h>
#include <string.h>

static const double DEFAULT_BASE = 10000; /* of weights/FORMAT.md */
enum { FREQUENCIES_SHOWN = 4 };

static void add_base(FILE *words, const engine_model *model, const struct position_options *options,
                     const char *scheme)
{
    double base =
        options->base != 0 ? options->base : model_number(model, "position_base", DEFAULT_BASE);
    if (position_uses_base(scheme) && (base != DEFAULT_BASE || options->base != 0))
        fprintf(words, ", base %g", base);
}

static void add_weights(FILE *words, const engine_model *model,
                        const struct position_options *options, const char *scheme, size_t width)
{
    bool has_positions = strcmp(scheme, "none") != 0;
    double w1 = options->has_embedding_scale ? options->embedding_scale
                                             : model_number(model, "embedding_scale", 1);
    double w2 = options->has_position_scale ? options->position_scale
                                            : model_number(model, "position_scale", 1);
    bool names_w1 = width > 0 && (w1 != 1 || options->has_embedding_scale);
    bool names_w2 = has_positions && (w2 != 1 || options->has_position_scale);
    if (names_w1 || (names_w2 && width > 0)) {
        bool is_root = fabs(w1 * w1 - (double)width) <= 1e-5 * (double)width && w1 != round(w1);
        if (options->embedding_scale_is_sqrt || is_root)
            fprintf(words, ", W1 = √%zu", width);
        else
            fprintf(words, ", W1 = %g", w1);
    }
    if (names_w2 || (names_w1 && has_positions))
        fprintf(words, ", W2 = %g", w2);
}

static void add_frequencies(FILE *words, const engine_model *model,
                            const struct position_options *options, const char *scheme)
{
    size_t n = options->frequencies ? options->n_frequencies
                                    : (size_t)model_number(model, "position_frequencies", 0);
    if (strcmp(scheme, "fourier") != 0 || n == 0)
        return;
    if (!options->frequencies || n > FREQUENCIES_SHOWN) {
        fprintf(words, ", %zu frequenc%s", n, n == 1 ? "y" : "ies");
        return;
    }
    for (size_t i = 0; i < n; i++)
        fprintf(words, "%s%g",
                i        ? ", "
                : n == 1 ? ", frequency "
                         : ", frequencies ",
                options->frequencies[i]);
}

const char *position_words(const engine_model *model, const struct position_options *options,
                           const char *scheme, size_t width)
{
    char *text;
    size_t len;
    FILE *words = memory_open(&text, &len);
    add_base(words, model, options, scheme);
    add_weights(words, model, options, scheme, width);
    add_frequencies(words, model, options, scheme);
    memory_close(words, &text);
    return text;
}
