/* index.c - makes and reads indexes of sparse rows; see index.h. Entries are collected row after
 * row, and sorted by key at the end, so that the bytes depend on the rows alone. Plain twin:
 * plain_bm25 in tests/engine/search/test_index.c.
 */
#include "engine/search/index.h"

#include "engine/file/crc32c.h"
#include "engine/status.h"
#include "model/unicode/unicode.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define K1    1.2
#define B     0.75
#define MAGIC "\x93index2\n"

/* ---- Reading ---- */

/* Returns the bytes of an index; 0 if size_t cannot hold them. */
static size_t bytes_of(const struct index_header *header)
{
    const uint64_t per_id = header->has_words ? 32 : 24;
    size_t bytes;
    return header->n_ids >= INT32_MAX || header->n_rows > UINT32_MAX ||
                   __builtin_mul_overflow(header->n, 8, &bytes) ||
                   __builtin_add_overflow(bytes, sizeof *header + 8 + header->n_ids * per_id,
                                          &bytes)
               ? 0
               : bytes;
}

static uint32_t sum_of(const struct index_header *header, size_t len)
{
    const uint32_t before = crc32c(0, header, offsetof(struct index_header, crc));
    return crc32c(before, header + 1, len - sizeof *header);
}

struct index_view index_view(const void *bytes)
{
    const struct index_header *header = bytes;
    const uint64_t *keys = (const uint64_t *)(const void *)(header + 1);
    const size_t n_ids = (size_t)header->n_ids, n = (size_t)header->n;
    const size_t n_keys = header->has_words ? n_ids : 0;
    const double *sums = (const double *)(const void *)(keys + n_keys + n_ids + 1);
    const struct posting *all = (const struct posting *)(const void *)(sums + 2 * n_ids);
    return (struct index_view){
        keys, n_keys, (size_t)header->n_rows, sums, {keys + n_keys, all, n_ids, n}};
}

engine_status engine_index_open(engine_index *index, engine_error *error)
{
    const struct index_header *header = index != NULL ? index->bytes : NULL;
    if (header == NULL || (uintptr_t)header % sizeof(uint64_t) != 0)
        return misused(error, "engine_index_open: the bytes are NULL or not aligned to 8");
    if (index->len < sizeof *header || memcmp(header->magic, MAGIC, sizeof header->magic) != 0 ||
        bytes_of(header) != index->len || header->crc != sum_of(header, index->len))
        return damaged(error, "this is no index of rows, or it is damaged: make it again");
    index->n_rows = (size_t)header->n_rows;
    index->n_ids = (size_t)header->n_ids;
    index->stamp = header->stamp;
    index->has_words = header->has_words != 0;
    return succeed(error);
}

/* Compares keys, or entries, which begin with theirs. */
static int by_key(const void *a, const void *b)
{
    const uint64_t *first = a, *second = b;
    return (*first > *second) - (*first < *second);
}

/* Returns the id of a word; -1 if it is unknown. */
static int32_t find_key(const struct index_view *view, uint64_t key)
{
    const uint64_t *found = bsearch(&key, view->keys, view->n_keys, sizeof key, by_key);
    return found != NULL ? (int32_t)(found - view->keys) : -1;
}

/* Returns how rare a word is in all rows. */
static float rarity(const engine_index *indexes, size_t n, uint64_t key)
{
    double n_rows = 0, n_with = 0;
    for (size_t i = 0; i < n; i++) {
        const struct index_view view = index_view(indexes[i].bytes);
        const struct posting_range range = postings_find(&view.postings, find_key(&view, key));
        n_rows += (double)view.n_rows;
        n_with += (double)(range.end - range.begin);
    }
    return (float)log(1 + (n_rows - n_with + 0.5) / (n_with + 0.5));
}

static int by_id(const void *a, const void *b)
{
    const engine_weight *first = a, *second = b;
    return (first->id > second->id) - (first->id < second->id);
}

size_t engine_index_query(const engine_index *indexes, size_t n, size_t which, const char *text,
                          size_t len, engine_weight *out)
{
    const struct index_view view = index_view(indexes[which].bytes);
    size_t n_found = 0, n_out = 0, at = 0;
    uint64_t key;
    len = text_bytes(text, len);
    while (word_next(text, len, &at, &key)) {
        const int32_t id = find_key(&view, key);
        if (id >= 0)
            out[n_found++] = (engine_weight){id, rarity(indexes, n, key)};
    }
    if (n_found > 0)
        qsort(out, n_found, sizeof *out, by_id);
    for (size_t i = 0; i < n_found; i++)
        if (n_out > 0 && out[n_out - 1].id == out[i].id)
            out[n_out - 1].weight += out[i].weight;
        else
            out[n_out++] = out[i];
    return n_out;
}

float engine_index_score(const engine_index *index, const engine_weight *query, size_t n,
                         uint64_t row)
{
    const struct index_view view = index_view(index->bytes);
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        struct posting_range range = postings_find(&view.postings, query[i].id);
        postings_add(&view.postings, &query[i], 1, &range, (size_t)row, 1, &sum);
    }
    return (float)fmax(-FLT_MAX, fmin(sum, FLT_MAX));
}

