/* torch_file.c - see torch_file.h. The pickle says what a tensor is, the archive where its storage
 * is; here it is checked that a tensor does not reach out of its storage. */
#include "tools/import/files/torch_file.h"

#include "tools/import/files/folder.h"
#include "tools/import/files/pickle.h"
#include "tools/import/files/zip_file.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PICKLE_BYTES = 2 << 20, MOST_DIMS = 8, NAME_BYTES = 512, PLACE_BYTES = 256 };

/* Functions that a pickle of tensors calls; then storages, by the type of their numbers. */
enum { ORDERED_DICTIONARY, TENSOR, PARAMETER, FIRST_STORAGE };

// clang-format off
static const char *const FUNCTIONS[] = {
    "collections OrderedDict", "torch._utils _rebuild_tensor_v2", "torch._utils _rebuild_parameter",
    "torch FloatStorage", "torch HalfStorage", "torch BFloat16Storage", "torch DoubleStorage",
    "torch LongStorage", "torch IntStorage", "torch ShortStorage", "torch CharStorage",
    "torch ByteStorage", "torch BoolStorage", NULL,
};
// clang-format on
static const struct storage_type {
    const char *dtype; /* as in safetensors */
    unsigned n_bytes;
} STORAGES[] = {{"F32", 4}, {"F16", 2}, {"BF16", 2}, {"F64", 8}, {"I64", 8},
                {"I32", 4}, {"I16", 2}, {"I8", 1},   {"U8", 1},  {"BOOL", 1}};

struct torch_file {
    struct zip_file zip;
    struct pickle pickle;
    char place[PLACE_BYTES]; /* "NAME/" of the entries */
};

/* ---- The archive ---- */

/* Returns the entry "NAME/record", or NULL. */
static const struct zip_entry *find_record(const struct torch_file *file, const char *record)
{
    char name[NAME_BYTES];
    snprintf(name, sizeof name, "%s%s", file->place, record);
    return zip_file_find(&file->zip, name);
}

/* Returns the only entry NAME/data.pkl. */
static const struct zip_entry *find_pickle(struct torch_file *file)
{
    static const char ending[] = "/data.pkl";
    size_t len = sizeof ending - 1;
    const struct zip_entry *found = NULL;
    for (size_t i = 0; i < file->zip.n; i++) {
        const struct zip_entry *entry = &file->zip.entries[i];
        if (entry->name_len < len || entry->name_len > PLACE_BYTES ||
            memcmp(entry->name + entry->name_len - len, ending, len) != 0)
            continue;
        if (found != NULL)
            program_die("%s has two entries '…/data.pkl'; expected one", file->zip.name);
        found = entry;
    }
    if (found == NULL)
        program_die(
            "%s is a zip archive without an entry '…/data.pkl'; expected a file of torch.save",
            file->zip.name);
    zip_file_check(&file->zip, found);
    memcpy(file->place, found->name, found->name_len - len + 1);
    return found;
}

static void check_byte_order(const struct torch_file *file)
{
    static const char little[] = "little";
    const struct zip_entry *entry = find_record(file, "byteorder");
    char found[sizeof little] = "";
    if (entry == NULL) /* before torch 2.1 */
        return;
    zip_file_check(&file->zip, entry);
    if (entry->n_bytes == strlen(little))
        file_read_at(file->zip.fd, file->zip.name, entry->offset, found, strlen(little));
    if (strcmp(found, little) != 0)
        program_die("%s: the byte order is not 'little', which is expected", file->zip.name);
}

/* ---- A tensor ---- */

#define item(file, ...) pickle_item(&(file)->pickle, __VA_ARGS__)
#define torch_die(file, tensor, what)                                                              \
    program_die("%s: tensor '%.200s' %s", (file)->zip.name, tensor, what)

/* Copies a text; false if the value is another, has a NUL, or is too long. */
static bool read_text(const struct pickle_value *value, char text[NAME_BYTES])
{
    if (value == NULL || value->kind != PICKLE_TEXT || value->n >= NAME_BYTES ||
        (value->n > 0 && memchr(value->text, '\0', value->n) != NULL))
        return false;
    snprintf(text, NAME_BYTES, "%.*s", (int)value->n, value->n > 0 ? value->text : "");
    return true;
}

/* Reads a whole number from 0 to 2^53. */
static bool read_whole(const struct pickle_value *value, uint64_t *number)
{
    if (value == NULL || value->kind != PICKLE_NUMBER || value->number < 0 ||
        value->number > INT64_C(1) << 53)
        return false;
    *number = (uint64_t)value->number;
    return true;
}

