/* vector_files.c - see vector_files.h. An array is a magic string, a version, the header's length,
 * and the header, a Python dict (https://numpy.org/neps/nep-0001-npy-format.html):
 *
 *     {'descr': '<f4', 'fortran_order': False, 'shape': (3, 384), }
 *
 * With other quotes, brackets and words it is JSON, which jansson reads strictly. */
#include "tools/search/vector_files.h"

#include "tools/common/crc32.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Arrays of NumPy, alone or in an archive ---- */

enum { HEADER_MOST = 64 << 10 }; /* NumPy's own limit is 10,000 */
enum { NPY_TYPE_BYTES = 96, NPY_MOST_DIMENSIONS = 4 };

struct npy {
    const struct mapped *file;
    const char *member; /* of an archive; or NULL */
    /* The dtype as JSON without blanks: "<f4", with its quotes, or [["scale","<f4"],…]. */
    char type[NPY_TYPE_BYTES];
    size_t n_dimensions, shape[NPY_MOST_DIMENSIONS];
    size_t n_items;    /* the product of the shape */
    const char *items; /* after the header, not aligned */
    size_t n_bytes;    /* from items to the end */
};

/* Ends the program with the message "'x.npy' …" or "data.npy in 'x.npz' …". */
static const char *npy_title(const struct npy *npy)
{
    const char *member = npy->member;
    return alloc_text("%s%s'%s'", member ? member : "", member ? " in " : "", npy->file->path);
}
#define npy_die(npy, ...) file_die(npy_title(npy), " " __VA_ARGS__)

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

/* Checks that items of so many bytes fill the rest of the file or member. */
static void npy_check_bytes(const struct npy *npy, size_t item_bytes)
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
        const size_t name_len = (size_t)little_endian(header + 26, 2);
        const size_t extra_len = (size_t)little_endian(header + 28, 2);
        const size_t head_len = LOCAL_BYTES + name_len + extra_len, rest = file->len - offset;
        const char *extra = header + LOCAL_BYTES + name_len;
        if (little_endian(header + 6, 2) % 16 >= 8 || little_endian(header + 8, 2) != 0)
            npy_die(&archive, "is compressed, and arrays are mapped as they are; in SciPy: "
                              "save_npz(path, a, compressed=False)");
        uint64_t bytes = little_endian(header + 22, 4);
        if (head_len <= rest && bytes == UINT32_MAX && extra_len >= 12 &&
            little_endian(extra, 2) == ZIP64)
            bytes = little_endian(extra + 4, 8);
        if (head_len > rest || bytes > rest - head_len)
            npy_die(&archive, "is cut off");
        *n_bytes = (size_t)bytes;
        if (name_len == strlen(name) && memcmp(header + LOCAL_BYTES, name, name_len) == 0) {
            *crc = (uint32_t)little_endian(header + 14, 4);
            return header + head_len;
        }
        offset += head_len + *n_bytes;
    }
    return NULL;
}

/* Reads the header of a file of one array, or of a member of an .npz archive, which must not be
 * compressed. */
static struct npy npy_read(const struct mapped *file, const char *member)
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
    const size_t begin = data[6] == 1 ? 10 : 12;
    const size_t dict_len = (size_t)little_endian(data + 8, begin - 8);
    if (dict_len > len - begin || dict_len > HEADER_MOST)
        npy_die(&npy, "is cut off: its header has %zu bytes, and there are %zu", begin + dict_len,
                len);
    npy.items = data + begin + dict_len;
    npy.n_bytes = len - begin - dict_len;
    read_dict(&npy, data + begin, dict_len);
    return npy;
}

/* ---- One array: a row for each text ---- */

/* Finds the engine's type for a dtype; returns ENGINE_BINARY + 1 if rows of vectors have another. A
 * dtype of int8 has the number of columns. */
