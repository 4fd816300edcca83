/* candidates.c - see candidates.h. Twin: the search with few queries, which scores every row. */
#include "model/layers/search/candidates.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Longest rows whose sums of integers fit into int32. */
enum { LONGEST_ROW = 1 << 16 };

bool candidates_are_fast(const struct kernels *kernels, engine_element type, size_t width)
{
    return kernels->candidate_bits > 0 && (type == ENGINE_INT8 || type == ENGINE_BINARY) &&
           width > 0 && width <= LONGEST_ROW;
}

/* Returns E. */
static float error_of(const float *query, size_t n, const int8_t *values,
                      const struct quantization *rounding)
{
    const double roundings = 4 * ((double)chain_steps(n) + 16) * 0x1p-24;
    double squares = 0, errors = 0;
    if (!(rounding->scale >= 0x1p-40F && rounding->scale <= 0x1p40F))
        return INFINITY;
    for (size_t i = 0; i < n; i++) {
        double rounded = (double)rounding->scale * (values[i] - rounding->zero);
        squares += (double)query[i] * (double)query[i];
        errors += ((double)query[i] - rounded) * ((double)query[i] - rounded);
    }
    return (float)(sqrt(errors) + roundings * (sqrt(squares) + sqrt(errors)));
}

void candidates_round(const struct kernels *kernels, engine_element type, const float *queries,
                      size_t n, size_t width, const struct rounded_queries *rounded)
{
    const size_t columns = round_up(width, PANEL), stride = round_up(width, QUANTIZED_STEP);
    enum rounding rounding = kernels->candidate_bits == 7 ? ROUND_7_BITS : ROUND_SYMMETRIC;
    for (size_t i = 0; i < n; i++) {
        const float *query = queries + i * columns;
        int8_t *values = rounded->values + i * stride;
        rounded->roundings[i] = kernels->quantize(query, columns, rounding, NULL, values);
        rounded->errors[i] = error_of(query, columns, values, &rounded->roundings[i]);
        rounded->roundings[i].scale *= type == ENGINE_BINARY ? 0.5F : 1;
    }
}

void rounded_queries_carve(struct rounded_queries *queries, size_t n, size_t width,
                           struct arena *arena)
{
    queries->values = arena_cut(arena, n, round_up(width, QUANTIZED_STEP));
    queries->roundings = arena_cut(arena, n, sizeof *queries->roundings);
    queries->errors = arena_cut(arena, n, sizeof *queries->errors);
}

void rounded_rows_carve(struct rounded_rows *rows, size_t n_rows, size_t width, struct arena *arena)
{
    rows->lengths = arena_cut(arena, n_rows, sizeof *rows->lengths);
    rows->sums = arena_cut(arena, n_rows, sizeof *rows->sums);
    rows->found = arena_cut(arena, n_rows, sizeof *rows->found);
    rows->panels = arena_cut(arena, n_rows, round_up(width, PANEL));
}

/* Returns the columns of rows as bytes: bits that fill the last byte up are columns, too. */
static size_t columns_of(const struct row_products *block)
{
    return block->type == ENGINE_BINARY ? round_up(block->width, 8) : block->width;
}

void candidates_pack(const struct kernels *kernels, const struct row_products *block,
                     const struct rounded_rows *rows)
{
    const size_t columns = columns_of(block), panel_bytes = round_up(columns, PANEL) * PANEL;
    kernels->pack_byte_panels(block, rows->panels);
    for (size_t r = 0; r < block->n_rows && kernels->candidate_bits == 7; r += PANEL)
        panel_sums(rows->panels + r / PANEL * panel_bytes, columns, rows->sums + r);
    if (block->squares != NULL)
        memcpy(rows->lengths, block->squares, block->n_rows * sizeof *rows->lengths);
}

void candidates_measure(const struct row_products *block, const struct rounded_rows *rows)
{
    for (size_t r = 0; r < block->n_rows; r++) {
        float factor = fabsf(rows->factors[r]), square = rows->lengths[r];
        if (block->type == ENGINE_BINARY)
            rows->lengths[r] = 0.5F * sqrtf((float)block->width);
        else if (factor == 0 || isnan(factor))
            rows->lengths[r] = factor + FLT_MIN;
        else
            rows->lengths[r] =
                factor >= 0x1p-60F ? fmaxf(sqrtf(square) * factor, FLT_MIN) : INFINITY;
    }
}

void candidates_multiply(const struct kernels *kernels, const struct row_products *block,
                         const struct rounded_rows *rows, const struct rounded_queries *queries,
                         size_t first, size_t n)
{
    const size_t columns = columns_of(block), stride = round_up(columns, QUANTIZED_STEP);
    const bool seven_bits = kernels->candidate_bits == 7;
    kernels->product_int8(&(struct product){.x = queries->values + first * stride,
                                            .x_stride = stride,
                                            .x_quantization = queries->roundings + first,
                                            .panels = rows->panels,
                                            .panel_stride = round_up(columns, PANEL) * PANEL,
                                            .k = columns,
                                            .scales = rows->factors,
                                            .column_sums = seven_bits ? rows->sums : NULL,
                                            .is_unsigned = seven_bits,
                                            .out = block->scores,
                                            .out_stride = block->scores_stride,
                                            .n_rows = n,
                                            .n_panels = (block->n_rows + PANEL - 1) / PANEL});
}
