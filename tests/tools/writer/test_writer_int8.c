/* tags: numbers aarch64 */
/* int8 with column sums and factors (types int8a8 and int8a7, version 2 of the file): what the
 * writer writes is read back by the reader of engine/plain/, and by the engine, which checks the
 * sums; what the writer refuses; and what the engine says of sums that are wrong. */
#include "engine/file/crc32c.h"
#include "engine/plain/weights.h"
#include "tests/engine/file/bad_file.h"
#include "tests/tools/writer/writer_cases.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char NAME[] = "extra.matrix";
static const enum tensor_type TYPES[] = {TENSOR_INT8A8, TENSOR_INT8A7, TENSOR_INT8K};
enum { HEADER_VERSION = 8, ENTRY_CRC = 20, ENTRY_OFFSET = 56, MOST = 33 * 66 };

/* The shapes are around the panel's 16 rows, int8's groups of 4 columns, and 16 factors. */
static const size_t SHAPES[][2] = {{1, 1}, {15, 4}, {16, 16}, {17, 5}, {33, 66}};
enum { N_SHAPES = sizeof SHAPES / sizeof SHAPES[0] };

static float values[MOST], factors[MOST];

/* Numbers in columns of very different sizes, as factors are made for. */
static void draw(size_t rows, size_t cols)
{
    uint64_t state = rows;
    for (size_t k = 0; k < cols; k++)
        factors[k] = exp2f((float)(k % 11) - 5) * 1.25f;
    for (size_t i = 0; i < rows * cols; i++)
        values[i] =
            (float)((double)(support_random(&state) >> 11) * 0x1p-52 - 1) * factors[i % cols];
}

/* A small model with that matrix. */
static void write_model(enum tensor_type type, size_t rows, size_t cols)
{
    engine_error error;
    struct weight_writer *writer = open_writer(&error);
    write_small_model(writer);
    weight_writer_begin_tensor(writer, NAME, type, LAYOUT_PANELS, 2, rows, cols);
    weight_writer_factors(writer, factors);
    weight_writer_rows(writer, values, rows);
    if (weight_writer_finish(writer) != ENGINE_OK)
        fail_msg("%s", error.message);
}

/* A value is off by half a step of its row at most: 1/127 of the largest of what is rounded, and in
 * int8k of the sums of neighbours. */
static void check_values(const struct plain_tensor *tensor)
{
    for (size_t n = 0; n < tensor->rows; n++) {
        const float *row = values + n * tensor->cols;
        double largest = 0, before = 0;
        for (size_t k = 0; k < tensor->cols; k++) {
            double value = tensor->factors[k] > 0 ? (double)row[k] / tensor->factors[k] : 0;
            bool in_pairs = tensor->type == PLAIN_INT8K && k % 2 == 1;
            largest = fmax(largest, fmax(fabs(value), in_pairs ? fabs(before + value) : 0));
            before = value;
        }
        for (size_t k = 0; k < tensor->cols; k++) {
            double off = fabs(tensor->values[n * tensor->cols + k] - (double)row[k]);
            assert_true(tensor->factors[k] == (double)factors[k]);
            if (!(off <= 0.5001 / 127 * largest * tensor->factors[k]))
                fail_msg("element (%zu, %zu) is off by %g", n, k, off);
        }
    }
}

/* Factors of 0 for KEPT columns of a type that keeps them. */
static void draw_for(enum tensor_type type, size_t rows, size_t cols)
{
    draw(rows, cols);
    for (size_t i = 0; type == TENSOR_INT8K && i < KEPT; i++)
        factors[cols - 1 - i * (cols / KEPT)] = 0;
}

/* Without factors: test_writer.c. */
TEST(come_back)
{
    for (size_t type = 0; type < 3; type++)
        for (size_t shape = 0; shape < N_SHAPES; shape++) {
            struct plain_weights weights;
            if (TYPES[type] == TENSOR_INT8K && SHAPES[shape][1] < KEPT)
                continue;
            draw_for(TYPES[type], SHAPES[shape][0], SHAPES[shape][1]);
            write_model(TYPES[type], SHAPES[shape][0], SHAPES[shape][1]);
            if (!plain_weights_read(&weights, writer_path))
                fail_msg("%s", weights.error);
            assert_int_equal(get_u32(weights.file + HEADER_VERSION),
                             TYPES[type] == TENSOR_INT8K ? 3 : 2);
            assert_int_equal(plain_tensor(&weights, NAME)->type, TYPES[type]);
            check_values(plain_tensor(&weights, NAME));
            plain_weights_free(&weights);
            assert_ok(engine_model_verify(support_open(writer_path), NULL));
        }
}

