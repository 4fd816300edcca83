/* encode-import --weights int8: which layers become int8. A row of feed_forward.out that, without
 * the KEPT columns with the largest weights, towers over the others keeps its layer in f16; the
 * others are int8 with factors for their columns, some of which stay in f32. */
#include "tests/tools/import/refusals.h"
#include "tests/tools/import/tiny_checkpoint.h"
#include "tests/tools/shell.h"
#include "tests/weight_surgery.h"
#include "tools/import/checkpoint/checkpoint.h"
#include "tools/import/files/tensor_file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char directory[SUPPORT_PATH];
static struct checkpoint checkpoint;
static char note[INT8_NOTE];

/* The numbers of a checkpoint's file, and where feed_forward.out of each layer begins. */
struct numbers {
    struct tiny_tensors tensors;
    char *file;
    size_t len, n_header;
    size_t out[TINY_LAYERS]; /* byte of the file */
};

static size_t offset_of(const struct numbers *numbers, const char *name)
{
    json_t *offsets =
        json_object_get(json_object_get(numbers->tensors.header, name), "data_offsets");
    assert_non_null(offsets);
    return numbers->n_header + (size_t)json_integer_value(json_array_get(offsets, 0));
}

static void open_numbers(struct numbers *numbers)
{
    tiny_checkpoint(directory);
    tiny_tensors_bert(&numbers->tensors, "bert.");
    numbers->file = tiny_tensors_file(&numbers->tensors, &numbers->len);
    numbers->n_header = numbers->len - numbers->tensors.n_data;
    for (int layer = 0; layer < TINY_LAYERS; layer++) {
        char name[64];
        snprintf(name, sizeof name, "bert.encoder.layer.%d.output.dense.weight", layer);
        numbers->out[layer] = offset_of(numbers, name);
    }
}

static void close_numbers(struct numbers *numbers)
{
    free(numbers->file);
    tiny_tensors_free(&numbers->tensors);
}

static void set_number(struct numbers *numbers, size_t at, float value)
{
    memcpy(numbers->file + at, &value, sizeof value);
}

/* Ones, but for one row's last numbers, one more than the columns that are kept in f32. */
static void set_outlier(struct numbers *numbers, size_t layer, size_t row, float value)
{
    for (size_t i = 0; i < TINY_WIDTH * TINY_FEED_FORWARD; i++)
        set_number(numbers, numbers->out[layer] + 4 * i, i % 2 == 0 ? 1 : -1);
    for (size_t i = 1; i <= KEPT + 1; i++)
        set_number(numbers, numbers->out[layer] + 4 * ((row + 1) * TINY_FEED_FORWARD - i), value);
}

static void plan_types(const struct numbers *numbers, struct stored_types types)
{
    support_write_in(directory, "model.safetensors", numbers->file, numbers->len);
    READ_OR_FAIL(checkpoint_read(&checkpoint, directory, types, NULL, AS_ANY));
    int8_layers_note(&checkpoint.plan.int8_layers, note);
}

static void plan_it(const struct numbers *numbers, enum tensor_type type)
{
    plan_types(numbers, (struct stored_types){type, 0});
}

static enum tensor_type type_of(size_t layer, const char *part)
{
    char name[64];
    snprintf(name, sizeof name, "layers.%zu.%s.weight", layer, part);
    for (size_t i = 0; i < checkpoint.plan.n; i++)
        if (strcmp(checkpoint.plan.tensors[i].name, name) == 0)
            return checkpoint.plan.tensors[i].type;
    fail_msg("no tensor %s", name);
    return 0;
}

static void assert_types(size_t layer, bool is_int8)
{
    enum tensor_type kept = is_int8 ? TENSOR_INT8K : TENSOR_F16;
    assert_int_equal(type_of(layer, "attention.qkv"), kept);
    assert_int_equal(type_of(layer, "attention.output"), is_int8 ? TENSOR_INT8A8 : TENSOR_F16);
    assert_int_equal(type_of(layer, "feed_forward.in"), kept);
    assert_int_equal(type_of(layer, "feed_forward.out"), kept);
}

