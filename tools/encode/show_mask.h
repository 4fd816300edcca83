/* show_mask.h - encode --show-mask: which keys a query sees, as matrices. */
#ifndef TOOLS_SHOW_MASK_H
#define TOOLS_SHOW_MASK_H

#include "tools/common/output.h"
#include "tools/common/texts/encoder.h"
#include "tools/common/texts/reader.h"
#include "tools/encode/encode_options.h"

/* Prints the masks of all texts, padded to one length: the longest text's unless --pad-to says
 * another. Returns the program's exit code; what went wrong has been said, except of writes that
 * failed, which output_end says. */
int show_mask(const struct encode_options *options, struct encoder *encoder, struct reader *reader,
              struct output *output);

#endif
