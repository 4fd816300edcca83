/* weight_contents.c - checks the contents of tensors: checksums, finite numbers, padding of zeros,
 * and correct factors and sums. */
#include "engine/file/crc32c.h"
#include "engine/file/weight_file.h"
#include "engine/status.h"

static bool is_zero(const void *data, const void *end)
{
    for (const uint8_t *byte = data; byte < (const uint8_t *)end; byte++)
        if (*byte != 0)
            return false;
    return true;
}

/* Checks the elements, or the scales and factors of int8 elements. */
static bool is_finite(const struct matrix *matrix, size_t n_bytes)
{
    const uint16_t *halves = matrix->data; /* f16 or bf16: NaN, too, has all exponent bits set */
    unsigned exponent = matrix->type == TENSOR_F16 ? 0x7C00 : 0x7F80;
    if (matrix->scales != NULL)
        return floats_are_finite(matrix->scales, matrix->rows) &&
               (matrix->factors == NULL || floats_are_finite(matrix->factors, matrix->cols)) &&
               (matrix->kept_panels == NULL ||
                floats_are_finite(matrix->kept_panels, KEPT * round_up(matrix->rows, PANEL)));
    if (matrix->type == TENSOR_F32)
        return floats_are_finite(matrix->data, n_bytes / 4);
    for (size_t i = 0; i < n_bytes / 2; i++)
        if ((halves[i] & exponent) == exponent)
            return false;
    return true;
}

/* Checks elements of panels outside the matrix: kernels multiply them like the others. */
static bool panels_are_padded(const struct matrix *matrix)
{
    bool is_int8 = tensor_is_int8(matrix->type);
    size_t n_bytes = is_int8 ? 1 : matrix->type == TENSOR_F32 ? 4 : 2, group = is_int8 ? 4 : 1;
    size_t cols = round_up(matrix->cols, group);
    for (size_t n = 0; n < round_up(matrix->rows, PANEL); n++)
        for (size_t k = n < matrix->rows ? matrix->cols : 0; k < cols; k++) {
            size_t index = n / PANEL * PANEL * cols + (k / group * PANEL + n % PANEL) * group;
            const char *element = (const char *)matrix->data + (index + k % group) * n_bytes;
            if (!is_zero(element, element + n_bytes))
                return false;
        }
    return true;
}

static bool kept_panels_are_padded(const struct matrix *matrix)
{
    size_t last = matrix->rows / PANEL, rest = matrix->rows % PANEL;
    const float *panel = matrix->kept_panels + last * KEPT * PANEL;
    for (size_t i = 0; rest > 0 && i < KEPT; i++, panel += PANEL)
        if (!is_zero(panel + rest, panel + PANEL))
            return false;
    return true;
}

/* Checks that zeros follow elements, scales, factors and the numbers of kept columns. */
static bool is_padded(const struct matrix *matrix, size_t n_bytes)
{
    const uint8_t *data = matrix->data, *end = data + round_up(n_bytes, TENSOR_ALIGN);
    const float *scales = matrix->scales, *factors = matrix->factors;
    if (matrix->layout == LAYOUT_PANELS && !panels_are_padded(matrix))
        return false;
    if (scales == NULL)
        return is_zero(data + n_bytes, end);
    if (matrix->layout == LAYOUT_ROWS && !is_zero(data + matrix->rows * matrix->cols, scales))
        return false;
    if (factors == NULL)
        return is_zero(scales + matrix->rows, end);
    const float *after_factors = factors + round_up(matrix->cols, PANEL);
    return is_zero(scales + matrix->rows, matrix->column_sums) &&
           is_zero(factors + matrix->cols, after_factors) &&
           (matrix->kept_panels == NULL ? is_zero(after_factors, end)
                                        : is_zero(after_factors + KEPT, matrix->kept_panels) &&
                                              kept_panels_are_padded(matrix));
}

static bool is_kept(const struct matrix *matrix, size_t column)
{
    for (size_t i = 0; matrix->kept_panels != NULL && i < KEPT; i++)
        if (matrix->kept[i] == column)
            return true;
    return false;
}

/* Factors are above 0, for kept columns 0, and column sums are the sums of their integers. */
static engine_status check_factors(const struct matrix *matrix, const char *name,
                                   engine_error *error)
{
    size_t panel_bytes = round_up(matrix->cols, 4) * PANEL;
    for (size_t k = 0; k < matrix->cols; k++)
        if (is_kept(matrix, k) ? matrix->factors[k] != 0 : !(matrix->factors[k] > 0))
            return damaged(error, "tensor '%.64s': factor %zu is %g, expected %s", name, k,
                           (double)matrix->factors[k], is_kept(matrix, k) ? "0" : "more than 0");
    for (size_t row = 0; row < matrix->rows; row += PANEL) {
        int32_t sums[PANEL];
        panel_sums((const int8_t *)matrix->data + row / PANEL * panel_bytes, matrix->cols, sums);
        for (size_t n = 0; n < PANEL; n++)
            if (sums[n] != matrix->column_sums[row + n])
                return damaged(error, "tensor '%.64s': the sum of column %zu is %d, expected %d",
                               name, row + n, matrix->column_sums[row + n], sums[n]);
    }
    return ENGINE_OK;
}

static engine_status check_contents(const struct weight_file *file, const struct tensor *tensor,
                                    engine_error *error)
{
    size_t n_bytes = (size_t)tensor->len;
    struct matrix matrix = tensor_matrix(tensor->type, tensor->layout, (size_t)tensor->shape[0],
                                         (size_t)tensor->shape[1], file->data + tensor->offset);
    uint32_t crc = crc32c(0, matrix.data, n_bytes);
    if (crc != tensor->crc)
        return damaged(error, "tensor '%.64s' is damaged: checksum %08X, expected %08X" COPY_AGAIN,
                       tensor->name, crc, tensor->crc);
    if (!is_finite(&matrix, n_bytes))
        return damaged(error, "tensor '%.64s' holds NaN or an infinity", tensor->name);
    if (!is_padded(&matrix, n_bytes))
        return damaged(error, "tensor '%.64s': its padding is not zero", tensor->name);
    return matrix.factors != NULL ? check_factors(&matrix, tensor->name, error) : ENGINE_OK;
}

engine_status weight_file_verify(const struct weight_file *file, engine_error *error)
{
    engine_status status = ENGINE_OK;
    for (size_t i = 0; i < file->n_tensors && status == ENGINE_OK; i++)
        status = check_contents(file, &file->tensors[i], error);
    if (status == ENGINE_OK)
        status = weight_file_intact(file, true, error);
    return status == ENGINE_OK ? succeed(error) : status;
}
