/* weight_file.c - finds, maps or copies a weight file, calls its checks, and reads its entries:
 * sections, settings, and tensors by number or by name. */
#include "engine/file/weight_file.h"

#include "engine/file/crc32c.h"
#include "engine/status.h"
#include "model/arena.h"

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
        if ((size_t)snprintf(path, cap, "%s", named) >= cap)
            return misused(error, "the path in ENCODE_MODEL is too long");
        if (access(path, F_OK) == 0)
            return ENGINE_OK;
        return fail(error, ENGINE_ERROR_IO, "cannot open '%.128s', which ENCODE_MODEL names: %s",
                    path, strerror(errno));
    }
    if (readlink("/proc/self/exe", folder, sizeof folder - 1) > 0)
        dirname(folder);
    if (exists(path, cap, folder, "") || exists(path, cap, folder, "../share/encode/") ||
        exists(path, cap, ENCODE_DATADIR, ""))
        return ENGINE_OK;
    return fail(error, ENGINE_ERROR_IO,
                "there are no default weights in '%.48s/../share/encode' or '%.64s'; name a weight "
                "file, or set ENCODE_MODEL to one, as a program outside of build/ must",
                folder, ENCODE_DATADIR);
}

/* ---- Entries ---- */

const char SECTION_NAMES[N_SECTION_TAGS][5] = {"CONF", "TOKN", "VOCB", "TENS", "DATA",
                                               "META", "PIEC", "CMAP", "MERG"};

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

static int compare_names(const void *a, const void *b)
{
    const struct tensor *const *left = a, *const *right = b;
    return strcmp((*left)->name, (*right)->name);
}

const struct tensor *weight_file_find(const struct weight_file *file, const char *name)
{
    const struct tensor key = {.name = name}, *wanted = &key;
    const struct tensor *const *found =
        bsearch(&wanted, file->by_name, file->n_tensors, sizeof *file->by_name, compare_names);
    return found != NULL ? *found : NULL;
}

/* ---- Checks ----
 * On opening, of everything that addresses are computed from; on request, of the checksum of every
 * section. Their order is that of weights/FORMAT.md, so that the first message names the cause. */

enum { MAX_SETTINGS = 1024 };

/* Reads only the first HEADER_BYTES. */
static engine_status check_header(const struct weight_file *file, engine_error *error)
{
    const uint8_t *data = file->data;
    size_t magic = file->len < sizeof FORMAT_MAGIC ? file->len : sizeof FORMAT_MAGIC;
    if (file->len == 0)
        return damaged(error, "the weight file is empty");
    if (memcmp(data, FORMAT_MAGIC, magic) != 0) {
        bool text_mode = file->len > 4 && memcmp(data + 1, "ENC", 3) == 0;
        return damaged(error, "not a weight file: it does not start with the magic bytes%s",
                       text_mode
                           ? "; it looks as if a transfer in text mode changed it: transfer "
                             "it again in binary mode"
                           : " 89 'ENC' 0D 0A 1A 0A (encode-import makes one of a checkpoint)");
    }
    if (file->len < HEADER_BYTES)
        return damaged(error, "the weight file is cut off: %zu bytes, its header alone takes %d",
                       file->len, HEADER_BYTES);
    if (get_u32(data + 12) == __builtin_bswap32(BYTE_ORDER_MARK))
        return fail(error, ENGINE_ERROR_VERSION,
                    "the weight file is big-endian; this library reads little-endian files");
    if (get_u32(data + 12) != BYTE_ORDER_MARK)
        return damaged(error, "the header is damaged: byte order mark 0x%08X, expected 0x01020304",
                       get_u32(data + 12));
    if (get_u32(data + 8) < FORMAT_VERSION || get_u32(data + 8) > FORMAT_VERSION_INT8K)
        return fail(error, ENGINE_ERROR_VERSION,
                    "the weight file has version %u; this library reads versions %d to %d",
                    get_u32(data + 8), FORMAT_VERSION, FORMAT_VERSION_INT8K);
    uint32_t crc = crc32c(0, data, HEADER_BYTES - 4);
    if (get_u32(data + 60) != crc)
        return damaged(error, "the header is damaged: checksum %08X, expected %08X" COPY_AGAIN, crc,
                       get_u32(data + 60));
    if (get_u32(data + 16) != HEADER_BYTES)
        return damaged(error, "the header says it is %u bytes long, expected %d",
                       get_u32(data + 16), HEADER_BYTES);
    for (size_t i = 44; i < 60; i++)
        if (data[i] != 0)
            return damaged(error, "reserved header byte %zu is not zero", i);
    if (get_u64(data + 24) != file->len)
        return damaged(error, "the weight file has %zu bytes, but its header says %llu: %s",
                       file->len, (unsigned long long)get_u64(data + 24),
                       file->len < get_u64(data + 24) ? "the copy is not complete" COPY_AGAIN
                                                      : "data was appended after its end");
    return ENGINE_OK;
}

