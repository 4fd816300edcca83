/* origin.h - what made a file of vectors, or one by --resume, in FILE.origin.json beside it: an
 * object of JSON with the settings of the run (corpus/settings.h), what is in force (name, pooling,
 * prompt, position, mask, dimensions), how many rows and texts there are, and the lines, bytes and
 * checksum of the input. encode-search compares it with model and texts, --resume with a run of the
 * same output.
 */
#ifndef TOOLS_ENCODE_ORIGIN_H
#define TOOLS_ENCODE_ORIGIN_H

#include "tools/encode/corpus/settings.h"
#include "tools/encode/job.h"

/* Opens the file beside an output that has a name. */
FILE *origin_open(struct job *job);

/* Writes what is known when all texts are encoded. */
void origin_write(FILE *stream, const struct job *job);

/* Whether the output was made by these settings of the input on stdin, which is read for it; then
 * that is noted. Ends the program if it was made by others. */
bool origin_is_of(const char *output_path, const json_t *settings);

#endif
