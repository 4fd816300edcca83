/* inspect_file.h - what a weight file holds, as aligned text or as one JSON object. */
#ifndef TOOLS_INSPECT_FILE_H
#define TOOLS_INSPECT_FILE_H

#include <stdbool.h>

/* Shows the file on stdout; with `verify`, reads all data and compares every checksum first.
 * Returns the program's exit code. */
int inspect_file(const char *path, bool is_json, bool verify);

#endif
