/* inspect_options.h - the command line of encode-inspect, and the first of what it asks for. */
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

/* Reads the command line. The help, the version or a mistake ends the program. */
void inspect_options_read(struct inspect_options *options, int argc, char **argv);

/* What a weight file holds, on stdout, as aligned text or as one JSON object; with `verify`, after
 * all data is read and every checksum compared; a damaged one ends the program with exit code 1. */
void inspect_file(const char *path, bool is_json, bool verify);

#endif