void index_add_moments(const struct index_view *view, const engine_weight *query, size_t n,
                       engine_moments *moments)
{
    const double n_rows = (double)view->n_rows;
    double mean = 0, variance = 0;
    for (size_t i = 0; i < n && n_rows > 0; i++) {
        if (query[i].id < 0 || (size_t)query[i].id >= view->postings.n_ids)
            continue;
        const double *sums = view->sums + 2 * query[i].id, weight = (double)query[i].weight;
        mean += weight * sums[0] / n_rows;
        variance += weight * weight * (sums[1] - sums[0] * sums[0] / n_rows) / n_rows;
    }
    moments->n += n_rows;
    moments->sum += n_rows * mean;
    moments->squares += n_rows * (variance + mean * mean);
}

/* ---- Making ---- */

struct entry {
    uint64_t key;
    uint32_t row;
    float weight; /* of a word first the number of times */
};

struct engine_index_builder {
    struct entry *entries;
    size_t n, cap, n_before; /* entries; those of rows that are complete */
    uint32_t *lengths;       /* [n_rows] words of each text */
    size_t n_rows, cap_rows;
    double n_words; /* of all texts */
    bool has_words; /* if there are rows; else they have weights */
    void *bytes;    /* of the index */
};

engine_index_builder *engine_index_new(void)
{
    return calloc(1, sizeof(engine_index_builder));
}

void engine_index_free(engine_index_builder *builder)
{
    if (builder == NULL)
        return;
    free(builder->entries);
    free(builder->lengths);
    free(builder->bytes);
    free(builder);
}

/* Returns the array with room for another element; NULL without memory. */
static void *with_room(void *array, size_t n, size_t *cap, size_t bytes)
{
    const size_t more = *cap > 0 ? 2 * *cap : 4096;
    if (n < *cap)
        return array;
    void *larger = more <= SIZE_MAX / 2 / bytes ? realloc(array, more * bytes) : NULL;
    *cap = larger != NULL ? more : *cap;
    return larger;
}

static bool add_entry(engine_index_builder *builder, uint64_t key, float weight)
{
    void *entries = with_room(builder->entries, builder->n, &builder->cap, sizeof(struct entry));
    if (entries == NULL)
        return false;
    builder->entries = entries;
    builder->entries[builder->n++] = (struct entry){key, (uint32_t)builder->n_rows, weight};
    return true;
}

/* Ends a row. Without memory it is not added, and leaves no entries. */
static engine_status end_row(engine_index_builder *builder, bool has_room, bool words,
                             size_t length, engine_error *error)
{
    uint32_t *lengths =
        has_room ? with_room(builder->lengths, builder->n_rows, &builder->cap_rows, sizeof *lengths)
                 : NULL;
    if (lengths == NULL) {
        builder->n = builder->n_before;
        return fail(error, ENGINE_ERROR_MEMORY, "no memory for row %zu (from 0) of an index",
                    builder->n_rows);
    }
    builder->n_before = builder->n;
    builder->has_words = words;
    builder->lengths = lengths;
    lengths[builder->n_rows++] = length < UINT32_MAX ? (uint32_t)length : UINT32_MAX;
    builder->n_words += (double)length;
    return succeed(error);
}

/* Returns whether a row of this kind may be added. */
static bool takes(const engine_index_builder *builder, bool words)
{
    return builder != NULL && builder->bytes == NULL && builder->n_rows < UINT32_MAX &&
           (builder->n_rows == 0 || builder->has_words == words);
}

engine_status engine_index_add_text(engine_index_builder *builder, const char *text, size_t len,
                                    engine_error *error)
{
    if (!takes(builder, true))
        return misused(error,
                       "engine_index_add_text: the builder is NULL, complete or has weights");
    const size_t first = builder->n;
    size_t n_words = 0, at = 0, n = first;
    bool has_room = true;
    uint64_t key;
    len = text_bytes(text, len);
    while (has_room && word_next(text, len, &at, &key)) {
        has_room = add_entry(builder, key, 1);
        n_words++;
    }
    if (n_words > 1)
        qsort(builder->entries + first, builder->n - first, sizeof(struct entry), by_key);
    for (size_t i = first; i < builder->n; i++)
        if (n > first && builder->entries[n - 1].key == builder->entries[i].key)
            builder->entries[n - 1].weight += 1;
        else
            builder->entries[n++] = builder->entries[i];
    builder->n = n;
    return end_row(builder, has_room, true, n_words, error);
}

engine_status engine_index_add_weights(engine_index_builder *builder, const engine_weight *weights,
                                       size_t n, engine_error *error)
{
    bool is_good = takes(builder, false) && (weights != NULL || n == 0), has_room = true;
    for (size_t i = 0; is_good && i < n; i++)
        is_good =
            weights[i].id >= 0 && weights[i].id < INT32_MAX - 1 && isfinite(weights[i].weight);
    if (!is_good)
        return misused(error,
                       "engine_index_add_weights: the builder is NULL, complete or has texts, "
                       "a weight is not finite, or an id is not from 0 to 2147483645");
    for (size_t i = 0; has_room && i < n; i++)
        has_room = add_entry(builder, (uint64_t)weights[i].id, weights[i].weight);
    return end_row(builder, has_room, false, 0, error);
}

