/* progress.c - a bar of 40 columns, redrawn when its percentage changes; see progress.h. */
#include "tools/import/progress.h"

#include <stdio.h>
#include <unistd.h>

enum { COLUMNS = 40 };

static void draw(const struct progress *progress)
{
    char bar[COLUMNS + 1];
    for (unsigned i = 0; i < COLUMNS; i++)
        bar[i] = i * 100 < progress->percent * COLUMNS ? '#' : '.';
    bar[COLUMNS] = '\0';
    fprintf(stderr, "\r%-9s [%s] %3u %%", progress->what, bar, progress->percent);
    fflush(stderr);
}

void progress_begin(struct progress *progress, const char *what, uint64_t total)
{
    *progress =
        (struct progress){.is_shown = isatty(STDERR_FILENO) == 1, .total = total, .what = what};
    if (progress->is_shown)
        draw(progress);
}

void progress_add(struct progress *progress, uint64_t n)
{
    progress->done += n;
    double part = progress->total > 0 ? (double)progress->done / (double)progress->total : 1;
    unsigned percent = part < 1 ? (unsigned)(part * 100) : 100;
    if (!progress->is_shown || percent == progress->percent)
        return;
    progress->percent = percent;
    draw(progress);
}

void progress_end(struct progress *progress)
{
    if (progress->is_shown)
        fputs("\r\033[K", stderr);
    progress->is_shown = false;
}
