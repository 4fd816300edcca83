/* printer_npz.c - sparse weights as NumPy arrays in one zip archive: data [entries], indices
 * [entries], indptr [texts + 1], shape, format, which scipy.sparse.load_npz reads as a CSR matrix
 * [texts, ids].
 *
 * An archive has the size and the checksum of a file before its bytes, so the arrays are in
 * temporary files; memory does not grow with the input. Its files are stored as they are. Sizes are
 * 64 bits wide everywhere (zip64), so that one way of writing serves any size. Source: PKWARE's
 * APPNOTE.TXT 6.3, 4.3 and 4.5.3.
 */
#include "tools/common/crc32.h"
#include "tools/encode/print/printer.h"

#include <errno.h>
#include <string.h>

enum {
    VERSION = 45, /* of a reader that knows zip64 */
    DATE = 0x21,  /* 1980-01-01, the first there is: the same input gives the same bytes */
    COPY_BYTES = 64 << 10,
    N_FILES = 5
};

/* The parts of npz.spools. */
enum { VALUES, IDS, STARTS };

/* ---- The arrays ---- */

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

static void append(struct zip_record *record, uint64_t value, size_t n_bytes)
{
    for (size_t i = 0; i < n_bytes; i++, value >>= 8)
        record->bytes[record->n++] = (unsigned char)value;
}

/* Writes the header of a file: before its bytes, or in the directory, where it has more fields.
 * Returns how many bytes it has; 0 if they could not be written. */
static size_t write_file_header(FILE *stream, const struct zip_file *file, bool in_directory)
{
    struct zip_record record = {.n = 0};
    const size_t name_len = strlen(file->name), n_sizes = in_directory ? 24 : 16;
    append(&record, in_directory ? 0x02014B50 : 0x04034B50, 4);
    if (in_directory)
        append(&record, VERSION, 2);
    append(&record, VERSION, 2);
    append(&record, 0, 2 + 2 + 2); /* flags, stored, time */
    append(&record, DATE, 2);
    append(&record, file->crc, 4);
    append(&record, UINT64_MAX, 4 + 4); /* both sizes are in the extra field */
    append(&record, name_len, 2);
    append(&record, 2 + 2 + n_sizes, 2);
    if (in_directory) {
        append(&record, 0, 2 + 2 + 2 + 4); /* comment, disk, attributes: none */
        append(&record, UINT32_MAX, 4);    /* where the file is, is in the extra field */
    }
    memcpy(record.bytes + record.n, file->name, name_len);
    record.n += name_len;
    append(&record, 1, 2); /* the extra field: zip64 */
    append(&record, n_sizes, 2);
    append(&record, file->len, 8);
    append(&record, file->len, 8);
    if (in_directory)
        append(&record, file->offset, 8);
    return fwrite(record.bytes, 1, record.n, stream) == record.n ? record.n : 0;
}

/* Writes the end of an archive, whose directory has n_bytes from `start` on. */
static bool write_end(FILE *stream, size_t n_files, uint64_t start, uint64_t n_bytes)
{
    struct zip_record end = {.n = 0};
    append(&end, 0x06064B50, 4); /* end of the directory, zip64 */
    append(&end, 44, 8);         /* bytes that follow in it */
    append(&end, VERSION, 2);
    append(&end, VERSION, 2);
    append(&end, 0, 4 + 4); /* disks */
    append(&end, n_files, 8);
    append(&end, n_files, 8);
    append(&end, n_bytes, 8);
    append(&end, start, 8);
    append(&end, 0x07064B50, 4); /* where that is */
    append(&end, 0, 4);
    append(&end, start + n_bytes, 8);
    append(&end, 1, 4);
    append(&end, 0x06054B50, 4); /* and the end that every reader looks for */
    append(&end, 0, 2 + 2);
    append(&end, n_files, 2);
    append(&end, n_files, 2);
    append(&end, UINT64_MAX, 4 + 4);
    append(&end, 0, 2);
    return fwrite(end.bytes, 1, end.n, stream) == end.n;
}

/* Copies a spool, or if `to` is NULL adds its length and checksum to those of the file. */
static bool read_spool(struct zip_file *file, FILE *to)
{
    static unsigned char bytes[COPY_BYTES];
    size_t n;
    if (!file->spool)
        return true;
    if (fflush(file->spool) != 0 || fseeko(file->spool, 0, SEEK_SET) != 0)
        return false;
    while ((n = fread(bytes, 1, sizeof bytes, file->spool)) > 0) {
        if (to && fwrite(bytes, 1, n, to) != n)
            return false;
        file->crc = to ? file->crc : crc32_add(file->crc, bytes, n);
        file->len += to ? 0 : n;
    }
    return !ferror(file->spool);
}

/* Writes the files, then the directory. */
static bool write_archive(FILE *stream, const struct npz *npz, size_t width)
{
    const int64_t shape[2] = {(int64_t)npz->n_texts, (int64_t)width};
    char entries[64], starts[64], head[NPY_HEADER_BYTES + sizeof shape];
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
        const size_t head_len = NPY_HEADER_BYTES + file->n_bytes;
        npy_header(head, file->descr, file->shape);
        if (file->n_bytes > 0)
            memcpy(head + NPY_HEADER_BYTES, file->bytes, file->n_bytes);
        file->offset = at;
        file->len = head_len;
        file->crc = crc32_add(0, head, head_len);
        if (!read_spool(file, NULL) || (n = write_file_header(stream, file, false)) == 0 ||
            fwrite(head, 1, head_len, stream) != head_len || !read_spool(file, stream))
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
