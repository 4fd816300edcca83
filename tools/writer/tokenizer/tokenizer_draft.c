/* tokenizer_draft.c - see tokenizer_draft.h. */
#include "tools/writer/tokenizer/tokenizer_draft.h"

#include "model/tokenizer/pieces/bpe.h"
#include "model/tokenizer/tokenizer.h"
#include "tools/common/alloc.h"
#include "tools/writer/weight_writer.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
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

const struct keras_rules KERAS_DEFAULTS = {.filters = KERAS_FILTERS,
                                           .split = " ",
                                           .filters_len = sizeof KERAS_FILTERS - 1,
                                           .split_len = 1};

void draft_set(struct tokenizer_draft *draft, const char *key, const char *value, size_t len)
{
    if (draft->n_settings == DRAFT_SETTINGS)
        alloc_die();
    char *copy = alloc_resize(NULL, len + 1, 1);
    memcpy(copy, value, len);
    copy[len] = '\0';
    draft->settings[draft->n_settings++] = (struct draft_setting){key, copy, len};
}

void draft_set_text(struct tokenizer_draft *draft, const char *key, const char *value)
{
    draft_set(draft, key, value, strlen(value));
}

void draft_set_number(struct tokenizer_draft *draft, const char *key, uint64_t number)
{
    char text[32];
    snprintf(text, sizeof text, "%" PRIu64, number);
    draft_set_text(draft, key, text);
}

void draft_replace(struct tokenizer_draft *draft, const char *key, const char *value)
{
    size_t n = 0;
    for (size_t i = 0; i < draft->n_settings; i++)
        if (strcmp(draft->settings[i].key, key) != 0)
            draft->settings[n++] = draft->settings[i];
    draft->n_settings = n;
    if (value != NULL)
        draft_set_text(draft, key, value);
}

void draft_add_section(struct tokenizer_draft *draft, const char *tag, void *data, size_t len)
{
    if (draft->n_sections == DRAFT_SECTIONS)
        alloc_die();
    draft->sections[draft->n_sections++] = (struct draft_section){tag, data, len};
}

const char *draft_add_merges(struct tokenizer_draft *draft, const struct draft_merge *merges,
                             size_t n, const char *prefix, const char *suffix, size_t *bad)
{
    const struct merge_affixes affixes = {{prefix, strlen(prefix)}, {suffix, strlen(suffix)}};
    const struct word_list *words = &draft->words;
    const char *const *texts = (const char *const *)words->texts;
    const size_t texts_len = vocabulary_bytes(words->lens, words->n);
    struct vocabulary vocabulary = {.n = 0};
    void *section = alloc_zeros(texts_len, 1);
    const char *wrong = vocabulary_build(section, texts_len, texts, words->lens, words->n, bad);
    if (wrong == NULL)
        wrong = vocabulary_view(&vocabulary, section, texts_len);
    const size_t len = wrong == NULL ? merges_bytes(n, vocabulary.n) : 0;
    if (wrong == NULL && len == 0)
        wrong = "there are too many";
    if (wrong != NULL)
        return wrong;
    struct merge *in_order = alloc_zeros(n, sizeof *in_order);
    void *made = alloc_zeros(len, 1), *memory = alloc_zeros(merges_build_bytes(&vocabulary), 1);
    for (size_t i = 0; i < n; i++)
        in_order[i] = (struct merge){merges[i].left, merges[i].right, 0, merges[i].id};
    wrong = merges_build(made, len, in_order, n, &vocabulary, &affixes, memory, bad);
    alloc_free(in_order);
    alloc_free(memory);
    alloc_free(section);
    if (wrong == NULL)
        draft_add_section(draft, "MERG", made, len);
    return wrong;
}

const char *draft_get(const struct tokenizer_draft *draft, const char *key)
{
    for (size_t i = 0; i < draft->n_settings; i++)
        if (strcmp(draft->settings[i].key, key) == 0)
            return draft->settings[i].value;
    return "";
}

void draft_set_rules(struct tokenizer_draft *draft, const struct keras_rules *rules)
{
    draft_set_text(draft, "kind", rules != NULL ? "keras" : "blanks");
    draft_set_text(draft, "lower", draft->lower ? "yes" : "no");
    if (rules != NULL) {
        draft_set(draft, "filters", rules->filters, rules->filters_len);
        draft_set(draft, "split", rules->split, rules->split_len);
        draft_set_text(draft, "char_level", rules->char_level ? "yes" : "no");
    }
    if (draft->num_words > 0)
        draft_set_number(draft, "num_words", draft->num_words);
    if (draft->unknown != WORD_NONE)
        draft_set_number(draft, "unknown", draft->unknown);
}

engine_status draft_write(const struct tokenizer_draft *draft, struct weight_writer *writer)
{
    for (size_t i = 0; i < draft->n_settings; i++)
        weight_writer_setting(writer, ENGINE_SETTINGS_TOKENIZER, draft->settings[i].key,
                              draft->settings[i].value, draft->settings[i].len);
    for (size_t i = 0; i < draft->n_sections; i++)
        weight_writer_section(writer, draft->sections[i].tag, draft->sections[i].data,
                              draft->sections[i].len);
    weight_writer_vocabulary(writer, (const char *const *)draft->words.texts, draft->words.lens,
                             draft->words.n);
    return weight_writer_check_tokenizer(writer);
}
