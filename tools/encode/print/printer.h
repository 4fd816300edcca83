/* printer.h - results in one of the output formats, item by item. */
#ifndef TOOLS_PRINTER_H
#define TOOLS_PRINTER_H

#include "tools/common/texts/encoder.h"
#include "tools/encode/encode_options.h"
#include "tools/encode/scores.h"

#include <stdio.h>

struct printer {
    FILE *stream;
    const struct encoder *encoder;
    bool all_values;       /* text: every value; of labels every label */
    bool has_titles;       /* text: each block is introduced by its text */
    struct ranked *ranked; /* [labels], for sorting them; NULL: there are none */
    size_t label_columns;  /* text: of the longest label */
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
extern const struct printer_kind PRINTER_TEXT_ENTITIES, PRINTER_TEXT_FILL;
extern const struct printer_kind PRINTER_CSV_LABELS, PRINTER_CSV_ENTITIES, PRINTER_CSV_FILL;

/* Of the tasks that go input by input, all but ranks, similarities and comparisons. */
const struct printer_kind *printer_of(enum task task, enum output_format format);

/* A text, "text | pair", or "(token ids)", on one line. */
void print_input(FILE *stream, const engine_input *input);

/* What the tables for reading share. The number of the text, its window and the bytes of that where
 * texts are chunked, and the text in 30 columns; the line above what is said of one text; the end
 * of a line that has a row of numbers. */
void print_text_titles(const struct printer *printer);
void print_text_cells(const struct printer *printer, const struct item *item);
void print_title(const struct printer *printer, const struct item *item);
void print_row_title(const struct printer *printer);
/* NULL: there is no label. */
void print_row(const struct printer *printer, const float *row);
size_t print_label_columns(const struct encoder *encoder);

/* Two lines that name the model, its shape and what is in force. */
void print_heading(FILE *stream, const struct encoder *encoder);

#endif
