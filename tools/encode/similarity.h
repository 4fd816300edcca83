/* similarity.h - encode --similarity: the cosine of every text's vector with every other's. */
#ifndef TOOLS_SIMILARITY_H
#define TOOLS_SIMILARITY_H

#include "tools/common/output.h"
#include "tools/common/texts/encoder.h"
#include "tools/common/texts/reader.h"
#include "tools/encode/encode_options.h"

/* Reads all texts, then prints the matrix. Returns the program's exit code. */
int similarity_print(const struct encode_options *options, struct encoder *encoder,
                     struct reader *reader, struct output *output);

#endif
