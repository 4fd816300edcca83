/* result.h - what is known of a workload after its runs, as a line of a table or of JSON. */
#ifndef TOOLS_BENCH_RESULT_H
#define TOOLS_BENCH_RESULT_H

#include "tools/bench/encoding.h"
#include "tools/bench/machine.h"
#include "tools/bench/series.h"

/* Numbers that do not apply are NaN: null in JSON, left out or "-" in the table. */
struct result {
    const struct workload *workload;
    const char *model, *precision, *isa;
    size_t n_threads;
    struct timing timing; /* in seconds */
    double gflops, share_of_peak;
    double handover_before_ns, handover_after_ns;
    bool has_profile;
    struct profile_shares profile;
    struct peaks peaks;
};

void result_print_heading(void);
void result_print_text(const struct result *result);
void result_print_json(const struct result *result);

void peaks_print_text(const struct peaks *peaks, double handover);
void peaks_print_json(const struct peaks *peaks, double handover);

#endif
