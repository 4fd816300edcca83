/* printer.c - the printer of each format, and the smallest of them: a line of token ids per text.
 */
#include "tools/encode/print/printer.h"

static void print_ids(struct printer *printer, const struct item *item)
{
    for (size_t i = 0; i < item->n_tokens; i++)
        fprintf(printer->stream, i ? " %d" : "%d", (int)item->tokens[i].id);
    putc('\n', printer->stream);
}

const struct printer_kind PRINTER_IDS = {.item = print_ids};

/* Without a default, so that the compiler names a format that has no printer. */
const struct printer_kind *printer_of(enum output_format format)
{
    switch (format) {
    case FORMAT_TEXT: return &PRINTER_TEXT;
    case FORMAT_JSON: return &PRINTER_JSON;
    case FORMAT_CSV: return &PRINTER_CSV;
    case FORMAT_NPY: return &PRINTER_NPY;
    case FORMAT_NPZ: return &PRINTER_NPZ;
    case FORMAT_IDS: return &PRINTER_IDS;
    }
    return NULL;
}
