/* notes.h - what a run says on stderr; struct notes of job.h tells of what, and how often. */
#ifndef TOOLS_ENCODE_NOTES_H
#define TOOLS_ENCODE_NOTES_H

#include "tools/encode/job.h"

void notes_begin(struct job *job);

/* Notes that a text was cut, is not UTF-8, has no tokens, no mask token or few known words, or that
 * its ids look padded; counts the first two. */
void notes_of(struct job *job, const struct item *item);

/* Adds n texts to the progress, which is_counted, and prints it if it is due. */
void notes_count(struct job *job, const struct item *items, size_t n);

/* Prints how many texts were cut, not UTF-8 or of unknown words, unless each was named. */
void notes_end(const struct job *job);

#endif
