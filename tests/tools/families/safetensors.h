/* safetensors.h - a small reader of safetensors files for tests: eight bytes with the length of a
 * JSON header (name -> dtype, shape, data_offsets), the header, the data. */
#ifndef FAMILIES_SAFETENSORS_H
#define FAMILIES_SAFETENSORS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

struct safetensors {
    uint8_t *file;
    const uint8_t *data;
    size_t n_data;
    json_t *header;
};

bool safetensors_read(struct safetensors *tensors, const char *path);
void safetensors_free(struct safetensors *tensors);

/* The number of elements of a tensor, 0 if it is not there, and its dtype ("F32"; may be NULL). */
size_t safetensors_count(const struct safetensors *tensors, const char *name, const char **dtype);

/* F32, F16 and BF16 as float; integers of 64 bits. The caller frees; NULL if it is not there. */
float *safetensors_floats(const struct safetensors *tensors, const char *name);
int64_t *safetensors_integers(const struct safetensors *tensors, const char *name);

/* The index-th number of a tensor's shape, or 0. */
size_t safetensors_shape(const struct safetensors *tensors, const char *name, size_t index);

#endif
