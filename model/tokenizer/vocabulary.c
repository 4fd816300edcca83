/* vocabulary.c - an open-addressing hash table that is used in place, in the mapped file (section
 * VOCB of weights/FORMAT.md). The hash is 64-bit FNV-1a (Fowler, Noll, Vo), its halves folded by
 * xor; a token whose slot is occupied goes to the next slot. The section's checksum is not compared
 * when a file is opened, so every number read from it is checked here, each time, and no search is
 * longer than the table.
 */
#include "model/tokenizer/vocabulary.h"

#include "model/unicode/unicode.h"

#include <string.h>

enum { HEADER_BYTES = 16, MAX_TOKENS = 1 << 30 };

/* Reads the header of a section that is a hash table: numbers of entries, of slots, and two more.
 * Returns NULL on success, else a static error string. */
static const char *hash_table_header(const void *section, size_t len, uint32_t header[4])
{
    if (len < HEADER_BYTES)
        return "the section is shorter than its header of 16 bytes";
    memcpy(header, section, HEADER_BYTES);
    if (header[1] == 0 || (header[1] & (header[1] - 1)) != 0)
        return "the number of slots is not a power of two";
    return header[0] < header[1] ? NULL : "there are more entries than the slots allow";
}

const char *vocabulary_view(struct vocabulary *vocabulary, const void *section, size_t len)
{
    uint32_t header[4];
    const char *wrong = hash_table_header(section, len, header);
    if (wrong != NULL)
        return wrong;
    const uint32_t n = header[0], n_slots = header[1];
    /* Below 2^35, so 64 bits cannot overflow. */
    const uint64_t numbers = 4 * ((uint64_t)n_slots + n + 1);
    if (HEADER_BYTES + numbers + header[2] != len)
        return "the length of the section does not match its counts";
    if (header[3] > header[2])
        return "the longest token is longer than all tokens together";

    const uint32_t *slots = (const uint32_t *)section + HEADER_BYTES / 4;
    *vocabulary = (struct vocabulary){
        .slots = slots,
        .starts = slots + n_slots,
        .strings = (const char *)(slots + n_slots + n + 1),
        .n = n,
        .n_slots = n_slots,
        .strings_bytes = header[2],
        .longest_bytes = header[3],
    };
    return NULL;
}

const char *vocabulary_text(const struct vocabulary *vocabulary, int32_t id, size_t *len)
{
    if (id < 0 || (uint32_t)id >= vocabulary->n)
        return NULL;
    const uint32_t start = vocabulary->starts[id], end = vocabulary->starts[id + 1];
    if (start >= end || end > vocabulary->strings_bytes)
        return NULL;
    *len = end - start;
    return vocabulary->strings + start;
}

int32_t vocabulary_find(const struct vocabulary *vocabulary, const char *text, size_t len)
{
    if (len > vocabulary->longest_bytes)
        return -1;
    const uint64_t hash = vocabulary_hash(VOCABULARY_HASH_START, text, len);
    return vocabulary_find_hashed(vocabulary, hash, text, len, NULL, NULL);
}

int32_t vocabulary_find_hashed(const struct vocabulary *vocabulary, uint64_t hash, const char *text,
                               size_t len, struct meter *meter, uint32_t *empty)
{
    enum { FEW_TRIES = 8 }; /* they suffice nearly always, and cost no steps of the meter */
    const uint8_t *outside = vocabulary->outside;
    const uint32_t wrap = vocabulary->n_slots - 1;
    uint32_t slot = (uint32_t)(hash ^ hash >> 32) & wrap;
    if (len == 0 || len > vocabulary->longest_bytes)
        return -1;
    for (uint32_t i = 0; i < HASH_TABLE_TRIES; i++, slot = (slot + 1) & wrap) {
        if (i >= FEW_TRIES && meter != NULL && !meter_take(meter, 2))
            break;
        const uint32_t taken = vocabulary->slots[slot], id = taken - 1;
        size_t token_len = 0;
        if (taken == 0) {
            if (empty != NULL)
                *empty = slot;
            break;
        }
        if (taken > vocabulary->n)
            continue;
        const char *token = vocabulary_text(vocabulary, (int32_t)id, &token_len);
        if (token != NULL && token_len == len && memcmp(token, text, len) == 0)
            return outside != NULL && (outside[id / 8] >> id % 8 & 1) ? -1 : (int32_t)id;
    }
    return -1;
}

