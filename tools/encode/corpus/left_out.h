/* left_out.h - texts that are left out and not encoded, as --on-long skip and --on-error skip ask:
 * each is a line of JSON in a report, {"line": 7, "id": "d7", "reason": "…"}, or of stderr. Of a
 * text in windows a line names the "window". */
#ifndef TOOLS_ENCODE_LEFT_OUT_H
#define TOOLS_ENCODE_LEFT_OUT_H

#include "tools/common/print/json_writer.h"
#include "tools/encode/job.h"

struct left_out {
    struct job *job;
    struct json_writer report; /* if its stream is NULL, stderr is told */
    size_t last;               /* the number of the last text that was left out */
};

/* Opens the report beside the output, if the options ask for one. */
void left_out_open(struct left_out *left);

/* Reports an item, a text or a window, that has failed as left out. Returns false if the options do
 * not allow that. */
bool left_out_add(struct left_out *left, const struct item *item);

/* Notes how many were left out, and where they are named. */
void left_out_end(const struct left_out *left);

#endif
