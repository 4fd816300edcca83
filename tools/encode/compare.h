/* compare.h - encode --compare A B: which vectors of the words that both texts have differ, and
 * why. */
#ifndef TOOLS_COMPARE_H
#define TOOLS_COMPARE_H

#include "tools/common/output.h"
#include "tools/common/texts/encoder.h"
#include "tools/encode/encode_options.h"

/* Compares options->texts[0] with [1], or the two lines of stdin; returns the program's exit code.
 */
int compare_texts(const struct encode_options *options, struct encoder *encoder,
                  struct output *output);

#endif
