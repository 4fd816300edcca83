/* plot_options.c - see plot_options.h. Every command has the common options and some of its own;
 * one that says nothing for a command is refused by name. */
#include "tools/plot/plot_options.h"

#include "tools/common/options.h"
#include "tools/plot/pictures/pictures.h"
#include "tools/plot/pictures/plot_values.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

const char *const PLOT_COMMANDS[N_PLOT_COMMANDS] = {"position", "attention", "words",
                                                    "layers",   "order",     "similarity"};

enum long_option {
    OPTION_POSITION = 256, /* and the others of POSITION_LONG_OPTIONS */
    OPTION_MASK = OPTION_POSITION + N_POSITION_OPTIONS,
    OPTION_DATA,
    OPTION_SIZE,
    OPTION_DPI,
    OPTION_TITLE,
    OPTION_COLORS,
    OPTION_NO_SPECIAL,
    OPTION_KIND,
    OPTION_BESIDE,
    OPTION_WIDTH,
    OPTION_DIMS,
    OPTION_TRANSPOSE,
    OPTION_LAYER,
    OPTION_HEAD,
    OPTION_ROLLOUT,
    OPTION_PAD_TO,
    OPTION_PAD_SIDE,
    OPTION_FIT,
    OPTION_LINK,
    OPTION_MEASURE,
    OPTION_PERMUTATIONS,
    OPTION_SEED,
    OPTION_VERSION
};

static const struct option LONG_OPTIONS[] = {
    {"model", required_argument, NULL, 'm'},
    POSITION_LONG_OPTIONS(OPTION_POSITION),
    {"mask", required_argument, NULL, OPTION_MASK},
    {"threads", required_argument, NULL, 't'},
    {"pooling", required_argument, NULL, 'p'},
    {"output", required_argument, NULL, 'o'},
    {"format", required_argument, NULL, 'f'},
    {"data", required_argument, NULL, OPTION_DATA},
    {"size", required_argument, NULL, OPTION_SIZE},
    {"dpi", required_argument, NULL, OPTION_DPI},
    {"title", required_argument, NULL, OPTION_TITLE},
    {"colors", required_argument, NULL, OPTION_COLORS},
    {"no-special", no_argument, NULL, OPTION_NO_SPECIAL},
    {"kind", required_argument, NULL, OPTION_KIND},
    {"beside", required_argument, NULL, OPTION_BESIDE},
    {"width", required_argument, NULL, OPTION_WIDTH},
    {"positions", required_argument, NULL, 'n'},
    {"dims", required_argument, NULL, OPTION_DIMS},
    {"transpose", no_argument, NULL, OPTION_TRANSPOSE},
    {"layer", required_argument, NULL, OPTION_LAYER},
    {"head", required_argument, NULL, OPTION_HEAD},
    {"rollout", no_argument, NULL, OPTION_ROLLOUT},
    {"pad-to", required_argument, NULL, OPTION_PAD_TO},
    {"pad-side", required_argument, NULL, OPTION_PAD_SIDE},
    {"fit", required_argument, NULL, OPTION_FIT},
    {"link", required_argument, NULL, OPTION_LINK},
    {"measure", required_argument, NULL, OPTION_MEASURE},
    {"permutations", required_argument, NULL, OPTION_PERMUTATIONS},
    {"seed", required_argument, NULL, OPTION_SEED},
    {"help", no_argument, NULL, 'h'},
    {"version", no_argument, NULL, OPTION_VERSION},
    {NULL, 0, NULL, 0},
};

/* ---- Which command takes which ---- */

#define BIT(command) (1u << (command))
enum { EVERY = (1u << N_PLOT_COMMANDS) - 1 };

