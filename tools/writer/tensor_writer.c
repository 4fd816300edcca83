/* tensor_writer.c - the part of the writer that encodes and writes tensors, 16 rows at a time; see
 * weight_writer.h. */
#include "engine/file/crc32c.h"
#include "model/unicode/unicode.h"
#include "tools/writer/weight_writer.h"
#include "tools/writer/writer_state.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const uint8_t zeros[TENSOR_ALIGN];

/* The tensor being written. */
#define current(writer) (&(writer)->tensors[(writer)->n_tensors - 1])

engine_status writer_check_whole(struct weight_writer *writer)
{
    if (writer->status == ENGINE_OK && writer->in_tensor)
        return refuse(writer, "tensor '%.100s' got %zu of its %zu rows", current(writer)->name,
                      writer->rows_done + writer->n_pending, current(writer)->rows);
    return writer->status;
}

/* Checks a tensor and appends its record, which owns a copy of the name. */
static engine_status add_record(struct weight_writer *writer, const struct tensor_record *tensor)
{
    const char *wrong = NULL;
    if (tensor->name[0] == '\0' || !utf8_valid(tensor->name, strlen(tensor->name)) ||
        strlen(tensor->name) > INT32_MAX)
        wrong = "its name is empty, too long or not UTF-8";
    else if (tensor->n_dims != 1 && tensor->n_dims != 2)
        wrong = "only 1 or 2 dimensions can be written";
    else if (tensor->n_dims == 1 &&
             (tensor->cols != 1 || tensor->layout != LAYOUT_ROWS || tensor->type != TENSOR_F32))
        wrong = "a vector has 1 column, the type f32 and the layout rows";
    else if (tensor->rows == 0 || tensor->cols == 0 || tensor->n_bytes == 0)
        wrong = "it is empty, too large, or of an unknown type or layout";
    for (size_t i = 0; wrong == NULL && i < writer->n_tensors; i++)
        if (strcmp(writer->tensors[i].name, tensor->name) == 0)
            wrong = "its name is already in use";
    if (wrong != NULL)
        return refuse(writer, "tensor '%.100s' [%zu, %zu]: %s", tensor->name, tensor->rows,
                      tensor->cols, wrong);
    if (writer->n_tensors == writer->cap_tensors) {
        size_t cap = writer->cap_tensors * 2 + 64;
        struct tensor_record *tensors = realloc(writer->tensors, cap * sizeof *tensors);
        if (tensors == NULL)
            return writer_fail_memory(writer);
        writer->tensors = tensors;
        writer->cap_tensors = cap;
    }
    char *name = strdup(tensor->name);
    if (name == NULL)
        return writer_fail_memory(writer);
    writer->tensors[writer->n_tensors] = *tensor;
    writer->tensors[writer->n_tensors++].name = name;
    return ENGINE_OK;
}

void writer_free_tensor(struct weight_writer *writer)
{
    free(writer->pending);
    free(writer->encoded);
    free(writer->scales);
    writer->pending = writer->scales = writer->factors = NULL;
    writer->kept_panels = NULL;
    writer->column_sums = NULL;
    writer->kept = NULL;
    writer->encoded = NULL;
}

/* Allocates the data after the elements; all factors are 1. */
static bool make_room_for_int8(struct weight_writer *writer, const struct tensor_record *tensor)
{
    size_t elements = tensor_scales_offset(tensor->layout, tensor->rows, tensor->cols);
    size_t n_scales = round_up(tensor->rows, PANEL);
    writer->scales = calloc(1, (size_t)tensor->n_bytes - elements);
    if (writer->scales == NULL || !tensor_has_factors(tensor->type))
        return writer->scales != NULL;
    uint32_t version = tensor_has_kept(tensor->type) ? FORMAT_VERSION_INT8K : FORMAT_VERSION_INT8A;
    writer->version = version > writer->version ? version : writer->version;
    writer->column_sums = (int32_t *)(void *)writer->scales + n_scales;
    writer->factors = writer->scales + 2 * n_scales;
    for (size_t k = 0; k < tensor->cols; k++)
        writer->factors[k] = 1;
    if (tensor_has_kept(tensor->type)) {
        float *numbers = writer->factors + round_up(tensor->cols, PANEL);
        writer->kept = (uint32_t *)(void *)numbers;
        writer->kept_panels = numbers + TENSOR_ALIGN / sizeof *numbers;
    }
    return true;
}

