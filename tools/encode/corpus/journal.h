/* journal.h - what makes an output, and how far it is: two objects of JSON beside it.
 *
 * FILE.journal exists until its output is complete. It has the settings of the run, what was read
 * of the input, and how long each part of the output was then, with checksums. It is written when
 * the parts are on the disk, as every output is: into another file, which is synced and renamed. So
 * there is one journal at any time, complete and true even after a power cut. The first one is on
 * the disk before the parts have names: no crash leaves a part without. A part is locked during its
 * run (output_file.h), the journal is not.
 *
 * FILE.origin.json is written beside a file of vectors, or one by --resume. It has the settings and
 * what is in force (name, pooling, prompt, position, mask, dimensions), how many rows and texts
 * there are, and the lines, bytes and checksum of the input. encode-search compares it with model
 * and texts, --resume with a run of the same output. */
#ifndef TOOLS_ENCODE_JOURNAL_H
#define TOOLS_ENCODE_JOURNAL_H

#include "tools/common/options/option_table.h"
#include "tools/encode/job.h"

#include <jansson.h>
#include <sys/types.h>

/* ---- Settings: the program's version, the model's checksum, the family of kernels, and the
 * ---- options that change a byte of an output ---- */

/* Returns the options that matter, each with its value, "" of a flag. Owned by the caller. */
json_t *settings_of_options(const struct option_reading *reading);

/* Adds version, model and kernels: {"encode": …, "model": …, "kernels": …, "options": {…}}.
 * Takes the options, which get the model's own --on-long. */
json_t *settings_make(json_t *options, const struct text_encoder *encoder);

/* Returns whether a run that was started with `before` may continue with `now`; if not, the message
 * says what differs. An option that would end the run at a text may differ: no byte depends on
 * it. */
enum { SETTINGS_MESSAGE_BYTES = 512 };
bool settings_agree(const json_t *before, const json_t *now, char message[SETTINGS_MESSAGE_BYTES]);

/* ---- The journal ---- */

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
    json_t *settings; /* of the run that wrote it; NULL: there is no journal */
    struct journal_entry last;
};

/* Reads the journal of an output, if there is one. Ends the program if the file is no journal. */
void journal_find(struct journal *journal, const char *output_path);

/* Replaces the journal by one with this entry, which becomes `last`. Returns false after a
 * message. */
bool journal_write(struct journal *journal, const json_t *settings,
                   const struct journal_entry *entry);

/* Removes the file, if it exists, which no run needs any more. */
void journal_remove(struct journal *journal);
void journal_free(struct journal *journal);

/* Adds bytes from..end-1 of a file to the CRC-32C in `sum`. Returns false if reading fails. */
bool file_sum(int fd, off_t from, off_t end, uint32_t *sum);

/* ---- The origin ---- */

/* Writes what is known when all texts are encoded. */
void origin_write(FILE *stream, const struct job *job);

/* Returns whether the complete output of a job exists, and prints a note if so. Ends the program if
 * it was made by other settings or of another input than the job's, which is read. */
bool origin_is_of(const struct job *job);

#endif
