/* printer.h - results in one of the output formats, item by item. */
#ifndef TOOLS_PRINTER_H
#define TOOLS_PRINTER_H

#include "tools/common/print/rows.h"
#include "tools/encode/job.h"

#include <stdio.h>

enum { NPZ_SPOOLS = 5 };

struct printer {
    const struct printer_kind *kind;
    FILE *stream;
    const struct text_encoder *encoder;
    struct rows rows;
    bool all_values;       /* text: every value; of labels every label */
    bool has_titles;       /* text: each block is introduced by its text */
    struct ranked *ranked; /* [labels, or ids], for sorting, or NULL */
    size_t label_columns;  /* text: of the longest label */
    size_t n_shown;        /* text: numbers of a vector that a line shows */
    char *token_titles;    /* text: of a table of tokens, with these numbers, or labels */
    size_t *n_array_rows;  /* of the array so far, counted in the job's progress */
    struct npy {
        FILE *rows;  /* spool, where the output cannot seek; else the output */
        off_t start; /* of their header */
        engine_element type;
        unsigned char *row; /* those of an item, in this type or as ids; NULL: float32 so far */
    } npy;
    struct npz {
        FILE *spools[NPZ_SPOOLS];
        size_t n_texts, n_entries;
    } npz;
    const char *message; /* what failed except the stream itself, or NULL */
};

/* One format; all but `item` may be NULL. `fault` returns NULL, or the error text, to follow the
 * item's name, of an item that the format cannot hold and `item` must not print. Other errors are
 * those of ferror, or in `message`, or `end` returns false. `end` is called after the last item, or
 * after a failure: then the results are not done. */
struct printer_kind {
    void (*begin)(struct printer *printer);
    const char *(*fault)(const struct printer *printer, const struct item *item);
    void (*item)(struct printer *printer, const struct item *item);
    bool (*end)(struct printer *printer, bool is_done);
};

extern const struct printer_kind PRINTER_TEXT, PRINTER_IDS, PRINTER_CSV, PRINTER_JSON, PRINTER_NPY,
    PRINTER_NPZ;

/* Begins results in the format of a job, to its output. */
void printer_open(struct printer *printer, struct job *job);

/* Ends them, after the run has ended with this exit code. Returns the code, or that of a failure
 * after a message. */
int printer_close(struct printer *printer, int code);

/* Whether nothing has failed so far. */
#define printer_is_good(printer) (!(printer)->message && !ferror((printer)->stream))

/* ---- Scores ---- */

/* Sets `ranked`: all labels, best first. */
void rank_labels(struct printer *printer, const float *scores);

/* Returns the numbers of the i-th token, or of the text where vectors are pooled; NULL if there are
 * none. A text without tokens has no scores of labels, as its row of zeros means nothing. */
const float *item_row(const struct text_encoder *encoder, const struct item *item, size_t i);

/* ---- Rows of any format ---- */

/* Begins a row: in CSV with the item's index and window. */
void begin_item_row(struct printer *printer, const struct item *item);

void print_entities(struct printer *printer, const struct item *item);

/* Prints the words for one mask token. */
void print_candidates(struct printer *printer, const struct item *item,
                      const engine_candidate *candidates);

/* Prints the heaviest first. JSON has them instead of a vector, which would have a number for each
 * id of the vocabulary. */
void print_weights(struct printer *printer, const struct item *item);

/* Writes the "prompt" of the texts, if they have one, as a member. */
void write_prompt_json(struct json_writer *json, const struct text_encoder *encoder);

#endif
