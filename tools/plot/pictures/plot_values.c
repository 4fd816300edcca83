/* plot_values.c - see plot_values.h. */
#include "tools/plot/pictures/plot_values.h"

#include "tools/common/options.h"
#include "tools/plot/gnuplot/palette.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool plot_read_size(struct plot_options *options, const char *text, bool *is_pixels)
{
    double sides[2] = {0, 0}, per_inch = 1;
    char *end = NULL;
    sides[0] = strtod(text, &end);
    bool is_good = end != text && *end == 'x';
    const char *second = end + 1;
    if (is_good) {
        sides[1] = strtod(second, &end);
        is_good = end != second;
    }
    *is_pixels = is_good && (*end == '\0' || strcmp(end, "px") == 0);
    if (is_good && strcmp(end, "mm") == 0)
        per_inch = 25.4;
    else if (is_good && strcmp(end, "in") != 0 && !*is_pixels)
        is_good = false;
    for (int i = 0; i < 2 && is_good; i++)
        is_good = sides[i] > 0 && isfinite(sides[i]);
    options->width_inches = sides[0] / per_inch;
    options->height_inches = sides[1] / per_inch;
    if (!is_good)
        program_note(
            "--size takes WIDTHxHEIGHT in pixels, or in mm or in (160x100mm, 6.3x4in), not '%s'",
            text);
    return is_good;
}

bool plot_settle_size(struct plot_options *options, bool is_pixels)
{
    enum { PIXELS_LEAST = 100 };
    if (options->dpi == 0)
        options->dpi = is_pixels ? 96 : 200;
    if (is_pixels) {
        options->width_inches /= options->dpi;
        options->height_inches /= options->dpi;
    }
    if (options->width_inches == 0 ||
        (options->width_inches >= 1 && options->height_inches >= 0.7 &&
         options->width_inches <= 100 && options->height_inches <= 100))
        return true;
    program_note("--size: a picture is 1 x 0.7 to 100 x 100 inches (%.3g x %.3g pixels of --dpi "
                 "%.3g at least), not %.3g x %.3g",
                 options->dpi, 0.7 * options->dpi, options->dpi, options->width_inches,
                 options->height_inches);
    return false;
}

static bool choose(const char *option, const char *text, const char *const *names, size_t n,
                   size_t *index)
{
    return option_choice(option, text, names, n, index);
}

bool plot_read_kind(struct plot_options *options, const char *text)
{
    static const char *const kinds[] = {"heatmap", "waves", "correlation", "cosine", "distance"};
    size_t index = 0;
    bool is_good = choose("--kind", text, kinds, 5, &index);
    options->position_kind = (enum position_kind)index;
    return is_good;
}

bool plot_read_format(struct plot_options *options, const char *text)
{
    static const char *const formats[] = {"text", "data", "png", "svg", "pdf"};
    size_t index = 0;
    bool is_good = choose("--format", text, formats, 5, &index);
    options->format = (enum plot_format)(PLOT_TEXT + index);
    return is_good;
}

bool plot_read_mask(struct plot_options *options, const char *text)
{
    static const char *const masks[] = {"model", "full", "causal"};
    size_t index = 0;
    bool is_good = choose("--mask", text, masks, 3, &index);
    options->request.mask = (engine_mask)index;
    return is_good;
}

bool plot_read_pooling(struct plot_options *options, const char *text)
{
    static const char *const poolings[] = {"model",     "mean",          "cls",  "max",
                                           "mean_sqrt", "weighted_mean", "last", "pooler"};
    static const engine_pooling values[] = {ENGINE_POOLING_MODEL,     ENGINE_POOLING_MEAN,
                                            ENGINE_POOLING_CLS,       ENGINE_POOLING_MAX,
                                            ENGINE_POOLING_MEAN_SQRT, ENGINE_POOLING_WEIGHTED_MEAN,
                                            ENGINE_POOLING_LAST,      ENGINE_POOLING_POOLER};
    size_t index = 0;
    bool is_good = choose("--pooling", text, poolings, 8, &index);
    options->request.pooling = values[index];
    options->request.has_pooling = true;
    return is_good;
}

bool plot_read_colors(struct plot_options *options, const char *text)
{
    size_t index = 0;
    bool is_good = choose("--colors", text, PALETTE_NAMES, N_PALETTES, &index);
    options->palette = (enum palette)index;
    return is_good;
}

bool plot_read_head(struct plot_options *options, const char *text)
{
    options->is_head_mean = strcmp(text, "mean") == 0;
    return options->is_head_mean ||
           option_count("--head (or mean)", text, 1, 1 << 20, &options->head);
}

bool plot_read_two(const char *option, const char *text, const char *no, const char *yes,
                   bool *value)
{
    const char *const names[] = {no, yes};
    size_t index = 0;
    bool is_good = choose(option, text, names, 2, &index);
    *value = index == 1;
    return is_good;
}

bool plot_add_beside(struct plot_options *options, const char *text)
{
    if (options->n_beside < BESIDE_MOST) {
        options->beside[options->n_beside++] = text;
        return true;
    }
    program_note("--beside: at most %d tables stand beside the first", BESIDE_MOST);
    return false;
}

bool plot_add_link(struct plot_options *options, const char *text)
{
    const char *colon = strchr(text, ':');
    if (!colon || colon == text || !colon[1] || options->n_links == LINKS_MOST) {
        program_note(options->n_links == LINKS_MOST
                         ? "--link: there are too many; '%s' is one more"
                         : "--link takes two words, as red:wolf, not '%s'",
                     text);
        return false;
    }
    options->links[options->n_links++] = text;
    return true;
}
