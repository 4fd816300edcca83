/* encode-import --weights int8: which layers become int8. A row of feed_forward.out that towers
 * over the others keeps its layer in f16; the others are int8, by rows of 8 or 7 bits. */
#include "tests/tools/import/refusals.h"
#include "tests/tools/import/tiny_checkpoint.h"
#include "tests/tools/shell.h"
#include "tools/import/checkpoint/checkpoint.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

static void open_numbers(struct numbers *numbers)
{
    tiny_checkpoint(directory);
    tiny_tensors_bert(&numbers->tensors, "bert.");
    numbers->file = tiny_tensors_file(&numbers->tensors, &numbers->len);
    numbers->n_header = numbers->len - numbers->tensors.n_data;
    for (int layer = 0; layer < TINY_LAYERS; layer++) {
        char name[64];
        snprintf(name, sizeof name, "bert.encoder.layer.%d.output.dense.weight", layer);
        json_t *offsets =
            json_object_get(json_object_get(numbers->tensors.header, name), "data_offsets");
        assert_non_null(offsets);
        numbers->out[layer] =
            numbers->n_header + (size_t)json_integer_value(json_array_get(offsets, 0));
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

/* Ones, but for one row's last number. */
static void set_outlier(struct numbers *numbers, size_t layer, size_t row, float value)
{
    for (size_t i = 0; i < TINY_WIDTH * TINY_FEED_FORWARD; i++)
        set_number(numbers, numbers->out[layer] + 4 * i, i % 2 == 0 ? 1 : -1);
    set_number(numbers, numbers->out[layer] + 4 * ((row + 1) * TINY_FEED_FORWARD - 1), value);
}

static void plan_it(const struct numbers *numbers, enum tensor_type type)
{
    static struct problem problem;
    tiny_write(directory, "model.safetensors", numbers->file, numbers->len);
    if (!PROBLEM_OPEN(problem))
        fail_msg("%s", problem.text);
    checkpoint_read(&checkpoint, directory, type, &problem);
    int8_layers_note(&checkpoint.plan.int8_layers, note);
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
    enum tensor_type eight = is_int8 ? TENSOR_INT8A8 : TENSOR_F16;
    enum tensor_type seven = is_int8 ? TENSOR_INT8A7 : TENSOR_F16;
    assert_int_equal(type_of(layer, "attention.qkv"), eight);
    assert_int_equal(type_of(layer, "attention.output"), seven);
    assert_int_equal(type_of(layer, "feed_forward.in"), seven);
    assert_int_equal(type_of(layer, "feed_forward.out"), eight);
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
        checkpoint_free(&checkpoint);
    }
    close_numbers(&numbers);
}

/* The limit is 16, whatever the row, the sign and the layer. */
TEST(outlier)
{
    static const float values[] = {16, -16, 16.1f, -16.1f, 1000};
    struct numbers numbers;
    open_numbers(&numbers);
    for (size_t layer = 0; layer < TINY_LAYERS; layer++)
        for (size_t row = 0; row < TINY_WIDTH; row++)
            for (size_t v = 0; v < sizeof values / sizeof values[0]; v++) {
                bool is_outlier = fabsf(values[v]) > 16;
                char expected[32];
                for (size_t other = 0; other < TINY_LAYERS; other++)
                    set_outlier(&numbers, other, row, other == layer ? values[v] : 1);
                plan_it(&numbers, TENSOR_INT8);
                assert_types(layer, !is_outlier);
                assert_types(1 - layer, true);
                snprintf(expected, sizeof expected, "layer %zu, whose", layer);
                assert_true((strstr(note, expected) != NULL) == is_outlier &&
                            (note[0] != '\0') == is_outlier);
                checkpoint_free(&checkpoint);
            }
    for (size_t layer = 0; layer < TINY_LAYERS; layer++)
        set_outlier(&numbers, layer, 0, 40);
    plan_it(&numbers, TENSOR_INT8);
    assert_types(0, false);
    assert_types(1, false);
    assert_contains(note, "layers 0, 1, whose");
    checkpoint_free(&checkpoint);
    plan_it(&numbers, TENSOR_BF16); /* nobody else looks */
    assert_int_equal(type_of(0, "feed_forward.out"), TENSOR_BF16);
    assert_string_equal(note, "");
    checkpoint_free(&checkpoint);
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
    checkpoint_free(&checkpoint);
    set_number(&numbers, numbers.out[0], 1e-3f);
    plan_it(&numbers, TENSOR_INT8);
    assert_types(0, false);
    assert_contains(note, "layer 0, whose feed_forward.out, most rows of which are zeros,");
    assert_lacks(note, "inf");
    checkpoint_free(&checkpoint);
    close_numbers(&numbers);
}

TEST(report)
{
    struct numbers numbers;
    open_numbers(&numbers);
    set_outlier(&numbers, 1, 2, 24);
    tiny_write(directory, "model.safetensors", numbers.file, numbers.len);
    const struct shell_result *result =
        shell_expect(0, "$IMPORT %s --weights int8 --dry-run", directory);
    static const char words[] =
        "in f16 instead of int8: layer 1, whose feed_forward.out has rows up to 24 times";
    assert_contains(result->out, words);
    result = shell_expect(0, "$IMPORT %s --weights int8 -o a.weights", directory);
    assert_contains(result->err, words);
    result = shell_expect(0, "$INSPECT --verify a.weights | grep 'layers.*qkv.weight'");
    assert_contains(result->out, "int8");
    assert_contains(result->out, "f16");
    assert_lacks(shell_expect(0, "$IMPORT %s -o b.weights", directory)->err, "int8");
    const float nan = NAN;
    memcpy(numbers.file + numbers.out[0], &nan, sizeof nan);
    tiny_write(directory, "model.safetensors", numbers.file, numbers.len);
    result = shell_expect(1, "$IMPORT %s --weights int8 -o c.weights", directory);
    assert_contains(result->err, "layer.0.output.dense.weight");
    shell_expect(0, "[ ! -e c.weights ]");
    close_numbers(&numbers);
}

SET_UP()
{
    shell_set_program("IMPORT", "encode-import");
    shell_set_program("INSPECT", "encode-inspect");
    shell_setup();
    support_path(directory, support_folder(), "checkpoint");
}
