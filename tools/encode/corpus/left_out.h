/* left_out.h - texts that are left out and not encoded, as --on-long skip and --on-error skip ask:
 * each is a line of JSON in a report, {"line": 7, "id": "d7", "reason": "…"}, or of stderr. Of a
 * text in windows a line names the "window". */
#ifndef TOOLS_ENCODE_LEFT_OUT_H
#define TOOLS_ENCODE_LEFT_OUT_H

#include "tools/common/print/json_writer.h"
#include "tools/encode/tasks.h"

struct left_out {
    const struct job *job;
    struct json_writer report; /* its stream is NULL: stderr */
    size_t n, last; /* texts of which something was left out; the number of the last one */
};

/* Opens the report, if the options ask for one. */
void left_out_open(struct left_out *left, const struct job *job);

/* Whether an item without a result, a text or a window, is left out; then the report has it. */
bool left_out_take(struct left_out *left, const struct item *item);

/* Says how many were left out of so many, and where they are named. */
void left_out_end(const struct left_out *left, size_t n_read);

#endif
