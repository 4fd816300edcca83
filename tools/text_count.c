/* text_count.c - the line that counts texts; see text_count.h. */
#include "tools/text_count.h"

#include "tools/options.h"

#include <stdio.h>
#include <unistd.h>

static const double SECONDS_BETWEEN = 0.2;

void text_count_begin(struct text_count *count, const struct encode_options *options)
{
    *count = (struct text_count){0};
    count->is_shown = options->n_texts == 0 && isatty(STDERR_FILENO) && !isatty(STDIN_FILENO) &&
                      (options->output_path || !isatty(STDOUT_FILENO));
}

void text_count_show(struct text_count *count, size_t n_texts)
{
    struct timespec now;
    if (!count->is_shown || clock_gettime(CLOCK_MONOTONIC, &now) != 0)
        return;
    double seconds = (double)(now.tv_sec - count->last.tv_sec) +
                     1e-9 * (double)(now.tv_nsec - count->last.tv_nsec);
    if (seconds < SECONDS_BETWEEN)
        return;
    count->last = now;
    fprintf(stderr, "\r%zu text%s", n_texts, plural(n_texts));
}

void text_count_clear(const struct text_count *count)
{
    if (count->is_shown)
        fputs("\r\033[K", stderr);
}
