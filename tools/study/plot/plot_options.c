/* plot_options.c - the command line of encode-plot as a table; see plot_options.h. Each picture
 * takes some of the options; one that has no meaning for it is refused by name. */
#include "tools/study/plot/plot_options.h"

#include "tools/common/options.h"
#include "tools/common/options/option_table.h"
#include "tools/common/output.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- Values that are more than a name or a count ---- */

static void set_size(void *options, const struct option_use *use)
{
    enum { MOST = 10000 };
    struct plot_options *plot = options;
    size_t width, height;
    int len = 0;
    if (sscanf(use->text, "%zux%zu%n", &width, &height, &len) != 2 || use->text[len] ||
        width < PLOT_DPI || height < PLOT_DPI * 3 / 4 || width > MOST || height > MOST)
        program_die_misused("--size takes WIDTHxHEIGHT in pixels, from %dx%d to %dx%d, not '%s'",
                            PLOT_DPI, PLOT_DPI * 3 / 4, MOST, MOST, use->text);
    plot->width_inches = (double)width / PLOT_DPI;
    plot->height_inches = (double)height / PLOT_DPI;
}

/* The states of words begin with layer 0, the embedding step. */
static void set_layer(void *options, const struct option_use *use)
{
    struct plot_options *plot = options;
    plot->layer =
        option_count(use->option, use->text, plot->command == PLOT_WORDS ? 0 : 1, 1 << 20);
}

static void set_head(void *options, const struct option_use *use)
{
    struct plot_options *plot = options;
    plot->is_head_mean = strcmp(use->text, "mean") == 0;
    if (!plot->is_head_mean)
        plot->head = option_count("--head (or mean)", use->text, 1, 1 << 20);
}

size_t *dims_read(const char *text, size_t width, size_t *n)
{
    enum { MOST = 28, USUAL = 8 };
    size_t *dims = alloc_zeros(MOST, sizeof *dims);
    const size_t step = width < USUAL ? 1 : width / USUAL;
    *n = 0;
    for (size_t dim = 0; !text && dim < width; dim += step)
        dims[(*n)++] = dim;
    for (const char *at = text; at;) {
        char *end;
        const size_t dim = strtoul(at, &end, 10);
        if (end == at || (*end && *end != ','))
            program_die_misused("--dims takes columns as 6,7,8,9, not '%s'", text);
        if (dim >= width)
            program_die_misused("--dims %s: there are %zu columns, 0 to %zu", text, width,
                                width - 1);
        if (*n == MOST)
            program_die_misused("--dims %s: at most %d lines can be told apart", text, MOST);
        dims[(*n)++] = dim;
        at = *end ? end + 1 : NULL;
    }
    return dims;
}

/* ---- Texts ---- */

static const char ONE_TEXT[] = "one text is needed, as an argument or as a line of stdin";

const struct plot_texts PLOT_TEXTS[] = {
    [PLOT_POSITION] = {0, 1, "position takes one text, or none"},
    [PLOT_ATTENTION] = {1, 1, ONE_TEXT},
    [PLOT_WORDS] = {1, 2, "words takes one or two texts"},
    [PLOT_LAYERS] = {1, 1, ONE_TEXT},
    [PLOT_ORDER] = {1, 1, ONE_TEXT},
    [PLOT_SIMILARITY] = {2, 2000, "similarity takes 2 to 2000 texts"},
    [PLOT_STEPS] = {1, SIZE_MAX, "steps takes a text or more"},
};

static const char *check_text_count(const void *options)
{
    const struct plot_options *plot = options;
    const struct plot_texts *texts = &PLOT_TEXTS[plot->command];
    const size_t n = plot->request.n_texts;
    return n > texts->most || (n > 0 && n < texts->least) ? texts->message : NULL;
}

/* ---- The options ---- */

#define FLAG(member)                 FLAG_AT(struct plot_options, member)
#define TEXT(member)                 TEXT_AT(struct plot_options, member)
#define COUNT(member, least, most)   COUNT_AT(struct plot_options, member, least, most)
#define CHOICE(member, first, names) CHOICE_AT(struct plot_options, member, first, names)

#define FOR(command) .commands = 1u << (command)
enum { OF_MODELS = (1u << N_PLOT_COMMANDS) - 1 - (1u << PLOT_POSITION) };

