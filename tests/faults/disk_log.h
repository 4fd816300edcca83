/* disk_log.h - what a program does to the files of a folder, change by change: a tracer looks at
 * the folder after each of its system calls (fault.h). disk_state.h derives the states that a power
 * cut may leave. */
#ifndef TESTS_FAULTS_DISK_LOG_H
#define TESTS_FAULTS_DISK_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum { DISK_NAMES = 24, DISK_FILES = 48, DISK_CHANGES = 8192, DISK_NAME_BYTES = 64 };

enum disk_kind {
    DISK_WRITE,      /* bytes of a file from `at` on */
    DISK_CUT,        /* a file, to `len` bytes */
    DISK_NAME,       /* names of the folder: made, renamed or removed in one step */
    DISK_SYNC,       /* fsync or fdatasync of a file */
    DISK_SYNC_FOLDER /* fsync of the folder */
};

struct disk_change {
    enum disk_kind kind;
    bool is_fdatasync;
    int file; /* an index; of DISK_NAME, none */
    size_t at, len;
    unsigned char *bytes;                              /* [len], of DISK_WRITE */
    signed char before[DISK_NAMES], after[DISK_NAMES]; /* of DISK_NAME: files by name, -1: none */
};

struct disk_file {
    dev_t device;
    ino_t inode;
    unsigned char *bytes; /* as the program sees it, [len] */
    size_t len;
};

struct disk_log {
    const char *folder;
    char names[DISK_NAMES][DISK_NAME_BYTES];
    signed char listing[DISK_NAMES]; /* files by name, as the program sees them */
    struct disk_file files[DISK_FILES];
    struct disk_change changes[DISK_CHANGES];
    size_t n_names, n_files, n_changes;
    size_t n_first; /* changes that were on the disk before the program began */
};

/* Runs the program as fault_watch does. Returns its status; to be freed. */
int disk_log_run(struct disk_log *log, char *const arguments[], const char *folder,
                 const char *const streams[3]);
void disk_log_free(struct disk_log *log);

/* The index of a name, which is new if need be. */
size_t disk_log_name(struct disk_log *log, const char *name);

/* All bytes of a file, to be freed; NULL: it cannot be read. */
unsigned char *disk_read(const char *path, size_t *len);

#endif
