/* journal.c - see corpus.h. */
#include "tools/encode/corpus/corpus.h"

#include "engine/file/crc32c.h"
#include "tools/common/alloc.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- Lines ---- */

static const char SUM_FORMAT[] = ", \"crc\": \"%08x\"}\n";
enum { SUM_BYTES = 21 }; /* of what the format makes, with its line end */

char *journal_line(const json_t *object)
{
    char *text = json_dumps(object, JSON_PRESERVE_ORDER);
    size_t len = strlen(text) - 1; /* without the brace */
    text = alloc_resize(text, len + SUM_BYTES + 1, 1);
    snprintf(text + len, SUM_BYTES + 1, SUM_FORMAT, (unsigned)crc32c(0, text, len));
    return text;
}

/* The object of such a line; NULL if the line is not complete. */
static json_t *read_journal_line(const char *line, size_t len)
{
    char sum[SUM_BYTES + 1];
    if (len <= SUM_BYTES)
        return NULL;
    snprintf(sum, sizeof sum, SUM_FORMAT, (unsigned)crc32c(0, line, len - SUM_BYTES));
    bool is_whole = memcmp(line + len - SUM_BYTES, sum, SUM_BYTES) == 0;
    return is_whole ? json_loadb(line, len, 0, NULL) : NULL;
}

/* The counts of a struct progress, in its order. */
static const char *const COUNTS[] = {"lines", "rows", "array_rows", "cut", "repaired", "left_out"};
enum { N_COUNTS = sizeof COUNTS / sizeof COUNTS[0] };
_Static_assert(sizeof(struct progress) == N_COUNTS * sizeof(size_t), "each is written and read");

static json_t *entry_json(const struct journal_entry *entry)
{
    json_t *object =
        json_pack("{sIsI}", "bytes", (json_int_t)entry->bytes, "sum", (json_int_t)entry->sum);
    json_t *files = json_array();
    size_t counts[N_COUNTS];
    memcpy(counts, &entry->progress, sizeof counts);
    for (size_t i = 0; i < N_COUNTS; i++)
        json_object_set_new(object, COUNTS[i], json_integer((json_int_t)counts[i]));
    for (size_t i = 0; i < OUTPUT_MOST_PARTS; i++)
        json_array_append_new(files, json_pack("[II]", (json_int_t)entry->files[i].bytes,
                                               (json_int_t)entry->files[i].sum));
    json_object_set_new(object, "files", files);
    json_object_set_new(object, "finished", json_boolean(entry->is_finished));
    return object;
}

/* Numbers that are absent are 0. */
static struct journal_entry read_entry(const json_t *object)
{
    size_t counts[N_COUNTS];
    struct journal_entry entry = {
        .bytes = (uint64_t)json_integer_value(json_object_get(object, "bytes")),
        .sum = (uint32_t)json_integer_value(json_object_get(object, "sum")),
        .is_finished = json_is_true(json_object_get(object, "finished")),
    };
    for (size_t i = 0; i < N_COUNTS; i++)
        counts[i] = (size_t)json_integer_value(json_object_get(object, COUNTS[i]));
    memcpy(&entry.progress, counts, sizeof counts);
    for (size_t i = 0; i < OUTPUT_MOST_PARTS; i++) {
        const json_t *file = json_array_get(json_object_get(object, "files"), i);
        entry.files[i].bytes = (uint64_t)json_integer_value(json_array_get(file, 0));
        entry.files[i].sum = (uint32_t)json_integer_value(json_array_get(file, 1));
    }
    return entry;
}

/* ---- Reading ---- */

static bool refuse_file(const struct journal *journal, const char *what)
{
    return program_refuse("cannot %s '%s': %s", what, journal->path, strerror(errno));
}

