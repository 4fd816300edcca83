/* plot_options.h - the command line of encode-plot. */
#ifndef TOOLS_PLOT_PLOT_OPTIONS_H
#define TOOLS_PLOT_PLOT_OPTIONS_H

#include "tools/common/options/option_table.h"
#include "tools/common/texts/request_options.h"
#include "tools/study/plot/figure.h"

enum plot_command {
    PLOT_POSITION,
    PLOT_ATTENTION,
    PLOT_WORDS,
    PLOT_LAYERS,
    PLOT_ORDER,
    PLOT_SIMILARITY,
    PLOT_STEPS,
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

enum { BESIDE_MOST = 8, PLOT_DPI = 96 /* pixels in an inch of --size */ };

struct plot_options {
    enum plot_command command;
    struct request_options request; /* weight file, positions, mask, pooling, texts */
    enum plot_format format;
    const char *output_path;            /* NULL: stdout */
    double width_inches, height_inches; /* 0: chosen */
    const char *script;                 /* NULL: the picture's own */

    /* position */
    enum position_kind position_kind;
    const char *beside[BESIDE_MOST]; /* [n_beside] schemes or weight files */
    size_t n_beside;
    size_t width, n_positions; /* 0: not given */
    const char *dims;          /* NULL: not given */

    /* attention, words, layers */
    size_t layer, head; /* from 1; 0: not given, or (words) the embedding step */
    bool is_head_mean, is_rollout;
    bool fits_each; /* words: each text has axes of its own */
};

/* Reads the command line after the command's name. The help, the version and errors end the
 * program. */
void plot_options_read(struct plot_options *options, enum plot_command command, int argc,
                       char **argv);

extern const struct option_table PLOT_TABLE; /* its commands: by enum plot_command */

/* How many texts each picture takes, by enum plot_command. Pictures read stdin if the command line
 * has none; but position, which needs none. */
extern const struct plot_texts {
    size_t least, most;
    const char *message; /* of another number */
} PLOT_TEXTS[];          /* [N_PLOT_COMMANDS] */

/* Reads "6,7,8,9" below `width` as *n numbers, never freed; text NULL: about eight, evenly. Errors
 * end the program. */
size_t *dims_read(const char *text, size_t width, size_t *n);

#endif
