/* encode-import on tensors that a checkpoint does not have: safetensors files that are cut or
 * false, tensors that are missing, left over or of another shape or type, shards. Each is refused
 * in words that name the fault. */
#include "tests/tools/import/import_cases.h"
#include "tests/tools/import/refusals.h"
#include "tests/tools/program_ends.h"
#include "tools/import/files/folder.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A complete file, cut at every byte of the header and every 7th of the data. */
TEST(truncated)
{
    struct tiny_tensors tensors;
    size_t len;
    import_make();
    tiny_tensors_bert(&tensors, "");
    char *file = tiny_tensors_file(&tensors, &len);
    size_t n_header = len - tensors.n_data;
    for (size_t cut = 0; cut < len; cut += cut < n_header ? 1 : 7) {
        support_write_in(import_directory, "model.safetensors", file, cut);
        import_refused("a truncated file", "model.safetensors");
    }
    support_write_in(import_directory, "model.safetensors", file, len);
    import_accepted("the whole file");
    char *longer = calloc(1, len + 4);
    assert_non_null(longer);
    memcpy(longer, file, len);
    support_write_in(import_directory, "model.safetensors", longer, len + 4);
    import_refused("a file that is too long", "expected");
    free(longer);
    free(file);
    tiny_tensors_free(&tensors);
}

TEST(header_length)
{
    static const struct {
        const char *first, *words;
    } cases[] = {
        {"\xff\xff\xff\xff\xff\xff\xff\xff", "header of 18446744073709551615 bytes"},
        {"\x00\x00\x00\x00\x00\x00\x00\x80", "header of 9223372036854775808 bytes"},
        {"\xff\xff\xff\x7f\x00\x00\x00\x00", "header of 2147483647 bytes"},
        {"\x00\x00\x00\x00\x00\x00\x00\x00", "not JSON"},
    };
    import_make();
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char file[64] = "";
        memcpy(file, cases[i].first, 8);
        support_write_in(import_directory, "model.safetensors", file, sizeof file);
        import_refused("an absurd header length", cases[i].words);
    }
}

/* Headers that are JSON with false values. */
TEST(headers)
{
#define TENSOR(type, shape, offsets)                                                               \
    "{'dtype': " type ", 'shape': " shape ", 'data_offsets': " offsets "}"
#define A(type, shape, offsets) "{'a': " TENSOR(type, shape, offsets) "}"
    static const struct {
        const char *header, *words;
    } cases[] = {
        {"[]", "expected an object"},
        {"{'a': 1}", "tensor 'a' is a number"},
        {"{'a': {}}", "'dtype' is null"},
        {A("32", "[2]", "[0, 8]"), "'dtype' is a number"},
        {A("'F31'", "[2]", "[0, 8]"), "dtype 'F31'"},
        {"{'a': {'dtype': 'F32', 'data_offsets': [0, 8]}}", "'shape' is null"},
        {A("'F32'", "'2'", "[0, 8]"), "'shape'"},
        {A("'F32'", "[-2]", "[0, 8]"), "'shape'"},
        {A("'F32'", "[1.5]", "[0, 8]"), "'shape'"},
        {A("'F32'", "[1,1,1,1,1,1,1,1,2]", "[0, 8]"), "'shape'"},
        {"{'a': {'dtype': 'F32', 'shape': [2]}}", "'data_offsets'"},
        {A("'F32'", "[2]", "[0]"), "'data_offsets'"},
        {A("'F32'", "[2]", "[8, 0]"), "8 and 0"},
        {A("'F32'", "[2]", "[-8, 0]"), "'data_offsets'"},
        {A("'F32'", "[4]", "[0, 16]"), "within the 8"},
        {A("'F32'", "[2]", "[4, 12]"), "within the 8"},
        {A("'F32'", "[2]", "[9007199254740984, 9007199254740992]"), "within the 8"},
        {A("'F32'", "[2]", "[1e300, 1e301]"), "'data_offsets'"},
        {A("'F32'", "[3]", "[0, 8]"), "does not fit"},
        {A("'F32'", "[4294967296, 4294967296]", "[0, 8]"), "does not fit"},
        {A("'F64'", "[2]", "[0, 8]"), "does not fit"},
        {"{'a': " TENSOR("'F32'", "[2]", "[0, 8]") ", 'b': " TENSOR("'F32'", "[1]", "[4, 8]") "}",
         "overlap"},
        {A("'F32'", "[1]", "[4, 8]"), "belong to none"},
        {A("'F32'", "[1]", "[0, 4]"), "by the tensors in it"},
        {"{'a': " TENSOR("'F32'", "[2]", "[0, 8]") ", 'a': " TENSOR("'F32'", "[2]", "[0, 8]") "}",
         "duplicate"},
        {A("'F32'", "[2]", "[0, 8]"), "word_embeddings.weight"},
        {"{'\\u001b[2J': {'dtype': 'X'}}", "tensor '\033[2J'"},
    };
#undef A
#undef TENSOR
    import_make();
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char file[512] = "";
        const char *header = tiny_json(cases[i].header);
        const size_t n = strlen(header);
        assert_true(n < sizeof file - 16);
        file[0] = (char)(n & 0xFF);
        file[1] = (char)(n >> 8);
        memcpy(file + 8, header, n);
        support_write_in(import_directory, "model.safetensors", file, 8 + n + 8);
        import_refused(cases[i].header, cases[i].words);
    }
}