/* Reads an entry of the section table into *info and, if its tag is known, file->sections; *end:
 * where the section before it ends. */
static engine_status check_section(struct weight_file *file, const uint8_t *entry, uint64_t *end,
                                   engine_section_info *info, engine_error *error)
{
    char tag[5] = {0};
    for (int i = 0; i < 4; i++)
        tag[i] = entry[i] > ' ' && entry[i] < 0x7F ? (char)entry[i] : '?';
    uint32_t flags = get_u32(entry + 4);
    uint64_t offset = get_u64(entry + 8), len = get_u64(entry + 16);
    uint64_t table = get_u64(file->data + 32);
    if (offset % TENSOR_ALIGN != 0 || offset < *end || offset > file->len ||
        len > file->len - offset ||
        (offset < table + file->n_sections * SECTION_ENTRY_BYTES && table < offset + len))
        return damaged(error,
                       "section %s is at %llu, length %llu: not aligned to %d, over its "
                       "neighbour or the section table, or outside the file",
                       tag, (unsigned long long)offset, (unsigned long long)len, TENSOR_ALIGN);
    if (flags > 1 || get_u32(entry + 28) != 0)
        return fail(
            error, ENGINE_ERROR_UNSUPPORTED,
            "section %s has flags %08X and reserved word %08X that this version does not know", tag,
            flags, get_u32(entry + 28));
    *end = offset + len;
    *info = (engine_section_info){
        .required = flags != 0, .offset = offset, .n_bytes = len, .crc32c = get_u32(entry + 24)};
    memcpy(info->tag, entry, 4);

    int index = 0;
    while (index < N_SECTION_TAGS && memcmp(entry, SECTION_NAMES[index], 4) != 0)
        index++;
    if (index == N_SECTION_TAGS && flags != 0)
        return fail(
            error, ENGINE_ERROR_UNSUPPORTED,
            "the file needs section %s, which this version does not know: use a newer library",
            tag);
    if (index == N_SECTION_TAGS)
        return ENGINE_OK;
    if (file->sections[index].data != NULL)
        return damaged(error, "section %s occurs twice", tag);
    file->sections[index] = (struct section){file->data + offset, (size_t)len};
    return ENGINE_OK;
}

