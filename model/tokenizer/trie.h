/* trie.h - a set of byte strings with a number for each, as a double array: the layout of darts-
 * clone (Yata), in which sentencepiece keeps its charsmap. It is walked where it lies in the file.
 *
 * Unit u of 32 bits: bits 0-7 and 31 label, bit 8 a string ends here, bit 9 the offset is times
 * 256, bits 10-30 offset. From node p (the unit's place xor its offset) byte b leads to unit p ^ b,
 * if that has the label b; where a string ends, unit p holds its number in bits 0-30.
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

/* A place in the trie: the bytes so far. Places may be anything: each step is checked. */
struct trie_place {
    uint32_t node;
    bool is_end; /* the bytes so far are a string of the trie */
};

static inline struct trie_place trie_enter(uint32_t unit, uint32_t at)
{
    const uint32_t offset = unit >> 10 << (unit >> 6 & 8);
    return (struct trie_place){at ^ offset, unit >> 8 & 1};
}

/* Before the first byte; a trie without units has no strings. */
static inline struct trie_place trie_root(const struct trie *trie)
{
    struct trie_place root = trie_enter(trie->n > 0 ? trie->units[0] : 0, 0);
    root.is_end = false;
    return root;
}

/* Goes on by a byte; false: no string begins so. */
static inline bool trie_step(const struct trie *trie, struct trie_place *place, uint8_t byte)
{
    const uint32_t at = place->node ^ byte;
    if (at >= trie->n || (trie->units[at] & UINT32_C(0x800000FF)) != byte)
        return false;
    *place = trie_enter(trie->units[at], at);
    return true;
}

/* The number of the string that ends at a place where is_end holds. */
static inline uint32_t trie_value(const struct trie *trie, struct trie_place place)
{
    return place.node < trie->n ? trie->units[place.node] & UINT32_C(0x7FFFFFFF) : 0;
}

#endif
