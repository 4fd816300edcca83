/* torch_file.c - see torch_file.h. The pickle says what a tensor is, the archive where its storage
 * is; here it is checked that a tensor does not reach out of its storage. Nothing of the pickle is
 * executed: a function that it names must be in a list, and its call becomes a value that holds the
 * arguments. A pickle is a program for a machine with a stack and a memo, a numbered list of values
 * that may be used again. Source: Lib/pickletools.py of Python, where every opcode is described. */
#include "tools/import/files/torch_file.h"

#include "tools/common/alloc.h"
#include "tools/import/files/folder.h"
#include "tools/import/files/zip_file.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum value_kind {
    VALUE_MARK, /* where the items of a tuple or a dictionary begin on the stack */
    VALUE_NONE,
    VALUE_BOOL, /* number */
    VALUE_NUMBER,
    VALUE_REAL, /* its value is not kept */
    VALUE_TEXT, /* UTF-8, not terminated */
    VALUE_TUPLE,
    VALUE_LIST,
    VALUE_DICTIONARY, /* items: key, value, key, value … */
    VALUE_FUNCTION,   /* number: its index in FUNCTIONS */
    VALUE_CALL,   /* number: that of the function; items[0]: the tuple of its arguments. Keys and
                         values that were set in the result follow */
    VALUE_OUTSIDE /* items[0]: the persistent id of something outside of the pickle */
};

/* Items are indices into `values`, which fit into 32 bits since a pickle of 4 GiB is not read. A
 * value may hold itself: code that follows items must bound the depth. */
struct value {
    enum value_kind kind;
    int64_t number;
    const char *text; /* [n] in the pickle */
    uint32_t *items;  /* [n] */
    size_t n, cap;
};

enum { MOST_PICKLE_BYTES = 2 << 20, MOST_DIMS = 8, NAME_BYTES = 512, PLACE_BYTES = 256 };

