/* inspect_options.h - the command line of encode-inspect. */
#ifndef TOOLS_INSPECT_OPTIONS_H
#define TOOLS_INSPECT_OPTIONS_H

#include "tools/inspect/positions.h"

#include <stdbool.h>

struct inspect_options {
    const char *path; /* or NULL, with has_positions */
    enum positions_format format;
    bool verify;
    bool has_positions; /* --positions */
    struct positions_request positions;
};

void inspect_options_read(struct inspect_options *options, int argc, char **argv);

#endif
