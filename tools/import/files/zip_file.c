/* zip_file.c - see zip_file.h. Every length and offset comes from the file, and is compared with
 * the length of the file before it is used. */
#include "tools/import/files/zip_file.h"

#include "tools/common/alloc.h"
#include "tools/common/crc32.h"
#include "tools/import/files/folder.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- The end of the archive ---- */

enum { END_BYTES = 22, LOCATOR_BYTES = 20, END64_BYTES = 56, RECORD_BYTES = 46, HEADER_BYTES = 30 };
enum { MOST_COMMENT_BYTES = 0xFFFF, MOST_DIRECTORY_BYTES = 16 << 20 };

/* Each kind of record begins with one of these. */
enum { HEADER_MARK = 0x04034B50, RECORD_MARK = 0x02014B50, END_MARK = 0x06054B50 };
enum { LOCATOR_MARK = 0x07064B50, END64_MARK = 0x06064B50 };

/* In a field of 16 or 32 bits: the number is in a record of 64 bits. */
static const uint64_t IN_16 = 0xFFFF, IN_32 = 0xFFFFFFFF;

_Noreturn static void zip_die(const struct zip_file *zip, const char *what, uint64_t offset)
{
    program_die("%s: %s at byte %" PRIu64 " (is it truncated, or damaged?)", zip->name, what,
                offset);
}

static void read_at(const struct zip_file *zip, uint64_t offset, uint8_t *bytes, size_t n,
                    const char *what)
{
    if (offset > zip->n_file_bytes || n > zip->n_file_bytes - offset)
        zip_die(zip, what, offset);
    file_read_at(zip->fd, zip->name, offset, bytes, n);
}

/* Reads the end record, whose comment ends with the file. Returns its offset. */
static uint64_t find_end(const struct zip_file *zip, uint8_t record[END_BYTES])
{
    size_t most = END_BYTES + MOST_COMMENT_BYTES;
    size_t n = zip->n_file_bytes < most ? (size_t)zip->n_file_bytes : most;
    uint8_t *tail = alloc_zeros(n, 1);
    uint64_t begin = zip->n_file_bytes - n;
    read_at(zip, begin, tail, n, "the end of the archive is missing,");
    for (size_t at = n < END_BYTES ? 0 : n - END_BYTES + 1; at-- > 0;)
        if (little_endian(tail + at, 4) == END_MARK &&
            little_endian(tail + at + 20, 2) == n - at - 22) {
            memcpy(record, tail + at, END_BYTES);
            return begin + at;
        }
    zip_die(zip, "no zip archive ends", zip->n_file_bytes);
}

/* Reads the record of 64 bits, to which a locator before the end record points. */
static void read_end64(struct zip_file *zip, uint64_t end_offset)
{
    uint8_t locator[LOCATOR_BYTES], record[END64_BYTES];
    if (end_offset < sizeof locator)
        zip_die(zip, "no room for an end of 64 bits", end_offset);
    read_at(zip, end_offset - sizeof locator, locator, sizeof locator, "no end of 64 bits");
    uint64_t offset = little_endian(locator + 8, 8);
    if (little_endian(locator, 4) != LOCATOR_MARK)
        zip_die(zip, "no pointer to an end of 64 bits", end_offset - sizeof locator);
    read_at(zip, offset, record, sizeof record, "no end of 64 bits");
    if (little_endian(record, 4) != END64_MARK)
        zip_die(zip, "no end of 64 bits", offset);
    zip->n = little_endian(record + 32, 8);
    zip->directory_bytes = little_endian(record + 40, 8);
    zip->directory_offset = little_endian(record + 48, 8);
}

/* Reads how many entries there are, and where their directory is. */
static void read_end(struct zip_file *zip)
{
    uint8_t record[END_BYTES];
    uint64_t offset = find_end(zip, record);
    zip->n = little_endian(record + 10, 2);
    zip->directory_bytes = little_endian(record + 12, 4);
    zip->directory_offset = little_endian(record + 16, 4);
    if (little_endian(record + 4, 4) != 0)
        zip_die(zip, "an archive of several disks ends", offset);
    if (zip->n == IN_16 || zip->directory_bytes == IN_32 || zip->directory_offset == IN_32)
        read_end64(zip, offset);
    if (zip->directory_offset > offset || zip->directory_bytes > offset - zip->directory_offset)
        zip_die(zip, "the directory of the archive does not fit before its end", offset);
    if (zip->directory_bytes > MOST_DIRECTORY_BYTES)
        program_die("%s: a directory of %" PRIu64
                    " bytes; at most %d are read (expected a file of torch.save)",
                    zip->name, zip->directory_bytes, MOST_DIRECTORY_BYTES);
    if (zip->n > zip->directory_bytes / RECORD_BYTES)
        zip_die(zip, "more entries than the directory has room for are announced", offset);
}

/* ---- Entries ---- */

/* Numbers that did not fit into 32 bits follow each other in the extra field with the tag 1. */
static void read_64(const struct zip_file *zip, const uint8_t *extra, size_t n_extra,
                    uint64_t *const numbers[], size_t n_numbers)
{
    enum { TAG_64 = 1, FIELD_HEAD = 4 };
    size_t field = 0, at = 0;
    for (size_t k = 0; k < n_extra; k += FIELD_HEAD + field) {
        size_t left = n_extra - k;
        field = left < FIELD_HEAD ? left : (size_t)little_endian(extra + k + 2, 2);
        if (left < FIELD_HEAD || field > left - FIELD_HEAD)
            zip_die(zip, "an extra field that is too long",
                    zip->directory_offset + (uint64_t)(extra + k - zip->directory));
        if (little_endian(extra + k, 2) != TAG_64)
            continue;
        for (size_t i = 0; i < n_numbers; i++)
            if (*numbers[i] == IN_32 && field - at >= 8) {
                *numbers[i] = little_endian(extra + k + FIELD_HEAD + at, 8);
                at += 8;
            }
        return;
    }
}

