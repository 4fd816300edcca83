/* weight_file.c - finds, maps or copies a weight file, calls its checks, and reads its entries:
 * sections, settings, and tensors by number or by name. */
#include "engine/file/weight_file.h"

#include "engine/file/format.h"
#include "engine/status.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_KEY = 256 };

/* ---- The path ---- */

/* Where `make install` copies them; the Makefile defines it from PREFIX. */
#ifndef ENCODE_DATADIR
#define ENCODE_DATADIR "/usr/local/share/encode"
#endif

static bool exists(char *path, size_t cap, const char *folder, const char *below)
{
    return folder[0] && (size_t)snprintf(path, cap, "%s/%sdefault.weights", folder, below) < cap &&
           access(path, F_OK) == 0;
}

/* Stores ENCODE_MODEL of the environment; else default.weights beside the running program, where
 * make links that of its tree, in PREFIX/share/encode for PREFIX/bin/encode, also after PREFIX was
 * moved, or in ENCODE_DATADIR. */
engine_status find_default_weights(char *path, size_t cap, engine_error *error)
{
    const char *named = getenv("ENCODE_MODEL");
    char folder[PATH_MAX] = "";
    if (named != NULL && named[0] != '\0') {
        if ((size_t)snprintf(path, cap, "%s", named) < cap)
            return ENGINE_OK;
        return misused(error, "the path in ENCODE_MODEL is too long");
    }
    if (readlink("/proc/self/exe", folder, sizeof folder - 1) > 0)
        dirname(folder);
    if (exists(path, cap, folder, "") || exists(path, cap, folder, "../share/encode/") ||
        exists(path, cap, ENCODE_DATADIR, ""))
        return ENGINE_OK;
    return fail(error, ENGINE_ERROR_IO,
                "there are no default weights: neither '%.48s/../share/encode/default.weights' nor "
                "'%.64s/default.weights'; name a weight file, or set ENCODE_MODEL to one",
                folder, ENCODE_DATADIR);
}

/* ---- Opening and closing ---- */

/* Makes the checks of opening; with verify, of every checksum. Closes the file on failure. */
static engine_status check_and_sort(struct weight_file *file, bool verify, engine_error *error)
{
    engine_status status = weight_file_check(file, error);
    if (status == ENGINE_OK)
        status = weight_file_sort_tensors(file, error);
    if (status == ENGINE_OK && verify)
        status = weight_file_intact(file, error);
    if (status != ENGINE_OK)
        weight_file_close(file);
    return status;
}

static bool is_verify_wanted(const engine_model_options *options, size_t len)
{
    return options->verify > 0 || (options->verify == 0 && len <= VERIFIED_BYTES);
}

engine_status weight_file_view(struct weight_file *file, const void *data, size_t len,
                               const engine_model_options *options, engine_error *error)
{
    *file = (struct weight_file){.data = data, .len = len};
    return check_and_sort(file, is_verify_wanted(options, len), error);
}

/* Returns whether this process has verified the checksums of this file in its current state; with
 * `add`, records that it has. Writing to a file always changes its time of change. The lock is
 * only tried, as it may be held forever in a child of fork(): without it a file is verified once
 * more. */
static bool among_verified(const struct stat *file, bool add)
{
    enum { N_FILES = 16 };
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static struct stat files[N_FILES]; /* the oldest entry is replaced first */
    static size_t n_noted;
    bool found = false;
    if (pthread_mutex_trylock(&lock) != 0)
        return false;
    for (const struct stat *was = files; was < files + N_FILES; was++)
        found |= was->st_dev == file->st_dev && was->st_ino == file->st_ino &&
                 was->st_size == file->st_size && was->st_ctim.tv_sec == file->st_ctim.tv_sec &&
                 was->st_ctim.tv_nsec == file->st_ctim.tv_nsec;
    if (add && !found)
        files[n_noted++ % N_FILES] = *file;
    pthread_mutex_unlock(&lock);
    return found;
}

