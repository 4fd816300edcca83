/* rank.h - encode --rank QUERY: how well each text answers a query. */
#ifndef TOOLS_RANK_H
#define TOOLS_RANK_H

#include "tools/common/output.h"
#include "tools/common/texts/encoder.h"
#include "tools/common/texts/reader.h"
#include "tools/encode/encode_options.h"

/* Scores every text that the reader gives, and prints them best first, or as they come with
 * --in-order. Memory grows by a score per text; the texts wait in a temporary file. Returns the
 * program's exit code. */
int rank_texts(const struct encode_options *options, struct encoder *encoder, struct reader *reader,
               struct output *output);

#endif
