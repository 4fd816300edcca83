/* notes.h - what is said on stderr while results go elsewhere: what may surprise of a text, once
 * each, of the first; and progress, texts so far and how fast they go. Progress is one line of a
 * terminal that is cleared at the end; with --progress lines of any stderr, and the last one stays.
 */
#ifndef TOOLS_NOTES_H
#define TOOLS_NOTES_H

#include "tools/encode/tasks.h"

struct notes {
    const struct encoder *encoder;
    bool is_shown, is_terminal, is_kept; /* progress */
    double start, last;                  /* seconds; 0: not yet */
    size_t n_texts, n_tokens;            /* done */
    size_t n_read, n_cut;                /* inputs, without the query */
    size_t n_cut_named;                  /* of these, in a note */
    bool has_noted_empty, has_noted_cut, has_noted_mask, has_noted_padding;
};

/* Seconds of a clock that only goes forward. */
double notes_seconds(void);

void notes_begin(struct notes *notes, const struct job *job);

/* That a text was cut, has no tokens, or no mask token, that ids look padded. */
void notes_of(struct notes *notes, const struct item *item);

/* So many more are done. n_tokens may be 0 where it is not known. */
void notes_count(struct notes *notes, size_t n_texts, size_t n_tokens);

/* Before anything else is written to stderr. */
void notes_clear(const struct notes *notes);

/* All are done: says how many texts were cut, where the note was not of all. */
void notes_end(const struct notes *notes);

#endif
