/* result.h - the figures of a workload after its runs, as a line of a table or of JSON. */
#ifndef TOOLS_BENCH_RESULT_H
#define TOOLS_BENCH_RESULT_H

#include "tools/bench/encoding.h"
#include "tools/bench/peaks.h"
#include "tools/bench/series.h"

struct result {
    const struct subject *subject;
    const struct workload *workload;
    struct timing timing; /* in seconds */
    struct peaks peaks;   /* of the number of threads that it had */
    bool has_profile;
    struct profile_shares profile;
};

/* Numbers that do not apply are null in JSON, "-" in the table. */
void result_print_heading(void);
void result_print_text(const struct result *result);
void result_print_json(const struct result *result);

#endif