/* Returns the writer's status for factors given after `rows` rows to a tensor of a type. */
static void assert_no_factors(enum tensor_type type, size_t rows, const char *words)
{
    engine_error error;
    struct weight_writer *writer = open_writer(&error);
    weight_writer_begin_tensor(writer, NAME, type, LAYOUT_PANELS, 2, 17, 5);
    assert_ok(weight_writer_rows(writer, values, rows));
    assert_fails(ARGUMENT, weight_writer_factors(writer, factors));
    assert_non_null(strstr(error.message, words));
    assert_fails(ARGUMENT, weight_writer_finish(writer));
    assert_int_equal(count_names(), 0);
}

TEST(factors_that_are_refused)
{
    static const float wrong[] = {0, -1, NAN, INFINITY};
    draw(17, 5);
    assert_no_factors(TENSOR_INT8, 0, "factors must precede the rows of a tensor with factors");
    assert_no_factors(TENSOR_INT8A8, 1, "factors must precede the rows");
    assert_no_factors(TENSOR_INT8A7, 16, "factors must precede the rows");
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        draw(17, 5);
        factors[3] = wrong[i];
        assert_no_factors(TENSOR_INT8A7, 0, "column 3: its factor is");
    }
}

TEST(kept_columns_that_are_refused)
{
    engine_error error;
    for (size_t n_zeros = 0; n_zeros <= KEPT + 1; n_zeros++) {
        struct weight_writer *writer = open_writer(&error);
        draw(17, 5);
        for (size_t k = 0; k < n_zeros; k++)
            factors[k] = 0;
        weight_writer_begin_tensor(writer, NAME, TENSOR_INT8K, LAYOUT_PANELS, 2, 17, 5);
        assert_int_equal(weight_writer_factors(writer, factors),
                         n_zeros == KEPT ? ENGINE_OK : ENGINE_ERROR_ARGUMENT);
        weight_writer_abort(writer);
    }
    struct weight_writer *writer = open_writer(&error);
    weight_writer_begin_tensor(writer, NAME, TENSOR_INT8K, LAYOUT_PANELS, 2, 17, 5);
    assert_fails(ARGUMENT, weight_writer_rows(writer, values, 1));
    assert_non_null(strstr(error.message, "got rows before its factors"));
    weight_writer_abort(writer);
    writer = open_writer(&error);
    weight_writer_begin_tensor(writer, NAME, TENSOR_INT8K, LAYOUT_PANELS, 2, 17, KEPT - 1);
    assert_non_null(strstr(error.message, "it is empty, too large, or of an unknown type"));
    assert_fails(ARGUMENT, weight_writer_factors(writer, factors));
    weight_writer_abort(writer);
    writer = open_writer(&error);
    assert_fails(ARGUMENT, weight_writer_factors(writer, factors));
    assert_non_null(
        strstr(error.message, "factors must precede the rows of a tensor with factors"));
    weight_writer_abort(writer);
}

/* [17, 5]: 32 rows and 8 columns of integers, then 32 scales, 32 sums and 16 factors. */
enum { SCALES = 32 * 8, SUMS = SCALES + 4 * 32, FACTORS = SUMS + 4 * 32 };

static uint8_t *data_of(const struct patient *file)
{
    return file->data + get_u64(tensor_entry(file, NAME) + ENTRY_OFFSET);
}

