/* position_words.c - see plot_source.h. A weight that was asked for is named even if it is 1,
 * and of two weights both are named where one is: what counts is W1 : W2. */
#include "tools/plot/plot_source.h"

#include "tools/plot/text.h"

#include <math.h>
#include <string.h>

enum { FREQUENCIES_SHOWN = 4 };

const char *position_words(const engine_model *model, const struct position_options *options,
                           const char *scheme, size_t width)
{
    struct position_numbers numbers = position_numbers(options, model, width);
    double w1 = numbers.embedding_scale, w2 = numbers.position_scale;
    bool has_positions = strcmp(scheme, "none") != 0;
    bool names_w1 = width > 0 && (w1 != 1 || options->has_embedding_scale);
    bool names_w2 = has_positions && (w2 != 1 || options->has_position_scale);
    bool is_root = options->embedding_scale_is_sqrt ||
                   (fabs(w1 * w1 - (double)width) <= 1e-5 * (double)width && w1 != round(w1));
    size_t n = strcmp(scheme, "fourier") == 0 ? numbers.n_frequencies : 0, len;
    char *text;
    FILE *words = alloc_open(&text, &len);
    if (position_uses_base(scheme) && (numbers.base != POSITION_DEFAULT_BASE || options->base != 0))
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
    text_close(words, &text);
    return text;
}
