/* vocabulary.h - the set of tokens, text to id and back, the pieces of kind unigram and the merges
 * of kind bpe: read in place in the weight file (sections VOCB, PIEC and MERG of
 * weights/FORMAT.md), so that opening a file builds nothing.
 *
 * Pure functions on read-only memory; any number of threads.
 */
#ifndef MODEL_VOCABULARY_H
#define MODEL_VOCABULARY_H

#include "model/tokenizer/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct vocabulary {
    const uint32_t *slots;  /* [n_slots] id + 1, or 0 */
    const uint32_t *starts; /* [n + 1] */
    const char *strings;    /* [strings_bytes] */
    uint32_t n, n_slots, strings_bytes, longest_bytes;
    const uint8_t *outside; /* bit set [n]: added tokens that are not the model's; or NULL */
};

/* Views a section of len bytes (8-byte aligned). Returns NULL on success, else a static string that
 * says what is wrong. Checks sizes only: indices are checked where they are used. */
const char *vocabulary_view(struct vocabulary *vocabulary, const void *section, size_t len);

/* Returns the id of a token, or -1; tokens outside of the model's vocabulary, and texts longer than
 * longest_bytes, are never found. */
int32_t vocabulary_find(const struct vocabulary *vocabulary, const char *text, size_t len);

/* The same with a known hash of the text: VOCABULARY_HASH_START, updated with each byte. If the
 * search ends at an empty slot, stores it in *empty. meter and empty may be NULL. */
int32_t vocabulary_find_hashed(const struct vocabulary *vocabulary, uint64_t hash, const char *text,
                               size_t len, struct meter *meter, uint32_t *empty);

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

/* ---- Trie ----
 *
 * A set of byte strings with a number for each, as a double array: the layout of darts-clone
 * (Yata), which sentencepiece uses for its charsmap.
 *
 * Unit u of 32 bits: bits 0-7 and 31 label, bit 8 a string ends here, bit 9 the offset is times
 * 256, bits 10-30 offset. From node p (the unit's index xor its offset) byte b leads to unit p ^ b,
 * if that has the label b; if a string ends there, unit p holds its number in bits 0-30. */

struct trie {
    const uint32_t *units; /* [n] */
    size_t n;
};

/* State of a walk through the trie: the bytes so far. Any value is safe, as steps are checked. */
struct trie_state {
    uint32_t node;
    bool is_end; /* the bytes read so far are a string of the trie */
};

static inline struct trie_state trie_enter(uint32_t unit, uint32_t at)
{
    const uint32_t offset = unit >> 10 << (unit >> 6 & 8);
    return (struct trie_state){at ^ offset, unit >> 8 & 1};
}

/* Returns the state before the first byte; a trie without units has no strings. */
static inline struct trie_state trie_root(const struct trie *trie)
{
    struct trie_state root = trie_enter(trie->n > 0 ? trie->units[0] : 0, 0);
    root.is_end = false;
    return root;
}

/* Advances by a byte. Returns false if no string continues with it. */
static inline bool trie_step(const struct trie *trie, struct trie_state *state, uint8_t byte)
{
    const uint32_t at = state->node ^ byte;
    if (at >= trie->n || (trie->units[at] & UINT32_C(0x800000FF)) != byte)
        return false;
    *state = trie_enter(trie->units[at], at);
    return true;
}

/* Returns the number of the string that ends in a state with is_end. */
static inline uint32_t trie_value(const struct trie *trie, struct trie_state state)
{
    return state.node < trie->n ? trie->units[state.node] & UINT32_C(0x7FFFFFFF) : 0;
}

/* ---- Pieces of kind unigram ---- */

struct unigram_pieces {
    const double *scores; /* [n] by id */
    struct trie trie;     /* the number of a piece's text: its id */
    uint32_t n, longest;  /* bytes of the longest piece */
    double unknown_score; /* of a character that is no piece */
};

enum { UNIGRAM_LONGEST = 1024 };

/* Views a section of len bytes, aligned to 8. Returns NULL on success, else a static string that
 * says what is wrong. Checks sizes only: indices are checked where they are used. */
const char *unigram_view(struct unigram_pieces *pieces, const void *section, size_t len);

/* ---- Merges of kind bpe ---- */

/* As in the file: left and right become `id`; order: 1 for the first merge; 0: the slot is free. */
struct merge {
    uint32_t left, right, order, id;
};

struct merges {
    const struct merge *slots; /* [n_slots] */
    const uint32_t *whole;     /* bit set [n_ids]: ids whose own text becomes that one token */
    uint32_t n_slots, n_ids;
};

/* Returns the length of the section: header, slots, bit set. */
static inline uint64_t merges_table_bytes(size_t n_slots, uint32_t n_ids)
{
    return 16 + sizeof(struct merge) * (uint64_t)n_slots + 4 * ((uint64_t)n_ids / 32 + 1);
}

/* Views a section of len bytes, aligned to 8, for a vocabulary of n_ids, the first of which are the
 * model's own. Returns NULL on success, else a static string that says what is wrong. Checks sizes
 * only: ids are checked where they are used. */
const char *merges_view(struct merges *merges, const void *section, size_t len, uint32_t n_ids);

#endif
