/* zip_writer.h - an archive of files that are stored as they are, for NumPy's .npz.
 *
 * Sizes are 64 bits wide everywhere (zip64), so that one way of writing serves any size. Source:
 * PKWARE's APPNOTE.TXT 6.3, 4.3 and 4.5.3.
 */
#ifndef TOOLS_ENCODE_ZIP_WRITER_H
#define TOOLS_ENCODE_ZIP_WRITER_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { ZIP_MOST_FILES = 8 };

struct zip_writer {
    FILE *stream; /* written from its start to its end, never back */
    uint64_t n_bytes;
    size_t n_files;
    struct zip_entry {
        const char *name; /* borrowed until the end */
        uint32_t crc;
        uint64_t len, offset;
    } entries[ZIP_MOST_FILES];
};

/* Adds a file: a head [head_len], then all of `rest`, which is rewound (NULL: nothing).
 * Returns false if rest cannot be read, or the stream not be written (ferror). */
bool zip_add(struct zip_writer *zip, const char *name, const void *head, size_t head_len,
             FILE *rest);

/* Writes the directory after the last file. */
bool zip_end(struct zip_writer *zip);

#endif
