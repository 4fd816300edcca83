/* inspect_options.h - the command line of encode-inspect, and what it shows. */
#ifndef TOOLS_INSPECT_OPTIONS_H
#define TOOLS_INSPECT_OPTIONS_H

#include <stdbool.h>

struct inspect_options {
    const char *path;
    bool is_json, verify;
};

/* Reads the command line. The help, the version or a mistake ends the program. */
void inspect_options_read(struct inspect_options *options, int argc, char **argv);

/* Prints what a weight file holds as aligned text or as one JSON object; with `verify`, after all
 * data is read and every checksum compared; a damaged one ends the program with exit code 1. */
void inspect_file(const char *path, bool is_json, bool verify);

#endif