/* Sorts the entries, which are in the order of rows, by key, 16 bits at a time; equal keys keep
 * their order. Returns false without memory. */
static bool sort_entries(engine_index_builder *builder)
{
    enum { DIGITS = 1 << 16 };
    struct entry *to = malloc((1 + builder->n) * sizeof *to);
    size_t *starts = malloc(DIGITS * sizeof *starts);
    const bool has_memory = to != NULL && starts != NULL;
    uint64_t differs = 0; /* bits in which keys differ: of ids the lower ones */
    for (size_t i = 0; i < builder->n; i++)
        differs |= builder->entries[i].key ^ builder->entries[0].key;
    for (int shift = 0; shift < 64 && has_memory; shift += 16) {
        size_t before = 0;
        if ((differs >> shift & (DIGITS - 1)) == 0)
            continue;
        memset(starts, 0, DIGITS * sizeof *starts);
        for (size_t i = 0; i < builder->n; i++)
            starts[builder->entries[i].key >> shift & (DIGITS - 1)]++;
        for (size_t digit = 0, count; digit < DIGITS; digit++, before += count) {
            count = starts[digit];
            starts[digit] = before;
        }
        for (size_t i = 0; i < builder->n; i++)
            to[starts[builder->entries[i].key >> shift & (DIGITS - 1)]++] = builder->entries[i];
        struct entry *from = builder->entries;
        builder->entries = to;
        to = from;
    }
    builder->cap = has_memory ? builder->n : builder->cap;
    free(to);
    free(starts);
    return has_memory;
}

/* Returns the weight of an entry in the index. */
static float weigh(const engine_index_builder *builder, const struct entry *entry)
{
    const double times = (double)entry->weight, n_rows = (double)builder->n_rows;
    if (!builder->has_words)
        return entry->weight;
    const double length = (double)builder->lengths[entry->row] * n_rows / builder->n_words;
    return (float)(times * (K1 + 1) / (times + K1 * (1 - B + B * length)));
}

/* Writes the arrays, which follow the header. */
static void write_arrays(const engine_index_builder *builder)
{
    const struct index_view view = index_view(builder->bytes);
    uint64_t *keys = (uint64_t *)(uintptr_t)view.keys;
    uint64_t *starts = (uint64_t *)(uintptr_t)view.postings.starts;
    double *sums = (double *)(uintptr_t)view.sums;
    struct posting *all = (struct posting *)(uintptr_t)view.postings.all;
    size_t n_ids = 0, n_seen = 0; /* n_ids: with those that no row has */
    double of_row = 0;            /* sum of the id's earlier weights in this row */
    for (size_t i = 0; i < builder->n; i++) {
        const struct entry *entry = &builder->entries[i];
        const bool is_new = i == 0 || entry->key != entry[-1].key;
        if (builder->has_words && is_new)
            keys[n_ids] = entry->key;
        while (is_new && n_ids <= (builder->has_words ? n_seen : entry->key))
            starts[n_ids++] = i;
        n_seen += is_new;
        all[i] = (struct posting){entry->row, weigh(builder, entry)};
        const double weight = (double)all[i].weight;
        of_row = is_new || entry->row != entry[-1].row ? 0 : of_row;
        sums[2 * n_ids - 2] += weight;
        sums[2 * n_ids - 1] += weight * (2 * of_row + weight);
        of_row += weight;
    }
    starts[n_ids] = builder->n;
}

engine_status engine_index_bytes(engine_index_builder *builder, uint64_t stamp, const void **bytes,
                                 size_t *len, engine_error *error)
{
    if (builder == NULL || builder->bytes != NULL || bytes == NULL || len == NULL)
        return misused(error,
                       "engine_index_bytes: the builder or an output is NULL, or the index is "
                       "made");
    const bool is_sorted = sort_entries(builder);
    const struct entry *entries = builder->entries;
    struct index_header header = {.n_rows = builder->n_rows,
                                  .n = builder->n,
                                  .stamp = stamp,
                                  .has_words = builder->has_words};
    for (size_t i = 0; i < builder->n && is_sorted && builder->has_words; i++)
        header.n_ids += i == 0 || entries[i].key != entries[i - 1].key;
    if (!builder->has_words && builder->n > 0)
        header.n_ids = entries[builder->n - 1].key + 1;
    memcpy(header.magic, MAGIC, sizeof header.magic);
    *len = bytes_of(&header);
    builder->bytes = is_sorted && *len > 0 ? calloc(1, *len) : NULL;
    if (builder->bytes == NULL)
        return fail(error, ENGINE_ERROR_MEMORY, "no memory for an index of %zu weights",
                    builder->n);
    memcpy(builder->bytes, &header, sizeof header);
    write_arrays(builder);
    ((struct index_header *)builder->bytes)->crc = sum_of(builder->bytes, *len);
    *bytes = builder->bytes;
    return succeed(error);
}
