/* text_count.h - how many texts have been read, on one line of a terminal's stderr, while results
 * go elsewhere. */
#ifndef TOOLS_TEXT_COUNT_H
#define TOOLS_TEXT_COUNT_H

#include "tools/encode_options.h"

#include <time.h>

struct text_count {
    bool is_shown;
    struct timespec last;
};

void text_count_begin(struct text_count *count, const struct encode_options *options);
void text_count_show(struct text_count *count, size_t n_texts);

/* Before anything else is written to stderr, and at the end. */
void text_count_clear(const struct text_count *count);

#endif