static engine_status check_sections(struct weight_file *file, engine_error *error)
{
    uint8_t entries[MOST_SECTIONS * SECTION_ENTRY_BYTES];
    uint64_t table = get_u64(file->data + 32), end = HEADER_BYTES;
    file->n_sections = get_u32(file->data + 20);
    if (file->n_sections < 1 || file->n_sections > MOST_SECTIONS || table % 8 != 0 ||
        table < HEADER_BYTES || table > file->len ||
        file->n_sections * SECTION_ENTRY_BYTES > file->len - table)
        return damaged(error, "the section table, %zu entries at %llu, is not within the file",
                       file->n_sections, (unsigned long long)table);
    memcpy(entries, file->data + table, file->n_sections * SECTION_ENTRY_BYTES);
    file->table_crc = crc32c(0, entries, file->n_sections * SECTION_ENTRY_BYTES);
    if (file->table_crc != get_u32(file->data + 40))
        return damaged(error,
                       "the section table is damaged: checksum %08X, expected %08X" COPY_AGAIN,
                       file->table_crc, get_u32(file->data + 40));
    engine_status status = ENGINE_OK;
    for (size_t i = 0; i < file->n_sections && status == ENGINE_OK; i++)
        status =
            check_section(file, entries + i * SECTION_ENTRY_BYTES, &end, &file->table[i], error);
    for (int i = 0; i < N_SECTION_TAGS && status == ENGINE_OK; i++)
        if (file->sections[i].data == NULL && i < FIRST_OPTIONAL_SECTION)
            status = damaged(error, "the weight file has no section %s", SECTION_NAMES[i]);
    return status;
}

engine_status weight_file_intact(const struct weight_file *file, bool all, engine_error *error)
{
    for (size_t i = 0; i < file->n_sections; i++) {
        const engine_section_info *info = &file->table[i];
        if (!all && strstr("CONF TOKN TENS META", info->tag) == NULL)
            continue;
        uint32_t crc = crc32c(0, file->data + info->offset, (size_t)info->n_bytes);
        if (crc != info->crc32c)
            return damaged(error, "section %s is damaged: checksum %08X, expected %08X" COPY_AGAIN,
                           info->tag, crc, info->crc32c);
    }
    return ENGINE_OK;
}

static engine_status check_settings(const struct section *section, const char *tag,
                                    engine_error *error)
{
    struct setting setting, earlier;
    if (section->data == NULL)
        return ENGINE_OK;
    uint32_t n = section->len >= 4 ? get_u32(section->data) : MAX_SETTINGS + 1;
    if (n > MAX_SETTINGS)
        return damaged(error, "section %s is too short or claims %u settings (at most %d)", tag, n,
                       MAX_SETTINGS);
    size_t offset = 4;
    for (uint32_t i = 0; i < n; i++) {
        size_t start = offset;
        if (!weight_file_setting(section, &offset, &setting))
            return damaged(error,
                           "setting %u of section %s exceeds it, has an invalid key, or "
                           "lacks NUL bytes",
                           i, tag);
        for (size_t at = 4; at < start && weight_file_setting(section, &at, &earlier);)
            if (strcmp(earlier.key, setting.key) == 0)
                return damaged(error, "key '%.64s' occurs twice in section %s", setting.key, tag);
    }
    if (offset != section->len)
        return damaged(error, "section %s has %zu bytes after its last setting", tag,
                       section->len - offset);
    return ENGINE_OK;
}

/* Returns the length of a tensor's bytes by its type, layout and shape; 0 if these are invalid, or
 * it exceeds this machine's size_t. */
static uint64_t expected_len(const struct tensor *tensor)
{
    uint64_t rows = tensor->shape[0], cols = 1;
    bool matrix = tensor->n_dims == 2;
    if (tensor->n_dims < 1 || tensor->n_dims > 4)
        return 0;
    for (size_t i = 0; i < 4; i++)
        if (tensor->shape[i] < 1 || (i >= tensor->n_dims && tensor->shape[i] != 1) ||
            (i > 0 && __builtin_mul_overflow(cols, tensor->shape[i], &cols)))
            return 0;
    if ((!matrix && (tensor->layout != LAYOUT_ROWS || tensor_is_int8(tensor->type))) ||
        rows != (size_t)rows || cols != (size_t)cols)
        return 0;
    return tensor_bytes(tensor->type, tensor->layout, (size_t)rows, (size_t)cols);
}

