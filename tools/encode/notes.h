/* notes.h - notes and progress on stderr.
 *
 * Notes report what may surprise, each kind once, of the first text that has it (unknown words
 * three times). Progress is the number of texts and their rate, and of a file the share that is
 * done. It is one line of a terminal, which is cleared at the end; with --progress it is lines on
 * any stderr, and the last one stays. */
#ifndef TOOLS_ENCODE_NOTES_H
#define TOOLS_ENCODE_NOTES_H

#include "tools/encode/job.h"

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