engine_status weight_writer_begin_tensor(struct weight_writer *writer, const char *name,
                                         enum tensor_type type, enum tensor_layout layout,
                                         size_t n_dims, size_t rows, size_t cols)
{
    const struct tensor_record tensor = {
        .name = (char *)(uintptr_t)name,
        .type = type,
        .layout = layout,
        .n_dims = n_dims,
        .rows = rows,
        .cols = cols,
        .offset = writer->offset,
        .n_bytes = tensor_bytes(type, layout, rows, cols),
    };
    if (writer_check_whole(writer) != ENGINE_OK || add_record(writer, &tensor) != ENGINE_OK)
        return writer->status;
    size_t group_bytes = tensor_bytes(type, layout, PANEL, cols);
    writer->pending = calloc(cols, PANEL * sizeof(float));
    writer->encoded = group_bytes > 0 ? calloc(1, group_bytes) : NULL;
    if (writer->pending == NULL || writer->encoded == NULL ||
        (tensor_is_int8(type) && !make_room_for_int8(writer, &tensor)))
        return writer_fail_memory(writer);
    writer->in_tensor = true;
    writer->rows_done = writer->n_pending = 0;
    return ENGINE_OK;
}

static engine_status emit_tensor(struct weight_writer *writer, const void *data, size_t len)
{
    current(writer)->crc = crc32c(current(writer)->crc, data, len);
    return writer_emit(writer, data, len);
}

engine_status weight_writer_factors(struct weight_writer *writer, const float *factors)
{
    if (writer->status != ENGINE_OK)
        return writer->status;
    if (!writer->in_tensor || writer->factors == NULL || writer->rows_done + writer->n_pending > 0)
        return refuse(writer, "factors must precede the rows of a tensor with factors");
    size_t n_kept = 0;
    for (size_t k = 0; k < current(writer)->cols; k++)
        if (writer->kept != NULL && factors[k] == 0 && n_kept < KEPT)
            writer->kept[n_kept++] = (uint32_t)k;
        else if (!(factors[k] > 0 && isfinite(factors[k])))
            return refuse(writer, "tensor '%.100s', column %zu: its factor is %g",
                          current(writer)->name, k, (double)factors[k]);
    if (writer->kept != NULL && n_kept < KEPT)
        return refuse(writer, "tensor '%.100s' has %zu factors that are 0, expected %d",
                      current(writer)->name, n_kept, KEPT);
    memcpy(writer->factors, factors, current(writer)->cols * sizeof *factors);
    return ENGINE_OK;
}

/* Divides the rows of a group by the factors of their columns. Finite numbers of kept columns are
 * moved to their panels and become 0. values may be writer->pending. */
static const float *divided(struct weight_writer *writer, const float *values, size_t count)
{
    size_t cols = current(writer)->cols, panel = writer->rows_done / PANEL;
    for (size_t n = 0; writer->kept != NULL && n < count; n++)
        for (size_t i = 0; i < KEPT; i++)
            writer->kept_panels[(panel * KEPT + i) * PANEL + n] =
                values[n * cols + writer->kept[i]];
    for (size_t i = 0; i < count * cols; i++) {
        float factor = writer->factors[i % cols];
        writer->pending[i] = factor != 0 ? values[i] / factor : values[i] * 0;
    }
    return writer->pending;
}

