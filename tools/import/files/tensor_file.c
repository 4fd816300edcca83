/* tensor_file.c - files with tensors; see tensor_file.h. Every number that an address is computed
 * from is checked against the length of the file before a tensor is read. Data is read, not mapped:
 * a file that shrinks meanwhile is an error then, not a signal, and memory stays small. */
#include "tools/import/files/tensor_file.h"

#include "tools/common/alloc.h"
#include "tools/common/crc32.h"
#include "tools/common/options.h"
#include "tools/common/output.h"
#include "tools/import/files/torch_file.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Headers of public checkpoints take less than 1 MiB. */
enum { MOST_HEADER_BYTES = 16 << 20, CHUNK_NUMBERS = 1 << 16 };

/* type 0: none that can be read. */
static const struct dtype {
    const char *name;
    unsigned n_bytes;
    enum tensor_type type;
} DTYPES[] = {
    {"F32", 4, TENSOR_F32}, {"F16", 2, TENSOR_F16}, {"BF16", 2, TENSOR_BF16},
    {"F64", 8, TENSOR_F32}, {"I64", 8, 0},          {"I32", 4, 0},
    {"I16", 2, 0},          {"I8", 1, 0},           {"U64", 8, 0},
    {"U32", 4, 0},          {"U16", 2, 0},          {"U8", 1, 0},
    {"BOOL", 1, 0},         {"F8_E4M3", 1, 0},      {"F8_E5M2", 1, 0},
};
enum { N_DTYPES = sizeof DTYPES / sizeof DTYPES[0] };

const char *tensor_title(const struct tensor_set *set, const struct stored_tensor *tensor)
{
    static char title[700];
    snprintf(title, sizeof title, "%s: tensor '%s'", set->files[tensor->file].header.name,
             tensor->name);
    return title;
}

const char *tensor_shape_text(const struct stored_tensor *tensor, char text[SHAPE_TEXT])
{
    int used = snprintf(text, SHAPE_TEXT, "[");
    for (size_t i = 0; i < tensor->n_dims; i++)
        used += snprintf(text + used, SHAPE_TEXT - (size_t)used, "%s%" PRIu64, i > 0 ? ", " : "",
                         tensor->shape[i]);
    snprintf(text + used, SHAPE_TEXT - (size_t)used, "]");
    return text;
}

void tensor_set_check_used(const struct tensor_set *set, const char *what)
{
    for (size_t i = 0; i < set->n; i++)
        if (!set->tensors[i].used)
            tensor_die(set, &set->tensors[i], " is not part of %s", what);
}

/* ---- The header ---- */

static void parse_type_and_shape(const struct tensor_set *set, struct stored_tensor *tensor,
                                 const json_t *entry)
{
    const json_t *dtype = json_object_get(entry, "dtype"), *shape = json_object_get(entry, "shape");
    size_t i = 0;
    if (!json_is_string(dtype))
        tensor_die(set, tensor, "'dtype' is %s; expected a string", json_kind(dtype));
    tensor->dtype = json_string_value(dtype);
    while (i < N_DTYPES && strcmp(DTYPES[i].name, tensor->dtype) != 0)
        i++;
    if (i == N_DTYPES)
        tensor_die(set, tensor, " has the unknown dtype '%.40s'", tensor->dtype);
    tensor->type = DTYPES[i].type;
    tensor->element_bytes = DTYPES[i].n_bytes;
    if (!json_is_array(shape) || json_array_size(shape) > TENSOR_DIMS)
        tensor_die(set, tensor, "'shape' is %s; expected an array of at most %d numbers",
                   json_kind(shape), TENSOR_DIMS);
    tensor->n_dims = json_array_size(shape);
    for (i = 0; i < tensor->n_dims; i++)
        if (!json_whole(json_array_get(shape, i), &tensor->shape[i]))
            tensor_die(set, tensor,
                       "'shape' holds something that is not a whole number from 0 to 2^53");
}

