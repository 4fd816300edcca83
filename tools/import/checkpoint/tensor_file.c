/* tensor_file.c - safetensors files; see tensor_file.h. Everything that an address is computed from
 * is checked against the length of the file before a tensor is read. Data is read, not mapped: a
 * file that shrinks meanwhile is an error then, not a signal, and memory stays small.
 */
#include "tools/import/checkpoint/tensor_file.h"

#include "engine/file/weight_writer.h"
#include "tools/import/checkpoint/json_file.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Headers of public checkpoints take less than 1 MiB. */
enum { MOST_HEADER_BYTES = 16 << 20 };

static const struct {
    const char *name;
    unsigned n_bytes;
} DTYPES[] = {
    {"F32", 4}, {"F16", 2}, {"BF16", 2}, {"F64", 8},     {"I64", 8},
    {"I32", 4}, {"I16", 2}, {"I8", 1},   {"U64", 8},     {"U32", 4},
    {"U16", 2}, {"U8", 1},  {"BOOL", 1}, {"F8_E4M3", 1}, {"F8_E5M2", 1},
};

static unsigned dtype_bytes(const char *name)
{
    for (size_t i = 0; i < sizeof DTYPES / sizeof DTYPES[0]; i++)
        if (strcmp(DTYPES[i].name, name) == 0)
            return DTYPES[i].n_bytes;
    return 0;
}

