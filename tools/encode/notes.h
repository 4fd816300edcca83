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

#include "tools/encode/job.h"

/* Also notes a text that is the name of a file, or looks like one. */
void notes_begin(struct job *job);

/* Counts and notes that the text was cut, is not UTF-8, has no tokens, no mask token or few known
 * words, or that its ids look padded. */
void notes_of(struct job *job, const struct item *item);

/* The time of the texts that are done begins now, after those that an earlier run has done. */
void notes_restart(struct job *job);

/* So many more texts are done, of progress that is_counted. */
void notes_count(struct job *job, const struct item *items, size_t n);

/* All texts are done: prints how many were cut, not UTF-8 or of unknown words, unless each was
 * named. */
void notes_end(const struct job *job);

#endif
