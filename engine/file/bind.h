/* bind.h - the encoder's views of a weight file. */
#ifndef ENGINE_BIND_H
#define ENGINE_BIND_H

#include "engine/file/weight_file.h"
#include "model/encoder.h"

/* Points the encoder's views at the file's tensors, by the names and shapes of weights/FORMAT.md.
 * encoder->config must be set, encoder->layers is [L]. */
engine_status bind_tensors(const struct weight_file *file, struct encoder *encoder,
                           engine_error *error);

#endif
