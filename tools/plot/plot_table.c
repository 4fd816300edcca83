/* plot_table.c - the command line of encode-plot as a table; see plot_options.h. Each picture takes
 * some of the options; one that says nothing for it is refused by name. */
#include "tools/plot/plot_options.h"

#include "tools/common/options.h"
#include "tools/common/options/option_reading.h"

#include <stdio.h>

#define FLAG(member)                 FLAG_AT(struct plot_options, member)
#define TEXT(member)                 TEXT_AT(struct plot_options, member)
#define COUNT(member, least, most)   COUNT_AT(struct plot_options, member, least, most)
#define CHOICE(member, first, names) CHOICE_AT(struct plot_options, member, first, names)

#define FOR(command)  .commands = 1u << (command)
#define FOR_TWO(a, b) .commands = 1u << (a) | 1u << (b)
enum { OF_MODELS = (1u << N_PLOT_COMMANDS) - 1 - (1u << PLOT_POSITION) };

/* ---- The options ---- */

static const struct option_row TEXT_ROWS[] = {
    {"no-special", 0, NULL, "no special tokens around texts",
     SWITCH_AT(struct plot_options, request.encode.no_special)},
    {"pooling", 'p', "KIND", "model, mean, cls, max, mean_sqrt, weighted_mean, last, pooler",
     CHOICE(request.encode.pooling, ENGINE_POOLING_MEAN, REQUEST_POOLINGS " model=0"),
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
    {"dims", 0, "LIST", "waves: columns as 6,7,8,9 or from:below:step (default: eight)", TEXT(dims),
     FOR(PLOT_POSITION)},
    {"beside", 0, "WHAT", "another panel: a scheme, or a weight file; may be repeated",
     TEXTS_AT(struct plot_options, beside, n_beside), FOR(PLOT_POSITION)},
    {"transpose", 0, NULL, "heatmap: positions to the right, dimensions upwards",
     FLAG(is_transposed), FOR(PLOT_POSITION)},
    {"layer", 0, "L",
     "attention: layer, from 1 (default 1; with --rollout the last one it\n"
     "takes in); words: after layer L (default 0: the embedding step)",
     SET_BY(plot_set_layer), FOR_TWO(PLOT_ATTENTION, PLOT_WORDS)},
    {"head", 0, "H", "head, from 1; or mean", SET_BY(plot_set_head), FOR(PLOT_ATTENTION)},
    {"rollout", 0, NULL, "attention over all layers: products of 0.5 mean + 0.5 I",
     FLAG(is_rollout), FOR(PLOT_ATTENTION)},
    {"pad-to", 0, "N", "show padding up to N tokens: its rows and columns are 0",
     COUNT(pad_to, 1, 1 << 20), FOR(PLOT_ATTENTION)},
    {"pad-side", 0, "SIDE", "right (default) or left", CHOICE(pad_left, false, "right left"),
     FOR(PLOT_ATTENTION)},
    {"fit", 0, "HOW", "together (default): both texts have the same axes; or each",
     CHOICE(fits_each, false, "together each"), FOR(PLOT_WORDS)},
    {"link", 0, "A:B", "join two words by a line with its length; may be repeated",
     TEXTS_AT(struct plot_options, links, n_links), .set = plot_check_link, FOR(PLOT_WORDS)},
    {"permutations", 0, "N", "at most so many (default 40 if random)",
     COUNT(n_permutations, 1, 5000), FOR(PLOT_ORDER)},
    {"seed", 0, "S", "of the random ones (default 1)", NUMBER_AT(struct plot_options, seed),
     FOR(PLOT_ORDER)},
    {"measure", 0, "M", "distance (default) or cosine: 1 - cosine",
     CHOICE(by_cosine, false, "distance cosine"), FOR_TWO(PLOT_LAYERS, PLOT_ORDER)},
    {"colors", 0, "MAP", "RdBu, viridis or Blues",
     CHOICE(palette, PALETTE_DEFAULT, "default RdBu viridis Blues"),
     .commands = (1u << N_PLOT_COMMANDS) - 1 - (1u << PLOT_WORDS) - (1u << PLOT_ORDER)},
    {"page", 0, "N", "a PNG or SVG of page N (default 1); a PDF has all", COUNT(page, 1, 1 << 20),
     FOR(PLOT_STEPS)},
};

static const struct option_row OUTPUT_ROWS[] = {
    {"output", 'o', "FILE", ".png, .svg, .pdf, .txt or .tsv by its end; without: the terminal",
     TEXT(output_path)},
    {"format", 'f', "KIND", "png, svg, pdf, text, or data (the numbers)",
     CHOICE(format, PLOT_TEXT, "text data png svg pdf")},
    {"data", 0, "FILE",
     "write the numbers too (alone: only these), with tabs; FILE -: to\n"
     "standard output",
     TEXT(data_path), GIVEN_AT(struct plot_options, writes_data)},
    {"size", 0, "WxH", "in pixels, or as 160x100mm or 6.3x4in; default fits a page",
     SET_BY(plot_set_size)},
    {"dpi", 0, "N", "pixels per inch of a PNG (default 200; 96 where --size is in pixels)",
     SET_BY(plot_set_dpi)},
    {"title", 0, "TEXT", "another title; \"\" for none", TEXT(title)},
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
    {OPTION_GROUP("Output", OUTPUT_ROWS)},
};

/* ---- What goes together ---- */

static const struct option_rule RULES[] = {
    {.check = plot_check_texts},
    OPTION_NEEDS("dims", "kind=waves", "--dims chooses the lines of --kind waves"),
    OPTION_EXCLUDES("transpose", "kind!=heatmap",
                    "--transpose turns --kind heatmap; the others are the same both ways or have "
                    "no other"),
    OPTION_EXCLUDES("rollout", "head", "--rollout is of all heads: it goes without --head"),
    OPTION_NEEDS("pad-side=left", "pad-to", "--pad-side requires --pad-to"),
    POSITION_RULE(struct plot_options, request.positions),
    {0},
};

/* ---- The pictures ---- */

const struct option_command PLOT_COMMANDS[] = {
    [PLOT_POSITION] = {"position", "[OPTION ...]\n",
                       "The position vectors of a scheme, or of a weight file (-m or ENCODE_MODEL: "
                       "its scheme or\n"
                       "table). Without these: sinusoidal.\n",
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

static const struct option_table TABLE = {
    OPTION_TABLE(PLOT_COMMANDS, N_PLOT_COMMANDS, GROUPS, 25),
    .rules = RULES,
    .end = "Exit codes: 0 done, 1 failed, 2 misused.",
};

int plot_print_help(void)
{
    fputs("Usage: encode-plot PICTURE [OPTION ...] [TEXT ...]\n"
          "Positions, attention and words in pictures and numbers. gnuplot draws; numbers need "
          "none.\n"
          "\n",
          stdout);
    for (size_t i = 0; i < N_PLOT_COMMANDS; i++)
        printf("  %-12s %s\n", PLOT_COMMANDS[i].name, PLOT_COMMANDS[i].summary);
    fputs("\n"
          "  encode-plot attention \"I ride bike\"                 on the terminal\n"
          "  encode-plot attention \"I ride bike\" -o heads.pdf    a picture: .png, .svg or .pdf\n"
          "  encode-plot words \"I ride bike\" \"bike ride I\" --data words.tsv\n"
          "  encode-plot position --width 512 --kind waves --dims 0:512:64 -o waves.svg\n"
          "\n"
          "Without TEXT the texts are lines of stdin.\n"
          "encode-plot PICTURE --help tells the options of each. Manual: man encode-plot.\n",
          stdout);
    return program_end(PROGRAM_DONE);
}

/* ---- All of it ---- */

void plot_options_read(struct plot_options *options, enum plot_command command, int argc,
                       char **argv)
{
    static char name[] = "encode-plot";
    struct option_reading reading;
    *options = (struct plot_options){.request = REQUEST_OPTIONS(), .command = command, .seed = 1};
    argv[0] = name; /* what getopt's messages begin with */
    options_read(&reading, &TABLE, command, options, argc, argv);
    options->request.texts = reading.arguments;
    options->request.n_texts = reading.n_arguments;
    options_check(&reading);
    plot_settle_outputs(options);
    plot_settle_size(options);
}
