/* import_options.h - what encode-import is asked for. */
#ifndef TOOLS_IMPORT_OPTIONS_H
#define TOOLS_IMPORT_OPTIONS_H

#include "tools/import/checkpoint/plan.h"
#include "tools/import/vectors/vectors_options.h"

struct import_options {
    const char *directory; /* a checkpoint; or NULL */
    const char *tokenizer; /* a tokenizer alone, from this file or directory; or NULL */
    const char *output;    /* NULL only with is_dry_run */
    const char *name;      /* NULL: as the source is called */
    struct plan_options plan;
    struct vectors_options vectors; /* word vectors; or their path is NULL */
    bool is_dry_run;
};

/* True: go on. False: the program ends with *exit_code, and what there was to say has been said. */
bool import_options_read(struct import_options *options, int argc, char **argv, int *exit_code);

#endif
