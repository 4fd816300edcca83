/* inspect.h - what encode-inspect knows of a weight file, and its two ways to show it. */
#ifndef TOOLS_INSPECT_H
#define TOOLS_INSPECT_H

#include "engine/engine.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TENSOR_TYPES_MOST = 8 };

struct type_total {
    const char *type; /* "f32" */
    uint64_t n_tensors, n_parameters, n_bytes;
};

enum checksums { CHECKSUMS_NOT_COMPARED, CHECKSUMS_AGREE, CHECKSUMS_DIFFER };

struct inspection {
    const char *path;
    const engine_model *model;
    engine_info info;
    uint32_t version;
    size_t n_texts; /* ids that have a text */
    struct type_total totals[TENSOR_TYPES_MOST];
    size_t n_totals;
    enum checksums checksums;
};

void inspect_print_text(const struct inspection *inspection);

/* False if there is no memory. */
bool inspect_print_json(const struct inspection *inspection);

/* What the head of the whole text reads where the file leaves it to the format ("cls"); NULL: the
 * file says it, or there is no such head. */
const char *inspect_head_pooling(const struct inspection *inspection);

/* Names of the three kinds of settings, by engine_settings. */
extern const char *const INSPECT_SETTINGS[3];

#endif
