/* position_words.c - see plot_source.h. A weight that was asked for is named even if it is 1,
 * and of two weights both are named where one is: what counts is W1 : W2. */
#include "tools/plot/plot_source.h"

#include "tools/plot/text.h"

#include <math.h>
#include <string.h>

enum { FREQUENCIES_SHOWN = 4 };

/* What is in force of a scheme, and what of it was asked for. */
struct force {
    const struct position_options *asked;
    struct position_numbers numbers;
    const char *scheme;
    size_t width;
};

static void add_base(FILE *words, const struct force *force)
{
    double base = force->numbers.base;
    if (position_uses_base(force->scheme) &&
        (base != POSITION_DEFAULT_BASE || force->asked->base != 0))
        fprintf(words, ", base %g", base);
}

static void add_weights(FILE *words, const struct force *force)
{
    const struct position_options *asked = force->asked;
    bool has_positions = strcmp(force->scheme, "none") != 0;
    double w1 = force->numbers.embedding_scale, w2 = force->numbers.position_scale;
    double width = (double)force->width;
    bool names_w1 = width > 0 && (w1 != 1 || asked->has_embedding_scale);
    bool names_w2 = has_positions && (w2 != 1 || asked->has_position_scale);
    if (names_w1 || (names_w2 && width > 0)) {
        bool is_root = fabs(w1 * w1 - width) <= 1e-5 * width && w1 != round(w1);
        if (asked->embedding_scale_is_sqrt || is_root)
            fprintf(words, ", W1 = √%zu", force->width);
        else
            fprintf(words, ", W1 = %g", w1);
    }
    if (names_w2 || (names_w1 && has_positions))
        fprintf(words, ", W2 = %g", w2);
}

static void add_frequencies(FILE *words, const struct force *force)
{
    const float *frequencies = force->asked->frequencies;
    size_t n = force->numbers.n_frequencies;
    if (strcmp(force->scheme, "fourier") != 0 || n == 0)
        return;
    if (!frequencies || n > FREQUENCIES_SHOWN) {
        fprintf(words, ", %zu frequenc%s", n, n == 1 ? "y" : "ies");
        return;
    }
    for (size_t i = 0; i < n; i++)
        fprintf(words, "%s%g",
                i        ? ", "
                : n == 1 ? ", frequency "
                         : ", frequencies ",
                frequencies[i]);
}

const char *position_words(const engine_model *model, const struct position_options *options,
                           const char *scheme, size_t width)
{
    const struct force force = {options, position_numbers(options, model, width), scheme, width};
    char *text;
    size_t len;
    FILE *words = alloc_open(&text, &len);
    add_base(words, &force);
    add_weights(words, &force);
    add_frequencies(words, &force);
    text_close(words, &text);
    return text;
}
