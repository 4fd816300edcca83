/* settings.h - what makes an output: the program's version, the model's checksum, the family of
 * kernels, and the options that change a byte of it. Stored as JSON in journals and origins. */
#ifndef TOOLS_ENCODE_SETTINGS_H
#define TOOLS_ENCODE_SETTINGS_H

#include "tools/common/options/option_reading.h"
#include "tools/common/texts/encoder.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
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

#endif
