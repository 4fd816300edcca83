/* corpus.h - a run whose work is not lost when it ends early: it leaves the parts of its output and
 * a journal of their progress, and the next run continues there.
 *
 * The output of a journal is a regular file with a name (no device), its texts come from a file or
 * a pipe on stdin, and each has its result as soon as it is read. A run of less than a second keeps
 * nothing, unless it is stopped by a signal. */
#ifndef TOOLS_ENCODE_CORPUS_H
#define TOOLS_ENCODE_CORPUS_H

#include "tools/encode/corpus/journal.h"

struct corpus {
    struct job *job;
    struct journal journal;
    struct journal_entry reached; /* what is printed */
    double due;                   /* the time for the journal's next entry, in seconds */
    bool is_broken;  /* the journal could not be written, or the parts not be continued */
    bool is_refused; /* the input or the parts are not those of the journal */
};

/* Looks for a journal of the output, checks that the options may continue it, and opens the output
 * of the job: a new one, or the parts. Returns false if the output is complete, after a message.
 * Ends the program if something is wrong. */
bool corpus_open(struct corpus *corpus, struct job *job);

/* Call it before the first text, after the printer's begin: from here on SIGINT and SIGTERM end the
 * run and drop its current batch; a second signal ends the program at once. If an earlier run is
 * continued, skips the input that it has read, truncates the parts to the journal's last entry, and
 * restores the job's progress. Returns NULL, or an error text. */
const char *corpus_begin(struct corpus *corpus);

/* The session's progress callback: interrupts a call that began after the signal. */
int corpus_progress(size_t n_done, size_t n, void *user);

/* Call it after the results of each batch are printed; is_last: no other follows. Returns
 * PROGRAM_DONE, or the exit code of a run that ends here. */
int corpus_advance(struct corpus *corpus, bool is_last);

/* Writes the progress of the last corpus_advance to the journal, and returns as it does. Call it if
 * a signal has interrupted a batch, before the printer's end. */
int corpus_keep(struct corpus *corpus);

/* Ends the output like output_end. Of an incomplete run, keeps the parts and prints how to
 * continue. Returns the exit code. */
int corpus_end(struct corpus *corpus, int code);

#endif
