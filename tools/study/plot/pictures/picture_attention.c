/* picture_attention.c - encode-plot attention: the weights a softmax(q·k / sqrt(K)) of one head, of
 * the mean of a layer's heads, or of all heads of a layer; or the rollout over layers (Abnar,
 * Zuidema: Quantifying Attention Flow in Transformers, 2020):
 *
 *     R = A_L * … * A_1   with A_l = 0.5 * mean over heads of a_l + 0.5 * I
 */
#include "tools/study/plot/pictures/pictures.h"

#include "tools/common/options.h"

#include <string.h>

enum { ATTENTION_CELLS_MOST = 1 << 28 }; /* [L, H, T, T] of double: 2 GiB */

/* Returns the mean of the heads [H, n_cells] of a layer. */
static double *mean_of_heads(const double *heads, size_t n_heads, size_t n_cells)
{
    double *mean = alloc_zeros(n_cells, sizeof *mean);
    for (size_t h = 0; h < n_heads; h++)
        for (size_t i = 0; i < n_cells; i++)
            mean[i] += heads[h * n_cells + i] / (double)n_heads;
    return mean;
}

/* Returns A_L * … * A_1 of the weights [L, H, n, n]. */
static const double *roll_out(const double *weights, size_t n_layers, size_t n_heads, size_t n)
{
    double *rolled = alloc_zeros(n * n, sizeof *rolled);
    for (size_t i = 0; i < n; i++)
        rolled[i * n + i] = 1;
    for (size_t layer = 0; layer < n_layers; layer++) {
        const double *mean = mean_of_heads(weights + layer * n_heads * n * n, n_heads, n * n);
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

/* Adds a map [n, n]. Colours begin at 0. */
static void add_attention_map(const struct plot_source *source, struct figure *figure,
                              const double *map, const char *title)
{
    const struct plot_options *options = source->options;
    const struct item *item = &source->items[0];
    size_t n = item->n_tokens;
    bool is_small = title && source->encoder.info.n_heads > 2;
    struct panel *panel = figure_add(figure, PANEL_MAP, n, n);
    memcpy(panel->values, map, n * n * sizeof *map);
    panel->most = panel_range(panel).most;
    panel->palette = options->palette;
    panel->title = title;
    panel->x.labels = panel->y.labels = source_labels(source, item);
    panel->x.title = is_small ? "key" : "key: what is looked at";
    panel->y.title = is_small ? "query" : "query: what looks";
    panel->unit = options->is_rollout ? "rollout" : "attention weight";
}

/* The weights of all heads are held in memory, and grow with the square of the text. */
static void check_attention_options(const struct plot_options *options, const engine_info *info,
                                    size_t n)
{
    double n_cells = (double)info->n_layers * (double)info->n_heads * (double)n * (double)n;
    if (options->layer > info->n_layers)
        program_die_misused("--layer %zu: this model has layers 1 to %zu", options->layer,
                            info->n_layers);
    if (options->head > info->n_heads)
        program_die_misused("--head %zu: this model has heads 1 to %zu", options->head,
                            info->n_heads);
    if (n_cells > ATTENTION_CELLS_MOST)
        program_die_misused(
            "%zu tokens have %zu x %zu x %zu x %zu attention weights (layers, heads, queries, "
            "keys), and a picture takes at most %d: a shorter text is needed",
            n, info->n_layers, info->n_heads, n, n, ATTENTION_CELLS_MOST);
}

void picture_attention(struct plot_source *source, struct figure *figure)
{
    const struct plot_options *options = source->options;
    const engine_info *info = &source->encoder.info;
    const struct item *item = source_only_text(source, "there is no attention in it");
    size_t n_heads = info->n_heads, n_cells = item->n_tokens * item->n_tokens;
    size_t layer = options->layer ? options->layer : options->is_rollout ? info->n_layers : 1;
    check_attention_options(options, info, item->n_tokens);
    const double *weights = source_trace(source, WITH_POSITIONS, item, ENGINE_TRACE_ATTENTION);
    const double *heads = weights + (layer - 1) * n_heads * n_cells;
    const char *what = text_new("Attention, layer %zu of %zu", layer, info->n_layers);
    if (options->is_rollout) {
        what = text_new("Attention rollout over layers 1 to %zu", layer);
        add_attention_map(source, figure, roll_out(weights, layer, n_heads, item->n_tokens), NULL);
    } else if (options->is_head_mean) {
        what = text_new("%s, mean of %zu heads", what, n_heads);
        add_attention_map(source, figure, mean_of_heads(heads, n_heads, n_cells), NULL);
    } else if (options->head) {
        what = text_new("%s, head %zu of %zu", what, options->head, n_heads);
        add_attention_map(source, figure, heads + (options->head - 1) * n_cells, NULL);
    } else {
        for (size_t head = 0; head < n_heads; head++)
            add_attention_map(source, figure, heads + head * n_cells,
                              n_heads > 1 ? text_new("head %zu", head + 1) : NULL);
        figure->shares_names = figure->shares_scale = n_heads > 1;
    }
    figure->is_square = figure->shows_values = true;
    figure->title = text_new("%s: %s, %s", what, source->encoder.name,
                             source_positions(source, WITH_POSITIONS));
}