static int find_element(const char *type, size_t *columns)
{
    static const char *const types[] = {"\"<f4\"", "\"<f2\"", NULL, "\"|u1\""};
    int element = ENGINE_F32, len = 0;
    sscanf(type, "[[\"scale\",\"<f4\"],[\"values\",\"%*[|i1]\",[%zu]]]%n", columns, &len);
    if (len > 0 && type[len] == '\0' && *columns > 0)
        return ENGINE_INT8;
    while (element <= ENGINE_BINARY && !(types[element] && strcmp(types[element], type) == 0))
        element++;
    return element;
}

static void open_array(struct vectors *vectors)
{
    const struct npy npy = npy_read(&vectors->file, NULL);
    size_t columns = 0;
    const int element = find_element(npy.type, &columns);
    const bool is_int8 = element == ENGINE_INT8;
    if (element > ENGINE_BINARY)
        npy_die(&npy,
                "holds %s; float32, float16, and the int8 and the packed bits of encode --type are "
                "searched. In NumPy: np.save(path, a.astype(np.float32))",
                npy.type);
    if (npy.n_dimensions != (is_int8 ? 1 : 2) || (!is_int8 && npy.shape[1] == 0))
        npy_die(&npy,
                "is an array of %zu dimension%s%s, and rows of vectors are [N, D]: encode -p model "
                "-f npy",
                npy.n_dimensions, plural(npy.n_dimensions),
                npy.n_dimensions == 2 ? " without columns" : "");
    vectors->n = vectors->n_rows = npy.shape[0];
    vectors->width = is_int8 ? columns : npy.shape[1];
    vectors->rows =
        (engine_vectors){npy.items, vectors->n, vectors->width, (engine_element)element};
    npy_check_bytes(&npy, engine_row_bytes(vectors->rows.type, is_int8 ? vectors->width : 1));
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

/* Reads a weight. In the file nothing is aligned. */
static engine_weight read_weight(const struct vectors *vectors, size_t i)
{
    engine_weight weight;
    memcpy(&weight.id, vectors->ids + i * sizeof weight.id, sizeof weight.id);
    memcpy(&weight.weight, vectors->values + i * sizeof weight.weight, sizeof weight.weight);
    return weight;
}

static void open_sparse(struct vectors *vectors)
{
    const struct npy values = open_member(vectors, "data.npy", "\"<f4\"", 4, 1);
    const struct npy ids = open_member(vectors, "indices.npy", "\"<i4\"", 4, 1);
    const struct npy shape = open_member(vectors, "shape.npy", "\"<i8\"", 8, 1);
    const struct npy format = open_member(vectors, "format.npy", "\"|S3\"", 3, 0);
    const struct npy starts = open_member(vectors, "indptr.npy", "\"<i8\"", 8, 1);
    bool are_ids = true, are_finite = true;
    vectors->starts = starts.items;
    bool rises = starts.n_items > 0 && vectors_start(vectors, 0) == 0 &&
                 vectors_start(vectors, starts.n_items - 1) == values.n_items;
    for (size_t i = 1; rises && i < starts.n_items; i++)
        rises = vectors_start(vectors, i - 1) <= vectors_start(vectors, i);
    if (!rises)
        npy_die(&starts, "does not rise from 0 to the %zu entries", values.n_items);
    vectors->n = vectors->n_rows = starts.n_items - 1;
    vectors->kind = VECTORS_SPARSE;
    vectors->values = values.items;
    vectors->ids = ids.items;
    if (memcmp(format.items, "csr", 3) != 0 || ids.n_items != values.n_items || shape.n_items != 2)
        npy_die(&(struct npy){.file = &vectors->file},
                "is not a CSR matrix as scipy.sparse.save_npz writes it");
    memcpy(&vectors->width, shape.items + 8, sizeof vectors->width);
    for (size_t i = 0; i < ids.n_items; i++) {
        const engine_weight weight = read_weight(vectors, i);
        are_ids &= weight.id >= 0 && (size_t)weight.id < vectors->width;
        are_finite &= isfinite(weight.weight) != 0;
    }
    if (!are_ids)
        npy_die(&ids, "has ids that are not among its %zu columns", vectors->width);
    if (!are_finite)
        npy_die(&values, "has NaN or an infinity");
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
    size_t *starts = alloc_zeros(n_rows + 1, sizeof *starts); /* texts touch the first few */
    size_t n = 1, row = 1;
    for (; line < end; row++)
        if (pass_line(&line, end) && row < n_rows)
            starts[n++] = row;
    if (row != n_rows)
        npy_die(&(struct npy){.file = &vectors->file},
                "has %zu rows of %s, and its rows file has %zu tokens", n_rows,
                vectors_kind_name(vectors), row);
    starts[n] = n_rows;
    vectors->kind = VECTORS_TOKENS;
    vectors->text_starts = starts;
    vectors->n = n;
}

/* ---- Files ---- */

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
    free(vectors->text_starts);
    vectors->text_starts = NULL;
}

