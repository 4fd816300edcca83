/* printer_numpy.c - NumPy's file format: a header, then the rows, of the type that --type names, or
 * int32 where they are token ids. Texts of one length add a dimension to rows per token: [texts, N,
 * D].
 *
 * The header comes first and holds the number of rows, which is known last: a header with 0 rows is
 * written, and written again at the end. Where the output cannot seek, the array waits in a
 * temporary file. In both cases memory does not grow with the input.
 *
 * And sparse weights as such arrays in one zip archive: data [entries], indices [entries], indptr
 * [texts + 1], shape, format, which scipy.sparse.load_npz reads as a CSR matrix [texts, ids], and
 * encode-search maps: so they are stored as they are, which few libraries for archives promise. An
 * archive has the size and the checksum of a file before its bytes, so each array waits in a
 * temporary file, too. Sizes are 64 bits wide everywhere (zip64), so that one way of writing serves
 * any size. Source: PKWARE's APPNOTE.TXT 6.3, 4.3 and 4.5.3.
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
    return fwrite(header, 1, sizeof header, printer->npy.rows) == sizeof header;
}

/* Appending (>>) and pipes do not let the header be written again. */
static void begin_npy(struct printer *printer)
{
    struct npy *npy = &printer->npy;
    const int flags = fcntl(fileno(printer->stream), F_GETFL);
    const off_t at = flags >= 0 && !(flags & O_APPEND) ? ftello(printer->stream) : -1;
    npy->start = at >= 0 ? at : 0;
    npy->rows = at >= 0 ? printer->stream : tmpfile();
    if (!npy->rows)
        program_die("cannot make a temporary file for the rows");
    write_header(printer);
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
    FILE *rows = printer->npy.rows;
    const off_t end = ftello(rows);
    return end >= 0 && fseeko(rows, printer->npy.start, SEEK_SET) == 0 && write_header(printer) &&
           fseeko(rows, end, SEEK_SET) == 0;
}

/* Copies a temporary file. */
static bool copy_spool(FILE *spool, FILE *to)
{
    static unsigned char bytes[COPY_BYTES];
    size_t n = 0;
    bool is_good = fseeko(spool, 0, SEEK_SET) == 0;
    while (is_good && (n = fread(bytes, 1, sizeof bytes, spool)) > 0)
        is_good = fwrite(bytes, 1, n, to) == n;
    return is_good && !ferror(spool);
}

/* The rows before a text that failed are a valid file too; of a spool nothing is written then. */
static bool end_npy(struct printer *printer, bool is_done)
{
    const bool is_spooled = printer->npy.rows != printer->stream;
    const bool is_written = (is_spooled && !is_done) ||
                            (rewrite_header(printer) &&
                             (!is_spooled || copy_spool(printer->npy.rows, printer->stream)));
    if (!is_written && !ferror(printer->stream))
        printer->message = is_spooled
                               ? "cannot read the temporary file with the rows again"
                               : "cannot return to the number of rows at the start of the output";
    if (is_spooled)
        fclose(printer->npy.rows);
    free(printer->npy.row);
    return is_written;
}

const struct printer_kind PRINTER_NPY = {begin_npy, find_fault, print_npy, end_npy};

/* ---- An archive of arrays ---- */

enum {
    VERSION = 45, /* of a reader that knows zip64 */
    DATE = 0x21   /* 1980-01-01, the first there is: the same input gives the same bytes */
};

/* The spools of npz, in the order of the archive: each is a file of it, a header and its array. */
enum { IDS, STARTS, FORMAT, SHAPE, VALUES };

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
        if (!(npz->spools[i] = tmpfile()) || fseeko(npz->spools[i], HEADER_BYTES, SEEK_SET) != 0)
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

struct zip_file {
    const char *name, *descr, *shape; /* of its array */
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

/* Writes the header of an array, for which its spool has room, and counts the whole file. */
static bool finish_array(struct zip_file *file)
{
    char header[HEADER_BYTES];
    unsigned char bytes[4096];
    make_header(header, file->descr, file->shape);
    if (fseeko(file->spool, 0, SEEK_SET) != 0 ||
        fwrite(header, sizeof header, 1, file->spool) != 1 || fseeko(file->spool, 0, SEEK_SET) != 0)
        return false;
    for (size_t n; (n = fread(bytes, 1, sizeof bytes, file->spool)) > 0;) {
        file->crc = crc32_add(file->crc, bytes, n);
        file->len += n;
    }
    return !ferror(file->spool);
}

/* Writes the files, then the directory. */
static bool write_archive(FILE *stream, const struct npz *npz, size_t width)
{
    const int64_t shape[2] = {(int64_t)npz->n_texts, (int64_t)width};
    char entries[64], starts[64];
    struct zip_file files[NPZ_SPOOLS] = {
        [IDS] = {"indices.npy", "<i4", entries, .spool = npz->spools[IDS]},
        [STARTS] = {"indptr.npy", "<i8", starts, .spool = npz->spools[STARTS]},
        [FORMAT] = {"format.npy", "|S3", "", .spool = npz->spools[FORMAT]},
        [SHAPE] = {"shape.npy", "<i8", "2,", .spool = npz->spools[SHAPE]},
        [VALUES] = {"data.npy", "<f4", entries, .spool = npz->spools[VALUES]},
    };
    uint64_t at = 0, n_directory = 0;
    size_t n;
    snprintf(entries, sizeof entries, "%zu,", npz->n_entries);
    snprintf(starts, sizeof starts, "%zu,", npz->n_texts + 1);
    if (fwrite("csr", 1, 3, npz->spools[FORMAT]) != 3 ||
        fwrite(shape, sizeof shape, 1, npz->spools[SHAPE]) != 1)
        return false;
    for (size_t i = 0; i < NPZ_SPOOLS; i++) {
        struct zip_file *file = &files[i];
        file->offset = at;
        if (!finish_array(file) || (n = write_file_header(stream, file, false)) == 0 ||
            !copy_spool(file->spool, stream))
            return false;
        at += n + file->len;
    }
    for (size_t i = 0; i < NPZ_SPOOLS; i++, n_directory += n)
        if ((n = write_file_header(stream, &files[i], true)) == 0)
            return false;
    return write_end(stream, NPZ_SPOOLS, at, n_directory);
}

static bool end_npz(struct printer *printer, bool is_done)
{
    const struct npz *npz = &printer->npz;
    const bool is_written =
        !is_done || write_archive(printer->stream, npz, printer->encoder->width);
    if (!is_written && !ferror(printer->stream))
        printer->message = "cannot read the temporary files with the arrays again";
    for (size_t i = 0; i < NPZ_SPOOLS; i++)
        fclose(npz->spools[i]);
    return is_written;
}

const struct printer_kind PRINTER_NPZ = {.begin = begin_npz, .item = print_npz, .end = end_npz};
