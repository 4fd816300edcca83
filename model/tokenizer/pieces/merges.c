/* merges.c - the table is used in place, in the mapped file, so every number read from it is
 * checked, and no search is longer than the table. A word's symbols are a linked list; the queue, a
 * binary heap, holds the pairs that merge, lowest order first, then leftmost first. A pair that
 * changed since it was queued is recognized by its order, which no other pair has, and skipped.
 * Plain twin: plain_merge in tests/model/tokenizer/test_bpe.c.
 */
#include "model/tokenizer/pieces/merges.h"

#include "model/unicode/unicode.h"

#include <string.h>

enum { HEADER_BYTES = 16, MAX_MERGES = 1 << 28 };

/* ---- The table ---- */

static size_t bitset_words(uint32_t n_ids)
{
    return n_ids / 32 + 1;
}

static uint64_t table_bytes(size_t n_slots, uint32_t n_ids)
{
    return HEADER_BYTES + sizeof(struct merge) * (uint64_t)n_slots +
           sizeof(uint32_t) * (uint64_t)bitset_words(n_ids);
}

const char *merges_view(struct merges *merges, const void *section, size_t len, uint32_t n_ids)
{
    uint32_t header[4];
    const char *wrong = hash_table_header(section, len, header);
    if (wrong != NULL)
        return wrong;
    const uint32_t n_slots = header[1];
    if (header[2] > n_ids)
        return "it is for more ids than the vocabulary has";
    if (table_bytes(n_slots, header[2]) != len)
        return "the length of the section does not match its counts";

    const struct merge *slots = (const struct merge *)((const char *)section + HEADER_BYTES);
    *merges = (struct merges){.slots = slots,
                              .whole = (const uint32_t *)(slots + n_slots),
                              .n_slots = n_slots,
                              .n_ids = header[2]};
    return NULL;
}

/* Returns the slot of a pair, or the free one where its search ends; NULL if that is too far. */
static const struct merge *find_slot(const struct merges *merges, uint32_t left, uint32_t right)
{
    const uint64_t pair = (uint64_t)left << 32 | right;
    const uint32_t wrap = merges->n_slots - 1;
    uint32_t slot = (uint32_t)(pair * UINT64_C(0x9E3779B97F4A7C15) >> 32) & wrap;
    for (uint32_t tried = 0; tried <= wrap && tried < HASH_TABLE_TRIES;
         tried++, slot = (slot + 1) & wrap) {
        const struct merge *merge = &merges->slots[slot];
        if (merge->order == 0 || (merge->left == left && merge->right == right))
            return merge;
    }
    return NULL;
}

const struct merge *merges_find(const struct merges *merges, int32_t left, int32_t right)
{
    const struct merge *merge = find_slot(merges, (uint32_t)left, (uint32_t)right);
    return merge != NULL && merge->order != 0 && merge->id < merges->n_ids ? merge : NULL;
}

/* ---- A word ---- */

/* The pairs that merge, as order << 32 | index of the left one; a heap whose top is the least. */
struct queue {
    uint64_t *entries; /* [2 * symbols]: every merge removes one and adds at most two */
    size_t n;
};

static void push(struct queue *queue, uint64_t entry)
{
    size_t at = queue->n++;
    for (; at > 0 && queue->entries[(at - 1) / 2] > entry; at = (at - 1) / 2)
        queue->entries[at] = queue->entries[(at - 1) / 2];
    queue->entries[at] = entry;
}

static uint64_t pop(struct queue *queue)
{
    uint64_t *entries = queue->entries;
    const uint64_t top = entries[0], last = entries[--queue->n];
    size_t at = 0;
    for (size_t child; (child = 2 * at + 1) < queue->n; at = child) {
        if (child + 1 < queue->n && entries[child + 1] < entries[child])
            child++;
        if (last <= entries[child])
            break;
        entries[at] = entries[child];
    }
    entries[at] = last;
    return top;
}

/* Looks up the pair of a symbol and the next one, and queues it if it merges. */
static void look_up(const struct merges *merges, struct symbol *symbols, uint32_t index,
                    struct queue *queue)
{
    struct symbol *symbol = &symbols[index];
    const struct merge *merge = symbol->next == SYMBOL_NONE
                                    ? NULL
                                    : merges_find(merges, symbol->id, symbols[symbol->next].id);
    symbol->order = merge != NULL ? merge->order : 0;
    if (merge == NULL)
        return;
    symbol->merged = (int32_t)merge->id;
    push(queue, (uint64_t)merge->order << 32 | index);
}

/* Merges the next symbol into this one. */
static void absorb_next(struct symbol *symbols, uint32_t index)
{
    struct symbol *symbol = &symbols[index], *taken = &symbols[symbol->next];
    symbol->id = symbol->merged;
    symbol->last = taken->last;
    symbol->next = taken->next;
    if (taken->next != SYMBOL_NONE)
        symbols[taken->next].previous = index;
    taken->order = 0;
}

