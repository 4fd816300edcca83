/* origin.h - what makes an output: the program's version, the model's checksum, the family of
 * kernels, and the options that change a byte of it. Journals store these settings as JSON.
 *
 * So does FILE.origin.json, which is written beside a file of vectors, or one by --resume. It also
 * has what is in force (name, pooling, prompt, position, mask, dimensions), how many rows and texts
 * there are, and the lines, bytes and checksum of the input. encode-search compares it with model
 * and texts, --resume with a run of the same output.
 */
#ifndef TOOLS_ENCODE_ORIGIN_H
#define TOOLS_ENCODE_ORIGIN_H

#include "tools/common/options/option_reading.h"
#include "tools/encode/job.h"

#include <jansson.h>
#include <sys/types.h>

/* The options that matter, each with its value, "" of a flag. To be released. */
json_t *settings_of_options(const struct option_reading *reading);

/* With version, model and kernels: {"encode": …, "model": …, "kernels": …, "options": {…}}.
 * The options are borrowed, and get the model's own --on-long. */
json_t *settings_make(json_t *options, const struct encoder *encoder);

enum { SETTINGS_MESSAGE_BYTES = 512 };

/* Whether what was begun with `before` may go on with `now`; else the message says what differs. An
 * option that was to end the run at a text may have been changed: no byte depended on it. */
bool settings_agree(const json_t *before, const json_t *now, char message[SETTINGS_MESSAGE_BYTES]);

/* CRC-32C of bytes from..end-1 of an open file, behind those that made `sum`; false: it cannot be
 * read, or ends earlier. */
bool file_sum(int fd, off_t from, off_t end, uint32_t *sum);

/* Opens the file beside an output that has a name. */
FILE *origin_open(struct job *job);

/* Writes what is known when all texts are encoded. */
void origin_write(FILE *stream, const struct job *job);

/* Whether the output was made by these settings of the input on stdin, which is read for it; then
 * that is noted. Ends the program if it was made by others. */
bool origin_is_of(const char *output_path, const json_t *settings);

#endif
