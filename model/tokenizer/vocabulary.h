/* vocabulary.h - the set of tokens: text to id and back, read in place in the weight file (section
 * VOCB of weights/FORMAT.md), so that opening a file builds nothing.
 *
 * Pure functions on read-only memory; any number of threads.
 */
#ifndef MODEL_VOCABULARY_H
#define MODEL_VOCABULARY_H

#include "model/tokenizer/meter.h"

#include <stddef.h>
#include <stdint.h>

struct vocabulary {
    const uint32_t *slots;  /* [n_slots] id + 1, or 0 */
    const uint32_t *starts; /* [n + 1] */
    const char *strings;    /* [strings_bytes] */
    uint32_t n, n_slots, strings_bytes, longest_bytes;
};

/* Views a section of len bytes (8-byte aligned). Returns NULL on success, else a static string that
 * says what is wrong. Checks sizes only: indices are checked where they are used. */
const char *vocabulary_view(struct vocabulary *vocabulary, const void *section, size_t len);

/* Reads the header of a section that is a hash table: numbers of entries, of slots, and two more.
 * Returns NULL on success (at most INT32_MAX entries), else a static error string. */
const char *hash_table_header(const void *section, size_t len, uint32_t header[4]);

/* Returns the id of a token, or -1. Texts longer than longest_bytes are never found. */
int32_t vocabulary_find(const struct vocabulary *vocabulary, const char *text, size_t len);

/* The same with a known hash of the text: VOCABULARY_HASH_START, updated with each byte. */
int32_t vocabulary_find_hashed(const struct vocabulary *vocabulary, uint64_t hash, const char *text,
                               size_t len, struct meter *meter);

/* Slots that a search looks at; of random texts it needs fewer than 300. */
enum { HASH_TABLE_TRIES = 1024 };

#define VOCABULARY_HASH_START UINT64_C(0xCBF29CE484222325)

/* 64-bit FNV-1a (Fowler, Noll, Vo). */
static inline uint64_t vocabulary_hash_byte(uint64_t hash, char byte)
{
    return (hash ^ (unsigned char)byte) * UINT64_C(0x100000001B3);
}

static inline uint64_t vocabulary_hash(uint64_t hash, const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++)
        hash = vocabulary_hash_byte(hash, text[i]);
    return hash;
}

/* Returns the text of an id (not NUL-terminated) and its length; NULL if the id has no text. */
const char *vocabulary_text(const struct vocabulary *vocabulary, int32_t id, size_t *len);

/* Writing. texts[id] is [lens[id]]; a NULL or empty text leaves the id without one.
 * vocabulary_bytes returns the length of the section, 0 if it exceeds the format (too many tokens
 * or bytes). vocabulary_build fills `section` of that length. It returns NULL on success, else a
 * static error string; *bad_id is the id of a text that occurred before. */
size_t vocabulary_bytes(const size_t *lens, size_t n);
const char *vocabulary_build(void *section, size_t section_bytes, const char *const *texts,
                             const size_t *lens, size_t n, size_t *bad_id);

#endif
