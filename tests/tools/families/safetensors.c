/* Reads complete safetensors files, with their header in a JSON object. */
#include "tests/tools/families/safetensors.h"

#include "engine/plain/decode.h"
#include "tests/support.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool safetensors_read(struct safetensors *tensors, const char *path)
{
    size_t n_bytes = 0;
    if (access(path, R_OK) != 0)
        return false;
    *tensors = (struct safetensors){.file = support_read(path, &n_bytes)};
    uint64_t n_header = plain_number(tensors->file, 8);
    if (n_header > n_bytes - 8) {
        safetensors_free(tensors);
        return false;
    }
    tensors->header = json_loadb((const char *)tensors->file + 8, (size_t)n_header, 0, NULL);
    tensors->data = tensors->file + 8 + n_header;
    tensors->n_data = n_bytes - 8 - (size_t)n_header;
    if (!tensors->header)
        safetensors_free(tensors);
    return tensors->header != NULL;
}

void safetensors_free(struct safetensors *tensors)
{
    json_decref(tensors->header);
    *tensors = (struct safetensors){0};
}

static const char *dtype_of(const struct safetensors *tensors, const char *name)
{
    const char *dtype =
        json_string_value(json_object_get(json_object_get(tensors->header, name), "dtype"));
    return dtype ? dtype : "";
}

static unsigned dtype_bytes(const char *dtype)
{
    static const struct {
        const char *name;
        unsigned n_bytes;
    } dtypes[] = {{"F32", 4}, {"F16", 2}, {"BF16", 2}, {"I64", 8}};
    for (size_t i = 0; i < sizeof dtypes / sizeof dtypes[0]; i++)
        if (strcmp(dtype, dtypes[i].name) == 0)
            return dtypes[i].n_bytes;
    return 0;
}

/* The tensor's bytes, if its name and type are known and it is within the file. */
static const uint8_t *bytes_of(const struct safetensors *tensors, const char *name, size_t *n,
                               unsigned *n_each)
{
    json_t *offsets = json_object_get(json_object_get(tensors->header, name), "data_offsets");
    json_int_t begin = json_integer_value(json_array_get(offsets, 0));
    json_int_t end = json_integer_value(json_array_get(offsets, 1));
    *n_each = dtype_bytes(dtype_of(tensors, name));
    if (*n_each == 0 || begin < 0 || end < begin || (uint64_t)end > tensors->n_data)
        return NULL;
    *n = (size_t)(end - begin) / *n_each;
    return tensors->data + begin;
}

size_t safetensors_count(const struct safetensors *tensors, const char *name, const char **dtype)
{
    size_t n = 0;
    unsigned n_each;
    if (dtype)
        *dtype = dtype_of(tensors, name);
    return bytes_of(tensors, name, &n, &n_each) ? n : 0;
}

/* The upper half of an f32 is a bf16. */
static float float_of(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

float *safetensors_floats(const struct safetensors *tensors, const char *name)
{
    size_t n = 0;
    unsigned n_each;
    const uint8_t *bytes = bytes_of(tensors, name, &n, &n_each);
    float *values = bytes && n_each < 8 ? malloc((n + 1) * sizeof *values) : NULL;
    bool half = strcmp(dtype_of(tensors, name), "F16") == 0;
    for (size_t i = 0; values && i < n; i++) {
        uint32_t bits = (uint32_t)plain_number(bytes + i * n_each, n_each);
        values[i] = half ? (float)plain_f16(bits) : float_of(n_each == 2 ? bits << 16 : bits);
    }
    return values;
}

int64_t *safetensors_integers(const struct safetensors *tensors, const char *name)
{
    size_t n = 0;
    unsigned n_each;
    const uint8_t *bytes = bytes_of(tensors, name, &n, &n_each);
    int64_t *values = bytes && n_each == 8 ? malloc((n + 1) * sizeof *values) : NULL;
    for (size_t i = 0; values && i < n; i++)
        values[i] = (int64_t)plain_number(bytes + i * n_each, 8);
    return values;
}

size_t safetensors_shape(const struct safetensors *tensors, const char *name, size_t index)
{
    json_t *shape = json_object_get(json_object_get(tensors->header, name), "shape");
    return (size_t)json_integer_value(json_array_get(shape, index));
}