static const struct {
    int option;
    const char *name;
    unsigned commands;
} TAKEN[] = {
    {'n', "-n", BIT(PLOT_POSITION)},
    {OPTION_KIND, "--kind", BIT(PLOT_POSITION)},
    {OPTION_BESIDE, "--beside", BIT(PLOT_POSITION)},
    {OPTION_WIDTH, "--width", BIT(PLOT_POSITION)},
    {OPTION_DIMS, "--dims", BIT(PLOT_POSITION)},
    {OPTION_TRANSPOSE, "--transpose", BIT(PLOT_POSITION)},
    {OPTION_POSITION + POSITION_OPTION_EMBEDDING_SCALE, "--embedding-scale",
     EVERY & ~BIT(PLOT_POSITION)},
    {OPTION_MASK, "--mask", EVERY & ~BIT(PLOT_POSITION)},
    {OPTION_NO_SPECIAL, "--no-special", EVERY & ~BIT(PLOT_POSITION)},
    {'t', "-t", EVERY & ~BIT(PLOT_POSITION)},
    {'p', "-p", BIT(PLOT_ORDER) | BIT(PLOT_SIMILARITY)},
    {OPTION_COLORS, "--colors",
     BIT(PLOT_POSITION) | BIT(PLOT_ATTENTION) | BIT(PLOT_LAYERS) | BIT(PLOT_SIMILARITY)},
    {OPTION_LAYER, "--layer", BIT(PLOT_ATTENTION) | BIT(PLOT_WORDS)},
    {OPTION_HEAD, "--head", BIT(PLOT_ATTENTION)},
    {OPTION_ROLLOUT, "--rollout", BIT(PLOT_ATTENTION)},
    {OPTION_PAD_TO, "--pad-to", BIT(PLOT_ATTENTION)},
    {OPTION_PAD_SIDE, "--pad-side", BIT(PLOT_ATTENTION)},
    {OPTION_FIT, "--fit", BIT(PLOT_WORDS)},
    {OPTION_LINK, "--link", BIT(PLOT_WORDS)},
    {OPTION_MEASURE, "--measure", BIT(PLOT_LAYERS) | BIT(PLOT_ORDER)},
    {OPTION_PERMUTATIONS, "--permutations", BIT(PLOT_ORDER)},
    {OPTION_SEED, "--seed", BIT(PLOT_ORDER)},
};

static bool is_taken(enum plot_command command, int option)
{
    for (size_t i = 0; i < sizeof TAKEN / sizeof TAKEN[0]; i++)
        if (TAKEN[i].option == option && !(TAKEN[i].commands & BIT(command))) {
            program_note("%s is no option of %s", TAKEN[i].name, PLOT_COMMANDS[command]);
            return false;
        }
    return true;
}

/* ---- Reading ---- */

static bool read_drawing(struct plot_options *options, int option, const char *text,
                         bool *is_pixels)
{
    switch (option) {
    case 'o': options->output_path = text; return true;
    case 'f': return plot_read_format(options, text);
    case OPTION_DATA: options->data_path = text; return options->writes_data = true;
    case OPTION_SIZE: return plot_read_size(options, text, is_pixels);
    case OPTION_DPI: {
        size_t dpi = 0;
        bool is_good = option_count("--dpi", text, 30, 1200, &dpi);
        options->dpi = (double)dpi;
        return is_good;
    }
    case OPTION_TITLE: options->title = text; return true;
    case OPTION_COLORS: return plot_read_colors(options, text);
    default: return false;
    }
}

