/* printer_numpy.c - NumPy's file format: a header, then the rows, of the type that --type names, or
 * int32 where they are token ids. Texts of one length add a dimension to rows per token: [texts, N,
 * D].
 *
 * The header comes first and holds the number of rows, which is known last. Where the output can
 * seek, a header with 0 rows is written and written again at the end; else the rows wait in a
 * temporary file. In both cases memory does not grow with the input.
 *
 * And sparse weights as such arrays in one zip archive: data [entries], indices [entries], indptr
 * [texts + 1], shape, format, which scipy.sparse.load_npz reads as a CSR matrix [texts, ids], and
 * encode-search maps: so they are stored as they are, which few libraries for archives promise. An
 * archive has the size and the checksum of a file before its bytes, so the arrays are in temporary
 * files, too. Sizes are 64 bits wide everywhere (zip64), so that one way of writing serves any
 * size. Source: PKWARE's APPNOTE.TXT 6.3, 4.3 and 4.5.3.
 */
#include "tools/common/crc32.h"
#include "tools/encode/print/printer.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { COPY_BYTES = 64 << 10, HEADER_BYTES = 128, PREFIX_BYTES = 10 /* of the header */ };

/* The header, version 1.0: magic, its length, a Python dict that is padded with blanks
 * (https://numpy.org/neps/nep-0001-npy-format.html). descr: "<f4", or the fields
 * "[('scale', '<f4'), ...]"; shape: "3, 128", "3," or "". */
static void make_header(char out[HEADER_BYTES], const char *descr, const char *shape)
{
    char dict[HEADER_BYTES - PREFIX_BYTES];
    const char *quote = descr[0] == '[' ? "" : "'";
    int n =
        snprintf(dict, sizeof dict, "{'descr': %s%s%s, 'fortran_order': False, 'shape': (%s), }",
                 quote, descr, quote, shape);
    memset(out, ' ', HEADER_BYTES);
    memcpy(out, "\x93NUMPY\x01\x00\x76\x00", PREFIX_BYTES); /* 0x76 = 128 - 10 */
    memcpy(out + PREFIX_BYTES, dict, (size_t)n);
    out[HEADER_BYTES - 1] = '\n';
}

/* "[('scale', '<f4'), ...]" is one element with fields, so a row is no dimension. */
static bool write_header(const struct printer *printer)
{
    static const char *const TYPES[] = {"<f4", "<f2", NULL, "|u1"};
    const struct text_encoder *encoder = printer->encoder;
    const engine_element type = printer->npy.type;
    const bool are_ids = encoder->request.task == TASK_TOKENS;
    const size_t n = encoder->padding.n, n_rows = *printer->n_array_rows, width = encoder->width;
    const bool are_padded = n && (are_ids || !encoder->is_pooled);
    char header[HEADER_BYTES], descr[64], shape[64];
    size_t len = (size_t)(are_padded ? snprintf(shape, sizeof shape, "%zu, %zu", n_rows / n, n)
                                     : snprintf(shape, sizeof shape, "%zu,", n_rows));
    if (!are_ids && type != ENGINE_INT8)
        snprintf(shape + len, sizeof shape - len, "%s%zu", are_padded ? ", " : " ",
                 type == ENGINE_BINARY ? engine_row_bytes(type, width) : width);
    if (!are_ids && type == ENGINE_INT8)
        snprintf(descr, sizeof descr, "[('scale', '<f4'), ('values', '|i1', (%zu,))]", width);
    else
        snprintf(descr, sizeof descr, "%s", are_ids ? "<i4" : TYPES[type]);
    make_header(header, descr, shape);
    return fwrite(header, 1, sizeof header, printer->stream) == sizeof header;
}

/* Appending (>>) and pipes do not let the header be written again. */
static void begin_npy(struct printer *printer)
{
    struct npy *npy = &printer->npy;
    const int flags = fcntl(fileno(printer->stream), F_GETFL);
    npy->start = flags >= 0 && !(flags & O_APPEND) ? ftello(printer->stream) : -1;
    npy->rows = npy->start >= 0 ? printer->stream : tmpfile();
    if (npy->start >= 0)
        write_header(printer);
    if (!npy->rows)
        program_die("cannot make a temporary file for the rows");
}

