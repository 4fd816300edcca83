/* zip_writer.c - see zip_writer.h. */
#include "tools/encode/print/zip_writer.h"

#include "tools/common/crc32.h"

#include <string.h>

enum {
    VERSION = 45, /* of a reader that knows zip64 */
    DATE = 0x21,  /* 1980-01-01, the first there is: the same input gives the same bytes */
    COPY_BYTES = 64 << 10,
    ZIP64_TAG = 1
};

/* ---- Records ---- */

/* The fields of a record, little-endian, one after the other. */
struct record {
    unsigned char bytes[128];
    size_t n;
};

static void append_number(struct record *record, uint64_t value, size_t n_bytes)
{
    for (size_t i = 0; i < n_bytes; i++, value >>= 8)
        record->bytes[record->n++] = (unsigned char)value;
}

static bool write_bytes(struct zip_writer *zip, const void *bytes, size_t n)
{
    zip->n_bytes += n;
    return fwrite(bytes, 1, n, zip->stream) == n;
}

/* Appends the fields that the local header and the directory share: from the version needed to the
 * length of the extra field. */
static void append_common(struct record *record, const struct zip_entry *entry, size_t extra_len)
{
    append_number(record, VERSION, 2);
    append_number(record, 0, 2); /* flags */
    append_number(record, 0, 2); /* stored */
    append_number(record, 0, 2); /* time */
    append_number(record, DATE, 2);
    append_number(record, entry->crc, 4);
    append_number(record, UINT32_MAX, 4); /* both sizes are in the extra field */
    append_number(record, UINT32_MAX, 4);
    append_number(record, strlen(entry->name), 2);
    append_number(record, extra_len, 2);
}

static void append_sizes(struct record *record, const struct zip_entry *entry, size_t n_bytes)
{
    append_number(record, ZIP64_TAG, 2);
    append_number(record, n_bytes, 2);
    append_number(record, entry->len, 8);
    append_number(record, entry->len, 8);
}

static bool write_local_header(struct zip_writer *zip, const struct zip_entry *entry)
{
    struct record header = {.n = 0}, extra = {.n = 0};
    append_sizes(&extra, entry, 16);
    append_number(&header, 0x04034B50, 4);
    append_common(&header, entry, extra.n);
    return write_bytes(zip, header.bytes, header.n) &&
           write_bytes(zip, entry->name, strlen(entry->name)) &&
           write_bytes(zip, extra.bytes, extra.n);
}

static bool write_directory_entry(struct zip_writer *zip, const struct zip_entry *entry)
{
    struct record header = {.n = 0}, extra = {.n = 0};
    append_sizes(&extra, entry, 24);
    append_number(&extra, entry->offset, 8);
    append_number(&header, 0x02014B50, 4);
    append_number(&header, VERSION, 2);
    append_common(&header, entry, extra.n);
    append_number(&header, 0, 2 + 2 + 2 + 4); /* comment, disk, attributes: none */
    append_number(&header, UINT32_MAX, 4);    /* where it is, is in the extra field */
    return write_bytes(zip, header.bytes, header.n) &&
           write_bytes(zip, entry->name, strlen(entry->name)) &&
           write_bytes(zip, extra.bytes, extra.n);
}

/* ---- Files ---- */

/* Adds the length and checksum of `rest` to the entry, or copies it to the archive. */
static bool read_rest(FILE *rest, struct zip_entry *entry, struct zip_writer *to)
{
    static unsigned char bytes[COPY_BYTES];
    size_t n;
    if (rest == NULL)
        return true;
    if (fflush(rest) != 0 || fseeko(rest, 0, SEEK_SET) != 0)
        return false;
    while ((n = fread(bytes, 1, sizeof bytes, rest)) > 0) {
        if (to != NULL && !write_bytes(to, bytes, n))
            return false;
        entry->crc = to == NULL ? crc32_add(entry->crc, bytes, n) : entry->crc;
        entry->len += to == NULL ? n : 0;
    }
    return !ferror(rest);
}

bool zip_add(struct zip_writer *zip, const char *name, const void *head, size_t head_len,
             FILE *rest)
{
    struct zip_entry *entry = &zip->entries[zip->n_files++];
    *entry = (struct zip_entry){.name = name, .len = head_len, .offset = zip->n_bytes};
    entry->crc = crc32_add(0, head, head_len);
    if (!read_rest(rest, entry, NULL))
        return false;
    return write_local_header(zip, entry) && write_bytes(zip, head, head_len) &&
           read_rest(rest, entry, zip);
}

bool zip_end(struct zip_writer *zip)
{
    struct record end = {.n = 0};
    uint64_t start = zip->n_bytes;
    for (size_t i = 0; i < zip->n_files; i++)
        if (!write_directory_entry(zip, &zip->entries[i]))
            return false;
    uint64_t directory = zip->n_bytes;
    append_number(&end, 0x06064B50, 4); /* end of the directory, zip64 */
    append_number(&end, 44, 8);         /* bytes that follow in it */
    append_number(&end, VERSION, 2);
    append_number(&end, VERSION, 2);
    append_number(&end, 0, 4 + 4); /* disks */
    append_number(&end, zip->n_files, 8);
    append_number(&end, zip->n_files, 8);
    append_number(&end, directory - start, 8);
    append_number(&end, start, 8);
    append_number(&end, 0x07064B50, 4); /* where that is */
    append_number(&end, 0, 4);
    append_number(&end, directory, 8);
    append_number(&end, 1, 4);
    append_number(&end, 0x06054B50, 4); /* and the end that every reader looks for */
    append_number(&end, 0, 2 + 2);
    append_number(&end, zip->n_files, 2);
    append_number(&end, zip->n_files, 2);
    append_number(&end, UINT32_MAX, 4);
    append_number(&end, UINT32_MAX, 4);
    append_number(&end, 0, 2);
    return write_bytes(zip, end.bytes, end.n);
}
