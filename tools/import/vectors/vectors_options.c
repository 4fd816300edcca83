/* vectors_options.c - see vectors_options.h. */
#include "tools/import/vectors/vectors_options.h"

/* Texts of many words have their mean; a session's memory grows with this. */
enum { LONGEST_TEXT = 4096 };

void vectors_defaults(struct vectors_options *options)
{
    *options = (struct vectors_options){.path = NULL};
    config_defaults(&options->model);
    options->model.layers = 0;
    options->model.max_tokens = LONGEST_TEXT;
    options->model.pooling = POOLING_MEAN;
}

void vectors_options_free(struct vectors_options *options)
{
    position_options_free(&options->positions);
}
