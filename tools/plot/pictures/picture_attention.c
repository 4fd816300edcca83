/* picture_attention.c - encode-plot attention: the weights a softmax(q·k / sqrt(K)) of one head, of
 * the mean of a layer's heads, or of all heads of a layer; or the rollout over layers (Abnar,
 * Zuidema: Quantifying Attention Flow in Transformers, 2020):
 *
 *     R = A_L * … * A_1   with A_l = 0.5 * mean over heads of a_l + 0.5 * I
 *
 * Padding has zero rows and columns: no token sees it, and nothing is computed for it.
 */
#include "tools/plot/pictures/pictures.h"

#include "tools/common/options.h"
#include "tools/plot/text.h"

#include <string.h>

enum { ATTENTION_CELLS_MOST = 1 << 28 }; /* [L, H, T, T] of double: 2 GiB */

struct attention {
    struct source *source;
    const struct plot_options *options;
    const struct item *item;
    size_t n_heads, n;     /* n: tokens without padding */
    size_t layer;          /* from 1; of the rollout, the last */
    const double *weights; /* [L, H, T, T] */
};

/* layer: from 1; head: from 0. */
static const double *head_of(const struct attention *attention, size_t layer, size_t head)
{
    return attention->weights +
           ((layer - 1) * attention->n_heads + head) * attention->n * attention->n;
}

static double *mean_of_heads(const struct attention *attention, size_t layer)
{
    size_t n_cells = attention->n * attention->n;
    double *mean = alloc_zeros(n_cells, sizeof *mean);
    for (size_t h = 0; h < attention->n_heads; h++)
        for (size_t i = 0; i < n_cells; i++)
            mean[i] += head_of(attention, layer, h)[i] / (double)attention->n_heads;
    return mean;
}

/* A_layer * … * A_1 */
static const double *roll_out(const struct attention *attention)
{
    size_t n = attention->n;
    double *rolled = alloc_zeros(n * n, sizeof *rolled);
    for (size_t i = 0; i < n; i++)
        rolled[i * n + i] = 1;
    for (size_t layer = 1; layer <= attention->layer; layer++) {
        const double *mean = mean_of_heads(attention, layer);
        double *product = alloc_zeros(n * n, sizeof *product);
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < n; j++) {
                double sum = 0.5 * rolled[i * n + j];
                for (size_t k = 0; k < n; k++)
                    sum += 0.5 * mean[i * n + k] * rolled[k * n + j];
                product[i * n + j] = sum;
            }
        rolled = product;
    }
    return rolled;
}

/* ---- Panels ---- */

/* A map [n, n] with its padding. Colours begin at 0, which padding is. */
static void add_panel(const struct attention *attention, struct figure *figure, const double *map,
                      const char *title)
{
    const struct plot_options *options = attention->options;
    size_t n = attention->n, all = options->pad_to ? options->pad_to : n;
    size_t first = options->pad_left ? all - n : 0;
    bool is_small = title && attention->n_heads > 2;
    struct panel *panel = figure_add(figure, PANEL_MAP, all, all);
    for (size_t i = 0; i < n; i++)
        memcpy(panel->values + (first + i) * all + first, map + i * n, n * sizeof *map);
    panel->most = panel_range(panel).most;
    panel->palette = options->palette;
    panel->title = title;
    axis_name_all(&panel->x);
    for (size_t t = 0; t < all; t++)
        panel->x.labels[t] = t < first || t >= first + n
                                 ? "[padding]"
                                 : source_label(attention->source, attention->item, t - first);
    panel->y.labels = panel->x.labels;
    panel->x.title = is_small ? "key" : "key: what is looked at";
    panel->y.title = is_small ? "query" : "query: what looks";
    panel->unit = options->is_rollout ? "rollout" : "attention weight";
}

/* Adds the panels; returns what they show. */
static const char *add_panels(const struct attention *attention, struct figure *figure)
{
    const struct plot_options *options = attention->options;
    size_t layer = attention->layer, n_heads = attention->n_heads;
    const char *where =
        text_new("Attention, layer %zu of %zu", layer, attention->source->encoder.info.n_layers);
    if (options->is_rollout) {
        add_panel(attention, figure, roll_out(attention), NULL);
        return text_new("Attention rollout over layers 1 to %zu", layer);
    }
    if (options->is_head_mean) {
        add_panel(attention, figure, mean_of_heads(attention, layer), NULL);
        return text_new("%s, mean of %zu heads", where, n_heads);
    }
    if (options->head) {
        add_panel(attention, figure, head_of(attention, layer, options->head - 1), NULL);
        return text_new("%s, head %zu of %zu", where, options->head, n_heads);
    }
    for (size_t head = 0; head < n_heads; head++)
        add_panel(attention, figure, head_of(attention, layer, head),
                  n_heads > 1 ? text_new("head %zu", head + 1) : NULL);
    figure->shares_names = figure->shares_scale = n_heads > 1;
    return where;
}

/* ---- What is asked for ---- */

/* The weights of all heads are kept, and grow with the square of the text. */
static void check_size(const struct plot_options *options, const engine_info *info, size_t n_tokens)
{
    size_t n = options->pad_to ? options->pad_to : n_tokens;
    double n_cells = (double)info->n_layers * (double)info->n_heads * (double)n * (double)n;
    if (n_cells > ATTENTION_CELLS_MOST)
        program_die_misused(
            "%zu tokens have %zu x %zu x %zu x %zu attention weights (layers, heads, queries, "
            "keys), and a picture takes at most %d: %s",
            n, info->n_layers, info->n_heads, n, n, ATTENTION_CELLS_MOST,
            options->pad_to > n_tokens ? "pad to fewer with --pad-to" : "a shorter text is needed");
}

static void check(const struct plot_options *options, const engine_info *info, size_t n_tokens)
{
    if (options->layer > info->n_layers)
        program_die_misused("--layer %zu: this model has layers 1 to %zu", options->layer,
                            info->n_layers);
    if (options->head > info->n_heads)
        program_die_misused("--head %zu: this model has heads 1 to %zu", options->head,
                            info->n_heads);
    if (options->pad_to && options->pad_to < n_tokens)
        program_die_misused("--pad-to %zu is less than the %zu tokens of the text", options->pad_to,
                            n_tokens);
    if (options->pad_to > info->max_tokens)
        program_die_misused("--pad-to %zu: this model takes at most %zu tokens", options->pad_to,
                            info->max_tokens);
    check_size(options, info, n_tokens);
}

void picture_attention(struct source *source, struct figure *figure)
{
    const struct plot_options *options = source->options;
    const engine_info *info = &source->encoder.info;
    const struct item *item = source_only_text(source, "there is no attention in it");
    check(options, info, item->n_tokens);
    const struct attention attention = {
        .source = source,
        .options = options,
        .item = item,
        .n_heads = info->n_heads,
        .n = item->n_tokens,
        .layer = options->layer        ? options->layer
                 : options->is_rollout ? info->n_layers
                                       : 1,
        .weights = source_trace(source, WITH_POSITIONS, item, ENGINE_TRACE_ATTENTION),
    };
    const char *what = add_panels(&attention, figure);
    figure->is_square = figure->shows_values = true;
    figure->title = text_new("%s: %s, %s", what, source->encoder.name,
                             source_positions(source, WITH_POSITIONS));
}
