/* zip_file.h - the entries of a zip archive whose data is stored, not compressed, as torch.save
 * writes it: names and offsets of the data, checked against the length of the file.
 *
 * A zip archive is read from its end: the end record says where the directory is, which says where
 * each entry is, which begins with a header of its own, after whose name the data follows. Records
 * of 64 bits (zip64) are read if a number does not fit into 32. Source: APPNOTE.TXT of PKWARE,
 * sections 4.3.7, 4.3.12 to 4.3.16, 4.5.3. */
#ifndef TOOLS_IMPORT_ZIP_FILE_H
#define TOOLS_IMPORT_ZIP_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct zip_entry {
    const char *name; /* [name_len] in the archive's directory, not terminated */
    size_t name_len;
    uint64_t begin;           /* of the entry: its header, name and data */
    uint64_t offset, n_bytes; /* of the data, in the file */
    uint32_t crc;             /* of the data, as the directory says */
    bool is_checked;          /* the data has this checksum */
};

struct zip_file {
    const char *name; /* borrowed, for messages */
    int fd;           /* borrowed */
    uint64_t n_file_bytes;
    uint64_t directory_offset, directory_bytes;
    uint8_t *directory;        /* as the file has it; owns the names */
    struct zip_entry *entries; /* [n], in the order of their names */
    uint64_t n;
};

/* Reads the directory of an open file and checks it: stored, each name once, no entry overlaps
 * another. `zip` is zeros but for name, fd and n_file_bytes. */
void zip_file_read(struct zip_file *zip);

/* By name, or NULL. */
struct zip_entry *zip_file_find(const struct zip_file *zip, const char *name);

/* Refuses an entry whose data does not have the checksum of the directory, the first time. 0 is
 * none: torch.save writes that after set_crc32_options(False). */
void zip_file_check(const struct zip_file *zip, struct zip_entry *entry);

#endif