/* At most half of the slots are occupied, so that searches are short. */
static size_t slots_for(size_t n)
{
    size_t n_slots = 1;
    while (n_slots < 2 * n)
        n_slots *= 2;
    return n_slots;
}

size_t vocabulary_bytes(const size_t *lens, size_t n)
{
    size_t strings_bytes = 0;
    if (n > MAX_TOKENS)
        return 0;
    for (size_t id = 0; id < n; id++) {
        if (lens[id] > UINT32_MAX - strings_bytes)
            return 0;
        strings_bytes += lens[id];
    }
    const uint64_t bytes = HEADER_BYTES + 4 * ((uint64_t)slots_for(n) + n + 1) + strings_bytes;
    return bytes > SIZE_MAX ? 0 : (size_t)bytes;
}

const char *vocabulary_build(void *section, size_t section_bytes, const char *const *texts,
                             const size_t *lens, size_t n, size_t *bad_id)
{
    *bad_id = n;
    if (section_bytes == 0 || section_bytes != vocabulary_bytes(lens, n))
        return "the section does not have the length that vocabulary_bytes returned";

    const uint32_t n_slots = (uint32_t)slots_for(n);
    const size_t strings_at = HEADER_BYTES + 4 * (n_slots + n + 1);
    uint32_t *header = section, *slots = header + HEADER_BYTES / 4, *starts = slots + n_slots;
    uint32_t end = 0, longest = 0;
    struct vocabulary built;
    memset(section, 0, section_bytes);
    header[0] = (uint32_t)n;
    header[1] = n_slots;
    header[2] = header[3] = (uint32_t)(section_bytes - strings_at);
    const char *wrong = vocabulary_view(&built, section, section_bytes);
    if (wrong != NULL)
        return wrong;
    for (size_t id = 0; id < n; id++) {
        starts[id] = end;
        if (texts[id] == NULL || lens[id] == 0)
            continue;
        const uint64_t hash = vocabulary_hash(VOCABULARY_HASH_START, texts[id], lens[id]);
        uint32_t empty = UINT32_MAX;
        *bad_id = id;
        if (vocabulary_find_hashed(&built, hash, texts[id], lens[id], NULL, &empty) >= 0)
            return "the same token occurs twice";
        if (empty == UINT32_MAX)
            return "1,024 tokens have hashes that are nearly the same";
        if (!utf8_valid(texts[id], lens[id]))
            return "a token is not UTF-8";
        slots[empty] = (uint32_t)(id + 1);
        memcpy((char *)section + strings_at + end, texts[id], lens[id]);
        end += (uint32_t)lens[id];
        longest = (uint32_t)lens[id] > longest ? (uint32_t)lens[id] : longest;
    }
    starts[n] = end;
    header[3] = longest;
    *bad_id = n;
    return NULL;
}

/* ---- Pieces of kind unigram ---- */

struct pieces_header {
    uint32_t n, n_units, longest, zero;
    double unknown_score;
};

const char *unigram_view(struct unigram_pieces *pieces, const void *section, size_t len)
{
    struct pieces_header header;
    if (len < sizeof header)
        return "the section is shorter than its header of 24 bytes";
    memcpy(&header, section, sizeof header);
    if (len != sizeof header + 8 * (uint64_t)header.n + 4 * (uint64_t)header.n_units)
        return "the length of the section does not match its counts";
    if (header.longest > UNIGRAM_LONGEST)
        return "the longest piece has more than 1024 bytes";
    const double *scores = (const double *)((const struct pieces_header *)section + 1);
    *pieces = (struct unigram_pieces){
        .scores = scores,
        .trie = {(const uint32_t *)(scores + header.n), header.n_units},
        .n = header.n,
        .longest = header.longest,
        .unknown_score = header.unknown_score,
    };
    return NULL;
}

/* ---- Merges of kind bpe ---- */

const char *merges_view(struct merges *merges, const void *section, size_t len, uint32_t n_ids)
{
    uint32_t header[4];
    const char *wrong = hash_table_header(section, len, header);
    if (wrong != NULL)
        return wrong;
    if (header[2] > n_ids)
        return "it is for more ids than the vocabulary has";
    if (merges_table_bytes(header[1], header[2]) != len)
        return "the length of the section does not match its counts";
    const struct merge *slots = (const struct merge *)((const char *)section + HEADER_BYTES);
    *merges = (struct merges){.slots = slots,
                              .whole = (const uint32_t *)(slots + header[1]),
                              .n_slots = header[1],
                              .n_ids = header[2]};
    return NULL;
}