static size_t count_rows(const struct printer *printer, const struct item *item)
{
    return printer->encoder->is_pooled ? 1 : item->n_tokens;
}

/* Finds numbers beyond float16. The engine returns finite ones only. */
static const char *find_fault(const struct printer *printer, const struct item *item)
{
    const float least_too_large = 65520; /* rounds to infinity; the largest is 65504 */
    const size_t n = count_rows(printer, item) * printer->encoder->width;
    if (printer->npy.type != ENGINE_F16 || printer->encoder->request.task == TASK_TOKENS)
        return NULL;
    for (size_t i = 0; i < n; i++)
        if (fabsf(item->rows[i]) >= least_too_large)
            return " has a number beyond 65504, the largest of --type f16: f32 holds it";
    return NULL;
}

static void print_npy(struct printer *printer, const struct item *item)
{
    struct npy *npy = &printer->npy;
    const size_t width = printer->encoder->width, n = count_rows(printer, item);
    const void *bytes = item->rows;
    size_t n_bytes = n * engine_row_bytes(npy->type, width);
    if (printer->encoder->request.task == TASK_TOKENS) {
        int32_t *ids = alloc_resize(npy->row, n_bytes = n * sizeof *ids, 1);
        for (size_t i = 0; i < n; i++)
            ids[i] = item->tokens[i].id;
        bytes = npy->row = (void *)ids;
    } else if (npy->type != ENGINE_F32) {
        bytes = npy->row = alloc_resize(npy->row, n_bytes, 1);
        engine_rows_from_f32(item->rows, n, width, npy->type, npy->row);
    }
    if (fwrite(bytes, 1, n_bytes, npy->rows) != n_bytes && npy->rows != printer->stream)
        printer->message = "cannot write the rows to a temporary file";
    *printer->n_array_rows += n;
}

static bool rewrite_header(struct printer *printer)
{
    off_t end = ftello(printer->stream);
    bool is_written = end >= 0 && fseeko(printer->stream, printer->npy.start, SEEK_SET) == 0 &&
                      write_header(printer) && fseeko(printer->stream, end, SEEK_SET) == 0;
    if (!is_written && !ferror(printer->stream))
        printer->message = "cannot return to the number of rows at the start of the output";
    return is_written;
}

/* Goes through a temporary file. Copies it, or if `to` is NULL adds to its checksum and length.
 * Returns false if that fails. */
static bool read_spool(FILE *spool, FILE *to, uint32_t *crc, uint64_t *len)
{
    static unsigned char bytes[COPY_BYTES];
    size_t n;
    if (fflush(spool) != 0 || fseeko(spool, 0, SEEK_SET) != 0)
        return false;
    while ((n = fread(bytes, 1, sizeof bytes, spool)) > 0) {
        if (to && fwrite(bytes, 1, n, to) != n)
            return false;
        *crc = to ? *crc : crc32_add(*crc, bytes, n);
        *len += to ? 0 : n;
    }
    return !ferror(spool);
}

static void drop_rows(struct printer *printer)
{
    if (printer->npy.rows && printer->npy.rows != printer->stream)
        fclose(printer->npy.rows);
    printer->npy.rows = NULL;
    free(printer->npy.row);
}

static bool end_npy(struct printer *printer)
{
    const bool is_spooled = printer->npy.rows != printer->stream;
    uint32_t crc = 0;
    uint64_t len = 0;
    const bool is_written =
        is_spooled
            ? write_header(printer) && read_spool(printer->npy.rows, printer->stream, &crc, &len)
            : rewrite_header(printer);
    if (is_spooled && !is_written && !ferror(printer->stream))
        printer->message = "cannot read the temporary file with the rows again";
    drop_rows(printer);
    return is_written;
}

