/* inspect_options.h - the command line of encode-inspect, and its output. */
#ifndef TOOLS_INSPECT_OPTIONS_H
#define TOOLS_INSPECT_OPTIONS_H

#include <stdbool.h>

struct inspect_options {
    const char *path;
    bool is_json, verify;
};

/* Reads the command line. The help, the version and errors end the program. */
void inspect_options_read(struct inspect_options *options, int argc, char **argv);

/* Prints the contents of a weight file as aligned text or as one JSON object. With `verify`, first
 * compares every checksum; a damaged file ends the program with exit code 1. */
void inspect_file(const char *path, bool is_json, bool verify);

#endif
