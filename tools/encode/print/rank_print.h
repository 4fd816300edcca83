/* rank_print.h - ranked texts as a table, as JSON lines or as CSV. */
#ifndef TOOLS_RANK_PRINT_H
#define TOOLS_RANK_PRINT_H

#include "tools/common/texts/encoder.h"
#include "tools/encode/encode_options.h"
#include "tools/encode/scores.h"

#include <stdio.h>

struct ranked_text {
    struct ranked ranked; /* score, and index of the text from 0 */
    size_t rank;          /* from 1; 0: not ranked */
    const char *text;     /* with its prompt */
    size_t text_len;
    bool is_cut;
};

void rank_print_begin(FILE *stream, const struct encode_options *options,
                      const struct encoder *encoder, const struct item *query);
void rank_print_text(FILE *stream, const struct encode_options *options,
                     const struct encoder *encoder, const struct item *query,
                     const struct ranked_text *text);

#endif
