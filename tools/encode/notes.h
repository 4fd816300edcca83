/* notes.h - notes and progress on stderr.
 *
 * Notes report what may surprise, each kind once, of the first text that has it (unknown words
 * three times). Progress is the number of texts and their rate, and of a file the share that is
 * done. It is one line of a terminal, which is cleared at the end; with --progress it is lines on
 * any stderr, and the last one stays. */
#ifndef TOOLS_ENCODE_NOTES_H
#define TOOLS_ENCODE_NOTES_H

#include "tools/common/texts/encoder.h"

struct job;

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

/* Also notes a text that is the name of a file, or looks like one. */
void notes_begin(struct job *job);

/* Counts and notes that the text was cut, is not UTF-8, has no tokens, no mask token or few known
 * words, or that its ids look padded. */
void notes_of(struct job *job, const struct item *item);

/* Adds n texts to the progress, which is_counted, and prints it if it is due. */
void notes_count(struct job *job, const struct item *items, size_t n);

/* Prints how many texts were cut, not UTF-8 or of unknown words, unless each was named. */
void notes_end(const struct job *job);

#endif
