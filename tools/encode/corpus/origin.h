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

/* Returns the options that matter, each with its value, "" of a flag. Owned by the caller. */
json_t *settings_of_options(const struct option_reading *reading);

/* Adds version, model and kernels: {"encode": …, "model": …, "kernels": …, "options": {…}}.
 * The options are borrowed, and get the model's own --on-long. */
json_t *settings_make(json_t *options, const struct encoder *encoder);

enum { SETTINGS_MESSAGE_BYTES = 512 };

/* Returns whether a run that was started with `before` may continue with `now`; if not, the message
 * says what differs. An option that would end the run at a text may differ: no byte depends on
 * it. */
bool settings_agree(const json_t *before, const json_t *now, char message[SETTINGS_MESSAGE_BYTES]);

/* Adds bytes from..end-1 of a file to the CRC-32C in `sum`. Returns false if reading fails. */
bool file_sum(int fd, off_t from, off_t end, uint32_t *sum);

/* Opens the file beside an output that has a name. */
FILE *origin_open(struct job *job);

/* Writes what is known when all texts are encoded. */
void origin_write(FILE *stream, const struct job *job);

/* Returns whether a complete output exists, and prints a note if so. Ends the program if it was
 * made by other settings or of another input than that on stdin, which is read. */
bool origin_is_of(const char *output_path, const json_t *settings);

#endif
