/* folder.c - opens the files of a checkpoint's directory; see folder.h. Links are followed
 * (download caches are made of them), but a name that a file of the checkpoint gives must not lead
 * out of the directory. Only regular files are read: a FIFO would wait for ever. */
#include "tools/import/files/folder.h"

#include "tools/common/alloc.h"
#include "tools/common/output.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void folder_open(struct folder *folder, const char *path)
{
    struct stat status;
    *folder = (struct folder){.path = path};
    const char *foreign = model_foreign_format(path);
    const bool is_hub_name = path_is_hub_name(path);
    if (stat(path, &status) != 0)
        program_die("cannot open '%s': %s; expected the directory of a model%s%s", path,
                    strerror(errno), is_hub_name ? ", which encode-fetch makes: encode-fetch " : "",
                    is_hub_name ? path : "");
    if (!S_ISDIR(status.st_mode) && foreign)
        program_die("'%s' is %s, which is not read; expected the checkpoint that it was made of, a "
                    "directory with config.json and model.safetensors",
                    path, foreign);
    if (!S_ISDIR(status.st_mode))
        program_die("'%s' is not a directory; expected one with config.json and model.safetensors",
                    path);
}

/* ---- Names ---- */

const char *folder_name(char path[FOLDER_PATH], const char *place, const char *name)
{
    snprintf(path, FOLDER_PATH, "%s%s", place, name);
    return path;
}

/* Returns whether a name is relative, and no part of it is "..". */
static bool stays_inside(const char *name)
{
    if (name[0] == '/' || name[0] == '\0')
        return false;
    for (const char *part = name; part != NULL; part = strchr(part, '/')) {
        part += *part == '/';
        if (strncmp(part, "..", 2) == 0 && (part[2] == '/' || part[2] == '\0'))
            return false;
    }
    return true;
}

const char *folder_join(const struct folder *folder, const char *name, char path[FOLDER_PATH])
{
    if (!stays_inside(name))
        program_die("'%s' is not the name of a file in the directory", name);
    if (snprintf(path, FOLDER_PATH, "%s/%s", folder->path, name) >= FOLDER_PATH)
        program_die("%.200s: the path is too long", name);
    return path;
}

bool folder_has(const struct folder *folder, const char *place, const char *name)
{
    char full[FOLDER_PATH], path[FOLDER_PATH];
    folder_name(full, place, name);
    if (!stays_inside(full) ||
        snprintf(path, FOLDER_PATH, "%s/%s", folder->path, full) >= FOLDER_PATH)
        return false;
    bool exists = access(path, F_OK) == 0;
    if (!exists && errno != ENOENT && errno != ENOTDIR)
        program_die("cannot open '%s': %s", path, strerror(errno));
    return exists;
}

/* ---- Files ---- */

static const char LFS[] = "version https://git-lfs.github.com/spec/";

int file_open(const char *path, bool needed, uint64_t *n_bytes)
{
    struct stat status;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0 && errno == ENOENT && !needed)
        return -1;
    if (fd < 0 || fstat(fd, &status) != 0)
        program_die("cannot open '%s': %s%s", path, strerror(errno),
                    errno == EACCES ? " (links in linked directories need --sandbox off)" : "");
    if (!S_ISREG(status.st_mode)) {
        close(fd);
        program_die("'%s' is %s", path,
                    S_ISDIR(status.st_mode) ? "a directory" : "not a regular file");
    }
    char begin[sizeof LFS - 1];
    if (pread(fd, begin, sizeof begin, 0) == (ssize_t)sizeof begin &&
        memcmp(begin, LFS, sizeof begin) == 0)
        program_die("'%s' is a pointer of Git LFS, not the file: git lfs pull, in its folder, "
                    "downloads what it points to",
                    path);
    input_remember(path);
    *n_bytes = (uint64_t)status.st_size;
    return fd;
}

int folder_file(struct folder *folder, const char *name, bool needed, uint64_t *n_bytes)
{
    char path[FOLDER_PATH];
    size_t i = 0;
    folder_join(folder, name, path);
    if (needed && !folder_has(folder, "", name))
        program_die("'%s' has no %s, %s (encode-fetch, or hf download, gets all files of a model)",
                    folder->path, name,
                    strcmp(name, "config.json") == 0
                        ? "so it is no checkpoint"
                        : "which another of its files names: the download is incomplete");
    int fd = file_open(path, needed, n_bytes);
    while (i < folder->n && strcmp(folder->names[i], name) != 0)
        i++;
    if (fd >= 0 && i == folder->n) {
        folder->names = alloc_resize(folder->names, folder->n + 1, sizeof *folder->names);
        folder->names[folder->n++] = alloc_own(alloc_text("%s", name));
        folder->n_bytes += *n_bytes;
    }
    return fd;
}

void file_read_at(int fd, const char *name, uint64_t offset, void *data, size_t len)
{
    for (size_t done = 0; done < len;) {
        ssize_t n = pread(fd, (char *)data + done, len - done, (off_t)(offset + done));
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            program_die("cannot read '%s': %s", name, strerror(errno));
        if (n == 0)
            program_die("%s ends at byte %" PRIu64
                        "; it has changed since it was opened, or is truncated",
                        name, offset + done);
        done += (size_t)n;
    }
}

char *file_text(int fd, const char *name, uint64_t offset, uint64_t n_bytes, size_t most)
{
    if (n_bytes > most)
        program_die("%s has %" PRIu64 " bytes; at most %zu are read", name, n_bytes, most);
    char *text = alloc_zeros((size_t)n_bytes + 1, 1);
    file_read_at(fd, name, offset, text, (size_t)n_bytes);
    return text;
}

char *folder_text(struct folder *folder, const char *name, bool needed, size_t most, size_t *len)
{
    uint64_t n_bytes = 0;
    int fd = folder_file(folder, name, needed, &n_bytes);
    if (fd < 0)
        return NULL;
    char *text = file_text(fd, name, 0, n_bytes, most);
    *len = (size_t)n_bytes;
    close(fd);
    return text;
}
