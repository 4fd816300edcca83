/* disk_state.h - folders that a power cut may leave, made of what a program did to one
 * (disk_log.h).
 *
 * What was synced is kept: the bytes of a file by fsync or fdatasync of the file, names by fsync of
 * the folder. Of every later change each sector of 512 bytes, and each name, is kept or lost, each
 * independently of all others; a sector that the file did not have before may hold anything.
 */
#ifndef TESTS_FAULTS_DISK_STATE_H
#define TESTS_FAULTS_DISK_STATE_H

#include "tests/faults/disk_log.h"

#include <stdint.h>

/* The unsynced changes that were kept. */
enum disk_loss {
    LOSE_ALL,
    LOSE_NOTHING,
    LOSE_BYTES,       /* all names are there */
    LOSE_NAMES,       /* all bytes are there */
    LOSE_INTO_ZEROS,  /* names and lengths are there, and the bytes are 0 */
    LOSE_INTO_OTHERS, /* names and lengths are there, the bytes are others */
    LOSE_AFTER,       /* what came after some change */
    LOSE_ANY,
    N_LOSSES
};

/* A disk that lies: syncs that do nothing, as if the program had not asked for them. */
enum disk_lie {
    LIE_NONE,
    LIE_FSYNC,  /* fsync of a file, which the program calls before it renames one */
    LIE_FOLDER, /* fsync of the folder */
    LIE_PARTS   /* fdatasync of the parts, before an entry of the journal */
};

struct disk_state {
    signed char listing[DISK_NAMES];
    struct disk_bytes {
        unsigned char *bytes;
        size_t len;
    } files[DISK_FILES];
    uint64_t hash;
};

/* After the first n changes; the seed chooses among the states of LOSE_AFTER and LOSE_ANY. To be
 * freed. */
void disk_state_make(struct disk_state *state, const struct disk_log *log, size_t n,
                     enum disk_loss loss, enum disk_lie lie, uint64_t seed);
void disk_state_free(struct disk_state *state);

/* Writes its files into a folder that is empty. */
void disk_state_write(const struct disk_state *state, const struct disk_log *log,
                      const char *folder);

/* The bytes of a name; NULL: there is no such file. */
const struct disk_bytes *disk_state_file(const struct disk_state *state, const struct disk_log *log,
                                         const char *name);

/* Returns how often the program had replaced the journal by then; one that was there counts 2. */
size_t disk_log_entries(const struct disk_log *log, const char *journal, size_t n);

#endif
