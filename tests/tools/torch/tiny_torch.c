/* tiny_torch.c - see tiny_torch.h. */
#include "tests/tools/torch/tiny_torch.h"

#include "tests/support.h"
#include "tools/common/crc32.h"

#include <string.h>

void tiny_put(struct tiny_bytes *to, const void *bytes, size_t len)
{
    assert_true(len <= sizeof to->bytes - to->len);
    memcpy(to->bytes + to->len, bytes, len);
    to->len += len;
}

void tiny_put_number(struct tiny_bytes *to, uint64_t number, size_t n)
{
    for (size_t i = 0; i < n; i++, number >>= 8) {
        uint8_t byte = (uint8_t)number;
        tiny_put(to, &byte, 1);
    }
}

/* ---- The pickle ---- */

#define PUT(to, text) tiny_put(to, text, sizeof(text) - 1)

void tiny_pickle_begin(struct tiny_bytes *pickle)
{
    pickle->len = 0;
    PUT(pickle, "\x80\2ccollections\nOrderedDict\nq\x00)Rq\x01(");
}

void tiny_pickle_text(struct tiny_bytes *pickle, const char *text)
{
    PUT(pickle, "X");
    tiny_put_number(pickle, strlen(text), 4);
    tiny_put(pickle, text, strlen(text));
}

static void put_number(struct tiny_bytes *pickle, int number)
{
    PUT(pickle, "J");
    tiny_put_number(pickle, (uint64_t)(int64_t)number, 4);
}

static void put_tuple(struct tiny_bytes *pickle, const int *numbers, int n)
{
    PUT(pickle, "(");
    for (int i = 0; i < n; i++)
        put_number(pickle, numbers[i]);
    PUT(pickle, "t");
}

void tiny_pickle_tensor(struct tiny_bytes *pickle, const struct tiny_tensor *tensor)
{
    tiny_pickle_text(pickle, tensor->name);
    PUT(pickle, "ctorch._utils\n_rebuild_tensor_v2\n((");
    tiny_pickle_text(pickle, "storage");
    PUT(pickle, "ctorch\n");
    tiny_put(pickle, tensor->storage, strlen(tensor->storage));
    PUT(pickle, "\n");
    tiny_pickle_text(pickle, tensor->key);
    tiny_pickle_text(pickle, "cpu");
    put_number(pickle, tensor->n_stored);
    PUT(pickle, "tQ");
    put_number(pickle, tensor->first);
    put_tuple(pickle, tensor->sizes, tensor->n_dims);
    put_tuple(pickle, tensor->strides, tensor->n_dims);
    PUT(pickle, "\x89h\x00)RtR");
}

void tiny_pickle_end(struct tiny_bytes *pickle)
{
    PUT(pickle, "u}");
    tiny_pickle_text(pickle, "_metadata");
    PUT(pickle, "h\x00)Rsb.");
}

/* ---- The archive ---- */

static const uint64_t IN_16 = 0xFFFF, IN_32 = 0xFFFFFFFF;

static void put_header(struct tiny_bytes *file, const struct tiny_entry *entry)
{
    PUT(file, "PK\x03\x04\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00");
    tiny_put_number(file, crc32_add(0, entry->data, entry->len), 4);
    tiny_put_number(file, entry->len, 4);
    tiny_put_number(file, entry->len, 4);
    tiny_put_number(file, strlen(entry->name), 2);
    tiny_put_number(file, 4, 2); /* an extra field, as torch aligns data */
    tiny_put(file, entry->name, strlen(entry->name));
    PUT(file, "FB\x00\x00");
    tiny_put(file, entry->data, entry->len);
}

static void put_directory_entry(struct tiny_bytes *file, const struct tiny_entry *entry,
                                uint64_t begin, bool is_64)
{
    PUT(file, "PK\x01\x02\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00");
    tiny_put_number(file, crc32_add(0, entry->data, entry->len), 4);
    tiny_put_number(file, is_64 ? IN_32 : entry->len, 4);
    tiny_put_number(file, is_64 ? IN_32 : entry->len, 4);
    tiny_put_number(file, strlen(entry->name), 2);
    tiny_put_number(file, is_64 ? 4 + 4 + 24 : 0, 2);
    tiny_put_number(file, 0, 10);
    tiny_put_number(file, is_64 ? IN_32 : begin, 4);
    tiny_put(file, entry->name, strlen(entry->name));
    if (!is_64)
        return;
    PUT(file, "FB\x00\x00\x01\x00\x18\x00");
    tiny_put_number(file, entry->len, 8);
    tiny_put_number(file, entry->len, 8);
    tiny_put_number(file, begin, 8);
}

static void put_end64(struct tiny_bytes *file, size_t n, uint64_t directory, uint64_t len)
{
    uint64_t begin = file->len;
    PUT(file, "PK\x06\x06");
    tiny_put_number(file, 44, 8);
    tiny_put_number(file, 0, 12);
    tiny_put_number(file, n, 8);
    tiny_put_number(file, n, 8);
    tiny_put_number(file, len, 8);
    tiny_put_number(file, directory, 8);
    PUT(file, "PK\x06\x07\x00\x00\x00\x00");
    tiny_put_number(file, begin, 8);
    tiny_put_number(file, 1, 4);
}

void tiny_zip(struct tiny_bytes *file, const struct tiny_entry *entries, size_t n, bool is_64)
{
    enum { MOST = 16 };
    uint64_t begins[MOST];
    assert_true(n <= MOST);
    file->len = 0;
    for (size_t i = 0; i < n; i++) {
        begins[i] = file->len;
        put_header(file, &entries[i]);
    }
    uint64_t directory = file->len;
    for (size_t i = 0; i < n; i++)
        put_directory_entry(file, &entries[i], begins[i], is_64);
    uint64_t len = file->len - directory;
    if (is_64)
        put_end64(file, n, directory, len);
    PUT(file, "PK\x05\x06\x00\x00\x00\x00");
    tiny_put_number(file, is_64 ? IN_16 : n, 2);
    tiny_put_number(file, is_64 ? IN_16 : n, 2);
    tiny_put_number(file, is_64 ? IN_32 : len, 4);
    tiny_put_number(file, is_64 ? IN_32 : directory, 4);
    tiny_put_number(file, 0, 2);
}

void tiny_torch(struct tiny_bytes *file, const struct tiny_bytes *pickle)
{
    float numbers[24];
    for (int i = 0; i < 24; i++)
        numbers[i] = (float)i;
    const struct tiny_entry entries[] = {
        {"x/data.pkl", pickle->bytes, pickle->len},
        {"x/byteorder", "little", 6},
        {"x/data/0", numbers, sizeof numbers},
        {"x/version", "3\n", 2},
    };
    tiny_zip(file, entries, sizeof entries / sizeof entries[0], false);
}

void tiny_torch_sound(struct tiny_bytes *file)
{
    static struct tiny_bytes pickle;
    static const struct tiny_tensor tensors[] = {
        {"matrix", "FloatStorage", "0", 24, 0, {6, 4}, {4, 1}, 2},
        {"shared", "FloatStorage", "0", 24, 8, {16}, {1}, 1},
        {"transposed", "FloatStorage", "0", 24, 4, {4, 5}, {1, 4}, 2},
    };
    tiny_pickle_begin(&pickle);
    for (size_t i = 0; i < sizeof tensors / sizeof tensors[0]; i++)
        tiny_pickle_tensor(&pickle, &tensors[i]);
    tiny_pickle_end(&pickle);
    tiny_torch(file, &pickle);
}