/* With checksums that are right, so that only the bytes tell. */
static void assert_found(size_t offset, const void *bytes, size_t len, const char *words)
{
    struct patient file = patient_read(writer_path);
    engine_model *model;
    uint8_t *entry = tensor_entry(&file, NAME), *data = data_of(&file);
    memcpy(data + offset, bytes, len);
    put_u32(entry + ENTRY_CRC, crc32c(0, data, (size_t)get_u64(entry + ENTRY_OFFSET + 8)));
    heal_section(&file, "DATA");
    heal_section(&file, "TENS");
    assert_ok(engine_model_open_memory(file.data, file.len, NULL, &model, NULL));
    assert_fails(FORMAT, engine_model_verify(model, &last));
    if (strstr(last.message, words) == NULL)
        fail_msg("%zu: %s", offset, last.message);
    engine_model_close(model);
}

TEST(wrong_sums_are_found)
{
    static const size_t columns[] = {0, 15, 16, 17, 31};
    draw(17, 5);
    write_model(TENSOR_INT8A8, 17, 5);
    for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++) {
        const struct patient file = patient_read(writer_path);
        const size_t offset = SUMS + 4 * columns[i];
        const uint32_t right = get_u32(data_of(&file) + offset), wrong = right + 1;
        char words[64];
        snprintf(words, sizeof words, "'%s': the sum of column %zu is %d, expected %d", NAME,
                 columns[i], (int)wrong, (int)right);
        assert_found(offset, &wrong, sizeof wrong, words);
    }
}

TEST(wrong_factors_and_padding_are_found)
{
    static const float above_zero = 1, not_finite[] = {INFINITY, NAN}, not_above[] = {0, -1};
    static const int8_t one = 1;
    draw(17, 5);
    write_model(TENSOR_INT8A7, 17, 5);
    for (size_t i = 0; i < 2; i++) {
        assert_found(FACTORS + 4 * 4, &not_finite[i], 4, "holds NaN or an infinity");
        assert_found(SCALES, &not_finite[i], 4, "holds NaN or an infinity");
        assert_found(FACTORS + 4 * 4, &not_above[i], 4, "factor 4 is ");
    }
    assert_found(FACTORS + 4 * 5, &above_zero, 4, "padding is not zero");
    assert_found(FACTORS + 4 * 15, &above_zero, 4, "padding is not zero");
    assert_found(SCALES + 4 * 17, &above_zero, 4, "padding is not zero");
    assert_found(SCALES + 4 * 31, &above_zero, 4, "padding is not zero");
    assert_found(16 * 8 + 4, &one, 1, "padding is not zero"); /* row 17 */
    assert_found(16 * 4 + 1, &one, 1, "padding is not zero"); /* column 5 */
    assert_found(32 * 8 - 1, &one, 1, "padding is not zero");
}

/* [17, 5] with 4 kept columns: after the factors 4 numbers, filled up to 64 bytes, and 2 panels of
 * 4 by 16 numbers. */
TEST(wrong_kept_columns_are_found)
{
    enum { NUMBERS = FACTORS + 64, PANELS = NUMBERS + 64 };
    enum { LAST = PANELS + 4 * KEPT * PANEL };
    static const float above_zero = 1, not_finite = INFINITY;
    draw_for(TENSOR_INT8K, 17, 5);
    write_model(TENSOR_INT8K, 17, 5);
    assert_found(FACTORS + 4, &above_zero, 4, "factor 1 is 1, expected 0");
    assert_found(PANELS, &not_finite, 4, "holds NaN or an infinity");
    assert_found(FACTORS + 4 * 5, &above_zero, 4, "padding is not zero");
    assert_found(NUMBERS + 4 * KEPT, &above_zero, 4, "padding is not zero");
    assert_found(LAST + 4, &above_zero, 4, "padding is not zero"); /* row 17 */
    assert_found(LAST + 4 * KEPT * PANEL - 4, &above_zero, 4, "padding is not zero");
}

/* Version 1 has no such types. */
TEST(in_a_file_of_version_1)
{
    draw(17, 5);
    write_model(TENSOR_INT8A7, 17, 5);
    struct patient file = patient_read(writer_path);
    put_u32(file.data + HEADER_VERSION, 1);
    heal_header(&file);
    assert_refused(&file, ENGINE_ERROR_FORMAT,
                   "type 6, layout 1 and its shape do not make a tensor");
}

SET_UP_EACH()
{
    writer_set_up();
}

TEAR_DOWN_EACH()
{
    writer_tear_down();
}
