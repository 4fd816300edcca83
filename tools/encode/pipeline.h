/* pipeline.h - texts on their way to an output, and those that are skipped. */
#ifndef TOOLS_ENCODE_PIPELINE_H
#define TOOLS_ENCODE_PIPELINE_H

#include "tools/common/print/json_writer.h"
#include "tools/encode/job.h"

struct left_out {
    struct job *job;
    struct json_writer report; /* if its stream is NULL, notes are printed */
    size_t last;               /* the number of the last skipped text */
};

/* Reports a failed text or window as skipped. Returns false if options do not allow skipping. */
bool left_out_add(struct left_out *left, const struct item *item);

#endif
