/* tags: sizes */
/* The writer of weight files, read back by the reader of engine/plain/ and by the engine; what it
 * refuses, files that do not come to their end, merges, frequencies of positions. */
#include "engine/plain/weights.h"
#include "tests/owned.h"
#include "tests/tools/writer/writer_cases.h"
#include "tools/common/alloc.h"
#include "tools/writer/tokenizer/tokenizer_draft.h"
#include "tools/writer/weight_writer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const enum tensor_type TYPES[] = {TENSOR_F32,  TENSOR_F16,    TENSOR_BF16,
                                         TENSOR_INT8, TENSOR_INT8A8, TENSOR_INT8A7};
enum { N_TYPES = sizeof TYPES / sizeof TYPES[0] };
/* How far a value may be from what was given, as a part of the row's largest magnitude: half a unit
 * in the last digit of 24, 11 and 8 bits, and half a step of 1/127. */
static const double TOLERANCES[] = {0, 0x1p-11, 0x1p-8, 0.5001 / 127, 0.5001 / 127, 0.5001 / 127};

static const float *random_values(size_t n, uint64_t seed)
{
    return random_floats(&seed, n, 1);
}

/* ---- Tensors come back ---- */

static void check_matrix(const struct plain_weights *weights, const char *name, size_t type,
                         const float *values, size_t rows, size_t cols)
{
    const struct plain_tensor *tensor = plain_tensor(weights, name);
    assert_non_null(tensor);
    assert_int_equal(tensor->type, TYPES[type]);
    assert_int_equal(tensor->rows, rows);
    assert_int_equal(tensor->cols, cols);
    assert_int_equal(tensor->offset % 64, 0);
    for (size_t n = 0; n < rows; n++) {
        double largest = 0;
        for (size_t k = 0; k < cols; k++)
            largest = fmax(largest, fabs((double)values[n * cols + k]));
        for (size_t k = 0; k < cols; k++) {
            double difference = fabs(tensor->values[n * cols + k] - (double)values[n * cols + k]);
            if (!(difference <= TOLERANCES[type] * largest))
                fail_msg("%s [%zu, %zu]: element (%zu, %zu) is off by %g", name, rows, cols, n, k,
                         difference);
        }
    }
}

/* The shapes are around the panel's 16 rows and int8's groups of 4 columns. Types with sums of
 * columns are in panels alone. */
static const size_t SHAPES[][2] = {{1, 1},  {1, 7},   {15, 4}, {16, 4}, {17, 5},
                                   {32, 3}, {33, 64}, {5, 66}, {48, 1}, {100, 31}};
enum { N_SHAPES = sizeof SHAPES / sizeof SHAPES[0] };

static void matrix_name(char name[64], size_t type, size_t layout, size_t shape)
{
    snprintf(name, 64, "type%d.%zu.%zu", (int)TYPES[type], layout, shape);
}

static void write_matrices(size_t rows_at_once)
{
    engine_error error;
    char name[64];
    struct weight_writer *writer = open_writer(&error);
    for (size_t type = 0; type < N_TYPES; type++)
        for (size_t layout = TYPES[type] > TENSOR_INT8; layout < 2; layout++)
            for (size_t shape = 0; shape < N_SHAPES; shape++) {
                size_t rows = SHAPES[shape][0], cols = SHAPES[shape][1];
                const float *values = random_values(rows * cols, shape);
                matrix_name(name, type, layout, shape);
                weight_writer_begin_tensor(writer, name, TYPES[type], (enum tensor_layout)layout, 2,
                                           rows, cols);
                for (size_t n = 0; n < rows; n += rows_at_once)
                    weight_writer_rows(writer, values + n * cols,
                                       rows - n < rows_at_once ? rows - n : rows_at_once);
            }
    if (weight_writer_finish(writer) != ENGINE_OK)
        fail_msg("%s", error.message);
}

TEST(every_type_and_layout)
{
    struct plain_weights weights;
    char name[64];
    write_matrices(7);
    if (!plain_weights_read(&weights, writer_path))
        fail_msg("%s", weights.error);
    assert_int_equal(weights.n_tensors, (4 * 2 + 2) * N_SHAPES);
    for (size_t type = 0; type < N_TYPES; type++)
        for (size_t layout = TYPES[type] > TENSOR_INT8; layout < 2; layout++)
            for (size_t shape = 0; shape < N_SHAPES; shape++) {
                size_t rows = SHAPES[shape][0], cols = SHAPES[shape][1];
                const float *values = random_values(rows * cols, shape);
                matrix_name(name, type, layout, shape);
                check_matrix(&weights, name, type, values, rows, cols);
                assert_int_equal(plain_tensor(&weights, name)->layout, layout);
            }
    plain_weights_free(&weights);
}