/* Stores where the data is: within the file, and of the length that the shape needs. */
static void parse_offsets(const struct tensor_set *set, struct stored_tensor *tensor,
                          const json_t *offsets)
{
    const struct tensor_file *file = &set->files[tensor->file];
    uint64_t begin, end;
    char shape[SHAPE_TEXT];
    bool fits = true;
    if (!json_is_array(offsets) || json_array_size(offsets) != 2 ||
        !json_whole(json_array_get(offsets, 0), &begin) ||
        !json_whole(json_array_get(offsets, 1), &end))
        tensor_die(set, tensor, "'data_offsets' is not [begin, end]");
    if (begin > end || end > file->data_bytes)
        tensor_die(set, tensor,
                   "'data_offsets' are %" PRIu64 " and %" PRIu64
                   "; expected two within the %" PRIu64
                   " bytes of data that the file has (is it truncated?)",
                   begin, end, file->data_bytes);
    tensor->offset = file->data_offset + begin;
    tensor->n_bytes = tensor->element_bytes;
    for (size_t i = 0; i < tensor->n_dims; i++)
        fits = fits && !__builtin_mul_overflow(tensor->n_bytes, tensor->shape[i], &tensor->n_bytes);
    if (!fits || tensor->n_bytes != end - begin)
        tensor_die(set, tensor, "%s %s does not fit the %" PRIu64 " bytes of its 'data_offsets'",
                   tensor->dtype, tensor_shape_text(tensor, shape), end - begin);
}

static int by_offset(const void *left, const void *right)
{
    const struct stored_tensor *a = left, *b = right;
    if (a->offset != b->offset)
        return a->offset < b->offset ? -1 : 1;
    return a->n_bytes < b->n_bytes ? -1 : a->n_bytes > b->n_bytes;
}

/* Checks that the tensors of one file fill it from the start of the data to its end. */
static void check_cover(const struct tensor_file *file, struct stored_tensor *tensors, size_t n)
{
    uint64_t end = file->data_offset, file_bytes = file->data_offset + file->data_bytes;
    qsort(tensors, n, sizeof *tensors, by_offset);
    for (size_t i = 0; i < n; i++) {
        if (tensors[i].offset < end)
            file_die(file->header.name, "the tensors '%.200s' and '%.200s' overlap",
                     tensors[i - 1].name, tensors[i].name);
        if (tensors[i].offset > end)
            file_die(file->header.name, "%" PRIu64 " bytes before tensor '%s' belong to none",
                     tensors[i].offset - end, tensors[i].name);
        end += tensors[i].n_bytes;
    }
    if (end != file_bytes)
        file_die(file->header.name,
                 " has %" PRIu64 " bytes; expected %" PRIu64 ", by the tensors in it", file_bytes,
                 end);
}

static int by_key(const void *left, const void *right)
{
    return strcmp(((const struct stored_tensor *)left)->key,
                  ((const struct stored_tensor *)right)->key);
}

/* Sorts the tensors by their keys, of which no two may be equal. */
static void sort_by_key(struct tensor_set *set)
{
    if (set->n > 0)
        qsort(set->tensors, set->n, sizeof *set->tensors, by_key);
    for (size_t i = 1; i < set->n; i++) {
        const struct stored_tensor *a = &set->tensors[i - 1], *b = &set->tensors[i];
        if (strcmp(a->key, b->key) == 0)
            program_die("the tensor '%.200s' is there twice: '%.200s' in %s and '%.200s' in %s",
                        a->key, a->name, set->files[a->file].header.name, b->name,
                        set->files[b->file].header.name);
    }
}

