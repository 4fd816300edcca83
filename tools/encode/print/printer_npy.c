/* printer_npy.c - NumPy's file format: a header, then the rows, of the type that --type names, or
 * int32 where they are token ids. Texts of one length add a dimension to rows per token: [texts, N,
 * D].
 *
 * The header comes first and holds the number of rows, which is known last. Where the output can
 * seek, a header with 0 rows is written and written again at the end; else the rows wait in a
 * temporary file. In both cases memory does not grow with the input.
 */
#include "tools/encode/print/printer.h"

#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { COPY_BYTES = 64 << 10, PREFIX_BYTES = 10 /* of the header */ };

void npy_header(char out[NPY_HEADER_BYTES], const char *descr, const char *shape)
{
    char dict[NPY_HEADER_BYTES - PREFIX_BYTES];
    const char *quote = descr[0] == '[' ? "" : "'";
    int n =
        snprintf(dict, sizeof dict, "{'descr': %s%s%s, 'fortran_order': False, 'shape': (%s), }",
                 quote, descr, quote, shape);
    memset(out, ' ', NPY_HEADER_BYTES);
    memcpy(out, "\x93NUMPY\x01\x00\x76\x00", PREFIX_BYTES); /* 0x76 = 128 - 10 */
    memcpy(out + PREFIX_BYTES, dict, (size_t)n);
    out[NPY_HEADER_BYTES - 1] = '\n';
}

/* "[('scale', '<f4'), ...]" is one element with fields, so a row is no dimension. */
static bool write_header(const struct printer *printer)
{
    static const char *const TYPES[] = {"<f4", "<f2", NULL, "|u1"};
    const struct encoder *encoder = printer->encoder;
    const engine_element type = printer->npy.type;
    const bool are_ids = encoder->request.task == TASK_TOKENS;
    const size_t n = encoder->padding.n, n_rows = *printer->n_array_rows, width = encoder->width;
    const bool are_padded = n && (are_ids || !encoder->is_pooled);
    char header[NPY_HEADER_BYTES], descr[64], shape[64];
    size_t len = (size_t)(are_padded ? snprintf(shape, sizeof shape, "%zu, %zu", n_rows / n, n)
                                     : snprintf(shape, sizeof shape, "%zu,", n_rows));
    if (!are_ids && type != ENGINE_INT8)
        snprintf(shape + len, sizeof shape - len, "%s%zu", are_padded ? ", " : " ",
                 type == ENGINE_BINARY ? engine_row_bytes(type, width) : width);
    if (!are_ids && type == ENGINE_INT8)
        snprintf(descr, sizeof descr, "[('scale', '<f4'), ('values', '|i1', (%zu,))]", width);
    else
        snprintf(descr, sizeof descr, "%s", are_ids ? "<i4" : TYPES[type]);
    npy_header(header, descr, shape);
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

static bool copy_spool(struct printer *printer)
{
    static char bytes[COPY_BYTES];
    FILE *rows = printer->npy.rows;
    size_t n;

    printer->message = "cannot read the temporary file with the rows again";
    if (fflush(rows) != 0 || fseeko(rows, 0, SEEK_SET) != 0)
        return false;
    printer->message = NULL;
    if (!write_header(printer))
        return false;
    while ((n = fread(bytes, 1, sizeof bytes, rows)) > 0)
        if (fwrite(bytes, 1, n, printer->stream) != n)
            return false;
    return !ferror(rows);
}

static void drop_spool(struct printer *printer)
{
    if (printer->npy.rows && printer->npy.rows != printer->stream)
        fclose(printer->npy.rows);
    printer->npy.rows = NULL;
    free(printer->npy.row);
}

static bool end_npy(struct printer *printer)
{
    bool is_spooled = printer->npy.rows != printer->stream;
    bool is_written = is_spooled ? copy_spool(printer) : rewrite_header(printer);
    drop_spool(printer);
    return is_written;
}

/* The rows before a text that failed are a valid file too. */
static void abandon_npy(struct printer *printer)
{
    if (printer->npy.rows == printer->stream)
        rewrite_header(printer);
    drop_spool(printer);
}

const struct printer_kind PRINTER_NPY = {begin_npy, find_fault, print_npy, end_npy, abandon_npy};
