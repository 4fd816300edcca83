/* import_options.h - what encode-import is asked for. */
#ifndef TOOLS_IMPORT_OPTIONS_H
#define TOOLS_IMPORT_OPTIONS_H

#include "tools/import/checkpoint/plan.h"
#include "tools/import/vectors/vectors.h"

struct import_options {
    const char *directory; /* a checkpoint; or NULL */
    const char *tokenizer; /* a tokenizer alone, from this file or directory; or NULL */
    const char *output;    /* NULL only with is_dry_run */
    const char *name;      /* NULL: as the source is called */
    struct plan_options plan;
    struct vectors_options vectors; /* word vectors; or their path is NULL */
    bool is_dry_run;
};

/* PROGRAM_DONE, or an exit code after a message. *ends: --help or --version was served, and the
 * program ends with that code. */
int import_options_read(int argc, char *argv[], struct import_options *options, bool *ends);

#endif