static const struct option_row TEXT_ROWS[] = {
    {"no-special", 0, NULL, "no special tokens around texts",
     FLAG_AT(struct plot_options, request.encode.no_special)},
    {"pooling", 'p', "KIND", "model, " ENGINE_TEXT_POOLINGS,
     NAMED_AT(struct plot_options, request.encode.pooling, ENGINE_TEXT_POOLINGS " model",
              engine_pooling_named),
     GIVEN_AT(struct plot_options, request.has_pooling),
     .commands = 1u << PLOT_ORDER | 1u << PLOT_SIMILARITY | 1u << PLOT_STEPS},
};

static const struct option_row PICTURE_ROWS[] = {
    {"kind", 0, "KIND", "heatmap (default), waves, correlation (PE·PEᵀ), cosine, distance",
     CHOICE(position_kind, POSITION_HEATMAP, "heatmap waves correlation cosine distance"),
     FOR(PLOT_POSITION)},
    {"width", 0, "D", "numbers per position (default 128; a file has its own)",
     COUNT(width, 1, 65536), FOR(PLOT_POSITION)},
    {"positions", 'n', "N",
     "positions (default 100; all of a learned table); N x D is at most\n"
     "16777216, and N at most 4096 where all pairs are compared",
     COUNT(n_positions, 1, 100000), FOR(PLOT_POSITION)},
    {"dims", 0, "LIST", "waves: columns as 6,7,8,9 (default: eight, evenly)", TEXT(dims),
     FOR(PLOT_POSITION)},
    {"beside", 0, "WHAT", "another panel: a scheme, or a weight file; may be repeated",
     TEXTS_AT(struct plot_options, beside, n_beside), FOR(PLOT_POSITION)},
    {"layer", 0, "L",
     "attention: layer, from 1 (default 1; with --rollout the last one it\n"
     "takes in); words: after layer L (default 0: the embedding step)",
     SET_BY(set_layer), .commands = 1u << PLOT_ATTENTION | 1u << PLOT_WORDS},
    {"head", 0, "H", "head, from 1; or mean", SET_BY(set_head), FOR(PLOT_ATTENTION)},
    {"rollout", 0, NULL, "attention over all layers: products of 0.5 mean + 0.5 I",
     FLAG(is_rollout), FOR(PLOT_ATTENTION)},
    {"fit", 0, "HOW", "together (default): both texts have the same axes; or each",
     CHOICE(fits_each, false, "together each"), FOR(PLOT_WORDS)},
};

static const struct option_row RESULT_ROWS[] = {
    {"output", 'o', "FILE",
     ".png, .svg, .pdf, .txt or .tsv by its end; -: stdout; without: the terminal",
     OUTPUT_AT(struct plot_options, output_path)},
    {"format", 'f', "KIND", "png, svg, pdf, text, or data (the numbers)",
     CHOICE(format, PLOT_TEXT, "text data png svg pdf")},
    {"size", 0, "WxH", "in pixels; default fits a page", SET_BY(set_size)},
    {"script", 0, "FILE", "your own gnuplot script in place of the picture's", TEXT(script)},
};

#define REQUEST_GROUP(title, rows)                                                                 \
    OPTION_GROUP(title, rows), .base = offsetof(struct plot_options, request)

static const struct option_group GROUPS[] = {
    {OPTION_GROUP("Picture", PICTURE_ROWS)},
    {REQUEST_GROUP("Model", REQUEST_MODEL_ROWS)},
    POSITION_GROUP(POSITION_ROWS, struct plot_options, request.positions),
    {OPTION_GROUP(NULL, EMBEDDING_SCALE_ROWS),
     .base = offsetof(struct plot_options, request.positions), .commands = OF_MODELS},
    {REQUEST_GROUP(NULL, REQUEST_SESSION_ROWS), .commands = OF_MODELS},
    {OPTION_GROUP(NULL, TEXT_ROWS), .commands = OF_MODELS},
    {OPTION_GROUP("Output", RESULT_ROWS)},
    OPTION_GENERAL,
};

static const struct option_rule RULES[] = {
    {.check = check_text_count},
    OPTION_EXCLUDES("positions", "TEXT",
                    "--positions is for a picture without TEXT, whose tokens are "
                    "the positions"),
    OPTION_NEEDS("dims", "kind=waves", "--dims is for --kind waves"),
    OPTION_EXCLUDES("rollout", "head",
                    "--rollout is of all heads: it cannot be combined with --head"),
    POSITION_RULE(struct plot_options, request.positions),
    {0},
};

/* ---- The pictures ---- */