TEST(bytes_do_not_depend_on_the_pieces)
{
    size_t len, other_len;
    write_matrices(1000);
    void *whole = support_read(writer_path, &len);
    const size_t pieces[] = {1, 3, 16, 17};
    for (size_t i = 0; i < 4; i++) {
        write_matrices(pieces[i]);
        void *other = support_read(writer_path, &other_len);
        assert_int_equal(other_len, len);
        assert_memory_equal(other, whole, len);
    }
}

/* ---- A model that the engine opens ---- */

TEST(a_whole_model)
{
    engine_error error;
    const char *key, *value, *text;
    size_t len;
    struct weight_writer *writer = open_writer(&error);
    write_small_model(writer);
    assert_int_equal(access(writer_path, F_OK), -1);
    if (weight_writer_finish(writer) != ENGINE_OK)
        fail_msg("%s", error.message);
    assert_int_equal(count_names(), 1);

    engine_model *model = support_open(writer_path);
    engine_info info = ENGINE_INFO();
    assert_ok(engine_model_verify(model, &error));
    assert_ok(engine_model_info(model, &info, NULL));
    assert_int_equal(info.n_parameters, 23);
    assert_string_equal(info.name, "small");
    assert_string_equal(engine_model_metadata(model, "empty"), "");
    assert_ok(engine_model_setting(model, ENGINE_SETTINGS_TOKENIZER, 1, &key, &value, &len));
    assert_string_equal(key, "filters");
    assert_int_equal(len, 3);
    assert_memory_equal(value, "a\0b", 4);
    assert_ok(engine_token_text(model, 3, &text, &len));
    assert_int_equal(len, 6);
    assert_memory_equal(text, "世界", 6);
    assert_fails(ARGUMENT, engine_token_text(model, 2, &text, &len));
    for (size_t i = 0;
         engine_model_setting(model, ENGINE_SETTINGS_CONFIG, i, &key, &value, &len) == ENGINE_OK;
         i++)
        if (strcmp(key, "embedding_scale") == 0)
            assert_true(strtod(value, NULL) == 1.0 / 3);
}

/* A vocabulary and settings that are not given are empty, not missing. */
TEST(an_empty_file)
{
    struct plain_weights weights;
    engine_error error;
    struct weight_writer *writer = open_writer(&error);
    assert_ok(weight_writer_rows(writer, NULL, 0));
    assert_ok(weight_writer_finish(writer));
    if (!plain_weights_read(&weights, writer_path))
        fail_msg("%s", weights.error);
    assert_int_equal(weights.n_tensors + weights.n_words + weights.conf.n, 0);
    plain_weights_free(&weights);
}

/* ---- What is refused ---- */

static const float FOUR[4] = {1, 2, 3, 4};

static void begin(struct weight_writer *writer, const char *name, size_t rows, size_t cols)
{
    weight_writer_begin_tensor(writer, name, TENSOR_F32, LAYOUT_ROWS, 2, rows, cols);
}

static void too_few_rows_at_the_end(struct weight_writer *writer)
{
    begin(writer, "t", 3, 1);
    weight_writer_rows(writer, FOUR, 2);
    weight_writer_vocabulary(writer, NULL, NULL, 0);
}
static void rows_without_tensor(struct weight_writer *writer)
{
    weight_writer_rows(writer, FOUR, 1);
}
static void config_that_makes_no_sense(struct weight_writer *writer)
{
    struct model_config config;
    small_config(&config);
    config.width = 0;
    weight_writer_config(writer, &config);
}
static void same_token(struct weight_writer *writer)
{
    const char *const texts[] = {"a", "b", "a"};
    const size_t lens[] = {1, 1, 1};
    weight_writer_vocabulary(writer, texts, lens, 3);
}
static void two_vocabularies(struct weight_writer *writer)
{
    weight_writer_vocabulary(writer, NULL, NULL, 0);
    weight_writer_vocabulary(writer, NULL, NULL, 0);
}
static void vocabulary_without_end(struct weight_writer *writer)
{
    const char *const texts[] = {"a"};
    const size_t lens[] = {SIZE_MAX};
    weight_writer_vocabulary(writer, texts, lens, 1);
}
static void sections_without_end(struct weight_writer *writer)
{
    for (int i = 0; i < 20; i++)
        weight_writer_section(writer, "PIEC", FOUR, sizeof FOUR);
}
static void key_of_many_letters(struct weight_writer *writer)
{
    weight_writer_setting(writer, ENGINE_SETTINGS_METADATA, "key", "", SIZE_MAX);
}

