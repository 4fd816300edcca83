/* plot_options.h - the command line of encode-plot. */
#ifndef TOOLS_PLOT_PLOT_OPTIONS_H
#define TOOLS_PLOT_PLOT_OPTIONS_H

#include "tools/common/texts/request_options.h"
#include "tools/plot/gnuplot/figure.h"

enum plot_command {
    PLOT_POSITION,
    PLOT_ATTENTION,
    PLOT_WORDS,
    PLOT_LAYERS,
    PLOT_ORDER,
    PLOT_SIMILARITY,
    N_PLOT_COMMANDS
};

enum plot_format { PLOT_NOTHING, PLOT_TEXT, PLOT_DATA, PLOT_PNG, PLOT_SVG, PLOT_PDF };

enum position_kind {
    POSITION_HEATMAP,
    POSITION_WAVES,
    POSITION_CORRELATION,
    POSITION_COSINE,
    POSITION_DISTANCE
};

enum { BESIDE_MOST = 8, LINKS_MOST = 32, STDIN_TEXTS_MOST = 2 };

struct plot_options {
    enum plot_command command;
    struct request_options request;      /* weight file, positions, mask, pooling, texts */
    char *stdin_texts[STDIN_TEXTS_MOST]; /* owned: the model's texts, where they came from stdin */
    enum plot_format format;
    const char *output_path, *data_path; /* NULL: stdout */
    bool writes_data;                    /* the numbers too, to data_path */
    double width_inches, height_inches;  /* 0: chosen */
    double dpi;                          /* of PNG */
    const char *title;                   /* NULL: the picture's own */
    enum palette palette;

    /* position */
    enum position_kind position_kind;
    const char *beside[BESIDE_MOST]; /* [n_beside] schemes or weight files */
    size_t n_beside;
    size_t width, n_positions; /* 0: not said */
    const char *dims;          /* NULL: not said */
    bool is_transposed;

    /* attention, words, layers */
    size_t layer, head; /* from 1; 0: not said, or (words) the embedding step */
    bool is_head_mean, is_rollout;
    size_t pad_to; /* 0: no padding */
    bool pad_left;
    bool fits_each; /* words: each text has axes of its own */
    const char *links[LINKS_MOST];
    size_t n_links;
    bool by_cosine; /* layers, order: the measure */

    /* order */
    size_t n_permutations;
    uint64_t seed;
};

/* Reads the command line after the command's name. True: go on. False: the program ends with
 * *exit_code, and what there was to say has been said. */
bool plot_options_read(struct plot_options *options, enum plot_command command, int argc,
                       char **argv, int *exit_code);

/* The texts that a picture takes from the command line; 0: none, or any number. */
size_t plot_texts_most(enum plot_command command);

/* Reads them from stdin where there are none: PROGRAM_DONE, or an exit code after a message. */
int plot_texts_read(struct plot_options *options);
void plot_texts_free(struct plot_options *options);

extern const char *const PLOT_COMMANDS[N_PLOT_COMMANDS];
extern const char PLOT_HELP[];
extern const char *const PLOT_COMMAND_HELP[N_PLOT_COMMANDS];
extern const char PLOT_COMMON_HELP[];

/* "0:512:64" (from:below:step) or "6,7,8,9", or both mixed, below `width`, as numbers; *n of them,
 * to be freed. NULL: the message has been printed. */
size_t *dims_read(const char *text, size_t width, size_t *n);

#endif