void merges_apply(const struct merges *merges, struct merge_work *work)
{
    struct symbol *symbols = work->symbols;
    struct queue queue = {work->queue, 0};
    const size_t n = work->n;
    size_t kept = 0;
    for (uint32_t i = 0; i < n; i++) {
        symbols[i].previous = i > 0 ? i - 1 : SYMBOL_NONE;
        symbols[i].next = i + 1 < n ? i + 1 : SYMBOL_NONE;
    }
    for (uint32_t i = 0; i < n; i++)
        look_up(merges, symbols, i, &queue);
    while (queue.n > 0) {
        const uint64_t top = pop(&queue);
        const uint32_t index = (uint32_t)top;
        if (symbols[index].order != top >> 32)
            continue;
        absorb_next(symbols, index);
        look_up(merges, symbols, index, &queue);
        if (symbols[index].previous != SYMBOL_NONE)
            look_up(merges, symbols, symbols[index].previous, &queue);
    }
    for (uint32_t i = n > 0 ? 0 : SYMBOL_NONE; i != SYMBOL_NONE; i = symbols[kept++].next)
        symbols[kept] = symbols[i];
    work->n = kept;
}

/* ---- Writing ---- */

int32_t merges_symbol(const struct vocabulary *vocabulary, const struct merge_affixes *affixes,
                      const char *character, size_t len, bool is_first, bool is_last)
{
    char text[2 * AFFIX_BYTES + UTF8_BYTES];
    size_t n = 0;
    if (!is_first) {
        memcpy(text, affixes->prefix.text, affixes->prefix.len);
        n += affixes->prefix.len;
    }
    memcpy(text + n, character, len);
    n += len;
    if (is_last) {
        memcpy(text + n, affixes->suffix.text, affixes->suffix.len);
        n += affixes->suffix.len;
    }
    return vocabulary_find(vocabulary, text, n);
}

size_t merges_bytes(size_t n, uint32_t n_ids)
{
    size_t n_slots = 1;
    if (n > MAX_MERGES)
        return 0;
    while (n_slots < n + n / 2 + 1) /* at most two thirds are occupied */
        n_slots *= 2;
    const uint64_t bytes = table_bytes(n_slots, n_ids);
    return bytes > SIZE_MAX ? 0 : (size_t)bytes;
}

size_t merges_build_bytes(const struct vocabulary *vocabulary)
{
    struct merge_work work;
    struct arena arena = {0};
    merge_work_carve(&work, vocabulary->longest_bytes, &arena);
    return arena_bytes(&arena);
}

/* Returns whether the characters of a token's text merge to it. */
static bool merges_fully(const struct merges *merges, const struct vocabulary *vocabulary,
                         const struct merge_affixes *affixes, struct merge_work *work, int32_t id)
{
    size_t len = 0;
    const char *text = vocabulary_text(vocabulary, id, &len);
    if (text == NULL || len <= affixes->suffix.len ||
        memcmp(text + len - affixes->suffix.len, affixes->suffix.text, affixes->suffix.len) != 0)
        return false;
    len -= affixes->suffix.len;
    work->n = 0;
    for (size_t at = 0; at < len; work->n++) {
        const size_t char_len = utf8_decode(text + at, len - at).len;
        const int32_t symbol =
            merges_symbol(vocabulary, affixes, text + at, char_len, at == 0, at + char_len == len);
        if (symbol < 0)
            return false;
        work->symbols[work->n].id = symbol;
        at += char_len;
    }
    merges_apply(merges, work);
    return work->n == 1 && work->symbols[0].id == id;
}

const char *merges_build(void *section, size_t section_bytes, const struct merge *merges, size_t n,
                         const struct vocabulary *vocabulary, const struct merge_affixes *affixes,
                         void *memory, size_t *bad)
{
    *bad = n;
    if (section_bytes == 0 || section_bytes != merges_bytes(n, vocabulary->n))
        return "the section does not have the length that merges_bytes returned";
    const size_t whole_bytes = sizeof(uint32_t) * bitset_words(vocabulary->n);
    const uint32_t n_slots =
        (uint32_t)((section_bytes - HEADER_BYTES - whole_bytes) / sizeof(struct merge));
    const uint32_t header[4] = {(uint32_t)n, n_slots, vocabulary->n, 0};
    struct merge *slots = (struct merge *)(void *)((char *)section + HEADER_BYTES);
    uint32_t *whole = (uint32_t *)(void *)(slots + n_slots);
    struct merges view;
    memset(section, 0, section_bytes);
    memcpy(section, header, sizeof header);
    const char *wrong = merges_view(&view, section, section_bytes, vocabulary->n);
    for (size_t i = 0; wrong == NULL && i < n; i++) {
        struct merge merge = merges[i];
        *bad = i;
        if (merge.left >= vocabulary->n || merge.right >= vocabulary->n ||
            merge.id >= vocabulary->n)
            return "a merge names a token that is not in the vocabulary";
        const struct merge *slot = find_slot(&view, merge.left, merge.right);
        if (slot == NULL)
            return "1,024 merges have hashes that are nearly the same";
        merge.order = (uint32_t)(i + 1);
        slots[slot - view.slots] = merge; /* the last of equal pairs wins, as in the reference */
    }
    *bad = n;

    struct merge_work work;
    merge_work_carve(&work, vocabulary->longest_bytes, &(struct arena){.base = memory});
    for (int32_t id = 0; wrong == NULL && (uint32_t)id < vocabulary->n; id++)
        if (merges_fully(&view, vocabulary, affixes, &work, id))
            whole[id / 32] |= UINT32_C(1) << id % 32;
    return wrong;
}