TEST(plain)
{
    struct numbers numbers;
    uint64_t state = 1;
    open_numbers(&numbers);
    for (int random = 0; random < 2; random++) {
        for (size_t at = numbers.n_header; random && at < numbers.len; at += 4) {
            double sum = -6; /* of twelve uniform numbers: normal, nearly */
            for (int i = 0; i < 12; i++)
                sum += (double)(support_random(&state) >> 11) * 0x1p-53;
            set_number(&numbers, at, (float)(0.02 * sum));
        }
        plan_it(&numbers, TENSOR_INT8);
        assert_string_equal(note, "");
        assert_true(checkpoint.plan.int8_layers.worst >= 1 &&
                    checkpoint.plan.int8_layers.worst < 3);
        for (size_t layer = 0; layer < TINY_LAYERS; layer++)
            assert_types(layer, true);
        for (size_t i = 0; i < checkpoint.plan.n; i++) /* the tables come first */
            if (checkpoint.plan.tensors[i].layout == LAYOUT_ROWS &&
                checkpoint.plan.tensors[i].n_dims == 2)
                assert_int_equal(checkpoint.plan.tensors[i].type, TENSOR_F16);
        import_free();
    }
    close_numbers(&numbers);
}

/* Tables of the requested type, with matrices of every type. */
TEST(tables)
{
    static const struct {
        struct stored_types asked;
        enum tensor_type found, matrix;
    } cases[] = {{{TENSOR_INT8, TENSOR_INT8}, TENSOR_INT8, TENSOR_INT8K},
                 {{TENSOR_INT8, TENSOR_F32}, TENSOR_F32, TENSOR_INT8K},
                 {{0, TENSOR_INT8}, TENSOR_INT8, TENSOR_F32},
                 {{TENSOR_BF16, 0}, TENSOR_BF16, TENSOR_BF16}};
    struct numbers numbers;
    open_numbers(&numbers);
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        size_t n_tables = 0;
        plan_types(&numbers, cases[k].asked);
        assert_int_equal(type_of(0, "attention.qkv"), cases[k].matrix);
        for (size_t i = 0; i < checkpoint.plan.n; i++)
            if (checkpoint.plan.tensors[i].layout == LAYOUT_ROWS &&
                checkpoint.plan.tensors[i].n_dims == 2) {
                assert_int_equal(checkpoint.plan.tensors[i].type, cases[k].found);
                n_tables++;
            }
        assert_int_equal(n_tables, 3);
        import_free();
    }
    close_numbers(&numbers);
}

/* Rows whose largest number is more than 8 times the others leave a table in f16. */
TEST(uneven_table)
{
    static const struct {
        float largest, others;
        enum tensor_type found;
    } cases[] = {{7.9F, 1, TENSOR_INT8}, {-8.1F, 1, TENSOR_F16}, {1, 0, TENSOR_INT8}};
    struct numbers numbers;
    open_numbers(&numbers);
    const size_t at = offset_of(&numbers, "bert.embeddings.token_type_embeddings.weight");
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        for (size_t i = 0; i < 2 * TINY_WIDTH; i++)
            set_number(&numbers, at + 4 * i,
                       i % TINY_WIDTH == 3 ? cases[k].largest : cases[k].others);
        plan_types(&numbers, (struct stored_types){0, TENSOR_INT8});
        for (size_t i = 0; i < 3; i++) {
            const struct planned_tensor *table = &checkpoint.plan.tensors[i];
            bool is_type = strcmp(table->name, "embedding.type.weight") == 0;
            assert_int_equal(table->type, is_type ? cases[k].found : TENSOR_INT8);
        }
        import_free();
    }
    close_numbers(&numbers);
}

