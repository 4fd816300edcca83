/* word_list.c - an array and an open-addressing hash table (64-bit FNV-1a) that is at most half
 * full. */
#include "tools/writer/tokenizer/word_list.h"

#include "tools/common/alloc.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_WORDS = 1 << 28 };

/* Returns the slot that holds the text, or the empty one for it. */
static size_t slot_of(const struct word_list *list, const char *text, size_t len)
{
    uint64_t hash = 0xCBF29CE484222325u;
    for (size_t i = 0; i < len; i++)
        hash = (hash ^ (unsigned char)text[i]) * 0x100000001B3u;
    size_t slot = (size_t)(hash ^ hash >> 32) & (list->n_slots - 1);
    for (; list->slots[slot] != 0; slot = (slot + 1) & (list->n_slots - 1)) {
        size_t id = list->slots[slot] - 1;
        if (list->lens[id] == len && memcmp(list->texts[id], text, len) == 0)
            break;
    }
    return slot;
}

size_t word_list_find(const struct word_list *list, const char *text, size_t len)
{
    if (len == 0 || list->n_slots == 0)
        return WORD_NONE;
    uint32_t taken = list->slots[slot_of(list, text, len)];
    return taken == 0 ? WORD_NONE : taken - 1;
}

/* Makes room for n ids, and slots for twice as many. */
static void reserve(struct word_list *list, size_t n)
{
    if (n <= list->cap)
        return;
    if (n > MOST_WORDS)
        alloc_die();
    list->cap = 2 * n;
    list->texts = alloc_resize(list->texts, list->cap, sizeof *list->texts);
    list->lens = alloc_resize(list->lens, list->cap, sizeof *list->lens);
    list->n_slots = list->n_slots == 0 ? 64 : list->n_slots;
    while (list->n_slots < 2 * list->cap)
        list->n_slots *= 2;
    alloc_free(list->slots);
    list->slots = alloc_zeros(list->n_slots, sizeof *list->slots);
    for (size_t id = 0; id < list->n; id++)
        if (list->lens[id] > 0)
            list->slots[slot_of(list, list->texts[id], list->lens[id])] = (uint32_t)id + 1;
}

void word_list_place(struct word_list *list, size_t id, const char *text, size_t len)
{
    reserve(list, id + 1);
    for (; list->n <= id; list->n++) {
        list->texts[list->n] = NULL;
        list->lens[list->n] = 0;
    }
    if (len == 0)
        return;
    char *copy = alloc_resize(NULL, len + 1, 1);
    memcpy(copy, text, len);
    copy[len] = '\0';
    list->texts[id] = copy;
    list->lens[id] = len;
    list->slots[slot_of(list, text, len)] = (uint32_t)id + 1;
}

void word_list_append(struct word_list *list, const char *text, size_t len)
{
    word_list_place(list, list->n, text, len);
}

void word_list_cut(struct word_list *list, size_t n)
{
    while (list->n > n)
        list->lens[--list->n] = 0; /* so that no search finds it */
}
