/* new_options.h - what encode-new is asked for. */
#ifndef TOOLS_NEW_OPTIONS_H
#define TOOLS_NEW_OPTIONS_H

#include "tools/common/weights/random_model.h"
#include "tools/common/weights/token_source.h"
#include "tools/new/new_shape.h"

#include <stdbool.h>
#include <stddef.h>

enum { MOST_ADDED_TOKENS = 256 };

struct new_options {
    const char *output, *name;
    const char *tokenizer, *words, *fit; /* at most one is not NULL */
    struct fit_options fit_options;
    bool keras, blanks;
    const char *lower, *truncate; /* "yes", "no", or NULL: not said */
    const char *template_single, *template_pair;
    const char *added[MOST_ADDED_TOKENS];
    size_t n_added;
    struct random_options random;
    struct shape shape; /* its vocabulary is -1 unless it was given */
};

/* Reads the command line. The help, the version or a mistake ends the program. */
void new_options_read(struct new_options *options, int argc, char **argv);

#endif
