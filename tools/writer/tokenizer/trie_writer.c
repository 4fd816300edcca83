/* trie_writer.c - texts in the order of their bytes, node by node: for the bytes that may follow a
 * node, the first base is sought at which all their units are free. Only the last blocks of 256
 * units are searched, so that the time is linear; in earlier ones few are free. */
#include "tools/writer/tokenizer/trie_writer.h"

#include "tools/common/alloc.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 256, SEARCHED = 16 /* blocks */ };
static const uint32_t NOT_A_STEP = UINT32_C(1) << 31; /* no byte is such a label */

struct key {
    const char *text;
    size_t len;
    uint32_t number;
};

struct trie_writer {
    const struct key *keys;
    uint32_t *units; /* [n] */
    bool *is_free;   /* [n] */
    bool *is_base;   /* [n]: a node's children are around here */
    size_t n, cap;
};

static int compare_keys(const void *left, const void *right)
{
    const struct key *a = left, *b = right;
    int order = memcmp(a->text, b->text, a->len < b->len ? a->len : b->len);
    return order != 0 ? order : a->len < b->len ? -1 : a->len > b->len;
}

/* ---- Free units ---- */

static void add_block(struct trie_writer *writer)
{
    if (writer->n + BLOCK > writer->cap) {
        writer->cap = 2 * writer->cap + BLOCK;
        writer->units = alloc_resize(writer->units, writer->cap, sizeof *writer->units);
        writer->is_free = alloc_resize(writer->is_free, writer->cap, sizeof *writer->is_free);
        writer->is_base = alloc_resize(writer->is_base, writer->cap, sizeof *writer->is_base);
    }
    for (size_t i = 0; i < BLOCK; i++, writer->n++) {
        writer->units[writer->n] = NOT_A_STEP;
        writer->is_free[writer->n] = true;
        writer->is_base[writer->n] = false;
    }
}

/* Returns the first free unit from `at` on; after the last block a new one begins. */
static size_t next_free(struct trie_writer *writer, size_t at)
{
    const bool *found = memchr(writer->is_free + at, true, writer->n - at);
    if (found != NULL)
        return (size_t)(found - writer->is_free);
    at = writer->n;
    add_block(writer);
    return at;
}

/* Finds a base whose units for all labels, all in its block, are free, and marks them used. A
 * unit's offset has 21 bits, or 29 of which the last 8 are zero. */
static uint32_t find_base(struct trie_writer *writer, uint32_t at, const uint8_t *labels, size_t n)
{
    size_t old = writer->n > SEARCHED * BLOCK ? writer->n - SEARCHED * BLOCK : 0;
    for (size_t slot = next_free(writer, old);; slot = next_free(writer, slot + 1)) {
        uint32_t base = (uint32_t)slot ^ labels[0], offset = base ^ at;
        bool fits = !writer->is_base[base] &&
                    (offset >> 21 == 0 || ((offset & 0xFF) == 0 && offset >> 29 == 0));
        for (size_t i = 0; fits && i < n; i++)
            fits = writer->is_free[base ^ labels[i]];
        if (!fits)
            continue;
        writer->is_base[base] = true;
        for (size_t i = 0; i < n; i++)
            writer->is_free[base ^ labels[i]] = false;
        return base;
    }
}

/* ---- Nodes ---- */

/* The node at a unit is where keys [first, last) agree, in their first `depth` bytes. */
static void write_node(struct trie_writer *writer, uint32_t at, size_t first, size_t last,
                       size_t depth)
{
    const struct key *keys = writer->keys;
    bool is_end = keys[first].len == depth;
    uint8_t labels[BLOCK] = {0}; /* an end is label 0 */
    size_t n = is_end;
    for (size_t i = first + is_end; i < last; i++) {
        uint8_t label = (uint8_t)keys[i].text[depth];
        if (n == 0 || labels[n - 1] != label)
            labels[n++] = label;
    }
    uint32_t base = find_base(writer, at, labels, n), offset = base ^ at;
    writer->units[at] |= is_end ? 1u << 8 : 0;
    writer->units[at] |= offset >> 21 == 0 ? offset << 10 : (offset >> 8) << 10 | 1u << 9;
    if (is_end)
        writer->units[base] = NOT_A_STEP | keys[first].number;
    for (size_t i = first + is_end, end; i < last; i = end) {
        uint8_t label = (uint8_t)keys[i].text[depth];
        for (end = i; end < last && (uint8_t)keys[end].text[depth] == label;)
            end++;
        writer->units[base ^ label] = label;
        write_node(writer, base ^ label, i, end, depth + 1);
    }
}

uint32_t *trie_write(const char *const *texts, const size_t *lens, size_t n, size_t *n_units)
{
    struct trie_writer writer = {0};
    struct key *keys = alloc_zeros(n, sizeof *keys);
    size_t n_keys = 0;
    for (size_t i = 0; i < n; i++)
        if (texts[i] != NULL && lens[i] > 0)
            keys[n_keys++] = (struct key){texts[i], lens[i], (uint32_t)i};
    qsort(keys, n_keys, sizeof *keys, compare_keys);
    writer.keys = keys;
    add_block(&writer);
    writer.is_free[0] = false;
    writer.units[0] = 0;
    if (n_keys > 0)
        write_node(&writer, 0, 0, n_keys, 0);
    *n_units = writer.n;
    alloc_free(keys);
    alloc_free(writer.is_free);
    alloc_free(writer.is_base);
    return writer.units;
}
