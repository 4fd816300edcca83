/* vectors_options.h - what encode-import is asked for with --vectors. */
#ifndef TOOLS_IMPORT_VECTORS_OPTIONS_H
#define TOOLS_IMPORT_VECTORS_OPTIONS_H

#include "engine/file/weight_writer.h"
#include "tools/common/position_options.h"

#include <stdbool.h>
#include <stddef.h>

struct vectors_options {
    const char *path;          /* NULL: no vectors are imported */
    const char *only_words_of; /* file of texts, one per line; NULL: all words */
    size_t limit;              /* the first so many words of the file; 0: all */
    const char *lower;         /* "yes", "no"; NULL: as the words tell */
    bool splits_at_blanks;     /* texts are split into words already: at blanks alone */
    struct position_options positions;
    struct model_config model; /* the longest text; sizes and positions are open */
};

/* What the options are where they are not given. */
void vectors_defaults(struct vectors_options *options);
void vectors_options_free(struct vectors_options *options);

#endif
