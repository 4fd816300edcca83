/* printer_npz.c - sparse weights as NumPy arrays in one zip archive: data [entries], indices
 * [entries], indptr [texts + 1], shape, format, which scipy.sparse.load_npz reads as a CSR matrix
 * [texts, ids].
 *
 * An archive has the size of a file before its bytes, so the arrays are in temporary files; memory
 * does not grow with the input.
 */
#include "tools/encode/print/printer.h"
#include "tools/encode/print/zip_writer.h"

#include <errno.h>
#include <string.h>

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

/* The arrays have their numbers in a spool, or few of them as bytes after the header. */
static bool add_arrays(struct zip_writer *zip, const struct npz *npz, size_t width)
{
    char entries[64], starts[64];
    const int64_t shape[2] = {(int64_t)npz->n_texts, (int64_t)width};
    const struct {
        const char *name, *descr, *shape;
        const void *bytes;
        size_t n_bytes;
        FILE *spool;
    } arrays[] = {
        {"indices.npy", "<i4", entries, NULL, 0, npz->spools[IDS]},
        {"indptr.npy", "<i8", starts, NULL, 0, npz->spools[STARTS]},
        {"format.npy", "|S3", "", "csr", 3, NULL},
        {"shape.npy", "<i8", "2,", shape, sizeof shape, NULL},
        {"data.npy", "<f4", entries, NULL, 0, npz->spools[VALUES]},
    };
    bool is_written = true;
    snprintf(entries, sizeof entries, "%zu,", npz->n_entries);
    snprintf(starts, sizeof starts, "%zu,", npz->n_texts + 1);
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0] && is_written; i++) {
        char head[NPY_HEADER_BYTES + sizeof shape];
        npy_header(head, arrays[i].descr, arrays[i].shape);
        if (arrays[i].n_bytes > 0)
            memcpy(head + NPY_HEADER_BYTES, arrays[i].bytes, arrays[i].n_bytes);
        is_written = zip_add(zip, arrays[i].name, head, NPY_HEADER_BYTES + arrays[i].n_bytes,
                             arrays[i].spool);
    }
    return is_written;
}

static void drop_spools(struct printer *printer)
{
    for (size_t i = 0; i < NPZ_SPOOLS; i++) {
        if (printer->npz.spools[i])
            fclose(printer->npz.spools[i]);
        printer->npz.spools[i] = NULL;
    }
}

static bool end_npz(struct printer *printer)
{
    struct zip_writer zip = {.stream = printer->stream};
    bool is_written = add_arrays(&zip, &printer->npz, printer->encoder->width) && zip_end(&zip);
    if (!is_written && !ferror(printer->stream))
        printer->message = "cannot read the temporary files with the arrays again";
    drop_spools(printer);
    return is_written;
}

const struct printer_kind PRINTER_NPZ = {
    .begin = begin_npz, .item = print_npz, .end = end_npz, .abandon = drop_spools};
