/* rows.c - see rows.h. */
#include "model/layers/search/rows.h"

#include "model/tensor.h"

#include <math.h>
#include <string.h>

enum { SCALE_BYTES = sizeof(float) };

size_t row_bytes(engine_element type, size_t width)
{
    size_t most = SIZE_MAX - SCALE_BYTES;
    switch (type) {
    case ENGINE_F32: return width <= most / 4 ? 4 * width : 0;
    case ENGINE_F16: return width <= most / 2 ? 2 * width : 0;
    case ENGINE_INT8: return width <= most ? SCALE_BYTES + width : 0;
    case ENGINE_BINARY: return width / 8 + (width % 8 > 0);
    }
    return 0;
}

static void encode_int8(const float *x, size_t width, char *out)
{
    float scale = NAN;
    if (floats_are_finite(x, width))
        matrix_encode(TENSOR_INT8, LAYOUT_ROWS, x, 1, width, false, out + SCALE_BYTES, &scale);
    else
        memset(out + SCALE_BYTES, 0, width);
    memcpy(out, &scale, SCALE_BYTES);
}

static void encode_binary(const float *x, size_t width, uint8_t *out)
{
    memset(out, 0, row_bytes(ENGINE_BINARY, width));
    for (size_t i = 0; i < width; i++)
        out[i / 8] |= (uint8_t)((x[i] > 0) << (7 - i % 8));
}

double row_value(engine_element type, const char *row, size_t i)
{
    float value;
    uint16_t half;
    switch (type) {
    case ENGINE_F32: memcpy(&value, row + i * sizeof value, sizeof value); return (double)value;
    case ENGINE_F16: memcpy(&half, row + i * sizeof half, sizeof half); return f16_to_f32(half);
    case ENGINE_INT8: return (signed char)row[SCALE_BYTES + i];
    case ENGINE_BINARY: break;
    }
    return ((unsigned char)row[i / 8] >> (7 - i % 8) & 1) - 0.5;
}

void row_encode(engine_element type, const float *x, size_t width, void *out)
{
    switch (type) {
    case ENGINE_F32: memcpy(out, x, width * sizeof *x); return;
    case ENGINE_F16:
        for (size_t i = 0; i < width; i++) {
            uint16_t half = f32_to_f16(x[i]);
            memcpy((char *)out + i * sizeof half, &half, sizeof half);
        }
        return;
    case ENGINE_INT8: encode_int8(x, width, out); return;
    case ENGINE_BINARY: encode_binary(x, width, out); return;
    }
}
