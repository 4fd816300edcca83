/* progress.c - a bar of 40 columns, redrawn when its percentage changes; see progress.h. */
#include "tools/import/progress.h"

#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

enum { COLUMNS = 40 };

static struct {
    const char *what;
    bool is_shown;
    uint64_t done, total; /* bytes */
    unsigned percent;     /* on the screen */
} bar;

static void draw(void)
{
    char columns[COLUMNS + 1];
    for (unsigned i = 0; i < COLUMNS; i++)
        columns[i] = i * 100 < bar.percent * COLUMNS ? '#' : '.';
    columns[COLUMNS] = '\0';
    fprintf(stderr, "\r%-9s [%s] %3u %%", bar.what, columns, bar.percent);
    fflush(stderr);
}

void progress_begin(const char *what, uint64_t total)
{
    bar.what = what;
    bar.is_shown = isatty(STDERR_FILENO) == 1;
    bar.done = bar.percent = 0;
    bar.total = total;
    if (bar.is_shown)
        draw();
}

void progress_add(uint64_t n)
{
    bar.done += n;
    double part = bar.total > 0 ? (double)bar.done / (double)bar.total : 1;
    unsigned percent = part < 1 ? (unsigned)(part * 100) : 100;
    if (!bar.is_shown || percent == bar.percent)
        return;
    bar.percent = percent;
    draw();
}

void progress_end(void)
{
    if (bar.is_shown)
        fputs("\r\033[K", stderr);
    bar.is_shown = false;
}