static engine_status check_kind(const char *path, int fd, struct stat *stat, engine_error *error)
{
    if (fstat(fd, stat) != 0)
        return fail(error, ENGINE_ERROR_IO, "cannot read '%.128s': %s", path, strerror(errno));
    if (!S_ISREG(stat->st_mode))
        return fail(error, ENGINE_ERROR_IO,
                    "'%.128s' is %s, expected a weight file (encode-import makes one of a "
                    "checkpoint)",
                    path, S_ISDIR(stat->st_mode) ? "a directory" : "not a regular file");
    if (stat->st_size == 0)
        return damaged(error, "'%.128s' is empty, expected a weight file", path);
    if ((uintmax_t)stat->st_size > SIZE_MAX)
        return fail(error, ENGINE_ERROR_MEMORY, "'%.128s' is too large for this machine", path);
    return ENGINE_OK;
}

/* Reads the first len bytes. */
static engine_status read_file(const char *path, int fd, uint8_t *to, size_t len,
                               engine_error *error)
{
    for (size_t done = 0; done < len;) {
        ssize_t got = pread(fd, to + done, len - done, (off_t)done);
        if (got == 0 || (got < 0 && errno != EINTR))
            return fail(error, ENGINE_ERROR_IO, "cannot read '%.128s': %s", path,
                        got == 0 ? "it has become shorter" : strerror(errno));
        done += got > 0 ? (size_t)got : 0;
    }
    return ENGINE_OK;
}

/* Avoids copying a complete file that is not a weight file. */
static engine_status check_start(const char *path, int fd, size_t len, engine_error *error)
{
    uint8_t header[HEADER_BYTES] = {0};
    struct weight_file start = {.data = header, .len = len};
    engine_error cause;
    engine_status status =
        read_file(path, fd, header, len < HEADER_BYTES ? len : HEADER_BYTES, error);
    if (status != ENGINE_OK)
        return status;
    status = weight_file_check_header(&start, &cause);
    return status != ENGINE_OK ? fail(error, status, "'%.96s': %s", path, cause.message) : status;
}

/* Maps the file's len bytes, or a copy of them, to file->data. */
static engine_status map(struct weight_file *file, const char *path, int fd, size_t len, bool copy,
                         engine_error *error)
{
    void *address = mmap(NULL, len, copy ? PROT_READ | PROT_WRITE : PROT_READ,
                         copy ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_PRIVATE, copy ? -1 : fd, 0);
    if (address == MAP_FAILED)
        return fail(error, errno == ENOMEM ? ENGINE_ERROR_MEMORY : ENGINE_ERROR_IO,
                    "cannot map '%.128s': %s", path, strerror(errno));
    *file = (struct weight_file){.data = address, .len = len, .mapped = true};
    engine_status status = copy ? read_file(path, fd, address, len, error) : ENGINE_OK;
    if (status != ENGINE_OK)
        weight_file_close(file);
    return status;
}

engine_status weight_file_map(struct weight_file *file, const char *path,
                              const engine_model_options *options, engine_error *error)
{
    struct stat stat;
    bool copy = options->copy != 0;
    *file = (struct weight_file){0};
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a FIFO must not block */
    if (fd < 0)
        return fail(error, ENGINE_ERROR_IO, "cannot open '%.128s': %s", path, strerror(errno));
    engine_status status = check_kind(path, fd, &stat, error);
    if (status == ENGINE_OK && copy)
        status = check_start(path, fd, (size_t)stat.st_size, error);
    if (status == ENGINE_OK)
        status = map(file, path, fd, (size_t)stat.st_size, copy, error);
    close(fd);
    if (status != ENGINE_OK)
        return status;
    engine_error cause;
    /* A copy may be of a file that was being changed. */
    bool verify = copy || (is_verify_wanted(options, file->len) && !among_verified(&stat, false));
    status = check_and_sort(file, verify, &cause);
    if (status != ENGINE_OK)
        return fail(error, status, "'%.96s': %s", path, cause.message);
    if (verify)
        among_verified(&stat, true);
    return ENGINE_OK;
}

void weight_file_close(struct weight_file *file)
{
    if (file->mapped)
        munmap((void *)(uintptr_t)file->data, file->len);
    free(file->section_table);
    free(file->directory);
    free(file->by_name);
    *file = (struct weight_file){0};
}

/* ---- Entries ---- */

