/* plot_options.c - values of options that are more than a name or a count, and what goes together;
 * see plot_options.h. */
#include "tools/plot/plot_options.h"

#include "tools/common/inputs.h"
#include "tools/common/options.h"
#include "tools/common/output.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

/* ---- Size ---- */

/* "640x400" in pixels, "160x100mm", "6.3x4in". */
void plot_set_size(void *options, const struct option_use *use)
{
    static const struct unit {
        const char *name;
        double per_inch;
    } units[] = {{"", 0}, {"px", 0}, {"mm", 25.4}, {"in", 1}, {0}};
    struct plot_options *plot = options;
    double width = 0, height = 0;
    int len = 0;
    const struct unit *unit = units;
    bool is_good = sscanf(use->text, "%lfx%lf%n", &width, &height, &len) == 2 && width > 0 &&
                   height > 0 && isfinite(width) && isfinite(height);
    while (unit->name && strcmp(use->text + len, unit->name) != 0)
        unit++;
    if (!is_good || !unit->name)
        program_die_misused(
            "--size takes WIDTHxHEIGHT in pixels, or in mm or in (160x100mm, 6.3x4in), not '%s'",
            use->text);
    plot->size_is_pixels = unit->per_inch == 0; /* what an inch is depends on --dpi */
    plot->width_inches = plot->size_is_pixels ? width : width / unit->per_inch;
    plot->height_inches = plot->size_is_pixels ? height : height / unit->per_inch;
}

void plot_set_dpi(void *options, const struct option_use *use)
{
    ((struct plot_options *)options)->dpi = (double)option_count(use->option, use->text, 30, 1200);
}

void plot_settle_size(struct plot_options *options)
{
    if (options->dpi == 0)
        options->dpi = options->size_is_pixels ? 96 : 200;
    if (options->size_is_pixels) {
        options->width_inches /= options->dpi;
        options->height_inches /= options->dpi;
    }
    if (options->width_inches != 0 &&
        !(options->width_inches >= 1 && options->height_inches >= 0.7 &&
          options->width_inches <= 100 && options->height_inches <= 100))
        program_die_misused(
            "--size: a picture is 1 x 0.7 to 100 x 100 inches (%.3g x %.3g pixels of --dpi "
            "%.3g at least), not %.3g x %.3g",
            options->dpi, 0.7 * options->dpi, options->dpi, options->width_inches,
            options->height_inches);
}

/* ---- Choices among things that are counted ---- */

/* The states of words begin with layer 0, the embedding step. */
void plot_set_layer(void *options, const struct option_use *use)
{
    struct plot_options *plot = options;
    plot->layer =
        option_count(use->option, use->text, plot->command == PLOT_WORDS ? 0 : 1, 1 << 20);
}

void plot_set_head(void *options, const struct option_use *use)
{
    struct plot_options *plot = options;
    plot->is_head_mean = strcmp(use->text, "mean") == 0;
    if (!plot->is_head_mean)
        plot->head = option_count("--head (or mean)", use->text, 1, 1 << 20);
}

void plot_check_link(void *options, const struct option_use *use)
{
    (void)options;
    const char *colon = strchr(use->text, ':');
    if (!colon || colon == use->text || !colon[1])
        program_die_misused("--link takes two words, as red:wolf, not '%s'", use->text);
}

/* ---- Outputs ---- */

static bool ends_with(const char *path, const char *end)
{
    size_t len = strlen(path), n = strlen(end);
    return len > n && strcasecmp(path + len - n, end) == 0;
}

/* A dash is stdout, as no path is, and as its own name is. */
static const char *output_of(const char *path)
{
    bool is_stdout = path && (strcmp(path, "-") == 0 || strcmp(path, "/dev/stdout") == 0);
    return is_stdout ? NULL : path;
}

void plot_settle_outputs(struct plot_options *options)
{
    static const char *const ends[] = {".txt", ".tsv", ".png", ".svg", ".pdf"};
    bool is_drawn = options->output_path || !options->writes_data;
    const char *path = options->output_path = output_of(options->output_path);
    const char *data_path = options->data_path = output_of(options->data_path);
    if (options->script)
        input_remember(options->script);
    for (size_t i = 0; path && options->format == PLOT_NOTHING && i < 5; i++)
        if (ends_with(path, ends[i]))
            options->format = (enum plot_format)(PLOT_TEXT + i);
    if (path && options->format == PLOT_NOTHING)
        program_die_misused("the name after -o ends in .png, .svg, .pdf, .txt or .tsv, or -f says "
                            "what it shall be");
    if (options->format == PLOT_NOTHING && is_drawn)
        options->format = PLOT_TEXT;
    if (!path && options->format >= PLOT_PNG && isatty(STDOUT_FILENO))
        program_die_misused(
            "a picture does not go to the terminal: name a file with -o, or leave -f out");
    if (!options->writes_data || options->format == PLOT_NOTHING)
        return;
    if (!path && !data_path)
        program_die_misused(
            "the picture and --data would both go to standard output: give one of them a file");
    if (path && data_path && output_are_same(path, data_path))
        program_die_misused(
            "-o and --data name the same file: the picture would replace the numbers");
}
