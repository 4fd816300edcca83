/* torch_file.c - see torch_file.h. The pickle says what a tensor is, the archive where its storage
 * is; here it is checked that a tensor does not reach out of its storage. Nothing of the pickle is
 * executed: a function that it names must be in a list, and its call becomes a value that holds the
 * arguments. A pickle is a program for a machine with a stack and a memo, a numbered list of values
 * that may be used again. Source: Lib/pickletools.py of Python, where every opcode is described.
 *
 * Its values become those of JSON: tuples and lists arrays, dictionaries objects, and
 *
 *     a function           ["function", "torch FloatStorage"]
 *     its call             ["torch._utils _rebuild_tensor_v2", arguments]; of OrderedDict() {}
 *     a persistent id      ["outside", tuple]
 *
 * They may hold one another in a circle: code that follows items must bound the depth. */
#include "tools/import/files/torch_file.h"

#include "tools/common/alloc.h"
#include "tools/common/crc32.h"
#include "tools/import/files/folder.h"
#include "tools/import/files/json_file.h"
#include "tools/import/files/zip_file.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PICKLE_BYTES = 2 << 20, MOST_VALUES = 1 << 19 }; /* a value takes 4 bytes or more */
enum { MOST_DIMS = 8, NAME_BYTES = 512, PLACE_BYTES = 256 };

struct torch_file {
    struct zip_file zip;
    char place[PLACE_BYTES]; /* "NAME/" of the entries */
    const uint8_t *pickle;   /* [len] */
    size_t len, at;          /* at: of the next byte */
    json_t **stack, **memo;  /* [len] */
    json_t *mark;            /* on the stack: where the items of a tuple or a dictionary begin */
    size_t n_values, n_stack, n_memo;
};

/* ---- The archive ---- */

