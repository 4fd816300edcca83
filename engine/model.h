/* model.h - an opened weight file: the struct of engine_model. Immutable once opened. */
#ifndef ENGINE_MODEL_H
#define ENGINE_MODEL_H

#include "engine/file/weight_file.h"
#include "model/encoder.h"
#include "model/tokenizer/tokenizer.h"

struct engine_model {
    struct weight_file file;
    char *path; /* of the file; NULL: in memory */
    struct tokenizer tokenizer;
    void *tokenizer_tables; /* its tables outside the file, or NULL */
    bool has_encoder;       /* false: a tokenizer alone */
    struct encoder encoder;
    uint16_t *pairs; /* weights rounded to bfloat16, or NULL */
};

#endif