const char *vectors_kind_name(const struct vectors *vectors)
{
    static const char *const names[][2] = {{"f32", "vectors of tokens"},
                                           {"f16", "f16 vectors of tokens"},
                                           {"int8", "int8 vectors of tokens"},
                                           {"binary", "binary vectors of tokens"}};
    return vectors->kind == VECTORS_SPARSE
               ? "sparse"
               : names[vectors->rows.type][vectors->text_starts != NULL];
}

void vectors_check_width(struct vectors *vectors, const struct text_encoder *encoder)
{
    const struct npy whole = {.file = &vectors->file};
    const size_t columns = encoder->width;
    const bool are_bits = vectors->rows.type == ENGINE_BINARY;
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
            "has rows of %zu columns%s, and '%s' makes vectors of %zu: both must be of one model%s",
            found, packed, encoder->info.path, columns,
            may_be_cut ? "; if encode --dimensions N cut them, use that here, too" : "");
}

/* ---- Searching ---- */

void hits_merge(engine_hit *best, const engine_hit *found, uint64_t first_row, size_t k,
                engine_hit *scratch)
{
    const engine_hit *a = best, *b = found;
    for (size_t i = 0; i < k; i++) {
        const bool is_b = b->row != UINT64_MAX && (a->row == UINT64_MAX || b->score > a->score);
        scratch[i] = is_b ? *b++ : *a++;
        scratch[i].row += is_b ? first_row : 0;
    }
    memcpy(best, scratch, k * sizeof *best);
}

/* Searches the rows, or their texts. Those without scores are errors or skipped. */
static void search_rows(struct vectors *vectors, const float *queries, size_t n, size_t k,
                        engine_search_options options, engine_hit *out)
{
    engine_error error = {0};
    if (vectors->skips_rows)
        options.n_skipped = &vectors->n_skipped;
    const engine_status status =
        engine_search(&vectors->rows, queries, n, k, &options, out, &error);
    if (status == ENGINE_ERROR_NOT_FINITE)
        program_die("'%s': %s with --on-error skip", vectors->file.path, error.message);
    if (status != ENGINE_OK)
        program_die("%s", error.message);
}

/* ---- Sparse weights: parts of the rows are indexed by the ids that a query has, and searched. So
 * ---- memory does not grow with the file, and one query costs no more than reading it ---- */

enum { PART_ROWS = 8192 };

/* Makes an index of rows begin to end - 1. Returns false without memory. */
static bool index_rows(const struct vectors *vectors, const bool *is_asked, size_t begin,
                       size_t end, engine_index_builder *builder, engine_index *index)
{
    const size_t most = vectors_start(vectors, end) - vectors_start(vectors, begin);
    engine_weight *weights = malloc((1 + most) * sizeof *weights);
    bool is_good = weights != NULL;
    for (size_t row = begin; row < end && is_good; row++) {
        const size_t stop = vectors_start(vectors, row + 1);
        size_t n = 0;
        for (size_t i = vectors_start(vectors, row); i < stop; i++) {
            weights[n] = read_weight(vectors, i);
            n += is_asked[weights[n].id];
        }
        is_good = engine_index_add_weights(builder, weights, n, NULL) == ENGINE_OK;
    }
    free(weights);
    return is_good && engine_index_bytes(builder, 0, &index->bytes, &index->len, NULL) == 0 &&
           engine_index_open(index, NULL) == ENGINE_OK;
}