static bool read_own(struct plot_options *options, int option, const char *text)
{
    switch (option) {
    case OPTION_KIND: return plot_read_kind(options, text);
    case OPTION_BESIDE: return plot_add_beside(options, text);
    case OPTION_WIDTH: return option_count("--width", text, 1, 65536, &options->width);
    case 'n': return option_count("-n", text, 1, 100000, &options->n_positions);
    case OPTION_DIMS: options->dims = text; return true;
    case OPTION_TRANSPOSE: return options->is_transposed = true;
    case OPTION_LAYER:
        return option_count("--layer", text, options->command == PLOT_WORDS ? 0 : 1, 1 << 20,
                            &options->layer);
    case OPTION_HEAD: return plot_read_head(options, text);
    case OPTION_ROLLOUT: return options->is_rollout = true;
    case OPTION_PAD_TO: return option_count("--pad-to", text, 1, 1 << 20, &options->pad_to);
    case OPTION_PAD_SIDE:
        return plot_read_two("--pad-side", text, "right", "left", &options->pad_left);
    case OPTION_FIT: return plot_read_two("--fit", text, "together", "each", &options->fits_each);
    case OPTION_LINK: return plot_add_link(options, text);
    case OPTION_MEASURE:
        return plot_read_two("--measure", text, "distance", "cosine", &options->by_cosine);
    case OPTION_PERMUTATIONS:
        return option_count("--permutations", text, 1, 5000, &options->n_permutations);
    case OPTION_SEED: return option_number("--seed", text, 0, UINT64_MAX, &options->seed);
    default: return false;
    }
}

static bool read_option(struct plot_options *options, int option, const char *text, bool *is_pixels)
{
    if (option == '?' || !is_taken(options->command, option))
        return false;
    if (option >= OPTION_POSITION && option < OPTION_POSITION + N_POSITION_OPTIONS)
        return position_options_set(&options->request.positions,
                                    (enum position_option)(option - OPTION_POSITION), text);
    switch (option) {
    case 'm': options->request.model_path = text; return true;
    case 't': return option_count("-t", text, 1, 1024, &options->request.n_threads);
    case 'p': return plot_read_pooling(options, text);
    case OPTION_MASK: return plot_read_mask(options, text);
    case OPTION_NO_SPECIAL: return options->request.no_special = true;
    default:
        return read_drawing(options, option, text, is_pixels) || read_own(options, option, text);
    }
}

/* ---- What goes together ---- */

static const char *text_conflict(const struct plot_options *options)
{
    size_t n = options->request.n_texts;
    if (n == 0 && plot_texts_most(options->command) && !isatty(STDIN_FILENO))
        return NULL; /* plot_texts_read */
    switch (options->command) {
    case PLOT_POSITION: return n ? "position takes no text" : NULL;
    case PLOT_WORDS: return n == 1 || n == 2 ? NULL : "words takes one or two texts";
    case PLOT_SIMILARITY: return NULL;
    default: return n == 1 ? NULL : "one text is needed, as an argument or as a line of stdin";
    }
}

static const char *own_conflict(const struct plot_options *options)
{
    enum position_kind kind = options->position_kind;
    if (options->dims && kind != POSITION_WAVES)
        return "--dims chooses the lines of --kind waves";
    if (options->is_transposed && kind != POSITION_HEATMAP)
        return "--transpose turns --kind heatmap; the others are the same both ways or have no "
               "other";
    if (options->is_rollout && (options->head || options->is_head_mean))
        return "--rollout is of all heads: it goes without --head";
    if (options->pad_left && !options->pad_to)
        return "--pad-side goes with --pad-to";
    return NULL;
}

static bool ends_with(const char *path, const char *end)
{
    size_t len = strlen(path), n = strlen(end);
    return len > n && strcasecmp(path + len - n, end) == 0;
}

/* A dash is stdout, as no path is. */
static const char *output_of(const char *path)
{
    return path && strcmp(path, "-") == 0 ? NULL : path;
}

