/* text_count.c - progress on stderr; see text_count.h. */
#include "tools/encode/text_count.h"

#include "tools/common/options.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

static const double BETWEEN_ON_TERMINAL = 0.2, BETWEEN_LINES = 2; /* seconds */

double text_count_seconds(void)
{
    struct timespec now = {0};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void text_count_begin(struct text_count *count, const struct encode_options *options)
{
    *count = (struct text_count){0};
    count->is_kept = options->has_progress;
    count->is_terminal = isatty(STDERR_FILENO);
    count->is_shown = options->has_progress ||
                      (count->is_terminal && options->request.n_texts == 0 &&
                       !isatty(STDIN_FILENO) && (options->output_path || !isatty(STDOUT_FILENO)));
    count->start = count->last = text_count_seconds();
}

static void print_rates(const struct text_count *count, double seconds)
{
    double per_second = seconds > 0 ? 1 / seconds : 0;
    fprintf(stderr, "%zu text%s, %.0f texts/s", count->n_texts, plural(count->n_texts),
            (double)count->n_texts * per_second);
    if (count->n_tokens > 0)
        fprintf(stderr, ", %.0f tokens/s", (double)count->n_tokens * per_second);
}

void text_count_add(struct text_count *count, size_t n_texts, size_t n_tokens)
{
    double now = text_count_seconds();
    count->n_texts += n_texts;
    count->n_tokens += n_tokens;
    if (!count->is_shown || n_texts == 0 ||
        now - count->last < (count->is_terminal ? BETWEEN_ON_TERMINAL : BETWEEN_LINES))
        return;
    count->last = now;
    fputs(count->is_terminal ? "\r\033[K" : "encode: ", stderr);
    print_rates(count, now - count->start);
    fputs(count->is_terminal ? "" : "\n", stderr);
}

void text_count_clear(const struct text_count *count)
{
    if (count->is_shown && count->is_terminal)
        fputs("\r\033[K", stderr);
}

void text_count_end(const struct text_count *count)
{
    double seconds = text_count_seconds() - count->start;
    text_count_clear(count);
    if (!count->is_kept)
        return;
    fputs("encode: ", stderr);
    print_rates(count, seconds);
    fprintf(stderr, " in %.2f s\n", seconds);
}
