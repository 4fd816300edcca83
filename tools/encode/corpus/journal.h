/* journal.h - the progress of a run: a file of lines of JSON beside the output, FILE.journal.
 *
 * The first line says what makes the output (origin.h). Every other is an entry: what was read of
 * the input by then, and how long each part of the output was, with checksums. It is written when
 * the parts are on the disk, and synced itself: the last complete line is true even after a power
 * cut. Each line ends with its own checksum; a torn line and all after it are
 * ignored.
 *
 * The first entry is on the disk before the parts have names: no crash leaves a part without.
 *
 * The file is locked during a run (flock), and exists only until its output is complete.
 */
#ifndef TOOLS_ENCODE_JOURNAL_H
#define TOOLS_ENCODE_JOURNAL_H

#include "tools/encode/job.h"

#include <jansson.h>

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

#endif
