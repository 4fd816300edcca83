/* printer_npy.c - NumPy's file format: a header, then the rows, of the type that --type names, or
 * int32 where they are token ids. Texts of one length add a dimension to rows per token: [texts, N,
 * D].
 *
 * The header comes first and holds the number of rows, which is known last. Where the output can
 * seek, a header with 0 rows is written and written again at the end; else the rows wait in a
 * temporary file. Either way memory does not grow with the input.
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

static bool are_ids(const struct encoder *encoder)
{
    return encoder->request.task == TASK_TOKENS;
}

/* "[('scale', '<f4'), ...]" is one element with fields, so a row of it is no dimension. */
static void put_type(char *out, size_t cap, const struct printer *printer)
{
    static const char *const names[] = {"<f4", "<f2", NULL, "|u1"};
    if (are_ids(printer->encoder))
        snprintf(out, cap, "<i4");
    else if (printer->npy.type == ENGINE_INT8)
        snprintf(out, cap, "[('scale', '<f4'), ('values', '|i1', (%zu,))]",
                 printer->encoder->width);
    else
        snprintf(out, cap, "%s", names[printer->npy.type]);
}

static void put_shape(char *out, size_t cap, const struct printer *printer, size_t n_rows)
{
    const struct encoder *encoder = printer->encoder;
    const engine_element type = printer->npy.type;
    const size_t n = encoder->padding.n;
    const size_t columns =
        type == ENGINE_BINARY ? engine_row_bytes(type, encoder->width) : encoder->width;
    const bool are_padded = n && (are_ids(encoder) || !encoder->is_pooled);
    int len = are_padded ? snprintf(out, cap, "%zu, %zu", n_rows / n, n)
                         : snprintf(out, cap, "%zu,", n_rows);
    if (!are_ids(encoder) && type != ENGINE_INT8)
        snprintf(out + len, cap - (size_t)len, "%s%zu", are_padded ? ", " : " ", columns);
}

static bool put_header(const struct printer *printer, size_t n_rows)
{
    char header[NPY_HEADER_BYTES], type[64], shape[64];
    put_type(type, sizeof type, printer);
    put_shape(shape, sizeof shape, printer, n_rows);
    npy_header(header, type, shape);
    return fwrite(header, 1, sizeof header, printer->stream) == sizeof header;
}

/* Appending (>>) and pipes do not let the header be written again. */
static bool can_rewrite(FILE *stream, off_t *start)
{
    int flags = fcntl(fileno(stream), F_GETFL);
    *start = flags >= 0 && !(flags & O_APPEND) ? ftello(stream) : -1;
    return *start >= 0;
}

static void begin(struct printer *printer)
{
    if (can_rewrite(printer->stream, &printer->npy.start)) {
        printer->npy.rows = printer->stream;
        put_header(printer, 0);
        return;
    }
    printer->npy.rows = tmpfile();
    if (!printer->npy.rows)
        program_die("cannot make a temporary file for the rows");
}

static size_t count_rows(const struct printer *printer, const struct item *item)
{
    return printer->encoder->is_pooled ? 1 : item->n_tokens;
}

/* The engine makes none that are not finite. */
static const char *find_fault(const struct printer *printer, const struct item *item)
{
    const float least_too_large = 65520; /* rounds to infinity; the largest is 65504 */
    const size_t n = count_rows(printer, item) * printer->encoder->width;
    if (printer->npy.type != ENGINE_F16 || are_ids(printer->encoder))
        return NULL;
    for (size_t i = 0; i < n; i++)
        if (fabsf(item->rows[i]) >= least_too_large)
            return " has a number beyond 65504, the largest of --type f16: f32 holds it";
    return NULL;
}

static bool put_rows(struct printer *printer, const struct item *item, size_t n)
{
    struct npy *npy = &printer->npy;
    const size_t width = printer->encoder->width, n_bytes = n * engine_row_bytes(npy->type, width);
    if (npy->type == ENGINE_F32)
        return fwrite(item->rows, 1, n_bytes, npy->rows) == n_bytes;
    npy->row = alloc_resize(npy->row, n_bytes, 1);
    engine_rows_from_f32(item->rows, n, width, npy->type, npy->row);
    return fwrite(npy->row, 1, n_bytes, npy->rows) == n_bytes;
}

static bool put_ids(FILE *stream, const struct item *item)
{
    for (size_t i = 0; i < item->n_tokens; i++)
        if (fwrite(&item->tokens[i].id, sizeof item->tokens[i].id, 1, stream) != 1)
            return false;
    return true;
}

static void print_item(struct printer *printer, const struct item *item)
{
    struct npy *npy = &printer->npy;
    const struct encoder *encoder = printer->encoder;
    size_t n_rows = count_rows(printer, item);
    bool is_written = are_ids(encoder) ? put_ids(npy->rows, item) : put_rows(printer, item, n_rows);
    if (!is_written && npy->rows != printer->stream)
        printer->message = "cannot keep the rows in a temporary file";
    *printer->n_array_rows += n_rows;
}

static bool rewrite_header(struct printer *printer)
{
    off_t end = ftello(printer->stream);
    bool is_written = end >= 0 && fseeko(printer->stream, printer->npy.start, SEEK_SET) == 0 &&
                      put_header(printer, *printer->n_array_rows) &&
                      fseeko(printer->stream, end, SEEK_SET) == 0;
    if (!is_written && !ferror(printer->stream))
        printer->message = "cannot go back to where the output tells its number of rows";
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
    if (!put_header(printer, *printer->n_array_rows))
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

static bool end(struct printer *printer)
{
    bool is_spooled = printer->npy.rows != printer->stream;
    bool is_written = is_spooled ? copy_spool(printer) : rewrite_header(printer);
    drop_spool(printer);
    return is_written;
}

/* The rows before a text that failed are a sound file too. */
static void abandon(struct printer *printer)
{
    if (printer->npy.rows == printer->stream)
        rewrite_header(printer);
    drop_spool(printer);
}

const struct printer_kind PRINTER_NPY = {begin, find_fault, print_item, end, abandon};
