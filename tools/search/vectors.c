/* vectors.c - see vectors.h. */
#include "tools/search/vectors.h"

#include "tools/search/npy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- One array: a row for each text ---- */

/* The columns of a row of int8, which its type has; 0: it is another type. */
static size_t int8_columns(const char *type)
{
    size_t columns = 0;
    int len = 0;
    sscanf(type, "[[\"scale\",\"<f4\"],[\"values\",\"%*[|i1]\",[%zu]]]%n", &columns, &len);
    return len > 0 && type[len] == '\0' ? columns : 0;
}

/* False: no row of vectors is of that type. */
static bool find_element(const char *type, engine_element *element)
{
    static const char *const types[] = {"\"<f4\"", "\"<f2\"", NULL, "\"|u1\""};
    for (engine_element i = ENGINE_F32; i <= ENGINE_BINARY; i++)
        if (types[i] ? strcmp(types[i], type) == 0 : int8_columns(type) > 0) {
            *element = i;
            return true;
        }
    return false;
}

static void open_array(struct vectors *vectors)
{
    const struct npy npy = npy_read(&vectors->file, NULL);
    engine_element element;
    if (!find_element(npy.type, &element))
        npy_die(&npy,
                "holds %s; float32, float16, and the int8 and the packed bits of encode --type are "
                "searched. In NumPy: np.save(path, a.astype(np.float32))",
                npy.type);
    const bool is_int8 = element == ENGINE_INT8;
    if (npy.n_dimensions != (is_int8 ? 1 : 2) || (!is_int8 && npy.shape[1] == 0))
        npy_die(&npy,
                "is an array of %zu dimension%s%s, and rows of vectors are [N, D]: encode -p model "
                "-f npy",
                npy.n_dimensions, plural(npy.n_dimensions),
                npy.n_dimensions == 2 ? " without columns" : "");
    vectors->n = vectors->n_rows = npy.shape[0];
    vectors->width = is_int8 ? int8_columns(npy.type) : npy.shape[1];
    vectors->rows = (engine_vectors){npy.items, vectors->n, vectors->width, element};
    npy_check_bytes(&npy, engine_row_bytes(element, is_int8 ? vectors->width : 1));
}

/* ---- An archive: entries of sparse weights ---- */

static struct npy open_member(const struct vectors *vectors, const char *name, const char *type,
                              size_t item_bytes, size_t n_dimensions)
{
    const struct npy npy = npy_read(&vectors->file, name);
    if (strcmp(npy.type, type) != 0 || npy.n_dimensions != n_dimensions)
        npy_die(&npy, "is %s in %zu dimensions, expected %s in %zu", npy.type, npy.n_dimensions,
                type, n_dimensions);
    npy_check_bytes(&npy, item_bytes);
    return npy;
}

size_t vectors_start(const struct vectors *vectors, size_t i)
{
    int64_t start;
    memcpy(&start, vectors->starts + i * sizeof start, sizeof start);
    return (size_t)start;
}

/* Where texts begin: from 0 on, up to the number of entries. */
static void open_starts(struct vectors *vectors, const char *name, size_t n_entries)
{
    const struct npy npy = open_member(vectors, name, "\"<i8\"", 8, 1);
    vectors->starts = npy.items;
    bool is_sound = npy.n_items > 0 && vectors_start(vectors, 0) == 0 &&
                    vectors_start(vectors, npy.n_items - 1) == n_entries;
    for (size_t i = 1; is_sound && i < npy.n_items; i++)
        is_sound = vectors_start(vectors, i - 1) <= vectors_start(vectors, i);
    if (!is_sound)
        npy_die(&npy, "does not rise from 0 to the %zu entries", n_entries);
    vectors->n = vectors->n_rows = npy.n_items - 1;
}

static void open_sparse(struct vectors *vectors)
{
    const struct npy values = open_member(vectors, "data.npy", "\"<f4\"", 4, 1);
    const struct npy ids = open_member(vectors, "indices.npy", "\"<i4\"", 4, 1);
    const struct npy shape = open_member(vectors, "shape.npy", "\"<i8\"", 8, 1);
    const struct npy format = open_member(vectors, "format.npy", "\"|S3\"", 3, 0);
    open_starts(vectors, "indptr.npy", values.n_items);
    vectors->kind = VECTORS_SPARSE;
    vectors->values = values.items;
    vectors->ids = ids.items;
    if (memcmp(format.items, "csr", 3) != 0 || ids.n_items != values.n_items || shape.n_items != 2)
        npy_die(&(struct npy){.file = &vectors->file},
                "is no CSR matrix as scipy.sparse.save_npz writes it");
    memcpy(&vectors->width, shape.items + 8, sizeof vectors->width);
}