/* The rows before a text that failed are a valid file too. */
static void abandon_npy(struct printer *printer)
{
    if (printer->npy.rows == printer->stream)
        rewrite_header(printer);
    drop_rows(printer);
}

const struct printer_kind PRINTER_NPY = {begin_npy, find_fault, print_npy, end_npy, abandon_npy};

/* ---- An archive of arrays ---- */

enum {
    VERSION = 45, /* of a reader that knows zip64 */
    DATE = 0x21,  /* 1980-01-01, the first there is: the same input gives the same bytes */
    N_FILES = 5
};

/* The parts of npz.spools. */
enum { VALUES, IDS, STARTS };

/* Writes where the next text begins: after all entries so far. */
static bool add_start(struct npz *npz)
{
    const int64_t start = (int64_t)npz->n_entries;
    return fwrite(&start, sizeof start, 1, npz->spools[STARTS]) == 1;
}

static void begin_npz(struct printer *printer)
{
    struct npz *npz = &printer->npz;
    if (!printer->encoder->is_sparse)
        program_die("-f npz holds sparse weights, and this model's own are vectors: -f npy");
    for (size_t i = 0; i < NPZ_SPOOLS; i++)
        if (!(npz->spools[i] = tmpfile()))
            program_die("cannot make a temporary file for the arrays: %s", strerror(errno));
    if (!add_start(npz))
        program_die("cannot write the arrays to a temporary file");
}

/* The weights that are not 0, in the order of their ids, as CSR requires. */
static void print_npz(struct printer *printer, const struct item *item)
{
    struct npz *npz = &printer->npz;
    const float *row = item->rows;
    bool is_kept = true;
    npz->n_texts++;
    for (size_t i = 0; i < printer->encoder->width && is_kept; i++) {
        const int32_t id = (int32_t)i;
        if (row[i] == 0)
            continue;
        is_kept = fwrite(&row[i], sizeof row[i], 1, npz->spools[VALUES]) == 1 &&
                  fwrite(&id, sizeof id, 1, npz->spools[IDS]) == 1;
        npz->n_entries++;
    }
    if (!is_kept || !add_start(npz))
        printer->message = "cannot write the arrays to a temporary file";
}

/* ---- The archive ---- */

/* A file of the archive: the header of an array, then its numbers. */
struct zip_file {
    const char *name, *descr, *shape;
    const void *bytes; /* [n_bytes], of few numbers; others are in a spool */
    size_t n_bytes;
    FILE *spool;
    uint32_t crc;
    uint64_t len, offset;
};

/* The fields of a record, little-endian, one after the other. */
struct zip_record {
    unsigned char bytes[192];
    size_t n;
};

/* Appends numbers, each in as many bytes as its digit in `widths` says. */
static void append(struct zip_record *record, const char *widths, const uint64_t *numbers)
{
    for (; *widths; widths++, numbers++)
        for (int i = 0; i < *widths - '0'; i++)
            record->bytes[record->n++] = (unsigned char)(*numbers >> 8 * i);
}

/* Writes the header of a file: before its bytes, or in the directory, where it has more fields.
 * Returns how many bytes it has; 0 if they could not be written. */
static size_t write_file_header(FILE *stream, const struct zip_file *file, bool in_directory)
{
    enum { STORED = 0, ZIP64 = 1, NONE = 0 };
    struct zip_record record = {.n = 0};
    const size_t name_len = strlen(file->name), n_sizes = in_directory ? 24 : 16;
    append(&record, in_directory ? "42" : "4",
           (uint64_t[]){in_directory ? 0x02014B50 : 0x04034B50, VERSION});
    /* Version, flags, method, time and date, checksum; both sizes, which are in the extra field;
     * the lengths of the name and of that field. */
    append(&record, "2222244422",
           (uint64_t[]){VERSION, NONE, STORED, NONE, DATE, file->crc, UINT32_MAX, UINT32_MAX,
                        name_len, 2 + 2 + n_sizes});
    if (in_directory) /* comment, disk, attributes; where the file is, is in the extra field */
        append(&record, "22244", (uint64_t[]){NONE, NONE, NONE, NONE, UINT32_MAX});
    memcpy(record.bytes + record.n, file->name, name_len);
    record.n += name_len;
    append(&record, in_directory ? "22888" : "2288",
           (uint64_t[]){ZIP64, n_sizes, file->len, file->len, file->offset});
    return fwrite(record.bytes, 1, record.n, stream) == record.n ? record.n : 0;
}

