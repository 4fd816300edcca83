/* new_options.h - the options of encode-new.
 *
 * The options that set the model's shape each have the name of a key of model/config.h, with dashes
 * for underscores; but --frequencies has the numbers themselves, not how many there are, and
 * --labels may have names. --set KEY=VALUE sets any key, also those of kinds that few models have.
 */
#ifndef TOOLS_NEW_OPTIONS_H
#define TOOLS_NEW_OPTIONS_H

#include "tools/common/options/option_table.h"
#include "tools/study/new/random_model.h"
#include "tools/writer/tokenizer/keras.h"
#include "tools/writer/weight_writer.h"

#include <stdbool.h>
#include <stddef.h>

struct shape {
    struct model_config config;
    bool scale_is_sqrt;      /* --embedding-scale sqrt: the width may come later */
    const char *label_names; /* "pos,neg", or NULL: numbers alone */
    bool has_head, has_scores, has_head_pooling; /* these were given */
    const float *frequencies;                    /* [config.position_frequencies] */
};

enum { MOST_ADDED_TOKENS = 256 };

struct new_options {
    const char *output, *name;
    const char *tokenizer, *words, *fit; /* at most one is not NULL */
    struct fit_options fit_options;
    bool keras;
    const char *lower, *truncate; /* "yes", "no", or NULL: not given */
    const char *template_single, *template_pair;
    const char *added[MOST_ADDED_TOKENS], *metadata[64];
    size_t n_added, n_metadata;
    struct random_options random;
    struct shape shape; /* its vocabulary is -1 unless it was given */
};

/* Reads the command line. The help, the version or a mistake ends the program. */
void new_options_read(struct new_options *options, int argc, char **argv);

#endif