struct storage {
    const struct storage_type *type;
    const struct zip_entry *entry;
    uint64_t n; /* numbers */
};

/* ('storage', torch.FloatStorage, '0', 'cpu', 6): NAME/data/0 holds 6 numbers. */
static struct storage find_storage(const struct torch_file *file, const char *name,
                                   const struct pickle_value *outside)
{
    const struct pickle_value *said = item(file, outside, PICKLE_OUTSIDE, 0);
    const struct pickle_value *type = item(file, said, PICKLE_TUPLE, 1);
    char word[NAME_BYTES] = "", key[NAME_BYTES], record[PLACE_BYTES];
    struct storage storage;
    if (!read_text(item(file, said, PICKLE_TUPLE, 0), word) || strcmp(word, "storage") != 0 ||
        type == NULL || type->kind != PICKLE_FUNCTION || type->number < FIRST_STORAGE ||
        !read_text(item(file, said, PICKLE_TUPLE, 2), key) || strlen(key) > 100 ||
        !read_whole(item(file, said, PICKLE_TUPLE, 4), &storage.n))
        torch_die(file, name, "has no storage that is ('storage', type, key, place, length)");
    snprintf(record, sizeof record, "data/%.100s", key);
    storage.type = &STORAGES[type->number - FIRST_STORAGE];
    storage.entry = find_record(file, record);
    if (storage.entry == NULL)
        torch_die(file, name, "has a storage that the archive does not have");
    if (storage.entry->n_bytes != storage.n * storage.type->n_bytes)
        torch_die(file, name, "has a storage of another length in the archive");
    zip_file_check(&file->zip, storage.entry);
    return storage;
}

struct shape {
    size_t n_dims;
    uint64_t sizes[MOST_DIMS], n; /* n: numbers */
    bool is_transposed;
};

/* Rows or columns without gaps: each stride is the product of the sizes after it, or of those
 * before it. A dimension of size 1 is never stepped along, so its stride is ignored. */
static struct shape read_shape(const struct torch_file *file, const char *name,
                               const struct pickle_value *sizes, const struct pickle_value *strides)
{
    struct shape shape = {.n = 1};
    uint64_t steps[MOST_DIMS], expected = 1;
    if (sizes == NULL || sizes->kind != PICKLE_TUPLE || sizes->n > MOST_DIMS || strides == NULL ||
        strides->kind != PICKLE_TUPLE || strides->n != sizes->n)
        torch_die(file, name, "has a shape that is not a tuple of at most 8, or other strides");
    shape.n_dims = sizes->n;
    for (size_t i = 0; i < shape.n_dims; i++)
        if (!read_whole(item(file, sizes, PICKLE_TUPLE, i), &shape.sizes[i]) ||
            !read_whole(item(file, strides, PICKLE_TUPLE, i), &steps[i]) ||
            __builtin_mul_overflow(shape.n, shape.sizes[i], &shape.n))
            torch_die(file, name, "has a shape that cannot be");
    for (size_t i = shape.n_dims; i-- > 0; expected *= shape.sizes[i])
        if (shape.sizes[i] != 1 && steps[i] != expected && shape.n > 0)
            shape.is_transposed = true;
    if (shape.is_transposed && (shape.n_dims != 2 || steps[0] != 1 || steps[1] != shape.sizes[0]))
        torch_die(file, name, "has strides that are those of neither rows nor columns");
    return shape;
}

/* Returns the arguments of a call of that function, or NULL. */
static const struct pickle_value *arguments_of(const struct torch_file *file,
                                               const struct pickle_value *value, int64_t function)
{
    bool is_call = value != NULL && value->kind == PICKLE_CALL && value->number == function;
    return is_call ? item(file, value, PICKLE_CALL, 0) : NULL;
}

/* _rebuild_tensor_v2(storage, first, sizes, strides, requires_grad, hooks, metadata), or
 * _rebuild_parameter(tensor, requires_grad, hooks) of such a tensor. Gradients and hooks change no
 * number; metadata may. */
