/* output_file.c - write beside the target, sync, rename into place; see output_file.h.
 *
 * Where the file system has O_TMPFILE the new file has no name until it is whole, so that a killed
 * process leaves nothing behind (but for the moment between link and rename); elsewhere it is
 * ".encode-<pid>-<n>" in the target's directory. rename(2) then replaces the target in one step: a
 * reader sees the old file or the new.
 */
#include "engine/file/output_file.h"

#include "engine/status.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdbool.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NAME_TRIES = 1000 };

struct output_file {
    char *path;      /* as the caller gave it, for messages */
    char *target;    /* what the finished file is renamed to; NULL: written to directly */
    char *temporary; /* name of the unfinished file; empty while it has none */
    FILE *stream;
    int fd;
    bool is_kept;  /* `temporary` is the part that the next run goes on with */
    bool replaces; /* the target existed, with this mode, owner and group */
    mode_t mode;
    uid_t owner;
    gid_t group;
    off_t start; /* where our bytes begin in a descriptor that was handed to us */
    engine_status status;
    engine_error *error; /* the caller's, or NULL */
};

/* The end of a long path tells more than its start, and the reason must still fit. */
static const char *tail(const char *path)
{
    size_t len = strlen(path);
    return len <= 140 ? path : path + len - 140;
}

#define refuse(file, why, ...) ((file)->status = fail((file)->error, why, __VA_ARGS__))

static engine_status fail_errno(struct output_file *file, const char *what)
{
    int reason = errno ? errno : EIO;
    return refuse(file, ENGINE_ERROR_IO, "cannot %s '%s': %s", what, tail(file->path),
                  strerror(reason));
}

static engine_status fail_memory(struct output_file *file, const char *path)
{
    return refuse(file, ENGINE_ERROR_MEMORY, "no memory to write '%s'", tail(path));
}

/* "/dev/stdout", "/dev/fd/3" and so on mean a descriptor that is already open; else -1. */
static int named_descriptor(const char *path)
{
    static const char *const folders[] = {"/dev/fd/", "/proc/self/fd/"};
    if (strcmp(path, "/dev/stdout") == 0)
        return STDOUT_FILENO;
    if (strcmp(path, "/dev/stderr") == 0)
        return STDERR_FILENO;
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++) {
        size_t len = strlen(folders[i]);
        if (strncmp(path, folders[i], len) == 0 && path[len] != '\0' &&
            strspn(path + len, "0123456789") == strlen(path + len) && strlen(path + len) < 9)
            return atoi(path + len);
    }
    return -1;
}

static engine_status refuse_pipe(struct output_file *file)
{
    return refuse(file, ENGINE_ERROR_IO,
                  "cannot write to '%s': it is a pipe or a terminal, and this kind of file is "
                  "completed at its start; name a regular file",
                  tail(file->path));
}

