/* model.h - an opened weight file: what engine_model points to. Immutable once opened. */
#ifndef ENGINE_MODEL_H
#define ENGINE_MODEL_H

#include "engine/file/weight_file.h"
#include "model/encoder.h"
#include "model/tokenizer/tokenizer.h"

struct engine_model {
    struct weight_file file;
    char *path; /* of the file; NULL: it is in memory */
    struct tokenizer tokenizer;
    void *tokenizer_tables; /* what it points to beside the file, or NULL */
    bool has_encoder;       /* false: a tokenizer alone */
    struct encoder encoder;
};

/* What ENGINE_POOLING_MODEL stands for: of a model without a pooling, its sparse weights or its
 * vectors of tokens, if it has any. */
engine_pooling own_pooling(const struct model_config *config);

#endif