/* Returns the entry "NAME/record", or NULL. */
static struct zip_entry *find_record(const struct torch_file *file, const char *record)
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
    struct zip_entry *found = NULL;
    for (size_t i = 0; i < file->zip.n; i++) {
        struct zip_entry *entry = &file->zip.entries[i];
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

/* ---- The pickle: protocol 2, of numbers, texts, tuples, lists and dictionaries ---- */

static const char DICTIONARY[] = "collections OrderedDict",
                  TENSOR[] = "torch._utils _rebuild_tensor_v2",
                  PARAMETER[] = "torch._utils _rebuild_parameter";

static const struct storage_type {
    const char *name;  /* of the function */
    const char *dtype; /* as in safetensors */
    unsigned n_bytes;
} STORAGES[] = {{"torch FloatStorage", "F32", 4},     {"torch HalfStorage", "F16", 2},
                {"torch BFloat16Storage", "BF16", 2}, {"torch DoubleStorage", "F64", 8},
                {"torch LongStorage", "I64", 8},      {"torch IntStorage", "I32", 4},
                {"torch ShortStorage", "I16", 2},     {"torch CharStorage", "I8", 1},
                {"torch ByteStorage", "U8", 1},       {"torch BoolStorage", "BOOL", 1}};

static const struct storage_type *find_storage_type(const char *name)
{
    for (size_t i = 0; i < sizeof STORAGES / sizeof *STORAGES; i++)
        if (strcmp(STORAGES[i].name, name) == 0)
            return &STORAGES[i];
    return NULL;
}

_Noreturn static void pickle_die(const struct torch_file *file, const char *what)
{
    program_die("%s: %s at byte %zu of the pickle", file->zip.name, what, file->at);
}

#define torch_die(file, tensor, what)                                                              \
    program_die("%s: tensor '%.200s' %s", (file)->zip.name, tensor, what)
#define SOMETHING_ELSE "is something else; expected a dictionary of tensors alone"

static const uint8_t *read_bytes(struct torch_file *file, size_t n)
{
    if (n > file->len - file->at)
        pickle_die(file, "the end comes too early");
    file->at += n;
    return file->pickle + file->at - n;
}

static uint64_t read_number(struct torch_file *file, size_t n)
{
    return little_endian(read_bytes(file, n), n);
}

/* Reads a whole number of n bytes in two's complement. */
static int64_t read_signed(struct torch_file *file, size_t n)
{
    if (n > sizeof(int64_t))
        pickle_die(file, "a number of more than 64 bits");
    unsigned unused = n > 0 ? 64 - 8 * (unsigned)n : 0;
    return (int64_t)(read_number(file, n) << unused) >> unused;
}

static void push(struct torch_file *file, json_t *value)
{
    if (file->n_values++ == MOST_VALUES)
        pickle_die(file, "more values than tensors need,");
    file->stack[file->n_stack++] = value;
}

/* Returns the value below `depth` others. */
static json_t *top(const struct torch_file *file, size_t depth)
{
    if (depth >= file->n_stack)
        pickle_die(file, "a value is missing on the stack");
    return file->stack[file->n_stack - 1 - depth];
}

/* Pops the n values on top of the stack, in their order. Returns them as an array. */
static json_t *pop(struct torch_file *file, size_t n)
{
    json_t *values = json_array();
    for (size_t i = n; i-- > 0;)
        json_array_append(values, top(file, i));
    file->n_stack -= n;
    return values;
}

/* Pops the values above the last mark, and the mark. */
static json_t *pop_to_mark(struct torch_file *file)
{
    size_t n = 0;
    while (top(file, n) != file->mark)
        n++;
    json_t *values = pop(file, n);
    file->n_stack--;
    return values;
}

static void append_to_list(struct torch_file *file, json_t *values)
{
    if (!json_is_array(top(file, 0)))
        pickle_die(file, "items are put into what holds none");
    json_array_extend(top(file, 0), values);
}

/* Sets keys and values in the dictionary on top of the stack. */
static void set_in_dictionary(struct torch_file *file, const json_t *values)
{
    json_t *dictionary = top(file, 0);
    if (!json_is_object(dictionary))
        pickle_die(file, "items are put into what holds none");
    if (json_array_size(values) % 2 != 0)
        pickle_die(file, "a key has no value");
    for (size_t i = 0; i < json_array_size(values); i += 2) {
        const char *name = json_string_value(json_array_get(values, i));
        if (name == NULL || strlen(name) >= NAME_BYTES)
            program_die("%s: the name of a tensor is not a text, or longer than %d", file->zip.name,
                        NAME_BYTES);
        if (json_object_get(dictionary, name) != NULL)
            torch_die(file, name, "is there twice");
        if (json_object_set(dictionary, name, json_array_get(values, i + 1)) != 0)
            torch_die(file, name, SOMETHING_ELSE); /* the dictionary itself */
    }
}

/* Reads "module\nname\n". */
static void push_function(struct torch_file *file)
{
    size_t begin = file->at, length[2] = {0, 0};
    char found[NAME_BYTES];
    for (size_t i = 0; i < 2; i++)
        while (*read_bytes(file, 1) != '\n')
            length[i]++;
    const char *module = (const char *)file->pickle + begin, *name = module + length[0] + 1;
    const int module_len = (int)(length[0] < 100 ? length[0] : 100);
    const int name_len = (int)(length[1] < 100 ? length[1] : 100);
    snprintf(found, sizeof found, "%.*s %.*s", module_len, module, name_len, name);
    if (strlen(found) != length[0] + 1 + length[1] ||
        (strcmp(found, DICTIONARY) != 0 && strcmp(found, TENSOR) != 0 &&
         strcmp(found, PARAMETER) != 0 && find_storage_type(found) == NULL))
        program_die("%s: '%.*s.%.*s' at byte %zu of the pickle; expected the tensors of a state "
                    "dictionary and nothing else (it is not executed)",
                    file->zip.name, module_len, module, name_len, name, begin);
    push(file, json_pack("[s, s]", "function", found));
}

/* Returns the second of two values of which the first is this word, or NULL. */
static json_t *second_of(const json_t *pair, const char *word)
{
    const char *first = json_string_value(json_array_get(pair, 0));
    return first != NULL && strcmp(first, word) == 0 ? json_array_get(pair, 1) : NULL;
}

static void make_call(struct torch_file *file)
{
    json_t *arguments = top(file, 0);
    const char *name = json_string_value(second_of(top(file, 1), "function"));
    if (!json_is_array(arguments) || name == NULL)
        pickle_die(file, "a call of something that is not a function");
    file->n_stack -= 2;
    bool is_empty = strcmp(name, DICTIONARY) == 0 && json_array_size(arguments) == 0;
    push(file, is_empty ? json_object() : json_pack("[s, O]", name, arguments));
}

static void make_outside(struct torch_file *file)
{
    if (!json_is_array(top(file, 0)))
        pickle_die(file, "a persistent id that is not a tuple");
    file->n_stack--;
    push(file, json_pack("[s, O]", "outside", file->stack[file->n_stack]));
}

/* Drops attributes of an object: torch stores versions of modules there, which change no number. */
static void drop_attributes(struct torch_file *file)
{
    if (!json_is_object(top(file, 1)) || !json_is_object(top(file, 0)))
        pickle_die(file, "attributes of a value that has none");
    file->n_stack--;
}

/* Copies the top of the stack into the memo, whose numbers are given in order. */
static void store_in_memo(struct torch_file *file, uint64_t number)
{
    if (top(file, 0) == file->mark || number > file->n_memo)
        pickle_die(file, "a number of the memo that is not the next");
    file->memo[number] = top(file, 0);
    file->n_memo += number == file->n_memo;
}

static void push_from_memo(struct torch_file *file, uint64_t number)
{
    if (number >= file->n_memo)
        pickle_die(file, "a number of the memo that was not given");
    file->stack[file->n_stack++] = file->memo[number];
}

/* Of a text that is not UTF-8, or has a NUL, None: no name is such a text. */
static void push_text(struct torch_file *file)
{
    const size_t n = (size_t)read_number(file, 4);
    const char *text = (const char *)read_bytes(file, n);
    json_t *value = memchr(text, '\0', n) == NULL ? json_stringn(text, n) : NULL;
    push(file, value != NULL ? value : json_null());
}

static void run_opcode(struct torch_file *file, uint8_t opcode)
{
    switch (opcode) {
    case 0x80:
        if (read_number(file, 1) != 2)
            program_die(
                "%s: another protocol; expected 2, that of torch.save, at byte %zu of the pickle",
                file->zip.name, file->at - 1);
        break;
    case '(': push(file, file->mark); break;
    case 'N': push(file, json_null()); break;
    case 0x88: push(file, json_true()); break;
    case 0x89: push(file, json_false()); break;
    case 'K': push(file, json_integer((json_int_t)read_number(file, 1))); break;
    case 'M': push(file, json_integer((json_int_t)read_number(file, 2))); break;
    case 'J': push(file, json_integer(read_signed(file, 4))); break;
    case 0x8A: push(file, json_integer(read_signed(file, (size_t)read_number(file, 1)))); break;
    case 'G': read_bytes(file, 8), push(file, json_null()); break; /* a real number is not kept */
    case 'X': push_text(file); break;
    case ')': push(file, json_array()); break;
    case ']': push(file, json_array()); break;
    case '}': push(file, json_object()); break;
    case 't': push(file, pop_to_mark(file)); break;
    case 0x85:
    case 0x86:
    case 0x87: push(file, pop(file, opcode - 0x84u)); break;
    case 'a': append_to_list(file, pop(file, 1)); break;
    case 'e': append_to_list(file, pop_to_mark(file)); break;
    case 's': set_in_dictionary(file, pop(file, 2)); break;
    case 'u': set_in_dictionary(file, pop_to_mark(file)); break;
    case 'c': push_function(file); break;
    case 'R': make_call(file); break;
    case 'Q': make_outside(file); break;
    case 'b': drop_attributes(file); break;
    case 'q': store_in_memo(file, read_number(file, 1)); break;
    case 'r': store_in_memo(file, read_number(file, 4)); break;
    case 'h': push_from_memo(file, read_number(file, 1)); break;
    case 'j': push_from_memo(file, read_number(file, 4)); break;
    default:
        program_die(
            "%s: the opcode 0x%02X at byte %zu of the pickle is none that a state dictionary needs",
            file->zip.name, opcode, file->at - 1);
    }
}

/* Runs the pickle to its last byte. Returns the value that is left on the stack. Each opcode pushes
 * one value at most and stores one in the memo, so a pickle of n bytes needs room for n of each. */
static json_t *run_pickle(struct torch_file *file)
{
    static const uint8_t STOP = '.';
    uint8_t opcode;
    file->stack = alloc_zeros(file->len, sizeof *file->stack);
    file->memo = alloc_zeros(file->len, sizeof *file->memo);
    file->mark = json_object();
    while ((opcode = *read_bytes(file, 1)) != STOP)
        run_opcode(file, opcode);
    if (file->at != file->len || file->n_stack != 1)
        pickle_die(file, "it stops with bytes or values left over,");
    return top(file, 0);
}

/* ---- A tensor ---- */

/* ('storage', torch.FloatStorage, '0', 'cpu', 6): NAME/data/0 holds 6 numbers. */
static struct zip_entry *find_storage(const struct torch_file *file, const char *name,
                                      const json_t *outside, const struct storage_type **storage,
                                      uint64_t *n)
{
    const json_t *said = second_of(outside, "outside");
    const char *word = json_string_value(json_array_get(said, 0));
    const char *type = json_string_value(second_of(json_array_get(said, 1), "function"));
    const char *key = json_string_value(json_array_get(said, 2));
    char record[PLACE_BYTES];
    *storage = type != NULL ? find_storage_type(type) : NULL;
    if (word == NULL || strcmp(word, "storage") != 0 || *storage == NULL || key == NULL ||
        strlen(key) > 100 || !json_whole(json_array_get(said, 4), n))
        torch_die(file, name, "has no storage that is ('storage', type, key, place, length)");
    snprintf(record, sizeof record, "data/%.100s", key);
    struct zip_entry *entry = find_record(file, record);
    if (entry == NULL)
        torch_die(file, name, "has a storage that the archive does not have");
    if (entry->n_bytes != *n * (*storage)->n_bytes)
        torch_die(file, name, "has a storage of another length in the archive");
    zip_file_check(&file->zip, entry);
    return entry;
}

struct shape {
    size_t n_dims;
    uint64_t sizes[MOST_DIMS], n; /* n: numbers */
    bool is_transposed;
};

/* Rows or columns without gaps: each stride is the product of the sizes after it, or of those
 * before it. A dimension of size 1 is never stepped along, so its stride is ignored. */
static struct shape read_shape(const struct torch_file *file, const char *name, const json_t *sizes,
                               const json_t *strides)
{
    struct shape shape = {.n_dims = json_array_size(sizes), .n = 1};
    uint64_t steps[MOST_DIMS], expected = 1;
    if (!json_is_array(sizes) || shape.n_dims > MOST_DIMS || !json_is_array(strides) ||
        json_array_size(strides) != shape.n_dims)
        torch_die(file, name, "has a shape that is not a tuple of at most 8, or other strides");
    for (size_t i = 0; i < shape.n_dims; i++)
        if (!json_whole(json_array_get(sizes, i), &shape.sizes[i]) ||
            !json_whole(json_array_get(strides, i), &steps[i]) ||
            __builtin_mul_overflow(shape.n, shape.sizes[i], &shape.n))
            torch_die(file, name, "has a shape that cannot be");
    for (size_t i = shape.n_dims; i-- > 0; expected *= shape.sizes[i])
        if (shape.sizes[i] != 1 && steps[i] != expected && shape.n > 0)
            shape.is_transposed = true;
    if (shape.is_transposed && (shape.n_dims != 2 || steps[0] != 1 || steps[1] != shape.sizes[0]))
        torch_die(file, name, "has strides that are those of neither rows nor columns");
    return shape;
}

/* _rebuild_tensor_v2(storage, first, sizes, strides, requires_grad, hooks, metadata), or
 * _rebuild_parameter(tensor, requires_grad, hooks) of such a tensor. Gradients and hooks change no
 * number; metadata may. */
static json_t *describe_tensor(const struct torch_file *file, const char *name, const json_t *value)
{
    const json_t *parameter = second_of(value, PARAMETER);
    const json_t *said =
        second_of(parameter != NULL ? json_array_get(parameter, 0) : value, TENSOR);
    const struct storage_type *storage;
    uint64_t first, n;
    if (said == NULL)
        torch_die(file, name, SOMETHING_ELSE);
    const struct zip_entry *entry = find_storage(file, name, json_array_get(said, 0), &storage, &n);
    struct shape shape = read_shape(file, name, json_array_get(said, 2), json_array_get(said, 3));
    const json_t *metadata = json_array_get(said, 6);
    if (metadata != NULL && !json_is_null(metadata) &&
        (!json_is_object(metadata) || json_object_size(metadata) > 0))
        torch_die(file, name, "has metadata (a conjugate or a negative view); expected none");
    if (!json_whole(json_array_get(said, 1), &first) || first > n || shape.n > n - first)
        torch_die(file, name, "reaches out of its storage");
    uint64_t begin = entry->offset + first * storage->n_bytes;
    json_t *sizes = json_array();
    for (size_t i = 0; i < shape.n_dims; i++)
        json_array_append_new(sizes, json_integer((json_int_t)shape.sizes[i]));
    return json_pack("{s:s, s:o, s:[I, I], s:b}", "dtype", storage->dtype, "shape", sizes,
                     "data_offsets", (json_int_t)begin,
                     (json_int_t)(begin + shape.n * storage->n_bytes), "transposed",
                     (int)shape.is_transposed);
}

/* ---- The dictionary ---- */

static json_t *describe_tensors(const struct torch_file *file, json_t *root)
{
    json_t *header = json_object(), *value;
    const char *name;
    if (!json_is_object(root))
        program_die("%s holds no dictionary of tensors; expected a state dictionary (torch.save of "
                    "model.state_dict())",
                    file->zip.name);
    json_object_foreach(root, name, value)
        json_object_set_new(header, name, describe_tensor(file, name, value));
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
    static const char little[] = "little";
    struct torch_file file = {.zip = {.name = name, .fd = fd, .n_file_bytes = file_bytes}};
    char found[sizeof little] = "";
    check_age(&file.zip);
    zip_file_read(&file.zip);
    const struct zip_entry *entry = find_pickle(&file);
    struct zip_entry *order = find_record(&file, "byteorder"); /* from torch 2.1 on */
    if (order != NULL) {
        zip_file_check(&file.zip, order);
        if (order->n_bytes == strlen(little))
            file_read_at(fd, name, order->offset, found, strlen(little));
        if (strcmp(found, little) != 0)
            program_die("%s: the byte order is not 'little', which is expected", name);
    }
    if (entry->n_bytes > MOST_PICKLE_BYTES)
        program_die("%s: a pickle of %" PRIu64 " bytes; at most %d are read", name, entry->n_bytes,
                    MOST_PICKLE_BYTES);
    file.len = (size_t)entry->n_bytes;
    file.pickle =
        (const uint8_t *)file_text(fd, name, entry->offset, entry->n_bytes, MOST_PICKLE_BYTES);
    return describe_tensors(&file, run_pickle(&file));
}
