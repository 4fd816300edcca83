/* printer.h - results in one of the output formats, item by item. */
#ifndef TOOLS_PRINTER_H
#define TOOLS_PRINTER_H

#include "tools/encoder.h"

#include <stdio.h>

struct printer {
    FILE *stream;
    const struct encoder *encoder;
    bool all_values; /* text: every value */
    bool has_titles; /* text: each block is introduced by its text */
    struct npy {
        FILE *rows;  /* spool, where the output cannot seek; else the output */
        off_t start; /* of the header in the output */
        size_t n_rows;
    } npy;
    const char *message; /* what failed beside the stream itself, or NULL */
};

/* One format; all but `item` may be NULL. The first three return false on failure; errors of the
 * stream may also be left to ferror. `end` is called after the last item if all went well, else
 * `abandon`. */
struct printer_kind {
    bool (*begin)(struct printer *printer);
    bool (*item)(struct printer *printer, const struct item *item);
    bool (*end)(struct printer *printer);
    void (*abandon)(struct printer *printer);
};

extern const struct printer_kind PRINTER_TEXT, PRINTER_JSON, PRINTER_CSV, PRINTER_NPY, PRINTER_IDS;

const struct printer_kind *printer_of(enum output_format format);

/* Two lines that name the model, its shape and what is in force. */
void print_heading(FILE *stream, const struct encoder *encoder);

#endif