/* Tensors that are begun, and rows of them that are written; or settings; or what a function
 * does. */
static const struct refusal {
    const char *words; /* of the message */
    struct {
        const char *name;
        size_t rows, cols, n_written[2];
        enum tensor_type type; /* 0: f32 */
        int layout;
        size_t n_dims; /* 0: 2 */
        float value;   /* of column 1, if it is not 0 */
    } tensors[2];
    struct {
        const char *key, *value;
        engine_settings of; /* 0: metadata */
    } settings[3];
    void (*act)(struct weight_writer *writer);
} REFUSALS[] = {
    {"'t'", .tensors = {{.name = "t", 1, 4, {1}}, {.name = "t", 1, 4}}},
    {"name", .tensors = {{.name = "", 1, 4}}},
    {"name", .tensors = {{.name = "\xff", 1, 4}}},
    {"more than its 3 rows", .tensors = {{.name = "t", 3, 1, {2, 2}}}},
    {"2 of its 3 rows", .tensors = {{.name = "t", 3, 1, {2}}, {.name = "u", 1, 1}}},
    {"2 of its 3 rows", .act = too_few_rows_at_the_end},
    {"outside a tensor", .act = rows_without_tensor},
    {"empty", .tensors = {{.name = "t", 0, 4}}},
    {"empty", .tensors = {{.name = "t", 16, 0, .type = TENSOR_INT8}}},
    {"too large", .tensors = {{.name = "t", SIZE_MAX / 8, 16}}},
    {"too large", .tensors = {{.name = "t", SIZE_MAX - 3, 1}}},
    {"type", .tensors = {{.name = "t", 1, 4, .type = (enum tensor_type)9}}},
    {"layout", .tensors = {{.name = "t", 1, 4, .layout = 2}}},
    {"dimensions", .tensors = {{.name = "t", 1, 4, .n_dims = 3}}},
    {"vector", .tensors = {{.name = "t", 4, 2, .n_dims = 1}}},
    {"vector", .tensors = {{.name = "t", 4, 1, .layout = LAYOUT_PANELS, .n_dims = 1}}},
    {"vector", .tensors = {{.name = "t", 4, 1, .type = TENSOR_INT8, .n_dims = 1}}},
    {"row 0, column 1", .tensors = {{.name = "t", 1, 2, {1}, .type = TENSOR_INT8, .value = NAN}}},
    {"row 0, column 1",
     .tensors = {{.name = "t", 1, 2, {1}, .type = TENSOR_BF16, .value = -INFINITY}}},
    {"row 0, column 1", .tensors = {{.name = "t", 1, 2, {1}, .type = TENSOR_F16, .value = 65520}}},
    {"'key' is set twice",
     .settings = {{.key = "long enough", "1"}, {.key = "key", "1"}, {.key = "key", "2"}}},
    {"key", .settings = {{.key = "", "1"}}},
    {"ASCII", .settings = {{.key = "schlüssel", "1"}}},
    {"UTF-8", .settings = {{.key = "key", "a\xff"}}},
    {"settings", .settings = {{.key = "key", "value", (engine_settings)3}}},
    {"width", .act = config_that_makes_no_sense},
    {"id 2", .act = same_token},
    {"twice", .act = two_vocabularies},
    {"a vocabulary of 1 tokens does not fit into a weight file", .act = vocabulary_without_end},
    {"more than 4 tokenizer sections", .act = sections_without_end},
    {"the value of 'key'", .act = key_of_many_letters},
};

static void act(const struct refusal *refusal, struct weight_writer *writer)
{
    for (size_t i = 0; i < 2 && refusal->tensors[i].name != NULL; i++) {
        const size_t *n_written = refusal->tensors[i].n_written;
        float values[4];
        memcpy(values, FOUR, sizeof values);
        values[1] = refusal->tensors[i].value != 0 ? refusal->tensors[i].value : values[1];
        weight_writer_begin_tensor(writer, refusal->tensors[i].name,
                                   refusal->tensors[i].type != 0 ? refusal->tensors[i].type
                                                                 : TENSOR_F32,
                                   (enum tensor_layout)refusal->tensors[i].layout,
                                   refusal->tensors[i].n_dims != 0 ? refusal->tensors[i].n_dims : 2,
                                   refusal->tensors[i].rows, refusal->tensors[i].cols);
        for (size_t k = 0; k < 2 && n_written[k] > 0; k++)
            weight_writer_rows(writer, values, n_written[k]);
    }
    for (size_t i = 0; i < 3 && refusal->settings[i].key != NULL; i++)
        put(writer,
            refusal->settings[i].of != 0 ? refusal->settings[i].of : ENGINE_SETTINGS_METADATA,
            refusal->settings[i].key, refusal->settings[i].value);
    if (refusal->act != NULL)
        refusal->act(writer);
}

