/* answer.h - what a caller gets of a sequence: its rows, one pooled vector, or scores of labels. */
#ifndef ENGINE_ANSWER_H
#define ENGINE_ANSWER_H

#include "engine/session.h"

enum answer_kind {
    ANSWER_NOTHING,      /* the caller reads the pass itself */
    ANSWER_TOKENS,       /* [T, D] */
    ANSWER_POOLED,       /* [D], or [output_width] by the model's own pooling */
    ANSWER_LABELS,       /* [labels] of the sequence */
    ANSWER_TOKEN_LABELS, /* [T, labels] */
};

struct answer {
    enum answer_kind kind;
    enum pooling pooling;
    bool project, normalize; /* pooled vectors */
    enum scores scores;      /* labels */
    size_t width;            /* floats of a row of the answer */
};

static inline bool answers_per_token(const struct answer *answer)
{
    return answer->kind == ANSWER_TOKENS || answer->kind == ANSWER_TOKEN_LABELS;
}

/* Floats of scratch that a thread needs. */
size_t answer_scratch(const struct encoder *encoder);

/* Writes the answer of a sequence of the pass to its place in out. */
void answer_write(const struct engine_session *session, const struct answer *answer,
                  const struct sequence *sequence, float *out, float *scratch);

#endif
