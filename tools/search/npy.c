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
#include <stdlib.h>
#include <string.h>

enum { HEADER_MOST = 64 << 10 }; /* NumPy's own limit is 10,000 */

const char *npy_title(const struct npy *npy)
{
    const char *member = npy->member;
    return alloc_text("%s%s'%s'", member ? member : "", member ? " in " : "", npy->file->path);
}

static size_t number(const char *bytes, size_t n)
{
    size_t value = 0;
    for (size_t i = n; i-- > 0;)
        value = value << 8 | (unsigned char)bytes[i];
    return value;
}

/* ---- Headers ---- */

/* The dict as JSON: tuples become arrays, and the comma before a closing bracket goes. */
static json_t *read_dict(const char *dict, size_t len)
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

static bool read_shape(const json_t *shape, struct npy *npy)
{
    npy->n_items = 1;
    npy->n_dimensions = json_array_size(shape);
    if (!json_is_array(shape) || npy->n_dimensions > NPY_MOST_DIMENSIONS)
        return false;
    for (size_t i = 0; i < npy->n_dimensions; i++) {
        const json_t *n = json_array_get(shape, i);
        if (!json_is_integer(n) || json_integer_value(n) < 0 ||
            __builtin_mul_overflow(npy->n_items, (uint64_t)json_integer_value(n), &npy->n_items))
            return false;
        npy->shape[i] = (size_t)json_integer_value(n);
    }
    return true;
}

static void read_members(const json_t *dict, struct npy *npy)
{
    const json_t *type = json_object_get(dict, "descr");
    size_t type_len =
        json_dumpb(type, npy->type, sizeof npy->type - 1, JSON_ENCODE_ANY | JSON_COMPACT);
    if (json_object_size(dict) != 3 || type_len == 0 || type_len >= sizeof npy->type ||
        !read_shape(json_object_get(dict, "shape"), npy))
        npy_die(npy, "has a header that is not {'descr': …, 'fortran_order': …, 'shape': …} of "
                     "an array that can be mapped");
    if (!json_is_false(json_object_get(dict, "fortran_order")))
        npy_die(npy, "is in Fortran order, column by column; in NumPy: np.save(path, "
                     "np.ascontiguousarray(a))");
}

static void read_array(struct npy *npy, const char *data, size_t len)
{
    if (len < 12 || memcmp(data, "\x93NUMPY", 6) != 0)
        npy_die(npy,
                "is no array of NumPy (.npy), as encode -f npy writes; VECTORS goes before TEXTS");
    if (data[6] < 1 || data[6] > 3 || data[7] != 0)
        npy_die(npy, "has version %d.%d of NumPy's format; 1.0, 2.0 and 3.0 are read",
                (unsigned char)data[6], (unsigned char)data[7]);
    const size_t begin = data[6] == 1 ? 10 : 12, dict_len = number(data + 8, begin - 8);
    if (dict_len > len - begin || dict_len > HEADER_MOST)
        npy_die(npy, "is cut off: its header has %zu bytes, and there are %zu", begin + dict_len,
                len);
    npy->items = data + begin + dict_len;
    npy->n_bytes = len - begin - dict_len;
    json_t *dict = read_dict(data + begin, dict_len);
    read_members(dict, npy);
    json_decref(dict);
}

void npy_check_bytes(const struct npy *npy, size_t item_bytes)
{
    size_t needed;
    if (__builtin_mul_overflow(npy->n_items, item_bytes, &needed) || needed > npy->n_bytes)
        npy_die(npy, "is cut off: %zu items of %zu bytes, and %zu bytes behind its header",
                npy->n_items, item_bytes, npy->n_bytes);
    if (needed < npy->n_bytes)
        npy_die(npy, "has %zu bytes behind its %zu items", npy->n_bytes - needed, npy->n_items);
}

/* ---- Archives (zip: PKWARE's APPNOTE.TXT 6.3, 4.3.7 and 4.5.3) ---- */

enum { LOCAL_BYTES = 30, ZIP64 = 1 };

/* The length of a member that 32 bits do not hold stands first in its extra field. */
static size_t member_len(const char *header, size_t name_len, size_t extra_len)
{
    const char *extra = header + LOCAL_BYTES + name_len;
    size_t len = number(header + 22, 4);
    bool is_wide = len == UINT32_MAX && extra_len >= 12 && number(extra, 2) == ZIP64;
    return is_wide ? number(extra + 4, 8) : len;
}

/* The bytes of a member and their checksum; NULL: there is none of that name. */
static const char *find_member(const struct mapped *file, const char *name, size_t *n_bytes,
                               uint32_t *crc)
{
    const struct npy archive = {.file = file};
    size_t at = 0;
    while (file->len - at >= LOCAL_BYTES && number(file->data + at, 4) == 0x04034B50) {
        const char *header = file->data + at;
        size_t name_len = number(header + 26, 2), extra_len = number(header + 28, 2);
        size_t head_len = LOCAL_BYTES + name_len + extra_len, rest = file->len - at;
        if (number(header + 6, 2) % 16 >= 8 || number(header + 8, 2) != 0)
            npy_die(&archive, "is compressed, and arrays are read where they lie; in SciPy: "
                              "save_npz(path, a, compressed=False)");
        *n_bytes = head_len <= rest ? member_len(header, name_len, extra_len) : 0;
        if (head_len > rest || *n_bytes > rest - head_len)
            npy_die(&archive, "is cut off");
        if (name_len == strlen(name) && memcmp(header + LOCAL_BYTES, name, name_len) == 0) {
            *crc = (uint32_t)number(header + 14, 4);
            return header + head_len;
        }
        at += head_len + *n_bytes;
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
                "has no %s: it is not what encode -p sparse -f npz writes", member);
    if (member && crc32_add(0, data, len) != crc)
        npy_die(&npy, "is damaged: its bytes do not have the checksum of the archive");
    read_array(&npy, data, len);
    return npy;
}
