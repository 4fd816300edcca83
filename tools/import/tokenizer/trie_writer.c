/* trie_writer.c - texts in the order of their bytes, node by node: for the bytes that may follow a
 * node, the first place is sought at which all of them are free. Only the last blocks of 256 units
 * are searched, so that the time is linear; in those before, little is free.
 */
#include "tools/import/tokenizer/trie_writer.h"

#include "tools/common/alloc.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 256, SEARCHED = 16 /* blocks */ };
static const uint32_t NOT_A_STEP = UINT32_C(1) << 31; /* no byte is such a label */
static const uint32_t NONE = UINT32_MAX;

struct key {
    const char *text;
    size_t len;
    uint32_t number;
};

struct trie_writer {
    const struct key *keys;
    uint32_t *units; /* [n] */
    struct slot {
        uint32_t before, after; /* ring of the free ones that are searched */
        bool is_free, is_base;  /* is_base: a node's children are around here */
    } * slots;
    size_t n, cap;
    uint32_t first_free; /* or NONE */
};

static int compare_keys(const void *left, const void *right)
{
    const struct key *a = left, *b = right;
    int order = memcmp(a->text, b->text, a->len < b->len ? a->len : b->len);
    return order != 0 ? order : a->len < b->len ? -1 : a->len > b->len;
}

/* ---- Free units ---- */

static void unlink_slot(struct trie_writer *writer, uint32_t at)
{
    struct slot *slot = &writer->slots[at];
    writer->slots[slot->before].after = slot->after;
    writer->slots[slot->after].before = slot->before;
    if (writer->first_free == at)
        writer->first_free = slot->after != at ? slot->after : NONE;
    slot->is_free = false;
}

static void link_slot(struct trie_writer *writer, uint32_t at)
{
    struct slot *slot = &writer->slots[at];
    *slot = (struct slot){at, at, true, false};
    if (writer->first_free == NONE) {
        writer->first_free = at;
        return;
    }
    slot->after = writer->first_free;
    slot->before = writer->slots[slot->after].before;
    writer->slots[slot->before].after = at;
    writer->slots[slot->after].before = at;
}

static void add_block(struct trie_writer *writer)
{
    if (writer->n + BLOCK > writer->cap) {
        writer->cap = 2 * writer->cap + BLOCK;
        writer->units = alloc_resize(writer->units, writer->cap, sizeof *writer->units);
        writer->slots = alloc_resize(writer->slots, writer->cap, sizeof *writer->slots);
    }
    for (size_t i = 0; i < BLOCK; i++, writer->n++) {
        writer->units[writer->n] = NOT_A_STEP;
        link_slot(writer, (uint32_t)writer->n);
    }
    size_t old = writer->n > SEARCHED * BLOCK ? writer->n - SEARCHED * BLOCK : 0;
    for (size_t i = old > BLOCK ? old - BLOCK : 0; i < old; i++)
        if (writer->slots[i].is_free)
            unlink_slot(writer, (uint32_t)i);
}

/* A unit's offset has 21 bits, or 29 of which the last 8 are zero. */
static bool offset_fits(uint32_t offset)
{
    return offset >> 21 == 0 || ((offset & 0xFF) == 0 && offset >> 29 == 0);
}

static bool base_fits(const struct trie_writer *writer, uint32_t base, uint32_t at,
                      const uint8_t *labels, size_t n)
{
    if (writer->slots[base].is_base || !offset_fits(base ^ at))
        return false;
    for (size_t i = 0; i < n; i++)
        if (!writer->slots[base ^ labels[i]].is_free)
            return false;
    return true;
}

/* A place around which units for all labels are free; they are then taken. */
static uint32_t take_base(struct trie_writer *writer, uint32_t at, const uint8_t *labels, size_t n)
{
    uint32_t slot = writer->first_free;
    while (slot == NONE || !base_fits(writer, slot ^ labels[0], at, labels, n)) {
        if (slot != NONE)
            slot = writer->slots[slot].after;
        if (slot != writer->first_free && slot != NONE)
            continue;
        slot = (uint32_t)writer->n; /* the last hope: a new block */
        add_block(writer);
    }
    uint32_t base = slot ^ labels[0];
    writer->slots[base].is_base = true;
    for (size_t i = 0; i < n; i++)
        unlink_slot(writer, base ^ labels[i]);
    return base;
}

/* ---- Nodes ---- */

/* The node at a unit is where keys [first, last) agree, in their first `depth` bytes. */
static void write_node(struct trie_writer *writer, uint32_t at, size_t first, size_t last,
                       size_t depth)
{
    const struct key *keys = writer->keys;
    uint8_t labels[BLOCK];
    size_t n = 0;
    bool is_end = keys[first].len == depth;
    if (is_end)
        labels[n++] = 0;
    for (size_t i = first + is_end; i < last; i++) {
        uint8_t label = (uint8_t)keys[i].text[depth];
        if (n == 0 || labels[n - 1] != label)
            labels[n++] = label;
    }
    uint32_t base = take_base(writer, at, labels, n), offset = base ^ at;
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
    struct trie_writer writer = {.first_free = NONE};
    struct key *keys = alloc_zeros(n, sizeof *keys);
    size_t n_keys = 0;
    for (size_t i = 0; i < n; i++)
        if (texts[i] != NULL && lens[i] > 0)
            keys[n_keys++] = (struct key){texts[i], lens[i], (uint32_t)i};
    qsort(keys, n_keys, sizeof *keys, compare_keys);
    writer.keys = keys;
    add_block(&writer);
    unlink_slot(&writer, 0);
    writer.units[0] = 0;
    if (n_keys > 0)
        write_node(&writer, 0, 0, n_keys, 0);
    free(keys);
    free(writer.slots);
    *n_units = writer.n;
    return writer.units;
}