/* Adds a tensor of another header, with more rows than it has there. */
static void add_copy(struct tiny_tensors *to, const char *name, json_t *tensor, int more_rows)
{
    int shape[4] = {-1, -1, -1, -1};
    json_t *sizes = json_object_get(tensor, "shape");
    for (size_t i = 0; i < json_array_size(sizes); i++)
        shape[i] = (int)json_integer_value(json_array_get(sizes, i));
    shape[0] += more_rows;
    tiny_tensors_add(to, name, "F32", shape);
}

/* A tensor less, one of another shape, dtype or value, and one too many. */
TEST(tensors)
{
    struct tiny_tensors tensors;
    const char *name;
    json_t *ignored;
    import_make();
    tiny_tensors_bert(&tensors, "bert.");
    for (int is_less = 0; is_less < 2; is_less++)
        json_object_foreach(tensors.header, name, ignored)
        {
            struct tiny_tensors broken = {.header = json_object()};
            const char *other;
            json_t *tensor;
            json_object_foreach(tensors.header, other, tensor)
            {
                const bool is_it = strcmp(other, name) == 0;
                if (!is_it || !is_less)
                    add_copy(&broken, other, tensor, is_it);
            }
            tiny_tensors_write(&broken, import_directory, "model.safetensors");
            import_refused(is_less ? "a tensor less" : "a tensor of another shape",
                           is_less ? name + strlen("bert.") : name);
            if (!is_less)
                assert_non_null(strstr(program_words, "expected ["));
            tiny_tensors_free(&broken);
        }
    tiny_tensors_free(&tensors);

    static const struct {
        const char *tensor, *words; /* NULL: accepted */
    } more[] = {
        {"bert.embeddings.position_ids:I64 3", NULL},
        {"cls.predictions.bias 3", NULL},
        {"bert.adapter.weight 3", "bert.adapter.weight"},
        {"bert.encoder.layer.2.output.dense.bias 8", "layer.2.output.dense.bias"},
        {"bert.encoder.layer.0.attention.self.distance_embedding.weight 2 2 2",
         "distance_embedding"},
        {"embeddings.LayerNorm.weight 8", "twice"},
        {"bert.embeddings.LayerNorm.gamma 8", "LayerNorm.gamma"},
    };
    for (size_t i = 0; i < sizeof more / sizeof more[0]; i++) {
        tiny_write_bert(import_directory, more[i].tensor);
        if (more[i].words)
            import_refused(more[i].tensor, more[i].words);
        else
            import_accepted(more[i].tensor);
    }
}

static void set_type(struct tiny_tensors *tensors, const char *name, const char *dtype)
{
    json_t *tensor = json_object_get(tensors->header, name);
    json_object_set_new(tensor, "dtype", json_string(dtype));
}