static engine_status open_directly(struct output_file *file, enum output_kind kind, int descriptor,
                                   bool is_fifo)
{
    if (is_fifo && kind == OUTPUT_REWRITES)
        return refuse_pipe(file);
    file->fd = descriptor >= 0 ? fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
                               : open(file->path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
    if (file->fd < 0)
        return fail_errno(file, "write to");
    if (kind == OUTPUT_REWRITES) {
        file->start = lseek(file->fd, 0, SEEK_CUR);
        int flags = fcntl(file->fd, F_GETFL);
        if (file->start < 0 || flags < 0 || (flags & O_APPEND) != 0)
            return refuse_pipe(file);
    }
    return ENGINE_OK;
}

/* Writes "<directory of target>/<name>" into file->temporary; empty name: the directory alone. */
static void beside(struct output_file *file, const char *name)
{
    const char *slash = strrchr(file->target, '/');
    size_t len = slash == NULL ? 0 : (size_t)(slash - file->target) + 1;
    memcpy(file->temporary, file->target, len);
    strcpy(file->temporary + len, name);
    if (file->temporary[0] == '\0')
        strcpy(file->temporary, ".");
}

/* A name beside the target that `make` could take; -1 with EEXIST asks for another name. */
static int with_new_name(struct output_file *file, int (*make)(struct output_file *file))
{
    int made = -1;
    for (int i = 0; i < NAME_TRIES && made < 0; i++) {
        char name[64];
        snprintf(name, sizeof name, ".encode-%ld-%d", (long)getpid(), i);
        beside(file, name);
        made = make(file);
        if (made < 0 && errno != EEXIST)
            break;
    }
    if (made < 0)
        file->temporary[0] = '\0';
    return made;
}

/* Until it is in its place nobody may do more with the new file than with what it replaces. */
static mode_t first_mode(const struct output_file *file)
{
    return file->replaces ? file->mode & S_IRWXU : 0666;
}

static int create_named(struct output_file *file)
{
    return open(file->temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, first_mode(file));
}

static int link_nameless(struct output_file *file)
{
    char descriptor[64];
    snprintf(descriptor, sizeof descriptor, "/proc/self/fd/%d", file->fd);
    return linkat(AT_FDCWD, descriptor, AT_FDCWD, file->temporary, AT_SYMLINK_FOLLOW);
}

static void name_part(struct output_file *file)
{
    sprintf(file->temporary, "%s.part", file->target);
}

static engine_status open_part(struct output_file *file)
{
    name_part(file);
    file->is_kept = true;
    file->fd = open(file->temporary, O_RDWR | O_CREAT | O_CLOEXEC, first_mode(file));
    return file->fd < 0 ? fail_errno(file, "go on with the part of") : ENGINE_OK;
}

static engine_status open_beside(struct output_file *file, enum output_kind kind)
{
    file->temporary = calloc(strlen(file->target) + 80, 1);
    if (file->temporary == NULL)
        return fail_memory(file, file->path);
    if (kind == OUTPUT_RESUMES)
        return open_part(file);
    file->fd = -1;
#ifdef O_TMPFILE
    if (access("/proc/self/fd", X_OK) == 0) {
        beside(file, "");
        file->fd = open(file->temporary, O_RDWR | O_TMPFILE | O_CLOEXEC, first_mode(file));
        file->temporary[0] = '\0';
    }
#endif
    if (file->fd < 0)
        file->fd = with_new_name(file, create_named);
    return file->fd < 0 ? fail_errno(file, "make a file in the folder of") : ENGINE_OK;
}

/* In a folder with the sticky bit, as /tmp is, only who owns the file or the folder may replace it:
 * better said before the work than after it. */
static bool is_protected(const char *target, uid_t owner)
{
    struct stat folder;
    char *path = strdup(target);
    bool is_sticky =
        path != NULL && stat(dirname(path), &folder) == 0 && (folder.st_mode & S_ISVTX) != 0;
    uid_t user = geteuid();
    free(path);
    return is_sticky && user != 0 && user != owner && user != folder.st_uid;
}

static engine_status open_target(struct output_file *file, enum output_kind kind)
{
    struct stat status;
    int descriptor = named_descriptor(file->path);
    if (descriptor >= 0) {
        bool is_fifo =
            fstat(descriptor, &status) == 0 && !S_ISREG(status.st_mode) && !S_ISCHR(status.st_mode);
        return open_directly(file, kind, descriptor, is_fifo);
    }
    if (stat(file->path, &status) != 0) {
        if (errno != ENOENT || file->path[0] == '\0')
            return fail_errno(file, "write to");
        if (lstat(file->path, &status) == 0)
            return refuse(file, ENGINE_ERROR_IO,
                          "cannot write to '%s': it is a symbolic link to nothing",
                          tail(file->path));
        file->target = strdup(file->path);
    } else if (S_ISDIR(status.st_mode)) {
        errno = EISDIR;
        return fail_errno(file, "write to");
    } else if (!S_ISREG(status.st_mode)) {
        return open_directly(file, kind, -1, !S_ISCHR(status.st_mode) && !S_ISBLK(status.st_mode));
    } else {
        if (faccessat(AT_FDCWD, file->path, W_OK, AT_EACCESS) != 0)
            return fail_errno(file, "write to");
        file->replaces = true;
        file->mode = status.st_mode & 0777;
        file->owner = status.st_uid;
        file->group = status.st_gid;
        file->target = realpath(file->path, NULL);
        if (file->target != NULL && is_protected(file->target, file->owner)) {
            errno = EPERM;
            return fail_errno(file, "replace");
        }
    }
    return file->target == NULL ? fail_errno(file, "write to") : open_beside(file, kind);
}

engine_status output_file_open(const char *path, enum output_kind kind, struct output_file **out,
                               engine_error *error)
{
    *out = NULL;
    struct output_file none = {.error = error}, *file = malloc(sizeof *file);
    if (file == NULL)
        return fail_memory(&none, path);
    *file = (struct output_file){.path = strdup(path), .fd = -1, .error = error};
    if (file->path == NULL) {
        free(file);
        return fail_memory(&none, path);
    }
    engine_status status = open_target(file, kind);
    if (status == ENGINE_OK && (file->stream = fdopen(file->fd, "w")) == NULL)
        status = fail_errno(file, "write to");
    if (status != ENGINE_OK) {
        output_file_abort(file);
        return status;
    }
    *out = file;
    return ENGINE_OK;
}

engine_status output_file_write(struct output_file *file, const void *data, size_t len)
{
    if (file->status != ENGINE_OK)
        return file->status;
    errno = 0;
    if ((len > 0 && fwrite(data, 1, len, file->stream) != len) || ferror(file->stream))
        return fail_errno(file, "write to");
    return ENGINE_OK;
}

engine_status output_file_rewrite(struct output_file *file, uint64_t offset, const void *data,
                                  size_t len)
{
    if (file->status != ENGINE_OK)
        return file->status;
    errno = 0;
    if (fflush(file->stream) != 0 || ferror(file->stream))
        return fail_errno(file, "write to");
    const char *bytes = data;
    for (size_t done = 0; done < len;) {
        ssize_t n =
            pwrite(file->fd, bytes + done, len - done, file->start + (off_t)offset + (off_t)done);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return fail_errno(file, "write to");
        done += (size_t)n;
    }
    return ENGINE_OK;
}

FILE *output_file_stream(struct output_file *file)
{
    return file->stream;
}

/* The rename is only sure to outlive a power cut when its directory is on the disk too; the file
 * is whole either way, so a directory that cannot be synced is no failure. */
static void sync_directory(struct output_file *file)
{
    beside(file, "");
    int directory = open(file->temporary, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (directory >= 0) {
        (void)fsync(directory);
        close(directory);
    }
    file->temporary[0] = '\0';
}

/* Only root may give a file away, and a user only to a group of hers. Where the group cannot be
 * kept, it is another group that would have its rights: it gets no more than everybody has. */
static engine_status keep_mode(struct output_file *file)
{
    mode_t mode = file->mode;
    if (fchown(file->fd, file->owner, file->group) != 0 &&
        fchown(file->fd, (uid_t)-1, file->group) != 0)
        mode &= ~(mode_t)S_IRWXG | (mode & S_IRWXO) << 3;
    return fchmod(file->fd, mode) == 0 ? ENGINE_OK : fail_errno(file, "keep the mode of");
}

static engine_status put_in_place(struct output_file *file)
{
    if (file->replaces && keep_mode(file) != ENGINE_OK)
        return file->status;
    if (fsync(file->fd) != 0)
        return fail_errno(file, "write to");
    if (file->temporary[0] == '\0' && with_new_name(file, link_nameless) < 0)
        return fail_errno(file, "create");
    if (rename(file->temporary, file->target) != 0)
        return fail_errno(file, "replace");
    file->temporary[0] = '\0';
    sync_directory(file);
    return ENGINE_OK;
}

bool output_file_has_place(const struct output_file *file)
{
    return file->target != NULL;
}

/* A part that is there already belongs to nobody: whoever has one holds the journal. */
static int take_part_name(struct output_file *file)
{
    char *before = strdup(file->temporary);
    if (before == NULL)
        return -1;
    name_part(file);
    int made = unlink(file->temporary) != 0 && errno != ENOENT ? -1
               : before[0] == '\0'                             ? link_nameless(file)
                                                               : rename(before, file->temporary);
    if (made != 0)
        strcpy(file->temporary, before);
    free(before);
    return made;
}

engine_status output_file_keep(struct output_file *file)
{
    if (file->status != ENGINE_OK || file->is_kept)
        return file->status;
    if (file->replaces && keep_mode(file) != ENGINE_OK)
        return file->status;
    if (take_part_name(file) != 0)
        return fail_errno(file, "keep a part of");
    sync_directory(file);
    name_part(file);
    file->is_kept = true;
    return ENGINE_OK;
}

void output_file_release(struct output_file *file)
{
    file->is_kept = false;
}

engine_status output_file_sync(struct output_file *file)
{
    engine_status status = output_file_write(file, NULL, 0);
    if (status == ENGINE_OK && (fflush(file->stream) != 0 || fdatasync(file->fd) != 0))
        status = fail_errno(file, "write to");
    return status;
}

engine_status output_file_cut(struct output_file *file, uint64_t len)
{
    struct stat status;
    errno = 0;
    if (file->status != ENGINE_OK)
        return file->status;
    if (fflush(file->stream) != 0 || fstat(file->fd, &status) != 0)
        return fail_errno(file, "write to");
    if ((uint64_t)status.st_size < len)
        return refuse(file, ENGINE_ERROR_IO,
                      "the part of '%s' has %llu bytes, and %llu were written", tail(file->path),
                      (unsigned long long)status.st_size, (unsigned long long)len);
    if (ftruncate(file->fd, (off_t)len) != 0 || fseeko(file->stream, (off_t)len, SEEK_SET) != 0)
        return fail_errno(file, "cut the part of");
    return ENGINE_OK;
}

engine_status output_file_finish(struct output_file *file)
{
    engine_status status = output_file_write(file, NULL, 0);
    errno = 0;
    if (status == ENGINE_OK && fflush(file->stream) != 0)
        status = fail_errno(file, "write to");
    if (status == ENGINE_OK && file->target != NULL)
        status = put_in_place(file);
    if (status == ENGINE_OK && file->target == NULL) {
        FILE *stream = file->stream;
        file->stream = NULL;
        file->fd = -1;
        errno = 0;
        if (fclose(stream) != 0)
            status = fail_errno(file, "write to");
    }
    output_file_abort(file);
    return status;
}

void output_file_abort(struct output_file *file)
{
    if (file == NULL)
        return;
    if (file->stream != NULL) {
        __fpurge(file->stream); /* or fclose would still write what a pipe is not to get */
        fclose(file->stream);
    }
    if (file->stream == NULL && file->fd >= 0)
        close(file->fd);
    if (file->temporary != NULL && file->temporary[0] != '\0' && !file->is_kept)
        unlink(file->temporary);
    free(file->temporary);
    free(file->target);
    free(file->path);
    free(file);
}