/* Adds the tensors of the last file. */
static void parse_tensors(struct tensor_set *set)
{
    const struct tensor_file *file = &set->files[set->n_files - 1];
    const char *key;
    json_t *entry;
    size_t first = set->n, most = set->n + json_object_size(file->header.root) + 1;
    set->tensors = alloc_resize(set->tensors, most, sizeof *set->tensors);
    json_object_foreach(file->header.root, key, entry)
    {
        struct stored_tensor *tensor = &set->tensors[set->n];
        if (strcmp(key, "__metadata__") == 0)
            continue;
        *tensor = (struct stored_tensor){.name = key, .key = key, .file = set->n_files - 1};
        tensor->is_transposed =
            file->is_torch && json_is_true(json_object_get(entry, "transposed"));
        if (!json_is_object(entry))
            tensor_die(set, tensor, " is %s; expected an object", json_kind(entry));
        parse_type_and_shape(set, tensor, entry);
        parse_offsets(set, tensor, json_object_get(entry, "data_offsets"));
        set->n++;
    }
    if (!file->is_torch) /* whose tensors may share bytes */
        check_cover(file, set->tensors + first, set->n - first);
    sort_by_key(set);
}

/* ---- Files ---- */

/* Reads the header of an open safetensors file, whose length is in the first 8 bytes. */
static void read_safetensors(struct tensor_file *file, const char *name, uint64_t file_bytes)
{
    uint8_t first[8];
    if (file_bytes < sizeof first)
        program_die("%s has %" PRIu64 " bytes; a safetensors file has 8 or more", name, file_bytes);
    file_read_at(file->fd, name, 0, first, sizeof first);
    const uint64_t len = little_endian(first, sizeof first);
    if (len > file_bytes - sizeof first)
        program_die("%s: a header of %" PRIu64 " bytes does not fit into the file of %" PRIu64
                    " bytes (is it truncated, or no safetensors file?)",
                    name, len, file_bytes);
    if (len > MOST_HEADER_BYTES)
        program_die("%s: a header of %" PRIu64 " bytes; at most %d are read", name, len,
                    MOST_HEADER_BYTES);
    file->data_offset = sizeof first + len;
    file->data_bytes = file_bytes - file->data_offset;
    char *text = file_text(file->fd, name, sizeof first, len, MOST_HEADER_BYTES);
    json_file_parse(&file->header, name, text, (size_t)len, false);
}

void tensor_set_add(struct tensor_set *set, const char *name, int fd, uint64_t file_bytes)
{
    struct tensor_file *file = &set->files[set->n_files];
    if (set->n_files == TENSOR_FILES) {
        close(fd);
        program_die("more than %d files with tensors", TENSOR_FILES);
    }
    set->n_files++;
    *file = (struct tensor_file){.fd = fd, .is_torch = !name_ends_in(name, ".safetensors")};
    if (file->is_torch) {
        file->data_bytes = file_bytes;
        snprintf(file->header.name, sizeof file->header.name, "%s", name);
        file->header.root = torch_file_header(name, fd, file_bytes);
    } else {
        read_safetensors(file, name, file_bytes);
    }
    parse_tensors(set);
}

void tensor_set_read_file(struct tensor_set *set, struct folder *folder, const char *place,
                          const char *file)
{
    char name[FOLDER_PATH];
    uint64_t file_bytes = 0;
    int fd = folder_file(folder, folder_name(name, place, file), true, &file_bytes);
    tensor_set_add(set, name, fd, file_bytes);
}

