/* trie.h - a set of byte strings with a number for each, as a double array: the layout of darts-
 * clone (Yata), which sentencepiece uses for its charsmap. It is read in place, in the mapped file.
 *
 * Unit u of 32 bits: bits 0-7 and 31 label, bit 8 a string ends here, bit 9 the offset is times
 * 256, bits 10-30 offset. From node p (the unit's index xor its offset) byte b leads to unit p ^ b,
 * if that has the label b; if a string ends there, unit p holds its number in bits 0-30.
 */
#ifndef MODEL_TRIE_H
#define MODEL_TRIE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

#endif