/* Finds the best rows for n queries, and k of each: out [n, k]. */
static void search_sparse(const struct vectors *vectors, const struct text_encoder *encoder,
                          const struct item *items, size_t n, size_t k, engine_hit *out)
{
    const int n_threads = (int)engine_session_threads(encoder->session);
    const size_t width = vectors->width;
    size_t *starts = alloc_zeros(n + 1, sizeof *starts);
    for (size_t i = 0; i < n; i++)
        starts[i + 1] = starts[i] + engine_sparse_entries(items[i].rows, width, NULL, 0);
    engine_weight *weights = alloc_zeros(starts[n], sizeof *weights);
    bool *is_asked = alloc_zeros(width, sizeof *is_asked), is_good = true;
    for (size_t i = 0; i < n; i++)
        engine_sparse_entries(items[i].rows, width, weights + starts[i], starts[i + 1] - starts[i]);
    for (size_t i = 0; i < starts[n]; i++)
        is_asked[weights[i].id] = true;
    for (size_t i = 0; i < n * k; i++)
        out[i] = (engine_hit){UINT64_MAX, -INFINITY};
#pragma omp parallel for ordered schedule(dynamic, 1) num_threads(n_threads) reduction(&& : is_good)
    for (size_t begin = 0; begin < vectors->n; begin += PART_ROWS) {
        const size_t n_rows = vectors->n - begin < PART_ROWS ? vectors->n - begin : PART_ROWS;
        engine_hit *found = malloc((n + 1) * k * sizeof *found);
        engine_index_builder *builder = engine_index_new();
        engine_index index = {0};
        const engine_sparse_queries queries = {&index, weights, starts, NULL};
        const engine_search_options options =
            ENGINE_SEARCH_OPTIONS(.n_threads = 1, .sparse = &queries);
        is_good = is_good && found != NULL &&
                  index_rows(vectors, is_asked, begin, begin + n_rows, builder, &index) &&
                  engine_search(&(engine_vectors){.n = n_rows}, NULL, n, k, &options, found,
                                NULL) == ENGINE_OK;
#pragma omp ordered
        for (size_t i = 0; i < n && is_good; i++)
            hits_merge(out + i * k, found + i * k, begin, k, found + n * k);
        engine_index_free(builder);
        free(found);
    }
    if (!is_good)
        alloc_die();
    free(starts);
    free(weights);
    free(is_asked);
}

void vectors_search(struct vectors *vectors, const struct text_encoder *encoder,
                    const struct item *queries, size_t n, size_t k, engine_metric metric,
                    const engine_sparse_queries *words, engine_hit *out)
{
    engine_search_options options =
        ENGINE_SEARCH_OPTIONS(.metric = metric, .n_threads = encoder->request.session.n_threads,
                              .sparse = words);
    if (vectors->kind == VECTORS_ROWS)
        search_rows(vectors, queries[0].rows, n, k, options, out);
    else if (vectors->kind == VECTORS_SPARSE)
        search_sparse(vectors, encoder, queries, n, k, out);
    options.metric = ENGINE_METRIC_DOT;
    options.text_starts = vectors->text_starts;
    options.n_texts = vectors->n;
    for (size_t i = 0; i < n && vectors->kind == VECTORS_TOKENS; i++)
        search_rows(vectors, queries[i].rows, queries[i].n_tokens, k, options, out + i * k);
    for (size_t i = 0; i < n * k && vectors->kind == VECTORS_TOKENS; i++)
        if (out[i].row != UINT64_MAX)
            out[i].row = vectors->text_starts[out[i].row];
}
