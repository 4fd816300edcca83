/* job.h - one run of encode, on a text's way through it:
 *
 *     what is read       reader    arguments, lines or JSON lines → records (texts/reader.h)
 *     what is computed   encoder   an item: the record, its tokens, its rows of numbers (item.h)
 *     what is written    output    by the printer of the format, and the files beside it
 *
 * All parts of a run count in one struct progress, which the journal stores. */
#ifndef TOOLS_ENCODE_JOB_H
#define TOOLS_ENCODE_JOB_H

#include "tools/common/output.h"
#include "tools/common/print/rows.h"
#include "tools/common/texts/item.h"
#include "tools/common/texts/reader.h"
#include "tools/encode/encode_options.h"

struct corpus;

struct progress {
    size_t lines;                   /* inputs that were read, without the query */
    size_t rows;                    /* of the rows file, written or only counted */
    size_t array_rows;              /* of the array */
    size_t cut, repaired, left_out; /* texts: shortened, not UTF-8, without a result */
};

/* Notes report what may surprise, each kind once, of the first text that has it (unknown words
 * three times). Progress is the number of texts and their rate, and of a file the share that is
 * done. It is one line of a terminal, which is cleared at the end; with --progress it is lines on
 * any stderr, and the last one stays. */
struct notes {
    uint64_t n_bytes, first_byte;         /* of an input that is a file; 0: of unknown length */
    bool is_counted, is_terminal;         /* progress is shown, on one line of a terminal */
    double start, last;                   /* seconds; 0: not yet */
    size_t n_texts, n_tokens;             /* done by this run */
    size_t n_cut_named, n_repaired_named; /* of the texts that are counted, in a note */
    bool has_noted_empty, has_noted_cut, has_noted_mask, has_noted_padding, has_noted_repair;
    struct word_notes words;
};

struct job {
    const struct encode_options *options;
    struct text_encoder *encoder;
    struct reader reader;
    struct output output;
    struct rows rows; /* of the output, in its format; formats that have no rows: tables */
    struct progress progress;
    struct notes notes;
    struct corpus *corpus; /* NULL: the run has no journal */
};

/* ---- Tasks return the program's exit code, after a message; output_end reports writes that
 * ---- failed. ---- */

/* Prints how well each text answers a query: best first, or in the order of the input. Memory grows
 * by a score per text; the texts are in a temporary file. */
int rank_texts(struct job *job);

#endif
