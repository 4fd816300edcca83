/* disk_state.c - see disk_state.h. */
#include "tests/faults/disk_state.h"

#include "tests/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SECTOR = 512 };

struct maker {
    const struct disk_log *log;
    size_t n;
    enum disk_loss loss;
    enum disk_lie lie;
    uint64_t random;
    size_t last; /* of LOSE_AFTER: the first change that is lost */
    struct disk_state *state;
};

/* ---- What is synced ---- */

static bool is_ignored(const struct maker *maker, const struct disk_change *change)
{
    switch (maker->lie) {
    case LIE_FSYNC: return change->kind == DISK_SYNC && !change->is_fdatasync;
    case LIE_FOLDER: return change->kind == DISK_SYNC_FOLDER;
    case LIE_PARTS: return change->is_fdatasync;
    case LIE_NONE: break;
    }
    return false;
}

/* Returns how many changes were made when the file, or the folder (-1), was synced last. */
static size_t find_sync(const struct maker *maker, int file)
{
    const enum disk_kind kind = file < 0 ? DISK_SYNC_FOLDER : DISK_SYNC;
    for (size_t i = maker->n; i > maker->log->n_first; i--) {
        const struct disk_change *change = &maker->log->changes[i - 1];
        if (change->kind == kind && change->file == file && !is_ignored(maker, change))
            return i;
    }
    return maker->log->n_first;
}

/* ---- What is lost ---- */

static bool is_kept(struct maker *maker, size_t change, bool is_name)
{
    switch (maker->loss) {
    case LOSE_ALL: return false;
    case LOSE_NOTHING: return true;
    case LOSE_BYTES:
    case LOSE_INTO_ZEROS:
    case LOSE_INTO_OTHERS: return is_name;
    case LOSE_NAMES: return !is_name;
    case LOSE_AFTER: return change < maker->last;
    case LOSE_ANY: return support_below(&maker->random, 2) == 0;
    case N_LOSSES: break;
    }
    return false;
}

static void grow(struct disk_bytes *file, size_t len)
{
    if (len <= file->len)
        return;
    file->bytes = realloc(file->bytes, len);
    assert_non_null(file->bytes);
    memset(file->bytes + file->len, 0, len - file->len);
    file->len = len;
}

/* Sectors of a write: kept, lost, or, where the file had none, others. */
static void write_sectors(struct maker *maker, size_t index, struct disk_bytes *file,
                          size_t durable_len)
{
    const struct disk_change *change = &maker->log->changes[index];
    const bool becomes_others = maker->loss == LOSE_INTO_ZEROS || maker->loss == LOSE_INTO_OTHERS;
    for (size_t at = change->at, end, until = change->at + change->len; at < until; at = end) {
        end = at - at % SECTOR + SECTOR < until ? at - at % SECTOR + SECTOR : until;
        const unsigned char *bytes = change->bytes + (at - change->at);
        const bool is_there = is_kept(maker, index, false);
        const bool is_other =
            !is_there && at >= durable_len &&
            (becomes_others || (maker->loss == LOSE_ANY && support_below(&maker->random, 2) == 0));
        if (!is_there && !is_other)
            continue;
        grow(file, end);
        for (size_t i = at; i < end; i++)
            file->bytes[i] = is_there                         ? bytes[i - at]
                             : maker->loss == LOSE_INTO_ZEROS ? 0
                                                              : bytes[i - at] ^ 0x55;
    }
}

static void make_file(struct maker *maker, int index)
{
    struct disk_bytes *file = &maker->state->files[index];
    const size_t synced = find_sync(maker, index);
    size_t durable_len = 0;
    for (size_t i = 0; i < maker->n; i++) {
        const struct disk_change *change = &maker->log->changes[i];
        if (change->file != index || (change->kind != DISK_WRITE && change->kind != DISK_CUT))
            continue;
        if (i >= synced && change->kind == DISK_WRITE) {
            write_sectors(maker, i, file, durable_len);
        } else if (change->kind == DISK_WRITE) {
            grow(file, change->at + change->len);
            memcpy(file->bytes + change->at, change->bytes, change->len);
        } else if ((i < synced || is_kept(maker, i, false)) && change->len < file->len) {
            file->len = change->len;
        }
        durable_len = i < synced ? file->len : durable_len;
    }
}

static void make_names(struct maker *maker)
{
    const size_t synced = find_sync(maker, -1);
    memset(maker->state->listing, -1, sizeof maker->state->listing);
    for (size_t i = 0; i < maker->n; i++) {
        const struct disk_change *change = &maker->log->changes[i];
        if (change->kind != DISK_NAME || (i >= synced && !is_kept(maker, i, true)))
            continue;
        for (size_t name = 0; name < DISK_NAMES; name++)
            if (change->before[name] != change->after[name])
                maker->state->listing[name] = change->after[name];
    }
}

/* ---- The state ---- */

static uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t len)
{
    for (size_t i = 0; i < len; i++)
        hash = (hash ^ ((const unsigned char *)bytes)[i]) * 0x100000001B3u;
    return hash;
}

void disk_state_make(struct disk_state *state, const struct disk_log *log, size_t n,
                     enum disk_loss loss, enum disk_lie lie, uint64_t seed)
{
    struct maker maker = {
        .log = log, .n = n, .loss = loss, .lie = lie, .random = seed, .state = state};
    *state = (struct disk_state){.hash = 0xCBF29CE484222325u};
    maker.last = n - support_below(&maker.random, n < 12 ? n + 1 : 12);
    make_names(&maker);
    for (size_t i = 0; i < log->n_files; i++)
        make_file(&maker, (int)i);
    for (size_t name = 0; name < log->n_names; name++) {
        const int file = state->listing[name];
        if (file < 0)
            continue;
        state->hash = hash_bytes(state->hash, log->names[name], strlen(log->names[name]) + 1);
        state->hash = hash_bytes(state->hash, state->files[file].bytes, state->files[file].len);
    }
}

void disk_state_free(struct disk_state *state)
{
    for (size_t i = 0; i < DISK_FILES; i++)
        free(state->files[i].bytes);
}

void disk_state_write(const struct disk_state *state, const struct disk_log *log,
                      const char *folder)
{
    for (size_t name = 0; name < log->n_names; name++) {
        const struct disk_bytes *file = disk_state_file(state, log, log->names[name]);
        if (file == NULL)
            continue;
        support_write_in(folder, log->names[name], file->bytes, file->len);
    }
}

const struct disk_bytes *disk_state_file(const struct disk_state *state, const struct disk_log *log,
                                         const char *name)
{
    for (size_t i = 0; i < log->n_names; i++)
        if (strcmp(log->names[i], name) == 0)
            return state->listing[i] < 0 ? NULL : &state->files[state->listing[i]];
    return NULL;
}

size_t disk_log_entries(const struct disk_log *log, const char *journal, size_t n)
{
    size_t n_entries = 0;
    for (size_t name = 0; name < log->n_names; name++)
        for (size_t i = 0; i < n && strcmp(log->names[name], journal) == 0; i++) {
            const struct disk_change *change = &log->changes[i];
            if (change->kind == DISK_NAME && change->after[name] >= 0 &&
                change->after[name] != change->before[name])
                n_entries += i < log->n_first ? 2 : 1;
        }
    return n_entries;
}