static json_t *describe_tensor(const struct torch_file *file, const char *name,
                               const struct pickle_value *value)
{
    const struct pickle_value *parameter = arguments_of(file, value, PARAMETER);
    const struct pickle_value *said = arguments_of(
        file, parameter != NULL ? item(file, parameter, PICKLE_TUPLE, 0) : value, TENSOR);
    uint64_t first;
    if (said == NULL)
        torch_die(file, name, "is something else; expected a dictionary of tensors alone");
    struct storage storage = find_storage(file, name, item(file, said, PICKLE_TUPLE, 0));
    struct shape shape = read_shape(file, name, item(file, said, PICKLE_TUPLE, 2),
                                    item(file, said, PICKLE_TUPLE, 3));
    const struct pickle_value *metadata = item(file, said, PICKLE_TUPLE, 6);
    if (metadata != NULL && metadata->kind != PICKLE_NONE &&
        (metadata->kind != PICKLE_DICTIONARY || metadata->n > 0))
        torch_die(file, name, "has metadata (a conjugate or a negative view); expected none");
    if (!read_whole(item(file, said, PICKLE_TUPLE, 1), &first) || first > storage.n ||
        shape.n > storage.n - first)
        torch_die(file, name, "reaches out of its storage");
    uint64_t begin = storage.entry->offset + first * storage.type->n_bytes;
    json_t *sizes = json_array();
    for (size_t i = 0; i < shape.n_dims; i++)
        json_array_append_new(sizes, json_integer((json_int_t)shape.sizes[i]));
    return json_pack("{s:s, s:o, s:[I, I], s:b}", "dtype", storage.type->dtype, "shape", sizes,
                     "data_offsets", (json_int_t)begin,
                     (json_int_t)(begin + shape.n * storage.type->n_bytes), "transposed",
                     (int)shape.is_transposed);
}

/* ---- The dictionary ---- */

static json_t *describe_tensors(const struct torch_file *file, const struct pickle_value *root)
{
    json_t *header = json_object();
    char name[NAME_BYTES];
    const struct pickle_value *arguments = arguments_of(file, root, ORDERED_DICTIONARY);
    size_t first = arguments != NULL ? 1 : 0;
    if (arguments != NULL ? arguments->n > 0 : root->kind != PICKLE_DICTIONARY)
        program_die("%s holds no dictionary of tensors; expected a state dictionary (torch.save of "
                    "model.state_dict())",
                    file->zip.name);
    for (size_t i = first; i + 1 < root->n; i += 2) {
        if (!read_text(item(file, root, root->kind, i), name))
            program_die("%s: the name of a tensor is not a text, or longer than %d", file->zip.name,
                        NAME_BYTES);
        if (json_object_get(header, name) != NULL)
            torch_die(file, name, "is there twice");
        json_t *tensor = describe_tensor(file, name, item(file, root, root->kind, i + 1));
        if (json_object_set_new(header, name, tensor) != 0)
            torch_die(file, name, "has a name that is not UTF-8");
    }
    return header;
}

/* Before 1.6, torch.save wrote pickles one after another, of which the first is this number. The
 * command has no path in it: the name of a folder could be a command, too. */
static void check_age(const struct zip_file *zip)
{
    static const uint8_t magic[] = {0x80, 2, 0x8A, 10, 0x6C, 0xFC, 0x9C, 0x46, 0xF9, 0x20};
    uint8_t found[sizeof magic] = {0};
    if (zip->n_file_bytes >= sizeof found)
        file_read_at(zip->fd, zip->name, 0, found, sizeof found);
    if (memcmp(found, magic, sizeof magic) == 0)
        program_die("%s has the format of torch before 1.6. Convert it first, in that folder: "
                    "python3 -c \"import glob, torch; [torch.save(torch.load(f, 'cpu', "
                    "weights_only=True), f) for f in glob.glob('pytorch_model*.bin')]\"",
                    zip->name);
}

json_t *torch_file_header(const char *name, int fd, uint64_t file_bytes)
{
    struct torch_file file = {.zip = {.name = name, .fd = fd, .n_file_bytes = file_bytes}};
    check_age(&file.zip);
    zip_file_read(&file.zip);
    const struct zip_entry *entry = find_pickle(&file);
    check_byte_order(&file);
    if (entry->n_bytes > MOST_PICKLE_BYTES)
        program_die("%s: a pickle of %" PRIu64 " bytes; at most %d are read", name, entry->n_bytes,
                    MOST_PICKLE_BYTES);
    char *text = file_text(fd, name, entry->offset, entry->n_bytes, MOST_PICKLE_BYTES);
    file.pickle = (struct pickle){.name = name,
                                  .functions = FUNCTIONS,
                                  .bytes = (const uint8_t *)text,
                                  .len = (size_t)entry->n_bytes};
    return describe_tensors(&file, pickle_read(&file.pickle));
}