/* The limit is 12, for every row, sign and layer. */
TEST(outlier)
{
    static const float values[] = {12, -12, 12.1f, -12.1f, 1000};
    struct numbers numbers;
    open_numbers(&numbers);
    for (size_t layer = 0; layer < TINY_LAYERS; layer++)
        for (size_t row = 0; row < TINY_WIDTH; row++)
            for (size_t v = 0; v < sizeof values / sizeof values[0]; v++) {
                bool is_outlier = fabsf(values[v]) > 12;
                char expected[32];
                for (size_t other = 0; other < TINY_LAYERS; other++)
                    set_outlier(&numbers, other, row, other == layer ? values[v] : 1);
                plan_it(&numbers, TENSOR_INT8);
                assert_types(layer, !is_outlier);
                assert_types(1 - layer, true);
                snprintf(expected, sizeof expected, "layer %zu, whose", layer);
                assert_true((strstr(note, expected) != NULL) == is_outlier &&
                            (note[0] != '\0') == is_outlier);
                import_free();
            }
    for (size_t layer = 0; layer < TINY_LAYERS; layer++)
        set_outlier(&numbers, layer, 0, 40);
    plan_it(&numbers, TENSOR_INT8);
    assert_types(0, false);
    assert_types(1, false);
    assert_contains(note, "layers 0, 1, whose");
    import_free();
    plan_it(&numbers, TENSOR_BF16); /* other types need no check */
    assert_int_equal(type_of(0, "feed_forward.out"), TENSOR_BF16);
    assert_string_equal(note, "");
    import_free();
    close_numbers(&numbers);
}

/* Zeros are no outliers of each other; among zeros anything else is one. */
TEST(zeros)
{
    struct numbers numbers;
    open_numbers(&numbers);
    memset(numbers.file + numbers.n_header, 0, numbers.len - numbers.n_header);
    plan_it(&numbers, TENSOR_INT8);
    assert_types(0, true);
    import_free();
    for (size_t i = 0; i <= KEPT; i++) {
        set_number(&numbers, numbers.out[0] + 4 * i, 1e-3f);
        plan_it(&numbers, TENSOR_INT8);
        assert_types(0, i < KEPT);
        if (i < KEPT)
            import_free();
    }
    assert_contains(note, "layer 0, whose feed_forward.out, most rows of which are zeros,");
    assert_lacks(note, "inf");
    import_free();
    close_numbers(&numbers);
}

/* ---- Factors, against plain loops ---- */

enum { MOST_NUMBERS = 3 * TINY_WIDTH * TINY_WIDTH };

static size_t index_of(const char *name)
{
    for (size_t i = 0; i < checkpoint.plan.n; i++)
        if (strcmp(checkpoint.plan.tensors[i].name, name) == 0)
            return i;
    fail_msg("no tensor %s", name);
    return 0;
}

/* The numbers of a planned tensor, its parts one below the other. */
static const float *numbers_of(const char *name)
{
    static float values[MOST_NUMBERS];
    const struct planned_tensor *tensor = &checkpoint.plan.tensors[index_of(name)];
    size_t rows = tensor->rows / tensor->n_parts, n = rows * tensor->cols;
    assert_true(n * tensor->n_parts <= MOST_NUMBERS);
    for (size_t part = 0; part < tensor->n_parts; part++) {
        struct tensor_rows chunk;
        tensor_rows_open(&chunk, rows, tensor->cols, true);
        tensor_rows_read(&chunk, tensor->set, tensor->parts[part], 0, rows);
        memcpy(values + part * n, chunk.values, n * sizeof *values);
        tensor_rows_free(&chunk);
    }
    return values;
}

/* square[k] += the mean square of column k of a table. */
static void add_table(double square[TINY_WIDTH], const char *name, size_t rows)
{
    const float *table = numbers_of(name);
    for (size_t i = 0; i < rows * TINY_WIDTH; i++)
        square[i % TINY_WIDTH] += (double)table[i] * (double)table[i] / (double)rows;
}

/* square[n] += the sum of squares of row n of a matrix, whose input has the mean square 0.05;
 * largest[n] = the largest magnitude. */
static void add_matrix(double square[TINY_WIDTH], double largest[TINY_WIDTH], const char *name,
                       size_t cols)
{
    const float *matrix = numbers_of(name);
    for (size_t i = 0; i < TINY_WIDTH * cols; i++) {
        double magnitude = fabs((double)matrix[i]);
        square[i / cols] += 0.05 * magnitude * magnitude;
        largest[i / cols] = fmax(i % cols == 0 ? 0 : largest[i / cols], magnitude);
    }
}