/* After the failure nothing helps any more, and at the end there is no file. */
TEST(refusals)
{
    for (size_t i = 0; i < sizeof REFUSALS / sizeof REFUSALS[0]; i++) {
        engine_error error;
        struct weight_writer *writer = open_writer(&error);
        act(&REFUSALS[i], writer);
        if (REFUSALS[i].act != too_few_rows_at_the_end) {
            assert_fails(ARGUMENT, error.status);
            assert_fails(ARGUMENT,
                         weight_writer_setting(writer, ENGINE_SETTINGS_METADATA, "k", "v", 1));
            write_small_model(writer);
        }
        assert_fails(ARGUMENT, weight_writer_finish(writer));
        if (strstr(error.message, REFUSALS[i].words) == NULL)
            fail_msg("refusal %zu: \"%s\" lacks \"%s\"", i, error.message, REFUSALS[i].words);
        assert_int_equal(count_names(), 0);
    }
}

/* A row that a file could have, and no machine the rows that are written at a time. */
TEST(row_without_end)
{
    engine_error error;
    struct weight_writer *writer = open_writer(&error);
    begin(writer, "t", 1, SIZE_MAX / 32);
    assert_fails(MEMORY, weight_writer_finish(writer));
    assert_int_equal(count_names(), 0);
}

/* Merges that are refused give no section. */
TEST(refused_merges)
{
    const struct draft_merge good = {.left = 0, .right = 1, .id = 2}, bad = {.left = 0, .right = 3};
    struct tokenizer_draft draft = DRAFT_EMPTY;
    size_t which;
    alloc_in_arena(true);
    word_list_append(&draft.words, "a", 1);
    word_list_append(&draft.words, "b", 1);
    word_list_append(&draft.words, "ab", 2);
    assert_null(draft_add_merges(&draft, &good, 1, "", "", &which));
    assert_int_equal(draft.n_sections, 1);
    assert_string_equal(draft_add_merges(&draft, &bad, 1, "", "", &which),
                        "a merge names a token that is not in the vocabulary");
    assert_int_equal(which, 0);
    word_list_append(&draft.words, "a", 1);
    assert_string_equal(draft_add_merges(&draft, &bad, 1, "", "", &which),
                        "the same token occurs twice");
    assert_int_equal(which, 3);
    assert_int_equal(draft.n_sections, 1);
    alloc_free_all();
    alloc_in_arena(false);
}

TEST(abort)
{
    engine_error error;
    struct weight_writer *writer = open_writer(&error);
    write_small_model(writer);
    weight_writer_begin_tensor(writer, "half", TENSOR_INT8, LAYOUT_PANELS, 2, 40, 4);
    weight_writer_rows(writer, FOUR, 1);
    weight_writer_abort(writer);
    weight_writer_abort(NULL);
    assert_int_equal(count_names(), 0);
}

TEST(places)
{
    struct weight_writer *writer;
    engine_error error;
    assert_fails(IO, weight_writer_open(writer_folder, &writer, &error));
    assert_null(writer);
    assert_non_null(strstr(error.message, writer_folder));
    assert_fails(IO, weight_writer_open("", &writer, NULL));
    if (access("/dev/full", W_OK) != 0)
        return;
    assert_ok(weight_writer_open("/dev/full", &writer, &error));
    write_small_model(writer);
    assert_fails(IO, weight_writer_finish(writer));
    assert_non_null(strstr(error.message, "'/dev/full': No space left on device"));
}

TEST(frequencies_are_a_vector)
{
    static const float two[] = {0.5f, 0.25f};
    engine_error error;
    engine_tensor_info tensor;
    size_t i = 0;
    struct weight_writer *writer = open_writer(&error);
    assert_ok(weight_writer_frequencies(writer, NULL, 0));
    assert_ok(weight_writer_frequencies(writer, two, 2));
    write_small_model(writer);
    assert_ok(weight_writer_finish(writer));
    engine_model *model = support_open(writer_path);
    do
        assert_ok(engine_model_tensor(model, i++, &tensor));
    while (strcmp(tensor.name, "position.frequencies") != 0);
    assert_int_equal(tensor.n_dims, 1);
    assert_int_equal(tensor.shape[0], 2);
    assert_ok(engine_model_verify(model, &error));
}

SET_UP_EACH()
{
    writer_set_up();
}

TEAR_DOWN_EACH()
{
    writer_tear_down();
}