/* ---- An array of vectors of tokens ---- */

/* Advances past a line of a rows file. Returns whether it is the first token of a text. */
static bool pass_line(const char **line, const char *end)
{
    static const char first[] = ", \"token\": 0}";
    const char *line_end = memchr(*line, '\n', (size_t)(end - *line));
    const size_t len = (size_t)((line_end ? line_end : end) - *line), n = sizeof first - 1;
    const bool is_first = len > n && memcmp(*line + len - n, first, n) == 0;
    *line = line_end ? line_end + 1 : end;
    return is_first;
}

void vectors_find_texts(struct vectors *vectors, const struct mapped *rows_file)
{
    const char *line = rows_file->data, *const end = line + rows_file->len;
    const size_t n_rows = vectors->n_rows;
    if (n_rows == 0 || vectors->kind != VECTORS_ROWS || !pass_line(&line, end))
        return;
    int64_t *starts = alloc_zeros(n_rows + 1, sizeof *starts); /* texts touch the first few */
    size_t n = 1, row = 1;
    for (; row < n_rows && line < end; row++)
        if (pass_line(&line, end))
            starts[n++] = (int64_t)row;
    if (row != n_rows || vectors->rows.type != ENGINE_F32)
        npy_die(&(struct npy){.file = &vectors->file},
                "has %zu rows of %s, and its rows file has %zu tokens; vectors of tokens are "
                "searched in f32",
                n_rows, vectors_kind_name(vectors), row);
    starts[n] = (int64_t)n_rows;
    vectors->kind = VECTORS_TOKENS;
    vectors->values = vectors->rows.rows;
    vectors->token_starts = starts;
    vectors->starts = (const char *)starts;
    vectors->n = n;
}

/* ---- All ---- */

void vectors_open(struct vectors *vectors, const char *path)
{
    *vectors = (struct vectors){.kind = VECTORS_ROWS};
    mapped_open(&vectors->file, path);
    const struct mapped *file = &vectors->file;
    if (file->len == 0)
        npy_die(&(struct npy){.file = file}, "is empty");
    if (file->len < 4 || memcmp(file->data, "PK\3\4", 4) != 0)
        open_array(vectors);
    else
        open_sparse(vectors);
}

void vectors_close(struct vectors *vectors)
{
    mapped_close(&vectors->file);
    free(vectors->token_starts);
    vectors->token_starts = NULL;
}

const char *vectors_kind_name(const struct vectors *vectors)
{
    static const char *const names[] = {"f32", "f16", "int8", "binary"};
    return vectors->kind == VECTORS_SPARSE   ? "sparse"
           : vectors->kind == VECTORS_TOKENS ? "vectors of tokens"
                                             : names[vectors->rows.type];
}

bool vectors_are_alike(const struct vectors *a, const struct vectors *b)
{
    const bool is_empty = a->n_rows == 0 || b->n_rows == 0;
    return a->width == b->width && a->rows.type == b->rows.type && (a->kind == b->kind || is_empty);
}

void vectors_fit(struct vectors *vectors, const struct encoder *encoder)
{
    const struct npy whole = {.file = &vectors->file};
    const size_t columns = encoder->width;
    const bool are_bits = vectors->kind == VECTORS_ROWS && vectors->rows.type == ENGINE_BINARY;
    const size_t found = vectors->width * (are_bits ? 8 : 1);
    const char *packed = are_bits ? " (packed bits)" : "";
    const bool may_be_cut = found < columns && !encoder->is_sparse;
    vectors->rows.width = columns;
    if (vectors->width == (are_bits ? engine_row_bytes(ENGINE_BINARY, columns) : columns))
        return;
    if (encoder->request.encode.dimensions > 0)
        npy_die(&whole, "has rows of %zu columns%s, and --dimensions cuts queries to %zu", found,
                packed, columns);
    npy_die(&whole,
            "has rows of %zu columns%s, and %s makes vectors of %zu: both must be of one model%s",
            found, packed, encoder->name, columns,
            may_be_cut ? "; if they were cut by encode --dimensions N, say so here, too" : "");
}
