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

/* True: go on. False: the program ends with *exit_code, and what there was to say has been said. */
bool inspect_options_read(struct inspect_options *options, int argc, char **argv, int *exit_code);
void inspect_options_free(struct inspect_options *options);

#endif
