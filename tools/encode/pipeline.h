/* pipeline.h - inputs in, results out, in order and in constant memory. */
#ifndef TOOLS_PIPELINE_H
#define TOOLS_PIPELINE_H

#include "tools/common/output.h"
#include "tools/common/texts/encoder.h"
#include "tools/common/texts/reader.h"
#include "tools/encode/encode_options.h"

/* Encodes all that the reader gives. Returns the program's exit code; what went wrong has been
 * said, except of writes that failed, which output_end says. */
int pipeline_run(const struct encode_options *options, struct encoder *encoder,
                 struct reader *reader, struct output *output);

#endif