static void apply_norm(double square[TINY_WIDTH], const char *weight, const char *bias)
{
    double mean = 0;
    for (size_t k = 0; k < TINY_WIDTH; k++)
        mean += square[k] / TINY_WIDTH;
    const float *numbers = numbers_of(weight);
    for (size_t k = 0; k < TINY_WIDTH; k++)
        square[k] *= (double)numbers[k] * (double)numbers[k] / mean;
    numbers = numbers_of(bias);
    for (size_t k = 0; k < TINY_WIDTH; k++)
        square[k] += (double)numbers[k] * (double)numbers[k];
}

/* Returns whether few columns have a larger size. */
static bool is_among_largest(const double *size, size_t n, size_t column, size_t few)
{
    size_t n_larger = 0;
    for (size_t k = 0; k < n; k++)
        n_larger += size[k] > size[column];
    return n_larger < few;
}

/* The factors of a matrix [rows, cols] are 1/s, s = g^a / c^(1-a), of a geometric mean of 1; g² is
 * `square`, or 1 where that is NULL. Those of the KEPT columns with the largest g² · row, or c, are
 * 0. */
static void check_factors(const char *name, size_t rows, size_t cols, const double *square,
                          const double *row)
{
    const float *matrix = numbers_of(name);
    double expected[TINY_FEED_FORWARD], size[TINY_FEED_FORWARD], mean = 1;
    const double a = 0.7;
    for (size_t k = 0; k < cols; k++) {
        double largest = 0;
        for (size_t n = 0; n < rows; n++)
            largest = fmax(largest, fabs((double)matrix[n * cols + k]));
        expected[k] = pow(largest, 1 - a) / (square != NULL ? pow(square[k], a / 2) : 1);
        mean *= pow(expected[k], 1 / (double)cols);
        size[k] = square != NULL ? square[k] * row[k] : largest;
    }
    const size_t n_kept = tensor_has_kept(checkpoint.plan.tensors[index_of(name)].type) ? KEPT : 0;
    for (size_t k = 0; k < cols; k++)
        expected[k] = is_among_largest(size, cols, k, n_kept) ? 0 : expected[k];
    struct residual_stream stream;
    float factors[TINY_FEED_FORWARD];
    size_t index = index_of(name);
    import_begin();
    residual_stream_open(&stream, &checkpoint.plan);
    for (size_t i = 0; i < index; i++)
        residual_stream_pass(&stream, &checkpoint.plan, i);
    int8_factors(&stream, &checkpoint.plan, index, factors);
    import_pause();
    for (size_t k = 0; k < cols; k++)
        if (!(fabs((double)factors[k] - expected[k] / mean) <= 1e-6 * expected[k] / mean))
            fail_msg("%s: the factor of column %zu is %.9g, expected %.9g", name, k,
                     (double)factors[k], expected[k] / mean);
}

TEST(factors)
{
    double square[TINY_WIDTH] = {0}, row[TINY_WIDTH];
    struct numbers numbers;
    uint64_t state = 1;
    for (size_t k = 0; k < TINY_WIDTH; k++)
        row[k] = 1;
    open_numbers(&numbers);
    for (size_t at = numbers.n_header; at < numbers.len; at += 4)
        set_number(&numbers, at, (float)((double)(support_random(&state) >> 11) * 0x1p-52 - 1));
    plan_it(&numbers, TENSOR_INT8);
    add_table(square, "embedding.token.weight", TINY_VOCABULARY);
    add_table(square, "embedding.type.weight", 2);
    add_table(square, "embedding.position.weight", TINY_POSITIONS);
    apply_norm(square, "embedding.norm.weight", "embedding.norm.bias");
    check_factors("layers.0.attention.qkv.weight", 3 * TINY_WIDTH, TINY_WIDTH, square, row);
    check_factors("layers.0.attention.output.weight", TINY_WIDTH, TINY_WIDTH, NULL, NULL);
    add_matrix(square, row, "layers.0.attention.output.weight", TINY_WIDTH);
    apply_norm(square, "layers.0.attention.norm.weight", "layers.0.attention.norm.bias");
    check_factors("layers.0.feed_forward.in.weight", TINY_FEED_FORWARD, TINY_WIDTH, square, row);
    check_factors("layers.0.feed_forward.out.weight", TINY_WIDTH, TINY_FEED_FORWARD, NULL, NULL);
    add_matrix(square, row, "layers.0.feed_forward.out.weight", TINY_FEED_FORWARD);
    apply_norm(square, "layers.0.feed_forward.norm.weight", "layers.0.feed_forward.norm.bias");
    check_factors("layers.1.attention.qkv.weight", 3 * TINY_WIDTH, TINY_WIDTH, square, row);
    import_free();
    close_numbers(&numbers);
}

