/* text_count.h - progress on stderr while results go elsewhere: texts so far, and how fast they go.
 * One line of a terminal that is cleared at the end; with --progress lines of any stderr, and the
 * last one stays. */
#ifndef TOOLS_TEXT_COUNT_H
#define TOOLS_TEXT_COUNT_H

#include "tools/encode/encode_options.h"

struct text_count {
    bool is_shown, is_terminal, is_kept;
    double start, last;       /* seconds; 0: not yet */
    size_t n_texts, n_tokens; /* done */
};

/* Seconds of a clock that only goes forward. */
double text_count_seconds(void);

void text_count_begin(struct text_count *count, const struct encode_options *options);

/* So many more are done. n_tokens may be 0 where it is not known. */
void text_count_add(struct text_count *count, size_t n_texts, size_t n_tokens);

/* Before anything else is written to stderr. */
void text_count_clear(const struct text_count *count);

/* All are done. */
void text_count_end(const struct text_count *count);

#endif