const char SECTION_NAMES[N_SECTION_TAGS][5] = {"CONF", "TOKN", "VOCB", "TENS", "DATA",
                                               "META", "PIEC", "CMAP", "MERG"};

void weight_file_section(const struct weight_file *file, size_t index, engine_section_info *info)
{
    const uint8_t *entry = file->section_table + index * SECTION_ENTRY_BYTES;
    *info = (engine_section_info){.required = get_u32(entry + 4) != 0,
                                  .offset = get_u64(entry + 8),
                                  .n_bytes = get_u64(entry + 16),
                                  .crc32c = get_u32(entry + 24)};
    memcpy(info->tag, entry, 4);
}

bool weight_file_setting(const struct section *section, size_t *offset, struct setting *setting)
{
    *offset = *offset == 0 ? 4 : *offset;
    if (section->data == NULL || section->len < *offset + 8)
        return false;
    const uint8_t *p = section->data + *offset;
    size_t key_len = get_u32(p), value_len = get_u32(p + 4), left = section->len - *offset - 8;
    if (key_len > MAX_KEY || key_len >= left || value_len >= left - key_len - 1 || key_len == 0)
        return false;
    setting->key = (const char *)p + 8;
    setting->value = setting->key + key_len + 1;
    setting->value_len = value_len;
    *offset += 8 + key_len + 1 + value_len + 1;
    for (size_t i = 0; i < key_len; i++)
        if (setting->key[i] <= ' ' || setting->key[i] > '~') /* messages print it */
            return false;
    return setting->key[key_len] == '\0' && setting->value[value_len] == '\0';
}

void weight_file_tensor(const struct weight_file *file, size_t index, struct tensor *tensor)
{
    const uint8_t *directory = file->sections[SECTION_TENS].data;
    const uint8_t *entry = directory + DIRECTORY_START + index * TENSOR_ENTRY_BYTES;
    tensor->name = (const char *)directory + get_u32(entry);
    tensor->type = (enum tensor_type)get_u32(entry + 8);
    tensor->layout = (enum tensor_layout)get_u32(entry + 12);
    tensor->n_dims = get_u32(entry + 16);
    tensor->crc = get_u32(entry + 20);
    for (size_t i = 0; i < 4; i++)
        tensor->shape[i] = get_u64(entry + 24 + 8 * i);
    tensor->offset = get_u64(entry + 56);
    tensor->len = get_u64(entry + 64);
}

static int compare_names(const void *a, const void *b, void *context)
{
    struct tensor left, right;
    weight_file_tensor(context, *(const uint32_t *)a, &left);
    weight_file_tensor(context, *(const uint32_t *)b, &right);
    return strcmp(left.name, right.name);
}

engine_status weight_file_sort_tensors(struct weight_file *file, engine_error *error)
{
    struct tensor tensor, before;
    if (file->n_tensors == 0)
        return ENGINE_OK;
    file->by_name = malloc(file->n_tensors * sizeof *file->by_name);
    if (file->by_name == NULL)
        return fail(error, ENGINE_ERROR_MEMORY, "no memory for an index of %zu tensors",
                    file->n_tensors);
    for (size_t i = 0; i < file->n_tensors; i++)
        file->by_name[i] = (uint32_t)i;
    qsort_r(file->by_name, file->n_tensors, sizeof *file->by_name, compare_names, file);
    for (size_t i = 1; i < file->n_tensors; i++) {
        weight_file_tensor(file, file->by_name[i - 1], &before);
        weight_file_tensor(file, file->by_name[i], &tensor);
        if (strcmp(before.name, tensor.name) == 0)
            return damaged(error, "tensor '%.64s' occurs twice", tensor.name);
    }
    return ENGINE_OK;
}

bool weight_file_find(const struct weight_file *file, const char *name, struct tensor *tensor)
{
    for (size_t begin = 0, end = file->n_tensors; begin < end;) {
        size_t middle = begin + (end - begin) / 2;
        weight_file_tensor(file, file->by_name[middle], tensor);
        int order = strcmp(name, tensor->name);
        if (order == 0)
            return true;
        if (order < 0)
            end = middle;
        else
            begin = middle + 1;
    }
    return false;
}