static bool is_same_inode(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* The folder of a path, and the name in it. */
static const char *split_path(const char *path, struct stat *folder, bool *is_there)
{
    char text[4096] = ".";
    const char *slash = strrchr(path, '/');
    if (slash)
        snprintf(text, sizeof text, "%.*s", (int)(slash - path + 1), path);
    *is_there = stat(text, folder) == 0;
    return slash ? slash + 1 : path;
}

/* The picture and its numbers would be written over one another: one name in one folder, which a
 * file that is not there yet has too, or two names of one file. */
static bool is_same_file(const char *a, const char *b)
{
    struct stat first, second;
    bool has_first, has_second;
    bool has_one_name =
        strcmp(split_path(a, &first, &has_first), split_path(b, &second, &has_second)) == 0;
    if (has_one_name && has_first && has_second && is_same_inode(&first, &second))
        return true;
    return stat(a, &first) == 0 && stat(b, &second) == 0 && S_ISREG(first.st_mode) &&
           is_same_inode(&first, &second);
}

static const char *output_conflict(const struct plot_options *options)
{
    const char *path = options->output_path, *data_path = options->data_path;
    if (!options->writes_data || options->format == PLOT_NOTHING)
        return NULL;
    if (!path && !data_path)
        return "the picture and --data would both go to standard output: give one of them a file";
    if (path && data_path && is_same_file(path, data_path))
        return "-o and --data name the same file: the picture would replace the numbers";
    return NULL;
}

/* By the name of the file, where -f does not say it. */
static const char *settle_format(struct plot_options *options)
{
    static const char *const ends[] = {".txt", ".tsv", ".png", ".svg", ".pdf"};
    bool is_drawn = options->output_path || !options->writes_data;
    const char *path = options->output_path = output_of(options->output_path);
    options->data_path = output_of(options->data_path);
    for (size_t i = 0; path && options->format == PLOT_NOTHING && i < 5; i++)
        if (ends_with(path, ends[i]))
            options->format = (enum plot_format)(PLOT_TEXT + i);
    if (path && options->format == PLOT_NOTHING)
        return "the name after -o ends in .png, .svg, .pdf, .txt or .tsv, or -f says what it shall "
               "be";
    if (options->format == PLOT_NOTHING && is_drawn)
        options->format = PLOT_TEXT;
    if (!path && options->format >= PLOT_PNG && isatty(STDOUT_FILENO))
        return "a picture does not go to the terminal: name a file with -o, or leave -f out";
    return NULL;
}

static const char *conflict(struct plot_options *options)
{
    const char *reason = text_conflict(options);
    if (!reason)
        reason = own_conflict(options);
    if (!reason)
        reason = position_options_conflict(&options->request.positions,
                                           position_name(options->request.positions.position));
    if (!reason)
        reason = settle_format(options);
    return reason ? reason : output_conflict(options);
}

static int print_help(enum plot_command command)
{
    fputs(PLOT_COMMAND_HELP[command], stdout);
    return program_help(PLOT_COMMON_HELP);
}

static bool read_all(struct plot_options *options, int argc, char **argv, int *exit_code)
{
    bool is_pixels = false;
    int option;
    while ((option = getopt_long(argc, argv, "m:t:p:o:f:n:h", LONG_OPTIONS, NULL)) != -1) {
        if (option == 'h' || option == OPTION_VERSION) {
            *exit_code = option == 'h' ? print_help(options->command) : program_version();
            return false;
        }
        if (!read_option(options, option, optarg, &is_pixels)) {
            *exit_code = program_usage();
            return false;
        }
    }
    options->request.texts = argv + optind;
    options->request.n_texts = (size_t)(argc - optind);
    const char *reason = conflict(options);
    if (reason)
        *exit_code = program_misuse("%s", reason);
    else if (!plot_settle_size(options, is_pixels))
        *exit_code = program_usage();
    else
        return true;
    return false;
}

bool plot_options_read(struct plot_options *options, enum plot_command command, int argc,
                       char **argv, int *exit_code)
{
    static char name[] = "encode-plot";
    *options = (struct plot_options){.command = command, .seed = 1};
    argv[0] = name; /* what getopt's messages begin with */
    bool goes_on = read_all(options, argc, argv, exit_code);
    if (!goes_on)
        position_options_free(&options->request.positions);
    return goes_on;
}

enum palette picture_palette(const struct plot_options *options, enum palette otherwise)
{
    return options->palette == PALETTE_DEFAULT ? otherwise : options->palette;
}