static engine_status check_tensor(const struct weight_file *file, const struct tensor *tensor,
                                  uint64_t *end, engine_error *error)
{
    const struct section *data = &file->sections[SECTION_DATA];
    uint32_t first_version = tensor_has_kept(tensor->type)      ? FORMAT_VERSION_INT8K
                             : tensor_has_factors(tensor->type) ? FORMAT_VERSION_INT8A
                                                                : FORMAT_VERSION;
    bool is_known = get_u32(file->data + 8) >= first_version;
    uint64_t expected = is_known ? expected_len(tensor) : 0;
    if (expected == 0)
        return damaged(error,
                       "tensor '%.64s': type %u, layout %u and its shape do not make a tensor",
                       tensor->name, (unsigned)tensor->type, (unsigned)tensor->layout);
    if (tensor->len != expected)
        return damaged(error, "tensor '%.64s' has %llu bytes, expected %llu for its shape",
                       tensor->name, (unsigned long long)tensor->len, (unsigned long long)expected);
    uint64_t begin = (uint64_t)(data->data - file->data), limit = begin + data->len;
    uint64_t padded = (tensor->len + TENSOR_ALIGN - 1) / TENSOR_ALIGN * TENSOR_ALIGN;
    if (tensor->offset % TENSOR_ALIGN != 0 || tensor->offset < *end || tensor->offset < begin ||
        tensor->offset > limit || padded > limit - tensor->offset)
        return damaged(error,
                       "tensor '%.64s' is at %llu, %llu bytes: not aligned to %d, not after the "
                       "one before it, or outside DATA",
                       tensor->name, (unsigned long long)tensor->offset,
                       (unsigned long long)tensor->len, TENSOR_ALIGN);
    *end = tensor->offset + padded;
    return ENGINE_OK;
}

/* Reads the directory's entries into file->tensors. */
static engine_status check_tensors(struct weight_file *file, engine_error *error)
{
    const uint8_t *data = file->sections[SECTION_TENS].data;
    const size_t len = file->sections[SECTION_TENS].len;
    const size_t n = len >= DIRECTORY_START ? get_u32(data) : 0;
    if (len < DIRECTORY_START || n > (len - DIRECTORY_START) / TENSOR_ENTRY_BYTES ||
        get_u32(data + 4) != 0)
        return damaged(
            error, "a tensor directory of %zu bytes is too short for %zu, or its second word not 0",
            len, n);
    uint8_t *directory;
    struct arena arena = {0};
    do {
        file->tensors = arena_cut(&arena, n, sizeof *file->tensors);
        file->by_name = arena_cut(&arena, n, sizeof *file->by_name);
        directory = arena_cut(&arena, len, 1);
    } while (arena_allocate(&arena));
    if (file->tensors == NULL)
        return fail(error, ENGINE_ERROR_MEMORY, "no memory for a directory of %zu tensors", n);
    memcpy(directory, data, len);
    engine_status status = ENGINE_OK;
    uint64_t end = 0;
    for (size_t i = 0; i < n && status == ENGINE_OK; i++) {
        const uint8_t *entry = directory + DIRECTORY_START + i * TENSOR_ENTRY_BYTES;
        const size_t name = get_u32(entry), name_len = get_u32(entry + 4);
        if (name >= len || name_len >= len - name ||
            memchr(directory + name, 0, name_len + 1) != directory + name + name_len ||
            get_u64(entry + 72) != 0)
            return damaged(error, "tensor %zu: its name is not in the directory, or its end not 0",
                           i);
        file->tensors[i] = (struct tensor){
            .name = (const char *)directory + name,
            .type = (enum tensor_type)get_u32(entry + 8),
            .layout = (enum tensor_layout)get_u32(entry + 12),
            .n_dims = get_u32(entry + 16),
            .crc = get_u32(entry + 20),
            .shape = {get_u64(entry + 24), get_u64(entry + 32), get_u64(entry + 40),
                      get_u64(entry + 48)},
            .offset = get_u64(entry + 56),
            .len = get_u64(entry + 64),
        };
        status = check_tensor(file, &file->tensors[i], &end, error);
    }
    file->n_tensors = n;
    return status;
}

