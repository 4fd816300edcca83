/* disk_log.c - see disk_log.h. The bytes of a change are the bytes that differ from the file before
 * it, so no way to write has to be understood. */
#include "tests/faults/disk_log.h"

#include "tests/faults/fault.h"
#include "tests/support.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

unsigned char *disk_read(const char *path, size_t *len)
{
    struct stat status;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    *len = 0;
    if (file < 0 || fstat(file, &status) != 0 || !S_ISREG(status.st_mode)) {
        close(file);
        return NULL;
    }
    unsigned char *bytes = calloc((size_t)status.st_size + 1, 1);
    assert_non_null(bytes);
    ssize_t n = pread(file, bytes, (size_t)status.st_size, 0);
    close(file);
    assert_int_equal(n, status.st_size);
    *len = (size_t)n;
    return bytes;
}

size_t disk_log_name(struct disk_log *log, const char *name)
{
    size_t i = 0;
    while (i < log->n_names && strcmp(log->names[i], name) != 0)
        i++;
    if (i == log->n_names) {
        assert_true(log->n_names < DISK_NAMES);
        log->listing[i] = -1;
        assert_true(strlen(name) < DISK_NAME_BYTES);
        strcpy(log->names[log->n_names++], name);
    }
    return i;
}

static struct disk_change *add(struct disk_log *log, enum disk_kind kind, int file)
{
    assert_true(log->n_changes < DISK_CHANGES);
    struct disk_change *change = &log->changes[log->n_changes++];
    *change = (struct disk_change){.kind = kind, .file = file};
    return change;
}

/* ---- Files ---- */

static int find_file(const struct disk_log *log, const struct stat *status)
{
    for (size_t i = log->n_files; i > 0; i--)
        if (log->files[i - 1].device == status->st_dev && log->files[i - 1].inode == status->st_ino)
            return (int)i - 1;
    return -1;
}

static int add_file(struct disk_log *log, const struct stat *status)
{
    assert_true(log->n_files < DISK_FILES);
    log->files[log->n_files] =
        (struct disk_file){.device = status->st_dev, .inode = status->st_ino};
    return (int)log->n_files++;
}

/* Compares a file with what it had. */
static void look_at_file(struct disk_log *log, int index, const char *path)
{
    struct disk_file *file = &log->files[index];
    size_t len, at = 0, end;
    unsigned char *bytes = disk_read(path, &len);
    if (bytes == NULL)
        return;
    if (len < file->len)
        add(log, DISK_CUT, index)->len = len;
    const size_t both = len < file->len ? len : file->len;
    while (at < both && bytes[at] == file->bytes[at])
        at++;
    for (end = len; end > at && end <= both && bytes[end - 1] == file->bytes[end - 1];)
        end--;
    if (at < end) {
        struct disk_change *change = add(log, DISK_WRITE, index);
        change->at = at;
        change->len = end - at;
        change->bytes = memcpy(calloc(change->len, 1), bytes + at, change->len);
    }
    free(file->bytes);
    file->bytes = bytes;
    file->len = len;
}

static void look_at_folder(struct disk_log *log)
{
    signed char before[DISK_NAMES], after[DISK_NAMES];
    char path[SUPPORT_PATH];
    struct stat status;
    const struct dirent *entry;
    DIR *folder = opendir(log->folder);
    assert_non_null(folder);
    memset(after, -1, sizeof after);
    while ((entry = readdir(folder)) != NULL) {
        support_path(path, log->folder, entry->d_name);
        if (lstat(path, &status) != 0 || !S_ISREG(status.st_mode))
            continue;
        const size_t name = disk_log_name(log, entry->d_name);
        int file = find_file(log, &status);
        after[name] = (signed char)(file >= 0 ? file : add_file(log, &status));
        look_at_file(log, after[name], path);
    }
    closedir(folder);
    memcpy(before, log->listing, sizeof before);
    if (memcmp(before, after, log->n_names) != 0) {
        struct disk_change *change = add(log, DISK_NAME, -1);
        memcpy(change->before, before, sizeof before);
        memcpy(change->after, after, sizeof after);
        memcpy(log->listing, after, sizeof after);
    }
}

/* ---- System calls ---- */

#if defined(__x86_64__)

static bool is_one_of(long long number, const int *calls)
{
    while (*calls >= 0 && *calls != number)
        calls++;
    return *calls >= 0;
}

/* A file whose number another had before: a new one. */
static void note_new_file(struct disk_log *log, const struct fault_call *call, const char *path)
{
    const unsigned long long flags = call->arguments[call->number == SYS_open ? 1 : 2];
    struct stat status;
    if (flags & O_EXCL && stat(path, &status) == 0 && S_ISREG(status.st_mode))
        add_file(log, &status);
}

static void note_sync(struct disk_log *log, const struct fault_call *call, const char *path)
{
    struct stat status, folder;
    if (stat(path, &status) != 0 || stat(log->folder, &folder) != 0)
        return;
    const int file = find_file(log, &status);
    if (file >= 0)
        add(log, DISK_SYNC, file)->is_fdatasync = call->number == SYS_fdatasync;
    else if (status.st_dev == folder.st_dev && status.st_ino == folder.st_ino)
        add(log, DISK_SYNC_FOLDER, -1);
}

static void watch(void *user, pid_t thread, const struct fault_call *call)
{
    static const int opens[] = {SYS_open, SYS_openat, SYS_creat, -1};
    static const int writes[] = {SYS_write,     SYS_pwrite64,  SYS_writev, SYS_pwritev,
                                 SYS_ftruncate, SYS_fallocate, -1};
    static const int names[] = {
        SYS_rename,   SYS_renameat, SYS_renameat2, SYS_link,  SYS_linkat,  SYS_unlink, SYS_unlinkat,
        SYS_truncate, SYS_open,     SYS_openat,    SYS_creat, SYS_symlink, -1};
    static const int syncs[] = {SYS_fsync, SYS_fdatasync, -1};
    struct disk_log *log = user;
    char path[SUPPORT_PATH];
    struct stat status;
    const bool is_open = is_one_of(call->number, opens);
    if (call->result < 0)
        return;
    snprintf(path, sizeof path, "/proc/%d/fd/%lld", (int)thread,
             is_open ? call->result : (long long)call->arguments[0]);
    if (is_open)
        note_new_file(log, call, path);
    if (is_one_of(call->number, names))
        look_at_folder(log);
    if (is_one_of(call->number, writes) && stat(path, &status) == 0 && find_file(log, &status) >= 0)
        look_at_file(log, find_file(log, &status), path);
    if (is_one_of(call->number, syncs))
        note_sync(log, call, path);
}

#else

static void watch(void *user, pid_t thread, const struct fault_call *call)
{
    (void)user, (void)thread, (void)call;
}

#endif

int disk_log_run(struct disk_log *log, char *const arguments[], const char *folder,
                 const char *const streams[3])
{
    *log = (struct disk_log){.folder = folder};
    memset(log->listing, -1, sizeof log->listing);
    look_at_folder(log);
    log->n_first = log->n_changes;
    return fault_watch(arguments, folder, streams, watch, log);
}

void disk_log_free(struct disk_log *log)
{
    for (size_t i = 0; i < log->n_files; i++)
        free(log->files[i].bytes);
    for (size_t i = 0; i < log->n_changes; i++)
        free(log->changes[i].bytes);
    log->n_files = log->n_changes = 0;
}
