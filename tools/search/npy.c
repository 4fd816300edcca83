/* npy.c - see npy.h. An array is a magic string, a version, the header's length, and the header, a
 * Python dict (https://numpy.org/neps/nep-0001-npy-format.html):
 *
 *     {'descr': '<f4', 'fortran_order': False, 'shape': (3, 384), }
 *
 * With other quotes, brackets and words it is JSON, which jansson reads strictly. */
#include "tools/search/npy.h"

#include "tools/common/alloc.h"
#include "tools/common/crc32.h"

#include <jansson.h>
#include <stdint.h>
#include <string.h>

enum { HEADER_MOST = 64 << 10 }; /* NumPy's own limit is 10,000 */

const char *npy_title(const struct npy *npy)
{
    const char *member = npy->member;
    return alloc_text("%s%s'%s'", member ? member : "", member ? " in " : "", npy->file->path);
}

static size_t little_endian(const char *bytes, size_t n)
{
    size_t value = 0;
    for (size_t i = n; i-- > 0;)
        value = value << 8 | (unsigned char)bytes[i];
    return value;
}

/* ---- Headers ---- */

/* Reads the dict as JSON: tuples become arrays; a comma before a closing bracket is removed. */
static json_t *parse_dict(const char *dict, size_t len)
{
    static const char PYTHON[] = "'()FT", JSON[] = "\"[]ft";
    char *text = alloc_zeros(len + 1, 1);
    size_t n = 0;
    for (size_t i = 0; i < len; i++) {
        const char *as = dict[i] != '\0' ? strchr(PYTHON, dict[i]) : NULL;
        char c = as != NULL ? JSON[as - PYTHON] : dict[i];
        if (c == ' ')
            continue;
        n -= n > 0 && strchr("]}", c) != NULL && text[n - 1] == ',';
        text[n++] = c;
    }
    json_t *value = json_loadb(text, n, JSON_REJECT_DUPLICATES, NULL);
    alloc_free(text);
    return value;
}

/* Reads the type and the shape from the dict. */
static void read_dict(struct npy *npy, const char *text, size_t len)
{
    json_t *dict = parse_dict(text, len), *n;
    const json_t *type = json_object_get(dict, "descr"), *shape = json_object_get(dict, "shape");
    const size_t type_len =
        json_dumpb(type, npy->type, sizeof npy->type - 1, JSON_ENCODE_ANY | JSON_COMPACT);
    bool is_good = json_object_size(dict) == 3 && type_len > 0 && type_len < sizeof npy->type &&
                   json_is_array(shape) && json_array_size(shape) <= NPY_MOST_DIMENSIONS;
    npy->n_items = 1;
    for (; is_good && npy->n_dimensions < json_array_size(shape); npy->n_dimensions++) {
        n = json_array_get(shape, npy->n_dimensions);
        is_good =
            json_is_integer(n) && json_integer_value(n) >= 0 &&
            !__builtin_mul_overflow(npy->n_items, (uint64_t)json_integer_value(n), &npy->n_items);
        npy->shape[npy->n_dimensions] = (size_t)json_integer_value(n);
    }
    if (!is_good)
        npy_die(npy, "has a header that is not {'descr': …, 'fortran_order': …, 'shape': …} of "
                     "an array that can be mapped");
    if (!json_is_false(json_object_get(dict, "fortran_order")))
        npy_die(npy, "is in Fortran order, column by column; in NumPy: np.save(path, "
                     "np.ascontiguousarray(a))");
    json_decref(dict);
}

void npy_check_bytes(const struct npy *npy, size_t item_bytes)
{
    size_t needed;
    if (__builtin_mul_overflow(npy->n_items, item_bytes, &needed) || needed > npy->n_bytes)
        npy_die(npy, "is cut off: %zu items of %zu bytes, and %zu bytes after its header",
                npy->n_items, item_bytes, npy->n_bytes);
    if (needed < npy->n_bytes)
        npy_die(npy, "has %zu bytes after its %zu items", npy->n_bytes - needed, npy->n_items);
}

/* ---- Archives (zip: PKWARE's APPNOTE.TXT 6.3, 4.3.7 and 4.5.3) ---- */

enum { LOCAL_BYTES = 30, ZIP64 = 1 };

/* Returns the bytes of a member and their checksum; NULL if no member has that name. A length that
 * 32 bits do not hold is the first number of the member's extra field. */
static const char *find_member(const struct mapped *file, const char *name, size_t *n_bytes,
                               uint32_t *crc)
{
    const struct npy archive = {.file = file};
    size_t offset = 0;
    while (file->len - offset >= LOCAL_BYTES &&
           little_endian(file->data + offset, 4) == 0x04034B50) {
        const char *header = file->data + offset;
        const size_t name_len = little_endian(header + 26, 2);
        const size_t extra_len = little_endian(header + 28, 2);
        const size_t head_len = LOCAL_BYTES + name_len + extra_len, rest = file->len - offset;
        const char *extra = header + LOCAL_BYTES + name_len;
        if (little_endian(header + 6, 2) % 16 >= 8 || little_endian(header + 8, 2) != 0)
            npy_die(&archive, "is compressed, and arrays are mapped as they are; in SciPy: "
                              "save_npz(path, a, compressed=False)");
        *n_bytes = little_endian(header + 22, 4);
        if (head_len <= rest && *n_bytes == UINT32_MAX && extra_len >= 12 &&
            little_endian(extra, 2) == ZIP64)
            *n_bytes = little_endian(extra + 4, 8);
        if (head_len > rest || *n_bytes > rest - head_len)
            npy_die(&archive, "is cut off");
        if (name_len == strlen(name) && memcmp(header + LOCAL_BYTES, name, name_len) == 0) {
            *crc = (uint32_t)little_endian(header + 14, 4);
            return header + head_len;
        }
        offset += head_len + *n_bytes;
    }
    return NULL;
}

struct npy npy_read(const struct mapped *file, const char *member)
{
    struct npy npy = {.file = file, .member = member};
    size_t len = file->len;
    uint32_t crc = 0;
    const char *data = member ? find_member(file, member, &len, &crc) : file->data;
    if (!data)
        npy_die(&(struct npy){.file = file},
                "has no %s: it was not written by encode -p sparse -f npz", member);
    if (member && crc32_add(0, data, len) != crc)
        npy_die(&npy, "is damaged: its bytes do not have the checksum of the archive");
    if (len < 12 || memcmp(data, "\x93NUMPY", 6) != 0)
        npy_die(&npy, "is not an array of NumPy (.npy), as encode -f npy writes; name VECTORS "
                      "before TEXTS");
    if (data[6] < 1 || data[6] > 3 || data[7] != 0)
        npy_die(&npy, "has version %d.%d of NumPy's format; 1.0, 2.0 and 3.0 are read",
                (unsigned char)data[6], (unsigned char)data[7]);
    const size_t begin = data[6] == 1 ? 10 : 12, dict_len = little_endian(data + 8, begin - 8);
    if (dict_len > len - begin || dict_len > HEADER_MOST)
        npy_die(&npy, "is cut off: its header has %zu bytes, and there are %zu", begin + dict_len,
                len);
    npy.items = data + begin + dict_len;
    npy.n_bytes = len - begin - dict_len;
    read_dict(&npy, data + begin, dict_len);
    return npy;
}