/* Numbers of 8 bytes become f32, each the nearest. */
TEST(wide_numbers)
{
    static const double stored[] = {0.1, -2, 1e-30, 3 + 1e-9};
    const int shape[] = {2, 2, -1};
    struct tiny_tensors tensors = {.header = json_object()};
    static struct tensor_set set;
    struct tensor_rows rows;
    uint64_t n_bytes;
    char path[SUPPORT_PATH];
    size_t len;
    import_make();
    tiny_tensors_add(&tensors, "a", "F64", shape);
    char *file = tiny_tensors_file(&tensors, &len);
    memcpy(file + len - sizeof stored, stored, sizeof stored);
    support_write_in(import_directory, "wide.safetensors", file, len);
    support_path(path, import_directory, "wide.safetensors");
    int fd = file_open(path, true, &n_bytes);
    READ_OR_FAIL(tensor_set_add(&set, "wide.safetensors", fd, n_bytes));
    import_begin();
    tensor_rows_open(&rows, 2, 2, true);
    tensor_rows_read(&rows, &set, tensor_set_find(&set, "a"), 0, 2);
    for (size_t i = 0; i < 4; i++)
        assert_true(rows.values[i] == (float)stored[i]);
    import_pause();
    import_free();
    free(file);
    tiny_tensors_free(&tensors);
}

TEST(types)
{
    struct tiny_tensors tensors;
    import_make();
    tiny_tensors_bert(&tensors, "bert.");
    set_type(&tensors, "bert.embeddings.word_embeddings.weight", "I32");
    tiny_tensors_write(&tensors, import_directory, "model.safetensors");
    import_refused("whole numbers", "dtype I32; expected F32, F16 or BF16");
    set_type(&tensors, "bert.embeddings.word_embeddings.weight", "F16");
    tiny_tensors_write(&tensors, import_directory, "model.safetensors");
    import_refused("a type of half the bytes", "does not fit");
    tiny_tensors_free(&tensors);
}

TEST(shards)
{
    struct tiny_tensors tensors, first = {.header = json_object()},
                                 second = {.header = json_object()};
    char path[SUPPORT_PATH];
    const char *name;
    json_t *tensor, *map = json_object();
    import_make();
    support_path(path, import_directory, "model.safetensors");
    unlink(path);
    tiny_tensors_bert(&tensors, "bert.");
    json_object_foreach(tensors.header, name, tensor)
    {
        const bool is_first = strstr(name, "embeddings") != NULL;
        add_copy(is_first ? &first : &second, name, tensor, 0);
        json_object_set_new(map, name, json_string(is_first ? "a.safetensors" : "b.safetensors"));
    }
    tiny_tensors_write(&first, import_directory, "a.safetensors");
    tiny_tensors_write(&second, import_directory, "b.safetensors");
    tiny_tensors_write(&first, import_directory, "../a.safetensors");
    json_t *index = json_pack("{s:O}", "weight_map", map);
    tiny_write_json(import_directory, "model.safetensors.index.json", index);
    import_accepted("two shards");

    const struct {
        const char *file, *words;
    } cases[] = {
        {"c.safetensors", "c.safetensors"},
        {"../a.safetensors", "'../a.safetensors' is not the name of a file in the directory"},
        {"x/../../a.safetensors", "is not the name of a file in the directory"},
        {"/a.safetensors", "is not the name of a file in the directory"},
        {"b.safetensors", "where it is not"},
        {"", "''"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        json_object_set_new(map, "bert.embeddings.LayerNorm.bias", json_string(cases[i].file));
        tiny_write_json(import_directory, "model.safetensors.index.json", index);
        if (cases[i].file[0] != '\0')
            import_refused(cases[i].file, cases[i].words);
        else
            assert_false(import_read());
    }
    json_object_set_new(map, "bert.embeddings.LayerNorm.bias", json_integer(1));
    tiny_write_json(import_directory, "model.safetensors.index.json", index);
    import_refused("a number for a file", "expected a string");
    tiny_tensors_write(&first, import_directory, "b.safetensors");
    json_object_set_new(map, "bert.embeddings.LayerNorm.bias", json_string("a.safetensors"));
    tiny_write_json(import_directory, "model.safetensors.index.json", index);
    import_refused("the same tensors in two shards", "twice");
    import_write("model.safetensors.index.json", "{'weight_map': 1}");
    import_refused("no map", "weight_map");
    json_decref(index);
    json_decref(map);
    tiny_tensors_free(&first);
    tiny_tensors_free(&second);
    tiny_tensors_free(&tensors);
}

TEST(a_file_that_has_changed)
{
    char path[SUPPORT_PATH], bytes[8];
    uint64_t n_bytes;
    import_make();
    support_path(path, import_directory, "model.safetensors");
    const int fd = file_open(path, true, &n_bytes);
    PROGRAM_TRY(file_read_at(fd, "it", n_bytes - 4, bytes, sizeof bytes));
    assert_non_null(strstr(program_words, "it has changed since it was opened"));
    close(fd);
}

SET_UP()
{
    import_setup();
}
