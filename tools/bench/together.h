/* together.h - the same work by n threads at once, and the clock of the bench. */
#ifndef TOOLS_BENCH_TOGETHER_H
#define TOOLS_BENCH_TOGETHER_H

#include <stdbool.h>
#include <stddef.h>

double now_seconds(void);

/* Calls work(rank, user) in n_threads threads, which start when all are there (`prepare`, or NULL,
 * is called by each before that). *seconds: from the first start to the last end. False if a thread
 * cannot be made. */
bool together(size_t n_threads, void (*prepare)(size_t rank, void *user),
              void (*work)(size_t rank, void *user), void *user, double *seconds);

#endif
