/* subject.h - the model under test. */
#ifndef TOOLS_BENCH_SUBJECT_H
#define TOOLS_BENCH_SUBJECT_H

#include "tools/study/bench/workload.h"

enum { SUBJECT_PATH_BYTES = 64 };

struct subject {
    engine_model *model;
    engine_info info;
    char path[SUBJECT_PATH_BYTES]; /* by which this process and its children open a made file */
    const char *file;              /* path of the weight file, given or made */
    const char *name;              /* "6/384/12/1536", or the file's path */
    char type[24];                 /* types of the linear layers: "int8", "int8+f16" */
    const char *precision;         /* asked for: "exact", "bf16" or "fast" */
    int fd;                        /* of a made file, which has no name; else -1 */
};

/* Opens a weight file. Errors of these two functions end the program. */
void subject_open(struct subject *subject, const char *path, const char *precision);

/* Has encode-new make a BERT of a shape, "6/384/12/1536" or "6/384/12/1536/30522", in a file in
 * $TMPDIR, or /tmp, whose name is removed before anything is written: however this program ends,
 * nothing is left. type: "f32", "f16", "bf16" or "int8", of every linear layer; embedding
 * tables have the same, and f16 with int8. The model takes 8,192 tokens. */
void subject_make(struct subject *subject, const char *shape, const char *type, uint64_t seed,
                  const char *precision);

void subject_close(struct subject *subject);

/* Returns the operations, where a multiply-add counts as two: those of the layers' matrices for
 * each token, 4D² + 2DF each layer (3DF with a gate), and of attention T² · 2D, or with a window w
 * only T · (2w + 1) · 2D but for the borders. Steps before and after the layers are not counted. */
double subject_operations(const struct subject *subject, const struct workload *workload);

#endif
