/* output_file.c - writes beside the target, syncs, renames over it; see output_file.h.
 *
 * If the file system has O_TMPFILE, the new file has no name until it is complete, so that a killed
 * process leaves no file (except between link and rename); elsewhere it is ".encode-<pid>-<n>" in
 * the target's directory. rename(2) then replaces the target in one step: a reader sees the old
 * file or the new one.
 */
#include "tools/writer/output_file.h"

#include "engine/status.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NAME_TRIES = 1000 };

struct output_file {
    char *path;      /* as the caller gave it, for messages */
    char *target;    /* path that the finished file is renamed to; NULL: written directly */
    char *temporary; /* name of the unfinished file; empty while it has no name */
    FILE *stream;
    int fd;
    bool is_kept;  /* `temporary` is the .part file that the next run continues */
    bool replaces; /* the target existed, with this mode, owner and group */
    mode_t mode;
    uid_t owner;
    gid_t group;
    off_t start; /* offset of our first byte in a descriptor passed to us */
    engine_status status;
    engine_error *error; /* the caller's, or NULL */
};

/* Returns the end of a long path, which says more than its start; the reason must still fit. */
static const char *tail(const char *path)
{
    size_t len = strlen(path);
    return len <= 140 ? path : path + len - 140;
}

#define refuse(file, why, ...) ((file)->status = fail((file)->error, why, __VA_ARGS__))

static engine_status fail_errno(struct output_file *file, const char *what)
{
    int reason = errno ? errno : EIO;
    return refuse(file, reason == ENOMEM ? ENGINE_ERROR_MEMORY : ENGINE_ERROR_IO,
                  "cannot %s '%s': %s", what, tail(file->path), strerror(reason));
}

static engine_status fail_memory(struct output_file *file, const char *path)
{
    return refuse(file, ENGINE_ERROR_MEMORY, "no memory to write '%s'", tail(path));
}

/* Returns the open descriptor named by "/dev/stdout", "/dev/fd/3" and so on; else -1. */
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
        if (file->start < 0 || (flags & O_APPEND) != 0) /* of -1, too */
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

/* Calls `make` with unused names beside the target, the next one if it fails with EEXIST. */
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

/* Until it replaces the target, the new file must not be more accessible than the target. */
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
    return file->fd < 0 ? fail_errno(file, "continue the part of") : ENGINE_OK;
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

/* In a directory with the sticky bit, such as /tmp, only the owner of the file or the directory may
 * replace it: report this before the work, not after it. */
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

void output_file_sync_folder(const char *path)
{
    char folder[PATH_MAX]; /* longer paths cannot be opened */
    snprintf(folder, sizeof folder, "%s", path);
    int directory = open(dirname(folder), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (directory >= 0) {
        (void)fsync(directory);
        close(directory);
    }
}

/* Only root may change a file's owner, and users only to groups of their own. If the group cannot
 * be kept, another group would get its rights: it gets no more than everybody has. */
static engine_status copy_mode(struct output_file *file)
{
    mode_t mode = file->mode;
    if (fchown(file->fd, file->owner, file->group) != 0 &&
        fchown(file->fd, (uid_t)-1, file->group) != 0)
        mode &= ~(mode_t)S_IRWXG | (mode & S_IRWXO) << 3;
    return fchmod(file->fd, mode) == 0 ? ENGINE_OK : fail_errno(file, "keep the mode of");
}

static engine_status replace_target(struct output_file *file)
{
    if (file->replaces && copy_mode(file) != ENGINE_OK)
        return file->status;
    if (fsync(file->fd) != 0)
        return fail_errno(file, "write to");
    if (file->temporary[0] == '\0' && with_new_name(file, link_nameless) < 0)
        return fail_errno(file, "create");
    if (rename(file->temporary, file->target) != 0)
        return fail_errno(file, "replace");
    file->temporary[0] = '\0';
    output_file_sync_folder(file->target);
    return ENGINE_OK;
}

bool output_file_has_place(const struct output_file *file)
{
    return file->target != NULL;
}

/* An existing .part file has no owner: an owner would hold the journal's lock. */
static int rename_to_part(struct output_file *file)
{
    char before[PATH_MAX]; /* a longer file was not opened */
    snprintf(before, sizeof before, "%s", file->temporary);
    name_part(file);
    int made = unlink(file->temporary) != 0 && errno != ENOENT ? -1
               : before[0] == '\0'                             ? link_nameless(file)
                                                               : rename(before, file->temporary);
    if (made != 0)
        strcpy(file->temporary, before);
    return made;
}

engine_status output_file_keep(struct output_file *file)
{
    if (file->status != ENGINE_OK || file->is_kept)
        return file->status;
    if (file->replaces && copy_mode(file) != ENGINE_OK)
        return file->status;
    if (rename_to_part(file) != 0)
        return fail_errno(file, "keep a part of");
    output_file_sync_folder(file->target);
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
        return refuse(
            file, ENGINE_ERROR_IO,
            "the part of '%s' has %llu bytes, and %llu were written: start over with --restart",
            tail(file->path), (unsigned long long)status.st_size, (unsigned long long)len);
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
        status = replace_target(file);
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
        __fpurge(file->stream); /* or fclose would still write the data to a pipe */
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
