/* handover.h - how long it takes two threads to hand a word of memory to each other. */
#ifndef TOOLS_BENCH_HANDOVER_H
#define TOOLS_BENCH_HANDOVER_H

/* Nanoseconds per hand-over, from one thread to the other: the median of short series, within some
 * 20 ms. NaN if there are no two threads. On virtual machines this flips between about 110 and 450
 * ns. */
double handover_ns(void);

/* What to call a run with these before and after it: "fast" below 200 ns, "slow" below 1,000,
 * "busy" above (another process had one of the cores), "mixed" where the two differ, "" where there
 * are none. Runs with different tags do not compare. */
const char *handover_tag(double before_ns, double after_ns);

#endif