struct torch_file {
    struct zip_file zip;
    char place[PLACE_BYTES]; /* "NAME/" of the entries */
    const uint8_t *pickle;   /* [len] */
    size_t len, at;          /* at: of the next byte */
    struct value *values;
    uint32_t *stack, *memo;
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

_Noreturn static void pickle_die(const struct torch_file *file, const char *what)
{
    program_die("%s: %s at byte %zu of the pickle", file->zip.name, what, file->at);
}

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

/* Pushes a new value. */
static struct value *push(struct torch_file *file, enum value_kind kind, int64_t number)
{
    struct value *value = &file->values[file->n_values];
    *value = (struct value){.kind = kind, .number = number};
    file->stack[file->n_stack++] = (uint32_t)file->n_values++;
    return value;
}

/* Returns the value below `depth` others. */
static struct value *top(const struct torch_file *file, size_t depth)
{
    if (depth >= file->n_stack)
        pickle_die(file, "a value is missing on the stack");
    return &file->values[file->stack[file->n_stack - 1 - depth]];
}

/* Pops the n values on top of the stack, in their order, into the items of another. */
static void pop_into(struct torch_file *file, size_t n, struct value *value)
{
    if (n > file->n_stack)
        pickle_die(file, "a value is missing on the stack");
    if (value->n + n > value->cap) {
        value->cap = 2 * value->cap + n + 8;
        value->items = alloc_resize(value->items, value->cap, sizeof *value->items);
    }
    file->n_stack -= n;
    if (n > 0)
        memcpy(value->items + value->n, file->stack + file->n_stack, n * sizeof *value->items);
    value->n += n;
}

/* Counts the values above the last mark, and removes the mark below them. */
static size_t remove_mark(struct torch_file *file)
{
    size_t n = 0;
    while (top(file, n)->kind != VALUE_MARK)
        n++;
    uint32_t *mark = &file->stack[file->n_stack - 1 - n];
    memmove(mark, mark + 1, n * sizeof *mark);
    file->n_stack--;
    return n;
}

/* Replaces the n values on top of the stack, and `below` values under them, by one that holds the
 * n. */
static void collect(struct torch_file *file, size_t n, size_t below, struct value holder)
{
    pop_into(file, n, &holder);
    file->n_stack -= below;
    *push(file, holder.kind, 0) = holder;
}

static void make_tuple(struct torch_file *file, size_t n)
{
    collect(file, n, 0, (struct value){.kind = VALUE_TUPLE});
}

/* Moves the n values on top of the stack into the list or dictionary below them. */
static void add_items(struct torch_file *file, size_t n, enum value_kind kind)
{
    struct value *target = top(file, n);
    bool is_paired = kind == VALUE_DICTIONARY;
    if (target->kind != kind && !(is_paired && target->kind == VALUE_CALL))
        pickle_die(file, "items are put into what holds none");
    if (is_paired && n % 2 != 0)
        pickle_die(file, "a key has no value");
    pop_into(file, n, target);
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
    for (size_t i = 0; FUNCTIONS[i] != NULL; i++)
        if (strcmp(found, FUNCTIONS[i]) == 0 && strlen(found) == length[0] + 1 + length[1]) {
            push(file, VALUE_FUNCTION, (int64_t)i);
            return;
        }
    program_die("%s: '%.*s.%.*s' at byte %zu of the pickle; expected the tensors of a state "
                "dictionary and nothing else (it is not executed)",
                file->zip.name, module_len, module, name_len, name, begin);
}

static void make_call(struct torch_file *file)
{
    if (top(file, 0)->kind != VALUE_TUPLE || top(file, 1)->kind != VALUE_FUNCTION)
        pickle_die(file, "a call of something that is not a function");
    collect(file, 1, 1, (struct value){.kind = VALUE_CALL, .number = top(file, 1)->number});
}

static void make_outside(struct torch_file *file)
{
    if (top(file, 0)->kind != VALUE_TUPLE)
        pickle_die(file, "a persistent id that is not a tuple");
    collect(file, 1, 0, (struct value){.kind = VALUE_OUTSIDE});
}

/* Drops attributes of an object: torch stores versions of modules there, which change no number. */
static void drop_attributes(struct torch_file *file)
{
    if (top(file, 1)->kind != VALUE_CALL || top(file, 0)->kind != VALUE_DICTIONARY)
        pickle_die(file, "attributes of a value that has none");
    file->n_stack--;
}

/* Copies the top of the stack into the memo, whose numbers are given in order. */
static void store_in_memo(struct torch_file *file, uint64_t number)
{
    if (top(file, 0)->kind == VALUE_MARK || number > file->n_memo)
        pickle_die(file, "a number of the memo that is not the next");
    file->memo[number] = file->stack[file->n_stack - 1];
    file->n_memo += number == file->n_memo;
}

static void push_from_memo(struct torch_file *file, uint64_t number)
{
    if (number >= file->n_memo)
        pickle_die(file, "a number of the memo that was not given");
    file->stack[file->n_stack++] = file->memo[number];
}

static void run_opcode(struct torch_file *file, uint8_t opcode)
{
    struct value *value;
    switch (opcode) {
    case 0x80:
        if (read_number(file, 1) != 2)
            program_die(
                "%s: another protocol; expected 2, that of torch.save, at byte %zu of the pickle",
                file->zip.name, file->at - 1);
        break;
    case '(': push(file, VALUE_MARK, 0); break;
    case 'N': push(file, VALUE_NONE, 0); break;
    case 0x88: push(file, VALUE_BOOL, 1); break;
    case 0x89: push(file, VALUE_BOOL, 0); break;
    case 'K': push(file, VALUE_NUMBER, (int64_t)read_number(file, 1)); break;
    case 'M': push(file, VALUE_NUMBER, (int64_t)read_number(file, 2)); break;
    case 'J': push(file, VALUE_NUMBER, read_signed(file, 4)); break;
    case 0x8A: push(file, VALUE_NUMBER, read_signed(file, (size_t)read_number(file, 1))); break;
    case 'G': read_bytes(file, 8), push(file, VALUE_REAL, 0); break;
    case 'X':
        value = push(file, VALUE_TEXT, 0);
        value->n = (size_t)read_number(file, 4);
        value->text = (const char *)read_bytes(file, value->n);
        break;
    case ')': push(file, VALUE_TUPLE, 0); break;
    case ']': push(file, VALUE_LIST, 0); break;
    case '}': push(file, VALUE_DICTIONARY, 0); break;
    case 't': make_tuple(file, remove_mark(file)); break;
    case 0x85: make_tuple(file, 1); break;
    case 0x86: make_tuple(file, 2); break;
    case 0x87: make_tuple(file, 3); break;
    case 'a': add_items(file, 1, VALUE_LIST); break;
    case 'e': add_items(file, remove_mark(file), VALUE_LIST); break;
    case 's': add_items(file, 2, VALUE_DICTIONARY); break;
    case 'u': add_items(file, remove_mark(file), VALUE_DICTIONARY); break;
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

/* Runs the pickle to its last byte. Returns the value that is left on the stack. Each opcode makes
 * one value at most, pushes one on the stack and one into the memo, so a pickle of n bytes needs
 * room for n of each. */
static const struct value *run_pickle(struct torch_file *file)
{
    static const uint8_t STOP = '.';
    uint8_t opcode;
    file->values = alloc_zeros(file->len, sizeof *file->values);
    file->stack = alloc_zeros(file->len, sizeof *file->stack);
    file->memo = alloc_zeros(file->len, sizeof *file->memo);
    while ((opcode = *read_bytes(file, 1)) != STOP)
        run_opcode(file, opcode);
    if (file->at != file->len || file->n_stack != 1)
        pickle_die(file, "it stops with bytes or values left over,");
    return top(file, 0);
}

/* ---- A tensor ---- */

#define torch_die(file, tensor, what)                                                              \
    program_die("%s: tensor '%.200s' %s", (file)->zip.name, tensor, what)

/* Returns an item of a value, or NULL where it has no such item or is not of that kind. */
static const struct value *item(const struct torch_file *file, const struct value *value,
                                enum value_kind kind, size_t index)
{
    if (value == NULL || value->kind != kind || value->items == NULL || index >= value->n)
        return NULL;
    return &file->values[value->items[index]];
}

/* Copies a text; false if the value is another, has a NUL, or is too long. */
static bool read_text(const struct value *value, char text[NAME_BYTES])
{
    if (value == NULL || value->kind != VALUE_TEXT || value->n >= NAME_BYTES ||
        (value->n > 0 && memchr(value->text, '\0', value->n) != NULL))
        return false;
    snprintf(text, NAME_BYTES, "%.*s", (int)value->n, value->n > 0 ? value->text : "");
    return true;
}

/* Reads a whole number from 0 to 2^53. */
static bool read_whole(const struct value *value, uint64_t *number)
{
    if (value == NULL || value->kind != VALUE_NUMBER || value->number < 0 ||
        value->number > INT64_C(1) << 53)
        return false;
    *number = (uint64_t)value->number;
    return true;
}

/* ('storage', torch.FloatStorage, '0', 'cpu', 6): NAME/data/0 holds 6 numbers. */
static struct zip_entry *find_storage(const struct torch_file *file, const char *name,
                                      const struct value *outside,
                                      const struct storage_type **storage, uint64_t *n)
{
    const struct value *said = item(file, outside, VALUE_OUTSIDE, 0);
    const struct value *type = item(file, said, VALUE_TUPLE, 1);
    char word[NAME_BYTES] = "", key[NAME_BYTES], record[PLACE_BYTES];
    if (!read_text(item(file, said, VALUE_TUPLE, 0), word) || strcmp(word, "storage") != 0 ||
        type == NULL || type->kind != VALUE_FUNCTION || type->number < FIRST_STORAGE ||
        !read_text(item(file, said, VALUE_TUPLE, 2), key) || strlen(key) > 100 ||
        !read_whole(item(file, said, VALUE_TUPLE, 4), n))
        torch_die(file, name, "has no storage that is ('storage', type, key, place, length)");
    snprintf(record, sizeof record, "data/%.100s", key);
    *storage = &STORAGES[type->number - FIRST_STORAGE];
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
static struct shape read_shape(const struct torch_file *file, const char *name,
                               const struct value *sizes, const struct value *strides)
{
    struct shape shape = {.n = 1};
    uint64_t steps[MOST_DIMS], expected = 1;
    if (sizes == NULL || sizes->kind != VALUE_TUPLE || sizes->n > MOST_DIMS || strides == NULL ||
        strides->kind != VALUE_TUPLE || strides->n != sizes->n)
        torch_die(file, name, "has a shape that is not a tuple of at most 8, or other strides");
    shape.n_dims = sizes->n;
    for (size_t i = 0; i < shape.n_dims; i++)
        if (!read_whole(item(file, sizes, VALUE_TUPLE, i), &shape.sizes[i]) ||
            !read_whole(item(file, strides, VALUE_TUPLE, i), &steps[i]) ||
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
static const struct value *arguments_of(const struct torch_file *file, const struct value *value,
                                        int64_t function)
{
    bool is_call = value != NULL && value->kind == VALUE_CALL && value->number == function;
    return is_call ? item(file, value, VALUE_CALL, 0) : NULL;
}

/* _rebuild_tensor_v2(storage, first, sizes, strides, requires_grad, hooks, metadata), or
 * _rebuild_parameter(tensor, requires_grad, hooks) of such a tensor. Gradients and hooks change no
 * number; metadata may. */
static json_t *describe_tensor(const struct torch_file *file, const char *name,
                               const struct value *value)
{
    const struct value *parameter = arguments_of(file, value, PARAMETER);
    const struct value *said = arguments_of(
        file, parameter != NULL ? item(file, parameter, VALUE_TUPLE, 0) : value, TENSOR);
    const struct storage_type *storage;
    uint64_t first, n;
    if (said == NULL)
        torch_die(file, name, "is something else; expected a dictionary of tensors alone");
    const struct zip_entry *entry =
        find_storage(file, name, item(file, said, VALUE_TUPLE, 0), &storage, &n);
    struct shape shape =
        read_shape(file, name, item(file, said, VALUE_TUPLE, 2), item(file, said, VALUE_TUPLE, 3));
    const struct value *metadata = item(file, said, VALUE_TUPLE, 6);
    if (metadata != NULL && metadata->kind != VALUE_NONE &&
        (metadata->kind != VALUE_DICTIONARY || metadata->n > 0))
        torch_die(file, name, "has metadata (a conjugate or a negative view); expected none");
    if (!read_whole(item(file, said, VALUE_TUPLE, 1), &first) || first > n || shape.n > n - first)
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

static json_t *describe_tensors(const struct torch_file *file, const struct value *root)
{
    json_t *header = json_object();
    char name[NAME_BYTES];
    const struct value *arguments = arguments_of(file, root, ORDERED_DICTIONARY);
    size_t first = arguments != NULL ? 1 : 0;
    if (arguments != NULL ? arguments->n > 0 : root->kind != VALUE_DICTIONARY)
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
