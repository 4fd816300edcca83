/* printer_npy.c - NumPy's file format: a header, then the rows, little-endian float32, or int32
 * where they are token ids. Texts of one length add a dimension to rows per token: [texts, N, D].
 *
 * The header comes first and holds the number of rows, which is known last. Where the output can
 * seek, a header with 0 rows is written and written again at the end; else the rows wait in a
 * temporary file. Either way memory does not grow with the input.
 */
#include "tools/encode/print/npy_header.h"
#include "tools/encode/print/printer.h"

#include <fcntl.h>
#include <unistd.h>

enum { COPY_BYTES = 64 << 10 };

static bool are_ids(const struct encoder *encoder)
{
    return encoder->request.task == TASK_TOKENS;
}

static void put_shape(char *out, size_t cap, const struct encoder *encoder, size_t n_rows)
{
    size_t n = encoder->padding.n, width = encoder->width;
    if (are_ids(encoder))
        snprintf(out, cap, "%zu, %zu", n_rows / n, n);
    else if (n && !encoder->is_pooled)
        snprintf(out, cap, "%zu, %zu, %zu", n_rows / n, n, width);
    else
        snprintf(out, cap, "%zu, %zu", n_rows, width);
}

static bool put_header(const struct printer *printer, size_t n_rows)
{
    char header[NPY_HEADER_BYTES], shape[64];
    put_shape(shape, sizeof shape, printer->encoder, n_rows);
    npy_header(header, are_ids(printer->encoder) ? "<i4" : "<f4", shape);
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
        printer->message = "cannot make a temporary file for the rows";
}

static bool put_rows(FILE *stream, const float *values, size_t n)
{
    return fwrite(values, sizeof *values, n, stream) == n;
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
    size_t n_rows = encoder->is_pooled ? 1 : item->n_tokens;
    bool is_written = are_ids(encoder) ? put_ids(npy->rows, item)
                                       : put_rows(npy->rows, item->rows, n_rows * encoder->width);
    if (!is_written && npy->rows != printer->stream)
        printer->message = "cannot keep the rows in a temporary file";
    npy->n_rows += n_rows;
}

static bool rewrite_header(struct printer *printer)
{
    off_t end = ftello(printer->stream);
    bool is_written = end >= 0 && fseeko(printer->stream, printer->npy.start, SEEK_SET) == 0 &&
                      put_header(printer, printer->npy.n_rows) &&
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
    if (!put_header(printer, printer->npy.n_rows))
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

const struct printer_kind PRINTER_NPY = {begin, print_item, end, abandon};
