/* printer.h - results in one of the output formats, item by item. */
#ifndef TOOLS_PRINTER_H
#define TOOLS_PRINTER_H

#include "tools/common/print/csv_writer.h"
#include "tools/common/print/json_writer.h"
#include "tools/encode/batch.h"
#include "tools/encode/encode_options.h"
#include "tools/encode/scores.h"

#include <stdio.h>

enum { NPZ_SPOOLS = 3 };

struct printer {
    FILE *stream;
    const struct encoder *encoder;
    struct json_writer json; /* these two write to the same stream */
    struct csv_writer csv;
    bool all_values;       /* text: every value; of labels every label */
    bool has_titles;       /* text: each block is introduced by its text */
    struct ranked *ranked; /* [labels, or ids], for sorting; NULL: there are none */
    size_t label_columns;  /* text: of the longest label */
    struct npy {
        FILE *rows;  /* spool, where the output cannot seek; else the output */
        off_t start; /* of the header in the output */
        engine_element type;
        unsigned char *row; /* those of an item, in this type; NULL: it has been float32 so far */
        size_t n_rows;
    } npy;
    struct npz {
        FILE *spools[NPZ_SPOOLS];
        size_t n_texts, n_rows; /* rows, or entries of sparse weights */
        char reason[128];       /* why there are no spools: a message */
    } npz;
    const char *message; /* what failed beside the stream itself, or NULL */
};

/* One format; all but `item` may be NULL. `fault`: why the format cannot hold an item, which is not
 * to be given to `item` then, as words to stand behind its name; else NULL. Other errors are left to ferror of the stream, or to `message`,
 * or `end` returns false. `end` is called after the last item if all went well, else `abandon`. */
struct printer_kind {
    void (*begin)(struct printer *printer);
    const char *(*fault)(const struct printer *printer, const struct item *item);
    void (*item)(struct printer *printer, const struct item *item);
    bool (*end)(struct printer *printer);
    void (*abandon)(struct printer *printer);
};

extern const struct printer_kind PRINTER_TEXT, PRINTER_JSON, PRINTER_CSV, PRINTER_NPY, PRINTER_NPZ,
    PRINTER_IDS;

const struct printer_kind *printer_of(enum output_format format);

/* Two lines that name the model, its shape and what is in force. */
void print_heading(FILE *stream, const struct encoder *encoder);

/* A text, "text | pair", or "(token ids)", on one line, each text in at most so many columns. */
void print_input(FILE *stream, const engine_input *input, size_t columns);

/* " (ïve)" behind the i-th token where encoder_bytes_text has something to show; else nothing. */
void print_bytes(FILE *stream, const struct encoder *encoder, const struct item *item, size_t i);

/* Members of JSON objects: the "prompt" of the texts, if they have one; of each
 * text its "texts" member ("text", ["text", "pair"], or null for ids) and whether it was
 * "truncated". */
void write_prompt_json(struct json_writer *json, const struct encoder *encoder);
void write_inputs_json(struct json_writer *json, const struct kept *texts);
void write_truncated_json(struct json_writer *json, const struct kept *texts);

#endif
