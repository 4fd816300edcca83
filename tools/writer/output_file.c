/* output_file.c - writes beside the target, syncs, renames over it; see output_file.h.
 *
 * The new file is ".encode-<name>.new" in the target's directory until rename(2) replaces the
 * target in one step: a reader sees the old file or the new one. It is locked, as a .part file is:
 * no two programs write one output. exit() and the signals that end a program remove it; SIGKILL, a
 * crash and a power cut leave it to the next program that writes this output.
 */
#include "tools/writer/output_file.h"

#include "engine/status.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <signal.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TRIES = 3, SUFFIX_BYTES = 64 };

struct output_file {
    struct output_file *next; /* of `unfinished` */
    char *path;               /* as the caller gave it, for messages */
    char *target;    /* path that the finished file is renamed to; NULL: written directly */
    char *temporary; /* path of the unfinished file; NULL: written directly */
    FILE *stream;
    int fd;
    bool is_kept;  /* `temporary` is the .part file that the next run continues, or was renamed */
    bool replaces; /* the target existed, with this mode and group */
    mode_t mode;
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
#define fail_memory(file, path)                                                                    \
    refuse(file, ENGINE_ERROR_MEMORY, "no memory to write '%s'", tail(path))

static engine_status fail_errno(struct output_file *file, const char *what)
{
    int reason = errno ? errno : EIO;
    return refuse(file, reason == ENOMEM ? ENGINE_ERROR_MEMORY : ENGINE_ERROR_IO,
                  "cannot %s '%s': %s", what, tail(file->path), strerror(reason));
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

/* Opens what cannot be replaced: a device, a pipe, an open descriptor (else -1). */
static engine_status open_directly(struct output_file *file, enum output_kind kind, int descriptor,
                                   bool is_fifo)
{
    const bool rewrites = kind == OUTPUT_REWRITES;
    bool fits = !rewrites || !is_fifo;
    if (fits) {
        file->fd = descriptor >= 0 ? fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
                                   : open(file->path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
        if (file->fd < 0)
            return fail_errno(file, "write to");
    }
    if (fits && rewrites) {
        file->start = lseek(file->fd, 0, SEEK_CUR);
        fits = file->start >= 0 && (fcntl(file->fd, F_GETFL) & O_APPEND) == 0;
    }
    if (fits)
        return ENGINE_OK;
    return refuse(file, ENGINE_ERROR_IO,
                  "cannot write to '%s': it is a pipe or a terminal, and this kind of file is "
                  "completed at its start; name a regular file",
                  tail(file->path));
}

/* Returns false if another program holds an open file, or has renamed or removed it. Where that
 * cannot be known, a new file is the caller's, and one that exists is another's. */
static bool lock_file(int fd, const char *name, bool is_new)
{
    struct stat own, named;
    if (flock(fd, LOCK_EX | LOCK_NB) != 0)
        return is_new && errno != EWOULDBLOCK;
    if (fstat(fd, &own) != 0 || stat(name, &named) != 0)
        return is_new && errno != ENOENT;
    return own.st_ino == named.st_ino;
}

/* Returns whether a program writes a file, which may not exist. `removes`: removes one that was
 * left. */
static bool is_written(const char *name, bool removes)
{
    const int fd = open(name, O_WRONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
    const bool is_left = fd >= 0 && lock_file(fd, name, false);
    if (is_left && removes)
        unlink(name);
    if (fd >= 0)
        close(fd);
    return fd >= 0 && !is_left;
}

/* Opens the .part file of an earlier run, or a new file. Until it replaces the target, it must not
 * be more accessible than the target. */
static engine_status open_beside(struct output_file *file, enum output_kind kind)
{
    const char *slash = strrchr(file->target, '/'), *name = slash ? slash + 1 : file->target;
    const mode_t mode = file->replaces ? file->mode & S_IRWXU : 0666;
    const size_t most = strlen(file->target) + SUFFIX_BYTES;
    char part[PATH_MAX], ending[24] = "new"; /* longer paths cannot be opened */
    /* encode-import's sandbox reads nothing here; encode sums up its parts */
    const int flags = kind == OUTPUT_REWRITES ? O_WRONLY : O_RDWR;
    bool is_busy = false;
    file->is_kept = kind == OUTPUT_RESUMES;
    if ((file->temporary = malloc(most)) == NULL)
        return fail_memory(file, file->path);
    if (kind == OUTPUT_SHARED)
        snprintf(ending, sizeof ending, "%d", getpid());
    snprintf(part, sizeof part, "%s.part", file->target);
    snprintf(file->temporary, most, "%.*s.encode-%.200s.%s", (int)(name - file->target),
             file->target, name, ending);
    if (file->is_kept)
        snprintf(file->temporary, most, "%s.part", file->target);
    for (int i = 0; i < TRIES && file->fd < 0 && !is_busy; i++) {
        file->fd =
            open(file->temporary, flags | O_CREAT | O_CLOEXEC | (file->is_kept ? 0 : O_EXCL), mode);
        is_busy = file->fd >= 0 ? !lock_file(file->fd, file->temporary, true)
                                : errno == EEXIST && is_written(file->temporary, true);
    }
    if (is_busy && file->fd >= 0) { /* the name is another's: no abort removes it */
        close(file->fd);
        file->fd = -1;
    }
    if (is_busy || (file->fd >= 0 && !file->is_kept && is_written(part, false)))
        return refuse(file, ENGINE_ERROR_IO,
                      "another program is writing '%s': wait for its end, or name another file",
                      tail(file->path));
    if (file->fd >= 0)
        return ENGINE_OK;
    return fail_errno(file,
                      file->is_kept ? "continue the part of" : "make a file in the folder of");
}

/* In a directory with the sticky bit, such as /tmp, only the owner of the file or the directory may
 * replace it: report this before the work, not after it. */
static bool is_protected(const char *target, uid_t owner)
{
    struct stat folder;
    char *path = strdup(target);
    const bool is_known = path != NULL && stat(dirname(path), &folder) == 0;
    const uid_t user = geteuid();
    const bool is_owner = user == 0 || user == owner || (is_known && user == folder.st_uid);
    free(path);
    return is_known && (folder.st_mode & S_ISVTX) != 0 && !is_owner;
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
        file->group = status.st_gid;
        file->target = realpath(file->path, NULL);
        if (file->target != NULL && is_protected(file->target, status.st_uid)) {
            errno = EPERM;
            return fail_errno(file, "replace");
        }
    }
    return file->target == NULL ? fail_errno(file, "write to") : open_beside(file, kind);
}

/* ---- The end of a program ---- */

static struct output_file *unfinished; /* files that are open */

static void drop_unfinished(void)
{
    while (unfinished != NULL)
        output_file_abort(unfinished);
}

void output_file_unlink_unfinished(void)
{
    for (const struct output_file *file = unfinished; file != NULL; file = file->next)
        if (file->temporary != NULL && !file->is_kept)
            unlink(file->temporary);
}

static void drop_at_signal(int signal_number)
{
    output_file_unlink_unfinished();
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

/* Adds a file to the list that the end of the program removes. Handlers of the program stay. */
static void add_unfinished(struct output_file *file)
{
    static const int SIGNALS[] = {SIGHUP, SIGINT, SIGQUIT, SIGPIPE, SIGUSR1, SIGTERM, SIGXCPU};
    static bool is_prepared;
    struct sigaction before;
    file->next = unfinished;
    unfinished = file;
    if (is_prepared)
        return;
    is_prepared = atexit(drop_unfinished) == 0;
    for (size_t i = 0; i < sizeof SIGNALS / sizeof SIGNALS[0]; i++)
        if (sigaction(SIGNALS[i], NULL, &before) == 0 && before.sa_handler == SIG_DFL)
            signal(SIGNALS[i], drop_at_signal);
}

/* ---- Opening, writing ---- */

engine_status output_file_open(const char *path, enum output_kind kind, struct output_file **out,
                               engine_error *error)
{
    struct output_file none = {.error = error}, *file = calloc(1, sizeof *file);
    char *copy = strdup(path);
    *out = NULL;
    if (file == NULL || copy == NULL) {
        free(file);
        free(copy);
        return fail_memory(&none, path);
    }
    *file = (struct output_file){.path = copy, .fd = -1, .error = error};
    engine_status status = open_target(file, kind);
    if (status == ENGINE_OK && (file->stream = fdopen(file->fd, "w")) == NULL)
        status = fail_errno(file, "write to");
    if (status != ENGINE_OK) {
        output_file_abort(file);
        return status;
    }
    add_unfinished(file);
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
    engine_status status = output_file_write(file, NULL, 0);
    const off_t end = ftello(file->stream), at = file->start + (off_t)offset;
    if (status == ENGINE_OK &&
        (end < 0 || fseeko(file->stream, at, SEEK_SET) != 0 ||
         fwrite(data, 1, len, file->stream) != len || fseeko(file->stream, end, SEEK_SET) != 0))
        status = fail_errno(file, "write to");
    return status;
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

/* Gives the new file the mode of the one that it replaces. If their groups differ, the new group
 * gets no more rights than everybody has. */
static engine_status copy_mode(struct output_file *file)
{
    mode_t mode = file->mode;
    struct stat status;
    if (fstat(file->fd, &status) != 0 || status.st_gid != file->group)
        mode &= ~(mode_t)S_IRWXG | (mode & S_IRWXO) << 3;
    return fchmod(file->fd, mode) == 0 ? ENGINE_OK : fail_errno(file, "keep the mode of");
}

static engine_status replace_target(struct output_file *file)
{
    if (file->replaces && copy_mode(file) != ENGINE_OK)
        return file->status;
    if (fsync(file->fd) != 0)
        return fail_errno(file, "write to");
    if (rename(file->temporary, file->target) != 0)
        return fail_errno(file, "replace");
    file->is_kept = true;
    output_file_sync_folder(file->target);
    return ENGINE_OK;
}

bool output_file_has_place(const struct output_file *file)
{
    return file->target != NULL;
}

/* An existing .part file has no owner: an owner would hold the journal's lock. */
engine_status output_file_keep(struct output_file *file)
{
    if (file->status != ENGINE_OK || file->is_kept)
        return file->status;
    if (file->replaces && copy_mode(file) != ENGINE_OK)
        return file->status;
    const size_t most = strlen(file->target) + SUFFIX_BYTES;
    char *part = malloc(most);
    if (part == NULL)
        return fail_memory(file, file->path);
    snprintf(part, most, "%s.part", file->target);
    if (rename(file->temporary, part) != 0) {
        free(part);
        return fail_errno(file, "keep a part of");
    }
    file->is_kept = true; /* first: until then a signal handler may read the path */
    free(file->temporary);
    file->temporary = part;
    output_file_sync_folder(file->target);
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
    if (status == ENGINE_OK && fflush(file->stream) != 0)
        status = fail_errno(file, "write to");
    if (status == ENGINE_OK && file->target != NULL)
        status = replace_target(file);
    if (status == ENGINE_OK && file->target == NULL) {
        FILE *stream = file->stream;
        file->stream = NULL;
        file->fd = -1;
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
    if (file->temporary != NULL && file->fd >= 0 && !file->is_kept)
        unlink(file->temporary);
    for (struct output_file **at = &unfinished; *at != NULL; at = &(*at)->next)
        if (*at == file) {
            *at = file->next;
            break;
        }
    if (file->stream != NULL) {
        __fpurge(file->stream); /* or fclose would still write the data to a pipe */
        fclose(file->stream);
    }
    if (file->stream == NULL && file->fd >= 0)
        close(file->fd);
    free(file->temporary);
    free(file->target);
    free(file->path);
    free(file);
}
