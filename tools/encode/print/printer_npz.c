/* printer_npz.c - sparse weights as NumPy arrays in one zip archive: data [entries], indices
 * [entries], indptr [texts + 1], shape, format, which scipy.sparse.load_npz reads as a CSR matrix
 * [texts, ids].
 *
 * An archive tells the size of a file before its bytes, so they wait in temporary files; memory
 * does not grow with the input.
 */
#include "tools/encode/print/printer.h"
#include "tools/encode/print/zip_writer.h"

#include <errno.h>
#include <string.h>

/* The parts of npz.spools. */
enum { VALUES, IDS, STARTS };

static bool put(FILE *spool, const void *bytes, size_t n)
{
    return fwrite(bytes, 1, n, spool) == n;
}

/* What has come so far: where the next text begins. */
static bool put_start(struct npz *npz)
{
    int64_t start = (int64_t)npz->n_entries;
    return put(npz->spools[STARTS], &start, sizeof start);
}

static void begin(struct printer *printer)
{
    struct npz *npz = &printer->npz;
    if (!printer->encoder->is_sparse)
        program_die("-f npz holds sparse weights, and this model's own are vectors: -f npy");
    for (size_t i = 0; i < NPZ_SPOOLS; i++)
        if (!(npz->spools[i] = tmpfile()))
            program_die("cannot make a temporary file for the arrays: %s", strerror(errno));
    if (!put_start(npz))
        program_die("cannot keep the arrays in a temporary file");
}

/* The weights that are not 0, in the order of their ids, as CSR wants them. */
static bool put_weights(struct npz *npz, const float *row, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        int32_t id = (int32_t)i;
        if (row[i] == 0)
            continue;
        if (!put(npz->spools[VALUES], &row[i], sizeof row[i]) ||
            !put(npz->spools[IDS], &id, sizeof id))
            return false;
        npz->n_entries++;
    }
    return true;
}

static void print_item(struct printer *printer, const struct item *item)
{
    struct npz *npz = &printer->npz;
    npz->n_texts++;
    if (!put_weights(npz, item->rows, printer->encoder->width) || !put_start(npz))
        printer->message = "cannot keep the arrays in a temporary file";
}

/* An array of which `spool` has the numbers, or, if that is NULL, bytes has. */
static bool add(struct zip_writer *zip, const char *name, const char *descr, const char *shape,
                const void *bytes, size_t n_bytes, FILE *spool)
{
    char head[NPY_HEADER_BYTES + 16];
    npy_header(head, descr, shape);
    if (n_bytes > 0)
        memcpy(head + NPY_HEADER_BYTES, bytes, n_bytes);
    return zip_add(zip, name, head, NPY_HEADER_BYTES + n_bytes, spool);
}

static bool add_csr(struct zip_writer *zip, const struct npz *npz, size_t width)
{
    char entries[64], starts[64];
    const int64_t shape[2] = {(int64_t)npz->n_texts, (int64_t)width};
    snprintf(entries, sizeof entries, "%zu,", npz->n_entries);
    snprintf(starts, sizeof starts, "%zu,", npz->n_texts + 1);
    return add(zip, "indices.npy", "<i4", entries, NULL, 0, npz->spools[IDS]) &&
           add(zip, "indptr.npy", "<i8", starts, NULL, 0, npz->spools[STARTS]) &&
           add(zip, "format.npy", "|S3", "", "csr", 3, NULL) &&
           add(zip, "shape.npy", "<i8", "2,", shape, sizeof shape, NULL) &&
           add(zip, "data.npy", "<f4", entries, NULL, 0, npz->spools[VALUES]);
}

static void drop_spools(struct printer *printer)
{
    for (size_t i = 0; i < NPZ_SPOOLS; i++) {
        if (printer->npz.spools[i])
            fclose(printer->npz.spools[i]);
        printer->npz.spools[i] = NULL;
    }
}

static bool end(struct printer *printer)
{
    struct zip_writer zip = {.stream = printer->stream};
    bool is_written = add_csr(&zip, &printer->npz, printer->encoder->width) && zip_end(&zip);
    if (!is_written && !ferror(printer->stream))
        printer->message = "cannot read the temporary files with the arrays again";
    drop_spools(printer);
    return is_written;
}

const struct printer_kind PRINTER_NPZ = {
    .begin = begin, .item = print_item, .end = end, .abandon = drop_spools};
