/* model.h - an opened weight file: what engine_model points to. Immutable once opened. */
#ifndef ENGINE_MODEL_H
#define ENGINE_MODEL_H

#include "engine/file/weight_file.h"
#include "model/encoder.h"
#include "model/tokenizer/tokenizer.h"

struct engine_model {
    struct weight_file file;
    struct tokenizer tokenizer;
    void *tokenizer_tables; /* what it points to beside the file, or NULL */
    bool has_encoder;       /* false: a tokenizer alone */
    struct encoder encoder;
};

/* Points the encoder's views at the file's tensors, by the names and shapes of weights/FORMAT.md.
 * encoder->config is settled, encoder->layers is [L]. */
engine_status bind_tensors(const struct weight_file *file, struct encoder *encoder,
                           engine_error *error);

#endif