/* Reads one record of the directory. Returns its length. */
static size_t read_entry(const struct zip_file *zip, size_t at, struct zip_entry *entry)
{
    const uint8_t *record = zip->directory + at;
    size_t left = (size_t)zip->directory_bytes - at;
    uint64_t where = zip->directory_offset + at;
    if (left < RECORD_BYTES || little_endian(record, 4) != RECORD_MARK)
        zip_die(zip, "no entry of the directory", where);
    uint64_t n_packed = little_endian(record + 20, 4);
    size_t n_extra = (size_t)little_endian(record + 30, 2);
    *entry = (struct zip_entry){.name = (const char *)record + RECORD_BYTES,
                                .name_len = (size_t)little_endian(record + 28, 2),
                                .begin = little_endian(record + 42, 4),
                                .n_bytes = little_endian(record + 24, 4),
                                .crc = (uint32_t)little_endian(record + 16, 4)};
    size_t len = RECORD_BYTES + entry->name_len + n_extra + (size_t)little_endian(record + 32, 2);
    if (len > left)
        zip_die(zip, "an entry that is longer than the directory", where);
    read_64(zip, record + RECORD_BYTES + entry->name_len, n_extra,
            (uint64_t *const[]){&entry->n_bytes, &n_packed, &entry->begin}, 3);
    if (little_endian(record + 10, 2) != 0 || n_packed != entry->n_bytes)
        zip_die(zip, "an entry that is compressed; expected one that is stored,", where);
    if ((record[8] & 1) != 0)
        zip_die(zip, "an entry that is encrypted", where);
    return len;
}

/* Finds the data: it follows the entry's own header, which repeats its name. */
static void locate(const struct zip_file *zip, struct zip_entry *entry)
{
    uint8_t header[HEADER_BYTES];
    uint64_t end = zip->directory_offset;
    if (entry->begin > end || sizeof header > end - entry->begin)
        zip_die(zip, "an entry that does not fit before the directory", entry->begin);
    read_at(zip, entry->begin, header, sizeof header, "no entry");
    size_t n_name = (size_t)little_endian(header + 26, 2);
    uint64_t n_before = sizeof header + n_name + little_endian(header + 28, 2);
    if (little_endian(header, 4) != HEADER_MARK || little_endian(header + 8, 2) != 0 ||
        n_name != entry->name_len)
        zip_die(zip, "no header of a stored entry as the directory has it", entry->begin);
    if (n_before > end - entry->begin || entry->n_bytes > end - entry->begin - n_before)
        zip_die(zip, "an entry that does not fit before the directory", entry->begin);
    entry->offset = entry->begin + n_before;
}

static int by_begin(const void *left, const void *right)
{
    const struct zip_entry *a = left, *b = right;
    return a->begin < b->begin ? -1 : a->begin > b->begin;
}

static int by_name(const void *left, const void *right)
{
    const struct zip_entry *a = left, *b = right;
    int order = memcmp(a->name, b->name, a->name_len < b->name_len ? a->name_len : b->name_len);
    return order != 0 ? order : a->name_len < b->name_len ? -1 : a->name_len > b->name_len;
}

void zip_file_read(struct zip_file *zip)
{
    size_t at = 0;
    read_end(zip);
    zip->directory = alloc_zeros((size_t)zip->directory_bytes, 1);
    read_at(zip, zip->directory_offset, zip->directory, (size_t)zip->directory_bytes,
            "no directory");
    struct zip_entry *entries = alloc_zeros((size_t)zip->n, sizeof *entries);
    zip->entries = entries;
    for (size_t i = 0; i < zip->n; i++) {
        at += read_entry(zip, at, &entries[i]);
        locate(zip, &entries[i]);
    }
    if (at != zip->directory_bytes)
        zip_die(zip, "bytes after the last entry of the directory", zip->directory_offset + at);
    qsort(entries, (size_t)zip->n, sizeof *entries, by_begin);
    for (size_t i = 1; i < zip->n; i++)
        if (entries[i].begin < entries[i - 1].offset + entries[i - 1].n_bytes)
            zip_die(zip, "two entries overlap", entries[i].begin);
    qsort(entries, (size_t)zip->n, sizeof *entries, by_name);
    for (size_t i = 1; i < zip->n; i++)
        if (by_name(&entries[i - 1], &entries[i]) == 0)
            zip_die(zip, "an entry has the name of another", entries[i].begin);
}

void zip_file_check(const struct zip_file *zip, struct zip_entry *entry)
{
    static uint8_t bytes[1 << 16];
    uint32_t crc = 0;
    if (entry->is_checked || entry->crc == 0)
        return;
    for (uint64_t at = 0, n; at < entry->n_bytes; at += n) {
        n = entry->n_bytes - at < sizeof bytes ? entry->n_bytes - at : sizeof bytes;
        file_read_at(zip->fd, zip->name, entry->offset + at, bytes, (size_t)n);
        crc = crc32_add(crc, bytes, (size_t)n);
    }
    if (crc != entry->crc)
        program_die("%s: the data of '%.*s' is damaged: its checksum is %08x, and the archive says "
                    "%08x; copy or download the file again",
                    zip->name, (int)entry->name_len, entry->name, (unsigned)crc,
                    (unsigned)entry->crc);
    entry->is_checked = true;
}

struct zip_entry *zip_file_find(const struct zip_file *zip, const char *name)
{
    const struct zip_entry wanted = {.name = name, .name_len = strlen(name)};
    return bsearch(&wanted, zip->entries, (size_t)zip->n, sizeof wanted, by_name);
}