/* Writes up to 16 rows. A number that the type cannot represent, and that would silently be read
 * back as another number, is refused. */
static engine_status write_group(struct weight_writer *writer, const float *values, size_t count)
{
    const struct tensor_record *tensor = current(writer);
    const size_t cols = tensor->cols;
    const float least_too_large = tensor->type == TENSOR_F16 ? 65520.0f : INFINITY;
    if (writer->factors != NULL)
        values = divided(writer, values, count);
    for (size_t i = 0; tensor->type != TENSOR_F32 && i < count * cols; i++)
        if (!(fabsf(values[i]) < least_too_large))
            return refuse(
                writer, "tensor '%.100s', row %zu, column %zu (from 0): %g does not fit; take f32",
                tensor->name, writer->rows_done + i / cols, i % cols, (double)values[i]);
    float *scales = writer->scales != NULL ? writer->scales + writer->rows_done : NULL;
    bool in_pairs = tensor->type == TENSOR_INT8K;
    size_t len = matrix_encode(tensor->type, tensor->layout, values, count, cols, in_pairs,
                               writer->encoded, scales);
    if (writer->column_sums != NULL)
        panel_sums((const int8_t *)writer->encoded, cols, writer->column_sums + writer->rows_done);
    writer->rows_done += count;
    return emit_tensor(writer, writer->encoded, len);
}

/* Writes the data after int8 elements, and zeros up to the alignment. */
static engine_status end_tensor(struct weight_writer *writer)
{
    struct tensor_record *tensor = current(writer);
    if (tensor_is_int8(tensor->type)) {
        size_t elements = (size_t)(writer->offset - tensor->offset);
        size_t scales = tensor_scales_offset(tensor->layout, tensor->rows, tensor->cols);
        emit_tensor(writer, zeros, scales - elements);
        emit_tensor(writer, writer->scales, (size_t)tensor->n_bytes - scales);
    }
    writer_free_tensor(writer);
    writer->in_tensor = false;
    return writer_emit(writer, zeros, writer_to_alignment(writer));
}

engine_status weight_writer_rows(struct weight_writer *writer, const float *values, size_t n_rows)
{
    if (writer->status != ENGINE_OK || n_rows == 0)
        return writer->status;
    if (!writer->in_tensor)
        return refuse(writer, "rows outside a tensor, or too many for it");
    if (writer->kept != NULL && writer->kept[KEPT - 1] == 0)
        return refuse(writer, "tensor '%.100s' got rows before its factors", current(writer)->name);
    const struct tensor_record *tensor = current(writer);
    if (n_rows > tensor->rows - writer->rows_done - writer->n_pending)
        return refuse(writer, "tensor '%.100s' got more than its %zu rows", tensor->name,
                      tensor->rows);
    while (n_rows > 0 && writer->status == ENGINE_OK) {
        size_t left = tensor->rows - writer->rows_done;
        size_t group = left < PANEL ? left : PANEL;
        size_t count = group - writer->n_pending < n_rows ? group - writer->n_pending : n_rows;
        if (count == group) {
            write_group(writer, values, group);
        } else {
            memcpy(writer->pending + writer->n_pending * tensor->cols, values,
                   count * tensor->cols * sizeof *values);
            writer->n_pending += count;
            if (writer->n_pending == group) {
                writer->n_pending = 0;
                write_group(writer, writer->pending, group);
            }
        }
        values += count * tensor->cols;
        n_rows -= count;
    }
    if (writer->status == ENGINE_OK && writer->rows_done == tensor->rows)
        end_tensor(writer);
    return writer->status;
}

engine_status weight_writer_frequencies(struct weight_writer *writer, const float *frequencies,
                                        size_t n)
{
    if (n == 0)
        return writer->status;
    weight_writer_begin_tensor(writer, "position.frequencies", TENSOR_F32, LAYOUT_ROWS, 1, n, 1);
    return weight_writer_rows(writer, frequencies, n);
}