static engine_status sort_tensors(struct weight_file *file, engine_error *error)
{
    for (size_t i = 0; i < file->n_tensors; i++)
        file->by_name[i] = &file->tensors[i];
    qsort(file->by_name, file->n_tensors, sizeof *file->by_name, compare_names);
    for (size_t i = 1; i < file->n_tensors; i++)
        if (compare_names(&file->by_name[i - 1], &file->by_name[i]) == 0)
            return damaged(error, "tensor '%.64s' occurs twice", file->by_name[i]->name);
    return ENGINE_OK;
}

/* ---- Opening and closing ---- */

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
    status = check_header(&start, &cause);
    return status != ENGINE_OK ? fail(error, status, "'%.96s': %s", path, cause.message) : status;
}

/* Maps a file, or a copy of it. On failure nothing is left to close. */
static engine_status map_file(struct weight_file *file, const char *path, bool copy,
                              struct stat *stat, engine_error *error)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a FIFO must not block */
    if (fd < 0)
        return fail(error, ENGINE_ERROR_IO, "cannot open '%.128s': %s", path, strerror(errno));
    engine_status status = check_kind(path, fd, stat, error);
    size_t len = (size_t)stat->st_size;
    if (status == ENGINE_OK && copy)
        status = check_start(path, fd, len, error);
    if (status == ENGINE_OK) {
        void *address = mmap(NULL, len, copy ? PROT_READ | PROT_WRITE : PROT_READ,
                             copy ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_PRIVATE, copy ? -1 : fd, 0);
        if (address != MAP_FAILED)
            *file = (struct weight_file){.data = address, .len = len, .mapped = true};
        if (!file->mapped)
            status = fail(error, errno == ENOMEM ? ENGINE_ERROR_MEMORY : ENGINE_ERROR_IO,
                          "cannot map '%.128s': %s", path, strerror(errno));
        else if (copy)
            status = read_file(path, fd, address, len, error);
    }
    close(fd);
    if (status != ENGINE_OK)
        weight_file_close(file);
    return status;
}

engine_status weight_file_open(struct weight_file *file, const char *path, const void *data,
                               size_t len, const engine_model_options *options, engine_error *error)
{
    static const enum section_tag SETTINGS[] = {SECTION_CONF, SECTION_TOKN, SECTION_META};
    struct stat stat = {0};
    engine_error cause;
    const bool copy = path != NULL && options->copy != 0;
    *file = (struct weight_file){.data = data, .len = len};
    engine_status status = path != NULL ? map_file(file, path, copy, &stat, error) : ENGINE_OK;
    if (status != ENGINE_OK)
        return status;
    /* A copy may be of a file that was being changed. */
    bool is_wanted = options->verify > 0 || (options->verify == 0 && file->len <= VERIFIED_BYTES);
    bool verify = copy || (is_wanted && (path == NULL || !among_verified(&stat, false)));
    status = check_header(file, &cause);
    if (status == ENGINE_OK)
        status = check_sections(file, &cause);
    if (status == ENGINE_OK)
        status = weight_file_intact(file, verify, &cause);
    for (size_t i = 0; i < 3 && status == ENGINE_OK; i++)
        status = check_settings(&file->sections[SETTINGS[i]], SECTION_NAMES[SETTINGS[i]], &cause);
    if (status == ENGINE_OK)
        status = check_tensors(file, &cause);
    if (status == ENGINE_OK)
        status = sort_tensors(file, &cause);
    if (status != ENGINE_OK) {
        weight_file_close(file);
        return fail(error, status, path != NULL ? "'%.96s': %s" : "%s%s", path != NULL ? path : "",
                    cause.message);
    }
    if (path != NULL && verify)
        among_verified(&stat, true);
    return ENGINE_OK;
}

void weight_file_close(struct weight_file *file)
{
    if (file->mapped)
        munmap((void *)(uintptr_t)file->data, file->len);
    free(file->tensors);
    *file = (struct weight_file){0};
}
