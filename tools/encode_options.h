/* encode_options.h - the command line of encode. */
#ifndef TOOLS_ENCODE_OPTIONS_H
#define TOOLS_ENCODE_OPTIONS_H

#include "engine/engine.h"

#include <stdbool.h>
#include <stddef.h>

enum output_format { FORMAT_TEXT, FORMAT_JSON, FORMAT_CSV, FORMAT_NPY, FORMAT_IDS };

struct encode_options {
    const char *model_path;  /* NULL: the default weights */
    const char *output_path; /* NULL: stdout */
    char *const *texts;      /* [n_texts] */
    size_t n_texts;          /* 0: stdin */
    const char *pair;        /* or NULL */
    bool is_json_input;
    bool is_compare;
    bool tokens_only;
    bool all_values;
    enum output_format format;
    engine_pooling pooling;
    engine_position position;
    engine_mask mask;
    engine_on_long on_long;
    bool normalize, no_special;
    size_t max_tokens; /* 0: the model's */
    size_t n_threads;  /* 0: the engine's choice */
};

/* Reads the command line. True: go on. False: the program ends with *exit_code, and what there was
 * to say (the help, the version, a mistake) has been said. */
bool encode_options_read(struct encode_options *options, int argc, char **argv, int *exit_code);

#endif