/* Reads the files that "weight_map" names, and checks that each tensor is in its file. */
static void read_shards(struct tensor_set *set, struct folder *folder, const char *place,
                        const struct json_file *index)
{
    json_t *map = json_object_get(index->root, "weight_map"), *file;
    const char *tensor;
    char name[FOLDER_PATH];
    if (!json_is_object(map))
        file_die(index->name, "'weight_map' is %s; expected an object", json_kind(map));
    json_object_foreach(map, tensor, file)
    {
        size_t i = 0;
        if (!json_is_string(file))
            file_die(index->name, "the file of '%s' is %s; expected a string", tensor,
                     json_kind(file));
        if (strlen(place) + json_string_length(file) >= FOLDER_PATH)
            file_die(index->name, "the name of a file is too long");
        folder_name(name, place, json_string_value(file));
        while (i < set->n_files && strcmp(set->files[i].header.name, name) != 0)
            i++;
        if (i == set->n_files)
            tensor_set_read_file(set, folder, place, json_string_value(file));
    }
    json_object_foreach(map, tensor, file)
    {
        const struct stored_tensor *stored = tensor_set_find(set, tensor);
        folder_name(name, place, json_string_value(file));
        if (stored == NULL || strcmp(set->files[stored->file].header.name, name) != 0)
            file_die(index->name, " says that '%.200s' is in %.200s, where it is not", tensor,
                     name);
    }
}

void tensor_set_read(struct tensor_set *set, struct folder *folder, const char *place)
{
    static const char *const names[] = {"model.safetensors", "pytorch_model.bin"};
    static const char *const foreign[] = {"model.onnx", "onnx/model.onnx", "tf_model.h5",
                                          "saved_model/saved_model.pb", "flax_model.msgpack"};
    char index_name[FOLDER_PATH];
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        struct json_file index;
        if (folder_has(folder, place, names[i])) {
            tensor_set_read_file(set, folder, place, names[i]);
            return;
        }
        json_file_read(&index, folder, place, folder_name(index_name, names[i], ".index.json"),
                       false, false);
        if (index.root != NULL) {
            read_shards(set, folder, place, &index);
            return;
        }
    }
    for (size_t i = 0; i < sizeof foreign / sizeof foreign[0]; i++)
        if (folder_has(folder, place, foreign[i]))
            program_die("%s/%s has its weights as %s alone (%s), which is not read: download "
                        "model.safetensors or pytorch_model.bin of this model",
                        folder->path, place, model_foreign_format(foreign[i]), foreign[i]);
    program_die("%s/%s has neither model.safetensors nor pytorch_model.bin: the download is "
                "incomplete (encode-fetch, or hf download, gets all files of a model)",
                folder->path, place);
}

/* ---- Names ---- */

void tensor_set_strip(struct tensor_set *set, const char *const *prefixes)
{
    for (size_t i = 0; prefixes[i] != NULL; i++) {
        size_t len = strlen(prefixes[i]), n = 0;
        for (size_t t = 0; t < set->n; t++)
            if (strncmp(set->tensors[t].key, prefixes[i], len) == 0) {
                set->tensors[t].key += len;
                n++;
            }
        if (n > 0)
            break;
    }
    sort_by_key(set);
}

void tensor_set_rename(struct tensor_set *set, const char *ending, const char *other)
{
    for (size_t i = 0; i < set->n; i++) {
        size_t len = strlen(set->tensors[i].name), cap = len + strlen(other) + 1;
        if (!name_ends_in(set->tensors[i].name, ending))
            continue;
        char *key = alloc_zeros(cap, 1);
        snprintf(key, cap, "%.*s%s", (int)(len - strlen(ending)), set->tensors[i].name, other);
        set->tensors[i].key = key;
    }
    sort_by_key(set);
}

struct stored_tensor *tensor_set_find(const struct tensor_set *set, const char *key)
{
    const struct stored_tensor wanted = {.key = key};
    if (set->n == 0)
        return NULL;
    return bsearch(&wanted, set->tensors, set->n, sizeof wanted, by_key);
}

size_t tensor_matrix_rows(const struct stored_tensor *tensor)
{
    bool is_right = tensor != NULL && tensor->n_dims == 2 && tensor->shape[0] > 0 &&
                    tensor->shape[0] <= INT32_MAX;
    return is_right ? (size_t)tensor->shape[0] : 1;
}

const char *tensor_set_name(const struct tensor_set *set)
{
    return set->n_files == 1 ? set->files[0].header.name : "the checkpoint";
}

