/* int8_layers.h - which layers of an encoder bear int8, told from the weights alone. */
#ifndef TOOLS_IMPORT_INT8_LAYERS_H
#define TOOLS_IMPORT_INT8_LAYERS_H

#include "tools/import/files/tensor_file.h"

enum { INT8_NOTE = 512 };

struct int8_layers {
    size_t n, n_f16;
    bool *in_f16; /* [n]: the layer keeps f16 as a whole */
    double worst; /* the largest outlier there is */
};

/* Room for n layers, none of which keeps f16. */
void int8_layers_open(struct int8_layers *layers, size_t n);
void int8_layers_free(struct int8_layers *layers);

/* Judges a layer by its feed_forward.out, [rows, cols]. */
void int8_layers_judge(struct int8_layers *layers, size_t layer, const struct tensor_set *set,
                       const struct stored_tensor *out, size_t rows, size_t cols);

/* One line of which layers keep f16 and why; "" where none does. */
void int8_layers_note(const struct int8_layers *layers, char note[INT8_NOTE]);

#endif
