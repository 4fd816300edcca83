/* subject.h - the model under test. */
#ifndef TOOLS_BENCH_SUBJECT_H
#define TOOLS_BENCH_SUBJECT_H

#include "tools/bench/workload.h"

enum { SUBJECT_PATH_BYTES = 64 };

struct subject {
    engine_model *model;
    engine_info info;
    char path[SUBJECT_PATH_BYTES]; /* where this process and its children can open a made file */
    const char *file;              /* the path of either kind */
    const char *name;              /* "6/384/12/1536", or the file's path */
    const char *precision;         /* type of the linear layers */
    int fd;                        /* of a made file, which has no name any more; -1 */
};

/* Opens a weight file. Where there is no such model, or it cannot be made, the program ends. */
void subject_open(struct subject *subject, const char *path);

/* Has encode-new make a BERT of a shape, "6/384/12/1536" or "6/384/12/1536/30522", in $TMPDIR, or
 * /tmp, and takes its name away as soon as it is open: whatever ends this program, nothing is left.
 * precision: "f32", "f16", "bf16" or "int8", of every linear layer; embedding tables have the same,
 * and f16 with int8. It takes 8,192 tokens. */
void subject_make(struct subject *subject, const char *shape_text, const char *precision,
                  uint64_t seed);

void subject_close(struct subject *subject);

/* Operations, a multiply-add being two: those of the layers' matrices for each token, 4D² + 2DF
 * each layer (3DF with a gate), and of attention T² · 2D, or with a window w only T · (2w + 1) · 2D
 * but for the borders. What stands before and behind the layers is not counted. */
struct work {
    double int8; /* of matrices in int8 */
    double f32;  /* all others */
};
struct work subject_work(const struct subject *subject, const struct workload *workload);

/* Runs the program named arguments[0] that lies beside this one to its end; NULL stands behind the
 * last argument (sibling.c). Returns its exit code; where that is not 0, what it says on stderr is
 * said. */
int sibling_run(const char *arguments[]);

#endif