struct stored_tensor *tensor_set_need(const struct tensor_set *set, const char *key, uint64_t rows,
                                      uint64_t cols)
{
    const struct stored_tensor wanted = {.n_dims = cols > 0 ? 2 : 1, .shape = {rows, cols}};
    struct stored_tensor *tensor = tensor_set_find(set, key);
    char shape[SHAPE_TEXT], expected[SHAPE_TEXT];
    tensor_shape_text(&wanted, expected);
    if (tensor == NULL)
        program_die("%s has no tensor '%s'; expected one of shape %s", tensor_set_name(set), key,
                    expected);
    if (tensor->n_dims != wanted.n_dims ||
        memcmp(tensor->shape, wanted.shape, sizeof wanted.shape) != 0)
        tensor_die(set, tensor, " has the shape %s; expected %s", tensor_shape_text(tensor, shape),
                   expected);
    if (tensor->type == 0)
        tensor_die(set, tensor, " has the dtype %s; expected F32, F16 or BF16", tensor->dtype);
    tensor->used = true;
    return tensor;
}

/* ---- Numbers ---- */

void tensor_read(const struct tensor_set *set, const struct stored_tensor *tensor, uint64_t at,
                 void *data, size_t len)
{
    const struct tensor_file *file = &set->files[tensor->file];
    file_read_at(file->fd, file->header.name, tensor->offset + at, data, len);
}

void tensor_rows_open(struct tensor_rows *chunk, size_t rows, size_t cols, bool is_whole)
{
    size_t most = cols < CHUNK_NUMBERS ? CHUNK_NUMBERS / cols : 1;
    most = is_whole || most > rows ? rows : most;
    *chunk = (struct tensor_rows){
        .values = alloc_zeros(most * cols, sizeof *chunk->values),
        .scratch = alloc_zeros(most * cols, sizeof *chunk->scratch),
        .most = most,
        .cols = cols,
    };
}

void tensor_rows_free(struct tensor_rows *chunk)
{
    alloc_free(chunk->values);
    alloc_free(chunk->scratch);
}

/* Reads the same rows of every column; columns follow each other in the file. */
static void read_columns(const struct tensor_rows *chunk, const struct tensor_set *set,
                         const struct stored_tensor *tensor, uint64_t first, size_t n, uint8_t *out)
{
    size_t element = tensor->element_bytes, cols = chunk->cols;
    uint8_t *part = alloc_zeros(n, element);
    for (size_t k = 0; k < cols; k++) {
        tensor_read(set, tensor, (k * tensor->shape[0] + first) * element, part, n * element);
        for (size_t i = 0; i < n; i++)
            memcpy(out + (i * cols + k) * element, part + i * element, element);
    }
    alloc_free(part);
}

/* Adds the rows first .. first+n-1 of a change. */
static void add_change(const struct tensor_rows *chunk, const struct low_rank *change,
                       uint64_t rows, uint64_t first, size_t n)
{
    const size_t rank = change->rank, cols = chunk->cols;
    double *sums = alloc_zeros(cols, sizeof *sums);
    float *up = tensor_floats(change->set, &change->up, change->index * rows + first, n, rank);
    float *down = tensor_floats(change->set, &change->down, change->index * rank, rank, cols);
    for (size_t i = 0; i < n; i++) {
        memset(sums, 0, cols * sizeof *sums);
        for (size_t j = 0; j < rank; j++)
            for (size_t k = 0; k < cols; k++)
                sums[k] += (double)up[i * rank + j] * (double)down[j * cols + k];
        for (size_t k = 0; k < cols; k++)
            chunk->values[i * cols + k] =
                (float)((double)chunk->values[i * cols + k] + change->scale * sums[k]);
    }
    alloc_free(up);
    alloc_free(down);
    alloc_free(sums);
}