/* File systems without locks have one run at a time by the user's care alone. */
static bool lock_journal(struct journal *journal)
{
    return flock(journal->fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK ||
           program_refuse("another encode is writing this output: it holds '%s'", journal->path);
}

/* Reads complete lines and truncates the file after the last one. */
static bool read_journal(struct journal *journal)
{
    FILE *stream = fdopen(dup(journal->fd), "r");
    char *line = NULL;
    size_t cap = 0;
    ssize_t len;
    off_t end = 0;
    json_t *object;
    struct stat file;
    if (!stream || fstat(journal->fd, &file) != 0)
        return refuse_file(journal, "read");
    while (S_ISREG(file.st_mode) && (len = getline(&line, &cap, stream)) > 0 &&
           (object = read_journal_line(line, (size_t)len)) != NULL) {
        const bool is_entry = json_object_get(object, "bytes") != NULL;
        end += len;
        if (is_entry) {
            journal->last = read_entry(object);
            journal->n_entries++;
        }
        json_decref(is_entry ? object : journal->head);
        if (!is_entry)
            journal->head = object;
    }
    const bool is_journal = S_ISREG(file.st_mode) && (journal->head || len <= 0);
    free(line);
    fclose(stream);
    if (!is_journal)
        return program_refuse("'%s' is not a journal of encode: remove it, or name "
                              "another output",
                              journal->path);
    return (ftruncate(journal->fd, end) == 0 && lseek(journal->fd, end, SEEK_SET) == end) ||
           refuse_file(journal, "cut");
}

bool journal_find(struct journal *journal, const char *output_path)
{
    *journal = (struct journal){.path = alloc_text("%s.journal", output_path)};
    journal->fd = open(journal->path, O_RDWR | O_CLOEXEC);
    if (journal->fd < 0 && errno == ENOENT)
        return false;
    if ((journal->fd < 0 && !refuse_file(journal, "open")) || !lock_journal(journal) ||
        !read_journal(journal))
        program_exit(PROGRAM_FAILED);
    /* The run that held it may have ended, and removed it, between open and lock. */
    struct stat file;
    if (fstat(journal->fd, &file) != 0 || file.st_nlink > 0)
        return true;
    close(journal->fd);
    journal->fd = -1;
    journal->n_entries = 0;
    journal->last = (struct journal_entry){0};
    return false;
}

/* ---- Writing ---- */

static bool write_line(struct journal *journal, json_t *object)
{
    char *line = journal_line(object);
    const size_t len = strlen(line);
    ssize_t n = write(journal->fd, line, len);
    if (n >= 0 && (size_t)n < len)
        errno = ENOSPC;
    free(line);
    return (n >= 0 && (size_t)n == len) || refuse_file(journal, "write to");
}

bool journal_change_head(struct journal *journal, json_t *head)
{
    json_decref(journal->head);
    journal->head = head;
    return write_line(journal, head);
}

bool journal_begin(struct journal *journal, json_t *head)
{
    journal->fd = open(journal->path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (journal->fd >= 0)
        return lock_journal(journal) && journal_change_head(journal, head);
    if (errno == EEXIST)
        program_fail("another encode is writing this output: it has made '%s'", journal->path);
    else
        refuse_file(journal, "make");
    json_decref(head);
    return false;
}

bool journal_add(struct journal *journal, const struct journal_entry *entry)
{
    json_t *object = entry_json(entry);
    bool is_kept = write_line(journal, object) &&
                   (fdatasync(journal->fd) == 0 || refuse_file(journal, "write to"));
    json_decref(object);
    if (is_kept && journal->n_entries++ == 0)
        output_file_sync_folder(journal->path);
    if (is_kept)
        journal->last = *entry;
    return is_kept;
}

void journal_remove(struct journal *journal)
{
    unlink(journal->path);
    output_file_sync_folder(journal->path);
}

void journal_close(struct journal *journal)
{
    if (journal->fd >= 0)
        close(journal->fd);
    json_decref(journal->head);
    free(journal->path);
    *journal = (struct journal){.fd = -1};
}