/* ---- What the programs say ---- */

TEST(report)
{
    struct numbers numbers;
    open_numbers(&numbers);
    set_outlier(&numbers, 1, 2, 24);
    support_write_in(directory, "model.safetensors", numbers.file, numbers.len);
    const struct shell_result *result =
        shell_expect(0, "$IMPORT %s --weights int8 --dry-run", directory);
    static const char words[] =
        "in f16 instead of int8: layer 1, whose feed_forward.out has rows up to 24 times";
    assert_contains(result->out, words);
    result = shell_expect(0, "$IMPORT %s --weights int8 -o a.weights", directory);
    assert_contains(result->err, words);
    result = shell_expect(0, "$INSPECT --verify a.weights | grep 'layers.*qkv.weight'");
    assert_contains(result->out, "int8k");
    assert_contains(result->out, "f16");
    result = shell_expect(0, "echo 1 2 3 >ids && $BENCH -m a.weights --ids ids -t 1 --runs 1");
    assert_contains(result->out, " int8+f16 ");
    assert_lacks(shell_expect(0, "$IMPORT %s -o b.weights", directory)->err, "int8");
    shell_expect(0, "$IMPORT %s --weights int8 --tables int8 -o t.weights", directory);
    result = shell_expect(0, "$INSPECT --verify t.weights | grep 'embedding.token'");
    assert_contains(result->out, "int8");
    const float nan = NAN;
    memcpy(numbers.file + numbers.out[0], &nan, sizeof nan);
    support_write_in(directory, "model.safetensors", numbers.file, numbers.len);
    result = shell_expect(1, "$IMPORT %s --weights int8 -o c.weights", directory);
    assert_contains(result->err, "layer.0.output.dense.weight");
    shell_expect(0, "[ ! -e c.weights ]");
    close_numbers(&numbers);
}

/* Numbers of columns are addresses: with right checksums too, they ascend and are in the matrix. */
TEST(kept_columns_are_checked)
{
    enum { FIRST_FLOAT = 64 + 32 + 32 + 16 }; /* after 256 bytes, 32 scales, 32 sums, 16 factors */
    static const uint32_t wrong[][2] = {{3, TINY_WIDTH}, {3, UINT32_MAX}, {1, 0}, {0, 7}};
    struct numbers numbers;
    char path[SUPPORT_PATH], name[] = "layers.0.attention.qkv.weight";
    open_numbers(&numbers);
    support_write_in(directory, "model.safetensors", numbers.file, numbers.len);
    support_path(path, support_folder(), "k.weights");
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        float bits;
        shell_expect(0, "$IMPORT %s --weights int8 -o %s && $INSPECT --verify %s", directory, path,
                     path);
        memcpy(&bits, &wrong[i][1], sizeof bits);
        put_number(path, name, FIRST_FLOAT + wrong[i][0], bits);
        assert_contains(shell_expect(1, "$INSPECT %s", path)->err, "keeps column");
    }
    close_numbers(&numbers);
}

SET_UP()
{
    shell_set_program("IMPORT", "encode-import");
    shell_set_program("INSPECT", "encode-inspect");
    shell_set_program("BENCH", "encode-bench");
    shell_setup();
    support_path(directory, support_folder(), "checkpoint");
}