static const struct option_command PLOT_COMMANDS[] = {
    [PLOT_POSITION] =
        {"position", "[OPTION ...] [TEXT]\n",
         "The position vectors of a scheme, or of a weight file (-m or ENCODE_MODEL: "
         "its scheme or\n"
         "table). Without these: sinusoidal. With TEXT: those that the model adds to its "
         "tokens.\n",
         "position vectors: heat map, waves, correlation, cosine, distance"},
    [PLOT_ATTENTION] = {"attention", "[OPTION ...] [TEXT]\n",
                        "Attention weights: rows look at columns. Without --head all heads of the "
                        "layer.\n",
                        "which token looks at which: a head, all heads of a layer, rollout"},
    [PLOT_WORDS] = {"words", "[OPTION ...] [TEXT [TEXT]]\n",
                    "Words in the plane of their two principal components, without and with "
                    "positions (with\n"
                    "--position only as that says).\n",
                    "words in the plane (PCA), without and with positions"},
    [PLOT_LAYERS] = {"layers", "[OPTION ...] [TEXT]\n", "How far each layer moves each token.\n",
                     "how far each layer moves each token"},
    [PLOT_ORDER] = {"order", "[OPTION ...] [TEXT]\n",
                    "How far the vectors of a sentence's permutations are from its own, with "
                    "positions and\n"
                    "without. All of them, if there are at most 119; else random ones.\n",
                    "a sentence and its permutations: distances of their vectors"},
    [PLOT_SIMILARITY] = {"similarity", "[OPTION ...] [TEXT ...]\n",
                         "Cosines of the vectors of texts; without TEXT of the lines of stdin.\n",
                         "cosines of a list of texts"},
    [PLOT_STEPS] = {"steps", "[OPTION ...] [TEXT ...]\n",
                    "The numbers inside the layers, step by step: embedding, queries, keys and "
                    "values, attention,\n"
                    "heads, sums, norms, the middle of the feed-forward layer, and the vectors of "
                    "the texts.\n",
                    "the numbers inside the layers, step by step"},
};

_Static_assert(sizeof PLOT_COMMANDS / sizeof *PLOT_COMMANDS == N_PLOT_COMMANDS,
               "a picture has no row here");

const struct option_table PLOT_TABLE = {
    OPTION_TABLE(PLOT_COMMANDS, N_PLOT_COMMANDS, GROUPS, 25),
    .rules = RULES,
    .end = "Exit codes: 0 done, 1 failed, 2 misused.",
    .what = "picture",
    .help =
        {"Usage: encode-plot PICTURE [OPTION ...] [TEXT ...]\n"
         "Positions, attention and words in pictures and numbers. gnuplot draws; numbers need "
         "none.\n"
         "\n",
         "\n"
         "  encode-plot attention \"I ride bike\"                 on the terminal\n"
         "  encode-plot attention \"I ride bike\" -o heads.pdf    a picture: .png, .svg or .pdf\n"
         "  encode-plot words \"I ride bike\" \"bike ride I\" -o words.tsv    the numbers\n"
         "  encode-plot position --width 512 --kind waves --dims 0,64,128 -o waves.svg\n"
         "\n"
         "Without TEXT the texts are lines of stdin.\n"
         "encode-plot PICTURE --help lists the options of each. Manual: man encode-plot.\n"},
};

/* ---- Outputs ---- */

/* Resolves the format and the file of the picture. */
static void finish_output(struct plot_options *options)
{
    static const char *const endings[] = {".txt", ".tsv", ".png", ".svg", ".pdf"};
    const char *path = options->output_path;
    if (options->script)
        input_remember(options->script);
    for (size_t i = 0; path && options->format == PLOT_NOTHING && i < 5; i++)
        if (path_ends_in(path, endings[i]))
            options->format = (enum plot_format)(PLOT_TEXT + i);
    if (path && options->format == PLOT_NOTHING)
        program_die_misused("the name after -o ends in .png, .svg, .pdf, .txt or .tsv, or -f names "
                            "the format");
    if (options->format == PLOT_NOTHING)
        options->format = PLOT_TEXT;
    if (!path && options->format >= PLOT_PNG && isatty(STDOUT_FILENO))
        program_die_misused("a terminal cannot show a picture: name a file with -o, or omit -f");
}

void plot_options_read(struct plot_options *options, enum plot_command command, int argc,
                       char **argv)
{
    struct option_reading reading;
    *options = (struct plot_options){.request = REQUEST_OPTIONS(), .command = command};
    options_read(&reading, &PLOT_TABLE, command, options, argc, argv);
    options->request.texts = reading.arguments;
    options->request.n_texts = reading.n_arguments;
    options_check(&reading);
    finish_output(options);
}
