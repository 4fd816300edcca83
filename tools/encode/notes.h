/* notes.h - what stderr is told while results go elsewhere.
 *
 * Notes tell what may surprise: each kind once, of the first text that it is true of
 * (of unknown words thrice). Progress
 * tells how many texts are done and how fast, and of a file how much is left. It is one line of a
 * terminal, which is cleared at the end; with --progress it is lines on any stderr, and the last
 * one stays.
 */
#ifndef TOOLS_NOTES_H
#define TOOLS_NOTES_H

#include "tools/encode/tasks.h"

struct notes {
    const struct encoder *encoder;
    const struct reader *reader;
    uint64_t n_bytes, first_byte; /* of an input that is a file; 0: its length is not known */
    bool is_shown, is_terminal, is_kept;  /* progress */
    double start, last;                   /* seconds; 0: not yet */
    size_t n_texts, n_tokens;             /* done */
    size_t n_read, n_cut;                 /* inputs, without the query */
    size_t n_repaired;                    /* that were not UTF-8 */
    size_t n_cut_named, n_repaired_named; /* of these, in a note */
    bool has_noted_empty, has_noted_cut, has_noted_mask, has_noted_padding, has_noted_repair;
    struct word_notes words;
};

/* Also notes a text that is the name of a file, or looks like one. */
void notes_begin(struct notes *notes, const struct job *job);

/* Notes that the text was cut, is not UTF-8, has no tokens, no mask token or few known words, or
 * that its ids look padded. */
void notes_of(struct notes *notes, const struct item *item);

/* The time of the texts that are done begins now, behind those that an earlier run has done. */
void notes_go_on(struct notes *notes);

/* To be called before anything else is written to stderr: clears the line of progress. */
void notes_clear(const struct notes *notes);

/* So many more texts are done. */
void notes_count(struct notes *notes, size_t n_texts, size_t n_tokens);

/* program_fail, behind the line of progress. */
int notes_fail(const struct notes *notes, const char *message);

/* All texts are done: tells how many were cut, not UTF-8 or of unknown words, unless each was
 * named. */
void notes_end(const struct notes *notes);

#endif
