/* job.h - one run of encode, on a text's way through it:
 *
 *     what is read       reader    arguments, lines or JSON lines → records (texts/reader.h)
 *     what is computed   encoder   an item: the record, its tokens, its rows of numbers (item.h)
 *     what is written    output    by the printer of the format, and the files beside it
 *
 * A task goes through the texts. All parts of a run count in one struct progress, which the journal
 * stores. */
#ifndef TOOLS_ENCODE_JOB_H
#define TOOLS_ENCODE_JOB_H

#include "tools/common/output.h"
#include "tools/common/print/rows.h"
#include "tools/common/texts/encoder.h"
#include "tools/common/texts/reader.h"
#include "tools/encode/encode_options.h"

struct corpus;

struct progress {
    size_t lines;                   /* inputs that were read, without the query */
    size_t rows;                    /* of the rows file, written or only counted */
    size_t array_rows;              /* of the array */
    size_t cut, repaired, left_out; /* texts: shortened, not UTF-8, without a result */
};

/* The notes that have been printed, and when. */
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
    struct encoder *encoder;
    struct reader reader;
    struct output output;
    struct rows rows; /* of the output, in its format; formats that have no rows: tables */
    struct progress progress;
    struct notes notes;
    struct corpus *corpus; /* NULL: the run has no journal */
};

/* ---- Notes and progress on stderr: notes.c
 *
 * Notes report what may surprise, each kind once, of the first text that has it (unknown words
 * three times). Progress is the number of texts and their rate, and of a file the share that is
 * done. It is one line of a terminal, which is cleared at the end; with --progress it is lines on
 * any stderr, and the last one stays. ---- */

/* Also notes a text that is the name of a file, or looks like one. */
void notes_begin(struct job *job);

/* Counts and notes that the text was cut, is not UTF-8, has no tokens, no mask token or few known
 * words, or that its ids look padded. */
void notes_of(struct job *job, const struct item *item);

/* Adds n texts to the progress, which is_counted, and prints it if it is due. */
void notes_count(struct job *job, const struct item *items, size_t n);

/* Prints how many texts were cut, not UTF-8 or of unknown words, unless each was named. */
void notes_end(const struct job *job);

/* ---- Inputs read together, all that are available without waiting, up to about a second of work:
 * ---- batch.c ---- */

enum { BATCH_ITEMS = 2048, BATCH_BYTES_LEAST = 16 << 10, BATCH_BYTES_MOST = 1 << 20 };

struct left_out;

struct batch {
    struct job *job;
    struct item items[BATCH_ITEMS];
    size_t n_items;
    size_t n_bytes; /* of the items that are in it */
};

/* Reads the input batch after batch and calls `process` for each. Waits for the first input of a
 * batch only, and flushes the output before it waits. `process` returns PROGRAM_DONE, or after a
 * message an exit code that ends the run. */
int batch_run(struct job *job, int (*process)(void *task, struct batch *batch), void *task);

/* Prepends the prompt to each text, tokenizes it and pads it. Returns how many texts, from the
 * first, succeeded; the encoder's message is the error of the next. Skipped texts are removed from
 * the batch; if left is NULL, none is skipped. */
size_t batch_tokenize(struct batch *batch, struct left_out *left);

/* ---- Tasks return the program's exit code, after a message; output_end reports writes that
 * ---- failed. ---- */

/* Prints vectors, tokens, labels, entities or words, result by result, in constant memory. */
int encode_texts(struct job *job);

/* Prints how well each text answers a query: best first, or in the order of the input. Memory grows
 * by a score per text; the texts are in a temporary file. */
int rank_texts(struct job *job);

#endif