/* Reads the numbers as they are stored, and makes them f32. */
static void read_numbers(const struct tensor_rows *chunk, const struct tensor_set *set,
                         const struct stored_tensor *tensor, uint64_t first, size_t n)
{
    size_t element = tensor->element_bytes, cols = chunk->cols, count = n * cols;
    bool is_f64 = element == sizeof(double), is_f32 = tensor->type == TENSOR_F32 && !is_f64;
    float *values = chunk->values;
    double *wide = is_f64 ? alloc_zeros(count, sizeof *wide) : NULL;
    void *stored = is_f64 ? (void *)wide : is_f32 ? (void *)values : chunk->scratch;
    if (tensor->is_transposed)
        read_columns(chunk, set, tensor, first, n, stored);
    else
        tensor_read(set, tensor, first * cols * element, stored, count * element);
    for (size_t i = 0; !is_f32 && i < count; i++)
        values[i] = is_f64                        ? (float)wide[i]
                    : tensor->type == TENSOR_BF16 ? bf16_to_f32(chunk->scratch[i])
                                                  : f16_to_f32(chunk->scratch[i]);
    alloc_free(wide);
}

void tensor_rows_read(struct tensor_rows *chunk, const struct tensor_set *set,
                      const struct stored_tensor *tensor, uint64_t first, size_t n)
{
    size_t cols = chunk->cols, count = n * cols;
    const float *values = chunk->values;
    read_numbers(chunk, set, tensor, first, n);
    if (tensor->change != NULL)
        add_change(chunk, tensor->change, tensor->shape[0], first, n);
    for (size_t i = 0; i < count; i++)
        if (!isfinite(values[i]))
            tensor_die(set, tensor,
                       ", row %" PRIu64
                       ", column %zu (counted from 0): %g is not a number that a model can have",
                       first + i / cols, i % cols, (double)values[i]);
}

size_t tensor_rows_next(struct tensor_rows *chunk, const struct tensor_set *set,
                        const struct stored_tensor *tensor, size_t rows, size_t *row)
{
    size_t n = rows - *row < chunk->most ? rows - *row : chunk->most;
    if (n > 0)
        tensor_rows_read(chunk, set, tensor, *row, n);
    *row += n;
    return n;
}

float *tensor_floats(const struct tensor_set *set, const struct stored_tensor *tensor,
                     uint64_t first, size_t rows, size_t cols)
{
    struct tensor_rows chunk;
    tensor_rows_open(&chunk, rows, cols, true);
    tensor_rows_read(&chunk, set, tensor, first, rows);
    alloc_free(chunk.scratch);
    return chunk.values;
}

const struct stored_tensor *tensor_set_find_other(const struct tensor_set *set, const char *key,
                                                  const char *twin)
{
    const struct stored_tensor *a = tensor_set_find(set, key), *b = tensor_set_find(set, twin);
    struct tensor_rows of_a, of_b;
    if (a == NULL || b == NULL || (a->file == b->file && a->offset == b->offset))
        return NULL;
    if (a->n_dims != 2 || b->n_dims != 2 || memcmp(a->shape, b->shape, sizeof a->shape) != 0 ||
        a->type == 0 || b->type == 0)
        return a;
    size_t rows = (size_t)a->shape[0], cols = (size_t)a->shape[1];
    bool is_equal = true;
    tensor_rows_open(&of_a, rows, cols, false);
    tensor_rows_open(&of_b, rows, cols, false);
    for (size_t at_a = 0, at_b = 0; is_equal && at_a < rows;) {
        size_t n = tensor_rows_next(&of_a, set, a, rows, &at_a);
        tensor_rows_next(&of_b, set, b, rows, &at_b);
        is_equal = memcmp(of_a.values, of_b.values, n * cols * sizeof *of_a.values) == 0;
    }
    tensor_rows_free(&of_a);
    tensor_rows_free(&of_b);
    return is_equal ? NULL : a;
}