bool tensor_is_float(const struct stored_tensor *tensor)
{
    return strcmp(tensor->dtype, "F32") == 0 || strcmp(tensor->dtype, "F16") == 0 ||
           strcmp(tensor->dtype, "BF16") == 0;
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

/* ---- The header ---- */

static bool parse_shape(const char *file, struct stored_tensor *tensor, const json_t *shape,
                        struct problem *problem)
{
    if (!json_is_array(shape) || json_array_size(shape) > TENSOR_DIMS)
        return problem_say(
            problem, "%s: tensor '%s': 'shape' is %s; expected an array of at most %d numbers",
            file, tensor->name, json_kind(shape), TENSOR_DIMS);
    tensor->n_dims = json_array_size(shape);
    for (size_t i = 0; i < tensor->n_dims; i++)
        if (!json_whole(json_array_get(shape, i), &tensor->shape[i]))
            return problem_say(problem,
                               "%s: tensor '%s': 'shape' holds something that is not a whole "
                               "number from 0 to 2^53",
                               file, tensor->name);
    return true;
}

/* Bytes that the shape asks for, or false if that overflows. */
static bool shape_bytes(const struct stored_tensor *tensor, uint64_t *n_bytes)
{
    uint64_t product = dtype_bytes(tensor->dtype);
    for (size_t i = 0; i < tensor->n_dims; i++)
        if (__builtin_mul_overflow(product, tensor->shape[i], &product))
            return false;
    *n_bytes = product;
    return true;
}

static bool parse_offsets(const char *file, struct stored_tensor *tensor, const json_t *offsets,
                          uint64_t data_offset, uint64_t data_bytes, struct problem *problem)
{
    uint64_t begin, end, n_bytes;
    char shape[SHAPE_TEXT];
    if (!json_is_array(offsets) || json_array_size(offsets) != 2 ||
        !json_whole(json_array_get(offsets, 0), &begin) ||
        !json_whole(json_array_get(offsets, 1), &end))
        return problem_say(problem, "%s: tensor '%s': 'data_offsets' is not [begin, end]", file,
                           tensor->name);
    if (begin > end || end > data_bytes)
        return problem_say(problem,
                           "%s: tensor '%s': 'data_offsets' are %" PRIu64 " and %" PRIu64
                           "; expected two within the %" PRIu64
                           " bytes of data that the file has (is it truncated?)",
                           file, tensor->name, begin, end, data_bytes);
    if (!shape_bytes(tensor, &n_bytes) || n_bytes != end - begin)
        return problem_say(
            problem,
            "%s: tensor '%s': %s %s does not fit the %" PRIu64 " bytes of its 'data_offsets'", file,
            tensor->name, tensor->dtype, tensor_shape_text(tensor, shape), end - begin);
    tensor->offset = data_offset + begin;
    tensor->n_bytes = n_bytes;
    return true;
}

static bool parse_tensor(const char *file, struct stored_tensor *tensor, const json_t *entry,
                         uint64_t data_offset, uint64_t data_bytes, struct problem *problem)
{
    const json_t *dtype = json_object_get(entry, "dtype");
    if (!json_is_object(entry))
        return problem_say(problem, "%s: tensor '%s' is %s; expected an object", file, tensor->name,
                           json_kind(entry));
    if (!json_is_string(dtype))
        return problem_say(problem, "%s: tensor '%s': 'dtype' is %s; expected a string", file,
                           tensor->name, json_kind(dtype));
    tensor->dtype = json_string_value(dtype);
    if (dtype_bytes(tensor->dtype) == 0)
        return problem_say(problem, "%s: tensor '%s' has the unknown dtype '%.40s'", file,
                           tensor->name, tensor->dtype);
    return parse_shape(file, tensor, json_object_get(entry, "shape"), problem) &&
           parse_offsets(file, tensor, json_object_get(entry, "data_offsets"), data_offset,
                         data_bytes, problem);
}

static int by_offset(const void *left, const void *right)
{
    const struct stored_tensor *a = left, *b = right;
    if (a->offset != b->offset)
        return a->offset < b->offset ? -1 : 1;
    return a->n_bytes < b->n_bytes ? -1 : a->n_bytes > b->n_bytes;
}

/* The tensors of one file, one behind the other, from the start of the data to the file's end. */
static bool check_cover(const char *file, struct stored_tensor *tensors, size_t n,
                        uint64_t data_offset, uint64_t file_bytes, struct problem *problem)
{
    uint64_t end = data_offset;
    qsort(tensors, n, sizeof *tensors, by_offset);
    for (size_t i = 0; i < n; i++) {
        if (tensors[i].offset < end)
            return problem_say(problem, "%s: the tensors '%.200s' and '%.200s' overlap", file,
                               tensors[i - 1].name, tensors[i].name);
        if (tensors[i].offset > end)
            return problem_say(problem, "%s: %" PRIu64 " bytes before tensor '%s' belong to none",
                               file, tensors[i].offset - end, tensors[i].name);
        end += tensors[i].n_bytes;
    }
    if (end != file_bytes)
        return problem_say(problem,
                           "%s has %" PRIu64 " bytes; expected %" PRIu64 ", by the tensors in it",
                           file, file_bytes, end);
    return true;
}

static int by_key(const void *left, const void *right)
{
    return strcmp(((const struct stored_tensor *)left)->key,
                  ((const struct stored_tensor *)right)->key);
}

static bool sort_by_key(struct tensor_set *set, struct problem *problem)
{
    if (set->n > 0)
        qsort(set->tensors, set->n, sizeof *set->tensors, by_key);
    for (size_t i = 1; i < set->n; i++) {
        const struct stored_tensor *a = &set->tensors[i - 1], *b = &set->tensors[i];
        if (strcmp(a->key, b->key) == 0)
            return problem_say(
                problem, "the tensor '%.200s' is there twice: '%.200s' in %s and '%.200s' in %s",
                a->key, a->name, set->files[a->file].name, b->name, set->files[b->file].name);
    }
    return true;
}

static bool parse_tensors(struct tensor_set *set, const char *name, size_t file, json_t *header,
                          uint64_t data_offset, uint64_t file_bytes, struct problem *problem)
{
    const char *key;
    json_t *entry;
    size_t first = set->n;
    struct stored_tensor *tensors =
        realloc(set->tensors, (set->n + json_object_size(header) + 1) * sizeof *tensors);
    if (tensors == NULL)
        return problem_memory(problem);
    set->tensors = tensors;
    json_object_foreach(header, key, entry)
    {
        if (strcmp(key, "__metadata__") == 0)
            continue;
        struct stored_tensor *tensor = &tensors[set->n];
        *tensor = (struct stored_tensor){.name = key, .key = key, .file = file};
        if (!parse_tensor(name, tensor, entry, data_offset, file_bytes - data_offset, problem))
            return false;
        set->n++;
    }
    return check_cover(name, tensors + first, set->n - first, data_offset, file_bytes, problem) &&
           sort_by_key(set, problem);
}

bool tensor_set_parse(struct tensor_set *set, const char *name, int fd, const char *header,
                      size_t len, uint64_t data_offset, uint64_t file_bytes,
                      struct problem *problem)
{
    struct json_file json;
    if (set->n_files == TENSOR_FILES)
        return problem_say(problem, "more than %d files with tensors", TENSOR_FILES);
    if (!json_file_parse(&json, name, header, len, false, problem))
        return false;
    struct tensor_file *file = &set->files[set->n_files];
    *file = (struct tensor_file){.fd = fd, .header = json.root};
    snprintf(file->name, sizeof file->name, "%s", name);
    if (!parse_tensors(set, file->name, set->n_files++, file->header, data_offset, file_bytes,
                       problem)) {
        file->fd = -1; /* the caller's still */
        return false;
    }
    return true;
}

bool tensor_header_bytes(const char *name, const uint8_t first[8], uint64_t file_bytes, size_t *len,
                         struct problem *problem)
{
    uint64_t n = 0;
    for (size_t i = 8; i-- > 0;)
        n = n << 8 | first[i];
    if (file_bytes < 8 || n > file_bytes - 8)
        return problem_say(problem,
                           "%s: a header of %" PRIu64
                           " bytes does not fit into the file of %" PRIu64
                           " bytes (is it truncated, or no safetensors file?)",
                           name, n, file_bytes);
    if (n > MOST_HEADER_BYTES)
        return problem_say(problem, "%s: a header of %" PRIu64 " bytes; at most %d are read", name,
                           n, MOST_HEADER_BYTES);
    *len = (size_t)n;
    return true;
}

/* ---- Files ---- */

static bool read_at(const struct tensor_file *file, uint64_t offset, void *data, size_t len,
                    struct problem *problem)
{
    for (size_t done = 0; done < len;) {
        ssize_t n = pread(file->fd, (char *)data + done, len - done, (off_t)(offset + done));
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return problem_say(problem, "%s cannot be read: %s", file->name, strerror(errno));
        if (n == 0)
            return problem_say(problem,
                               "%s ends at byte %" PRIu64
                               "; it has changed since it was opened, or is truncated",
                               file->name, offset + done);
        done += (size_t)n;
    }
    return true;
}

bool tensor_set_add(struct tensor_set *set, struct folder *folder, const char *name,
                    struct problem *problem)
{
    struct tensor_file file = {.fd = -1};
    uint64_t file_bytes = 0;
    uint8_t first[8];
    size_t len = 0;
    if (!folder_file(folder, name, true, &file.fd, &file_bytes, problem))
        return false;
    snprintf(file.name, sizeof file.name, "%s", name);
    char *header = NULL;
    bool ok;
    if (file_bytes < sizeof first)
        ok = problem_say(problem, "%s has %" PRIu64 " bytes; a safetensors file has 8 or more",
                         name, file_bytes);
    else
        ok = read_at(&file, 0, first, sizeof first, problem) &&
             tensor_header_bytes(name, first, file_bytes, &len, problem);
    if (ok && (header = malloc(len + 1)) == NULL)
        ok = problem_memory(problem);
    ok = ok && read_at(&file, sizeof first, header, len, problem) &&
         tensor_set_parse(set, name, file.fd, header, len, sizeof first + len, file_bytes, problem);
    free(header);
    if (!ok)
        close(file.fd);
    return ok;
}

/* The files that "weight_map" names, and that each tensor is in the file that it says. */
static bool read_shards(struct tensor_set *set, struct folder *folder, const char *place,
                        const struct json_file *index, struct problem *problem)
{
    json_t *map = json_object_get(index->root, "weight_map"), *file;
    const char *tensor;
    char name[FOLDER_PATH];
    if (!json_is_object(map))
        return problem_say(problem, "%s: 'weight_map' is %s; expected an object", index->name,
                           json_kind(map));
    json_object_foreach(map, tensor, file)
    {
        bool known = false;
        if (!json_is_string(file))
            return problem_say(problem, "%s: the file of '%s' is %s; expected a string",
                               index->name, tensor, json_kind(file));
        if (snprintf(name, sizeof name, "%s%s", place, json_string_value(file)) >= FOLDER_PATH)
            return problem_say(problem, "%s: the name of a file is too long", index->name);
        for (size_t i = 0; i < set->n_files && !known; i++)
            known = strcmp(set->files[i].name, name) == 0;
        if (!known && !tensor_set_add(set, folder, name, problem))
            return false;
    }
    json_object_foreach(map, tensor, file)
    {
        const struct stored_tensor *stored = tensor_set_find(set, tensor);
        snprintf(name, sizeof name, "%s%s", place, json_string_value(file));
        if (stored == NULL || strcmp(set->files[stored->file].name, name) != 0)
            return problem_say(problem, "%s says that '%.200s' is in %.200s, where it is not",
                               index->name, tensor, name);
    }
    return true;
}

static bool refuse_pickle(const struct folder *folder, const char *place, struct problem *problem)
{
    return problem_say(
        problem,
        "%s/%s has pytorch_model.bin but no model.safetensors. Convert it first: cd '%s/%s' && "
        "python3 -c \"import glob, torch, safetensors.torch as s; s.save_file({k: v.clone() for f "
        "in glob.glob('pytorch_model*.bin') for k, v in torch.load(f, 'cpu', "
        "weights_only=True).items()}, 'model.safetensors')\"",
        folder->path, place, folder->path, place);
}

bool tensor_set_read(struct tensor_set *set, struct folder *folder, const char *place,
                     struct problem *problem)
{
    char name[FOLDER_PATH], pickle[2][FOLDER_PATH];
    struct json_file index;
    snprintf(name, sizeof name, "%smodel.safetensors", place);
    if (folder_has(folder, name))
        return tensor_set_add(set, folder, name, problem);
    snprintf(name, sizeof name, "%smodel.safetensors.index.json", place);
    snprintf(pickle[0], FOLDER_PATH, "%spytorch_model.bin", place);
    snprintf(pickle[1], FOLDER_PATH, "%spytorch_model.bin.index.json", place);
    if (!json_file_read(&index, folder, name, false, false, problem))
        return false;
    if (index.root != NULL) {
        bool ok = read_shards(set, folder, place, &index, problem);
        json_file_free(&index);
        return ok;
    }
    if (folder_has(folder, pickle[0]) || folder_has(folder, pickle[1]))
        return refuse_pickle(folder, place, problem);
    return problem_say(problem, "%s/%s has no model.safetensors", folder->path, place);
}

void tensor_set_free(struct tensor_set *set)
{
    for (size_t i = 0; i < set->n_files; i++) {
        if (set->files[i].fd >= 0)
            close(set->files[i].fd);
        json_decref(set->files[i].header);
    }
    free(set->tensors);
    *set = (struct tensor_set){.n = 0};
}

/* ---- Names ---- */

bool tensor_set_strip(struct tensor_set *set, const char *const *prefixes, struct problem *problem)
{
    for (size_t i = 0; prefixes[i] != NULL; i++) {
        size_t len = strlen(prefixes[i]), n = 0;
        for (size_t t = 0; t < set->n; t++)
            if (strncmp(set->tensors[t].name, prefixes[i], len) == 0) {
                set->tensors[t].key = set->tensors[t].name + len;
                n++;
            }
        if (n > 0)
            break;
    }
    return sort_by_key(set, problem);
}

struct stored_tensor *tensor_set_find(const struct tensor_set *set, const char *key)
{
    const struct stored_tensor wanted = {.key = key};
    if (set->n == 0)
        return NULL;
    return bsearch(&wanted, set->tensors, set->n, sizeof wanted, by_key);
}

/* ---- Numbers ---- */

static void decode(const char *dtype, const void *data, size_t n, float *out)
{
    const uint16_t *halves = data;
    if (dtype[0] == 'B')
        for (size_t i = 0; i < n; i++)
            out[i] = bf16_to_f32(halves[i]);
    else
        for (size_t i = 0; i < n; i++)
            out[i] = f16_to_f32(halves[i]);
}

bool tensor_rows(const struct tensor_set *set, const struct stored_tensor *tensor, uint64_t first,
                 size_t n, size_t cols, void *scratch, float *out, struct problem *problem)
{
    size_t element = dtype_bytes(tensor->dtype), count = n * cols;
    bool is_f32 = element == sizeof(float);
    if (!read_at(&set->files[tensor->file], tensor->offset + first * cols * element,
                 is_f32 ? (void *)out : scratch, count * element, problem))
        return false;
    if (!is_f32)
        decode(tensor->dtype, scratch, count, out);
    for (size_t i = 0; i < count; i++)
        if (!isfinite(out[i]))
            return problem_say(problem,
                               "%s: tensor '%s', row %" PRIu64
                               ", column %zu: %g is not a number that a model can have",
                               set->files[tensor->file].name, tensor->name, first + i / cols,
                               i % cols, (double)out[i]);
    return true;
}
