/* provenance.c - names and hashes of the inputs; see provenance.h. */
#include "tools/import/provenance.h"

#include "tools/import/progress.h"
#include "tools/import/sha256.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool hash_file(const char *path, char text[SHA256_TEXT], struct progress *progress,
                      struct problem *problem)
{
    static uint8_t chunk[1 << 18];
    struct sha256 hash;
    ssize_t n = 0;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    sha256_begin(&hash);
    while (fd >= 0 && ((n = read(fd, chunk, sizeof chunk)) > 0 || (n < 0 && errno == EINTR)))
        if (n > 0) {
            sha256_add(&hash, chunk, (size_t)n);
            if (progress != NULL)
                progress_add(progress, (uint64_t)n);
        }
    if (fd < 0 || n < 0)
        problem_say(problem, "%s cannot be read: %s", path, strerror(errno));
    if (fd >= 0)
        close(fd);
    sha256_end(&hash, text);
    return fd >= 0 && n == 0;
}

uint64_t provenance_bytes(const struct folder *folder)
{
    uint64_t total = 0;
    for (size_t i = 0; i < folder->n; i++) {
        char path[FOLDER_PATH];
        struct problem ignored;
        struct stat status;
        if (folder_join(folder, folder->names[i], path, &ignored) && stat(path, &status) == 0)
            total += (uint64_t)status.st_size;
    }
    return total;
}

static bool write_one(size_t index, const char *name, const char *path,
                      struct weight_writer *writer, struct progress *progress,
                      struct problem *problem)
{
    char key[32], hash[SHA256_TEXT];
    if (!hash_file(path, hash, progress, problem))
        return false;
    snprintf(key, sizeof key, "source.%zu", index);
    weight_writer_setting(writer, ENGINE_SETTINGS_METADATA, key, name, strlen(name));
    snprintf(key, sizeof key, "sha256.%zu", index);
    weight_writer_setting(writer, ENGINE_SETTINGS_METADATA, key, hash, strlen(hash));
    return true;
}

bool provenance_write(const struct folder *folder, struct weight_writer *writer,
                      struct progress *progress, struct problem *problem)
{
    for (size_t i = 0; i < folder->n; i++) {
        char path[FOLDER_PATH];
        if (!folder_join(folder, folder->names[i], path, problem) ||
            !write_one(i, folder->names[i], path, writer, progress, problem))
            return false;
    }
    return true;
}

bool provenance_write_file(size_t index, const char *path, struct weight_writer *writer,
                           struct problem *problem)
{
    const char *slash = strrchr(path, '/');
    return write_one(index, slash != NULL ? slash + 1 : path, path, writer, NULL, problem);
}
