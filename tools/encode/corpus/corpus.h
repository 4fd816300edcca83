/* corpus.h - a run whose work is not lost when it ends early: it leaves the parts of its output and
 * a journal of their progress, and the next run continues there.
 *
 * The output of a journal is a regular file with a name (no device), its texts come from a file or
 * a pipe on stdin, and each has its result as soon as it is read. A run of less than a second keeps
 * nothing, unless it is stopped by a signal. */
#ifndef TOOLS_ENCODE_CORPUS_H
#define TOOLS_ENCODE_CORPUS_H

#include "tools/common/options/option_reading.h"
#include "tools/encode/job.h"

#include <jansson.h>
#include <sys/types.h>

/* ---- journal.c: FILE.journal, lines of JSON beside the output
 *
 * The first line says what makes the output. Every other is an entry: what was read of the input by
 * then, and how long each part of the output was, with checksums. It is written when the parts are
 * on the disk, and synced itself: the last complete line is true even after a power cut. Each line
 * ends with its own checksum; a torn line and all after it are ignored. The first entry is on the
 * disk before the parts have names: no crash leaves a part without.
 *
 * The file is locked during a run (flock), and exists only until its output is complete. ---- */

struct journal_entry {
    uint64_t bytes; /* of the input, done */
    uint32_t sum;   /* CRC-32C of them */
    struct progress progress;
    struct journal_file {
        uint64_t bytes;
        uint32_t sum;
    } files[OUTPUT_MOST_PARTS]; /* the output, then files beside it */
    bool is_finished;           /* all is done but the names of the parts */
};

struct journal {
    char *path;
    int fd;       /* -1: no journal */
    json_t *head; /* what makes the output */
    struct journal_entry last;
    size_t n_entries; /* `last` is the last of them */
};

/* Looks for the journal of an output, locks and reads it. Returns false if it is absent. Ends the
 * program if another run holds it, or if the file is no journal. */
bool journal_find(struct journal *journal, const char *output_path);

/* Makes the file, which must not exist. Takes `head`. Returns false after a message. */
bool journal_begin(struct journal *journal, json_t *head);

/* Adds an entry, synced, which becomes `last`; or another head. Return false after a message. */
bool journal_add(struct journal *journal, const struct journal_entry *entry);
bool journal_change_head(struct journal *journal, json_t *head);

/* Removes the file, which no run needs any more. */
void journal_remove(struct journal *journal);
void journal_close(struct journal *journal);

/* An object as one line that ends with its checksum, to be freed. */
char *journal_line(const json_t *object);

/* ---- origin.c: what makes an output: the program's version, the model's checksum, the family of
 * kernels, and the options that change a byte of it. Journals store these settings as JSON.
 *
 * So does FILE.origin.json, which is written beside a file of vectors, or one by --resume. It also
 * has what is in force (name, pooling, prompt, position, mask, dimensions), how many rows and texts
 * there are, and the lines, bytes and checksum of the input. encode-search compares it with model
 * and texts, --resume with a run of the same output. ---- */

/* Returns the options that matter, each with its value, "" of a flag. Owned by the caller. */
json_t *settings_of_options(const struct option_reading *reading);

/* Adds version, model and kernels: {"encode": …, "model": …, "kernels": …, "options": {…}}.
 * The options are borrowed, and get the model's own --on-long. */
json_t *settings_make(json_t *options, const struct encoder *encoder);

/* Returns whether a run that was started with `before` may continue with `now`; if not, the message
 * says what differs. An option that would end the run at a text may differ: no byte depends on
 * it. */
enum { SETTINGS_MESSAGE_BYTES = 512 };
bool settings_agree(const json_t *before, const json_t *now, char message[SETTINGS_MESSAGE_BYTES]);

/* Adds bytes from..end-1 of a file to the CRC-32C in `sum`. Returns false if reading fails. */
bool file_sum(int fd, off_t from, off_t end, uint32_t *sum);

/* Writes what is known when all texts are encoded. */
void origin_write(FILE *stream, const struct job *job);

/* Returns whether a complete output exists, and prints a note if so. Ends the program if it was
 * made by other settings or of another input than that on stdin, which is read. */
bool origin_is_of(const char *output_path, const json_t *settings);

/* ---- corpus.c: the run ---- */

struct corpus {
    struct job *job;
    json_t *settings; /* NULL: not yet made */
    struct journal journal;
    struct journal_entry reached; /* what is printed */
    double due;                   /* the time for the journal's next entry, in seconds */
    bool is_broken;  /* the journal could not be written, or the parts not be continued */
    bool is_refused; /* the input or the parts are not those of the journal */
};

/* Returns whether the options, of an output with a name, make a run that can have a journal. */
bool corpus_is_asked(const struct encode_options *options);

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