/* Writes the end of an archive, whose directory has n_bytes from `start` on: the end of zip64 with
 * the bytes that follow in it, versions, disks, files and the directory; where that is; and the end
 * that every reader looks for. */
static bool write_end(FILE *stream, size_t n_files, uint64_t start, uint64_t n_bytes)
{
    struct zip_record end = {.n = 0};
    append(&end, "4822448888",
           (uint64_t[]){0x06064B50, 44, VERSION, VERSION, 0, 0, n_files, n_files, n_bytes, start});
    append(&end, "4484", (uint64_t[]){0x07064B50, 0, start + n_bytes, 1});
    append(&end, "42222442",
           (uint64_t[]){0x06054B50, 0, 0, n_files, n_files, UINT32_MAX, UINT32_MAX, 0});
    return fwrite(end.bytes, 1, end.n, stream) == end.n;
}

/* As read_spool, of a file with one. */
static bool read_bytes(struct zip_file *file, FILE *to)
{
    return !file->spool || read_spool(file->spool, to, &file->crc, &file->len);
}

/* Writes the files, then the directory. */
static bool write_archive(FILE *stream, const struct npz *npz, size_t width)
{
    const int64_t shape[2] = {(int64_t)npz->n_texts, (int64_t)width};
    char entries[64], starts[64], head[HEADER_BYTES + sizeof shape];
    struct zip_file files[N_FILES] = {
        {"indices.npy", "<i4", entries, .spool = npz->spools[IDS]},
        {"indptr.npy", "<i8", starts, .spool = npz->spools[STARTS]},
        {"format.npy", "|S3", "", .bytes = "csr", .n_bytes = 3},
        {"shape.npy", "<i8", "2,", .bytes = shape, .n_bytes = sizeof shape},
        {"data.npy", "<f4", entries, .spool = npz->spools[VALUES]},
    };
    uint64_t at = 0, n_directory = 0;
    size_t n;
    snprintf(entries, sizeof entries, "%zu,", npz->n_entries);
    snprintf(starts, sizeof starts, "%zu,", npz->n_texts + 1);
    for (size_t i = 0; i < N_FILES; i++) {
        struct zip_file *file = &files[i];
        const size_t head_len = HEADER_BYTES + file->n_bytes;
        make_header(head, file->descr, file->shape);
        if (file->n_bytes > 0)
            memcpy(head + HEADER_BYTES, file->bytes, file->n_bytes);
        file->offset = at;
        file->len = head_len;
        file->crc = crc32_add(0, head, head_len);
        if (!read_bytes(file, NULL) || (n = write_file_header(stream, file, false)) == 0 ||
            fwrite(head, 1, head_len, stream) != head_len || !read_bytes(file, stream))
            return false;
        at += n + file->len;
    }
    for (size_t i = 0; i < N_FILES; i++, n_directory += n)
        if ((n = write_file_header(stream, &files[i], true)) == 0)
            return false;
    return write_end(stream, N_FILES, at, n_directory);
}

static void drop_spools(struct printer *printer)
{
    for (size_t i = 0; i < NPZ_SPOOLS; i++)
        if (printer->npz.spools[i])
            fclose(printer->npz.spools[i]);
}

static bool end_npz(struct printer *printer)
{
    const bool is_written = write_archive(printer->stream, &printer->npz, printer->encoder->width);
    if (!is_written && !ferror(printer->stream))
        printer->message = "cannot read the temporary files with the arrays again";
    drop_spools(printer);
    return is_written;
}

const struct printer_kind PRINTER_NPZ = {
    .begin = begin_npz, .item = print_npz, .end = end_npz, .abandon = drop_spools};
