/* bpe.c - byte pair encoding as in the reference. A word whose text is a token that its own
 * characters merge to, by the bit in the file, needs no merging: nearly all words of usual text.
 *
 * The table is used in place, in the mapped file, so every number read from it is checked, and no
 * search is longer than the table. A word's symbols are a linked list; the queue, a binary heap,
 * holds the pairs that merge, lowest order first, then leftmost first. A pair that changed since it
 * was queued is recognized by its order, which no other pair has, and skipped. Plain twin:
 * plain_merge in tests/model/tokenizer/test_bpe.c.
 *
 * The token of a character can depend on all later characters of the word, but only through a chain
 * of merges each of which prevents the one before it. So a word that fills the memory is merged,
 * and the tokens before its last quarter are final; the characters after the last of these are
 * merged again with the next ones, which gives the same as merging all at once, for no merge
 * crosses the border of two tokens.
 */
#include "model/tokenizer/pieces/bpe.h"

#include "model/tokenizer/tokenizer.h"

#include <string.h>

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

/* ---- Merging ---- */

static void push(struct merge_work *work, uint64_t entry)
{
    uint64_t *queue = work->queue;
    size_t at = work->n_queued++;
    for (; at > 0 && queue[(at - 1) / 2] > entry; at = (at - 1) / 2)
        queue[at] = queue[(at - 1) / 2];
    queue[at] = entry;
}

static uint64_t pop(struct merge_work *work)
{
    uint64_t *entries = work->queue;
    const uint64_t top = entries[0], last = entries[--work->n_queued];
    size_t at = 0;
    for (size_t child; (child = 2 * at + 1) < work->n_queued; at = child) {
        if (child + 1 < work->n_queued && entries[child + 1] < entries[child])
            child++;
        if (last <= entries[child])
            break;
        entries[at] = entries[child];
    }
    entries[at] = last;
    return top;
}

/* Looks up the pair of a symbol and the next one, and queues it if it merges. */
static void look_up(const struct merges *merges, struct merge_work *work, uint32_t index)
{
    struct symbol *symbol = &work->symbols[index];
    const struct merge *merge =
        symbol->next == SYMBOL_NONE
            ? NULL
            : merges_find(merges, symbol->id, work->symbols[symbol->next].id);
    symbol->order = merge != NULL ? merge->order : 0;
    if (merge == NULL)
        return;
    symbol->merged = (int32_t)merge->id;
    push(work, (uint64_t)merge->order << 32 | index);
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

/* Merges the symbols, fewer than 2^31, until no two neighbours merge: always the pair of the lowest
 * order, of equal ones the leftmost. The remaining ones are moved to the front, in order. Takes
 * n log n steps. */
static void merges_apply(const struct merges *merges, struct merge_work *work)
{
    struct symbol *symbols = work->symbols;
    const size_t n = work->n;
    size_t kept = 0;
    work->n_queued = 0;
    for (uint32_t i = 0; i < n; i++) {
        symbols[i].previous = i > 0 ? i - 1 : SYMBOL_NONE;
        symbols[i].next = i + 1 < n ? i + 1 : SYMBOL_NONE;
    }
    for (uint32_t i = 0; i < n; i++)
        look_up(merges, work, i);
    while (work->n_queued > 0) {
        const uint64_t top = pop(work);
        const uint32_t index = (uint32_t)top;
        if (symbols[index].order != top >> 32)
            continue;
        absorb_next(symbols, index);
        look_up(merges, work, index);
        if (symbols[index].previous != SYMBOL_NONE)
            look_up(merges, work, symbols[index].previous);
    }
    for (uint32_t i = n > 0 ? 0 : SYMBOL_NONE; i != SYMBOL_NONE; i = symbols[kept++].next)
        symbols[kept] = symbols[i];
    work->n = kept;
}

/* ---- Characters ---- */

/* Returns the id of one character of a word with its affixes; -1 if it is not in the vocabulary. */
static int32_t merges_symbol(const struct vocabulary *vocabulary,
                             const struct merge_affixes *affixes, const char *character, size_t len,
                             bool is_first, bool is_last)
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

/* Returns the id of the i-th character of the word. */
static int32_t character_id(const struct word *word, size_t i, bool at_end)
{
    const struct tokenizer *tokenizer = word->sink->tokenizer;
    const bool is_first = i == 0 && !word->is_rest, is_last = at_end && i + 1 == word->n_chars;
    const char *text = word->bytes + word->chars[i].at;
    const size_t len = word_at(word, i + 1) - word->chars[i].at;
    const struct merge_affixes affixes = {tokenizer->prefix, tokenizer->bpe.suffix};
    if ((is_first || affixes.prefix.len == 0) && (!is_last || affixes.suffix.len == 0) &&
        len <= 2) {
        const uint32_t code = utf8_decode(text, len).code;
        if (code < BYTE_LEVEL_CODES)
            return tokenizer->codes[code];
    }
    return merges_symbol(&tokenizer->vocabulary, &affixes, text, len, is_first, is_last);
}

/* ---- Words ---- */

size_t bpe_cap_chars(const struct tokenizer *tokenizer)
{
    const size_t longest = tokenizer->vocabulary.longest_bytes;
    return longest < BPE_CHARS / 4 ? BPE_CHARS : 4 * longest;
}

static void add_symbol(struct merge_work *out, int32_t id, size_t i)
{
    out->symbols[out->n++] = (struct symbol){.id = id, .first = (uint32_t)i, .last = (uint32_t)i};
}

static bool add_bytes(const struct word *word, size_t i, struct merge_work *out)
{
    const int32_t *ids = word->sink->tokenizer->bytes;
    const size_t begin = word->chars[i].at, end = word_at(word, i + 1);
    for (size_t at = begin; at < end; at++)
        if (ids[(uint8_t)word->bytes[at]] < 0)
            return false;
    for (size_t at = begin; at < end; at++)
        add_symbol(out, ids[(uint8_t)word->bytes[at]], i);
    return true;
}

/* Adds a character unknown to the vocabulary as its bytes, as the unknown token, or not at all. */
static void add_unknown(const struct word *word, size_t i, struct merge_work *out, bool *in_unknown)
{
    const struct tokenizer *tokenizer = word->sink->tokenizer;
    if (tokenizer->byte_fallback && add_bytes(word, i, out)) {
        *in_unknown = false;
        return;
    }
    if (tokenizer->unknown < 0)
        return;
    if (*in_unknown && tokenizer->bpe.fuse_unknown)
        out->symbols[out->n - 1].last = (uint32_t)i;
    else
        add_symbol(out, tokenizer->unknown, i);
    *in_unknown = true;
}

/* Makes symbols of the word's characters, and merges them. */
static void merge(struct word *word, bool at_end)
{
    struct merge_work *out = word->work.merging;
    bool in_unknown = false;
    out->n = 0;
    word_spell(word);
    for (size_t i = 0; i < word->n_chars; i++) {
        const int32_t id = character_id(word, i, at_end);
        if (id < 0) {
            add_unknown(word, i, out, &in_unknown);
            continue;
        }
        add_symbol(out, id, i);
        in_unknown = false;
    }
    merges_apply(&word->sink->tokenizer->bpe.merges, out);
}

/* Adjacent unknown characters are one token, even where the memory ended between them. */
static void add_tokens(struct word *word, size_t n)
{
    const struct tokenizer *tokenizer = word->sink->tokenizer;
    for (size_t i = 0; i < n; i++) {
        const struct symbol *symbol = &word->work.merging->symbols[i];
        const size_t end = word->chars[symbol->last].end;
        const bool fuses = tokenizer->bpe.fuse_unknown && symbol->id == tokenizer->unknown;
        if (i == 0 && fuses && word->in_unknown)
            word_sink_extend(word->sink, word->sink->n - 1, end);
        else
            word_sink_piece(word->sink, symbol->id, word->chars[symbol->first].begin, end);
        word->in_unknown = fuses;
    }
}

/* Returns the token of the complete word if it is found without merging, else -1. */
static int32_t full_id(struct word *word)
{
    const struct tokenizer *tokenizer = word->sink->tokenizer;
    const struct text_view suffix = tokenizer->bpe.suffix;
    uint64_t hash = word->hash;
    int32_t id = -1;
    if (tokenizer->bpe.whole_words)
        id = vocabulary_find_hashed(&tokenizer->vocabulary, hash, word->bytes, word->len,
                                    word->sink->meter, NULL);
    if (id >= 0)
        return id;
    memcpy(word->bytes + word->len, suffix.text, suffix.len);
    hash = vocabulary_hash(hash, suffix.text, suffix.len);
    id = vocabulary_find_hashed(&tokenizer->vocabulary, hash, word->bytes, word->len + suffix.len,
                                word->sink->meter, NULL);
    return id >= 0 && merges_make_whole(&tokenizer->bpe.merges, id) ? id : -1;
}

void bpe_add(struct word *word)
{
    struct word_sink *sink = word->sink;
    const int32_t id = word->is_rest ? -1 : full_id(word);
    word->in_unknown = word->in_unknown && word->is_rest;
    if (id >= 0) {
        word_sink_piece(sink, id, word->begin, word->end);
    } else {
        merge(word, true);
        add_tokens(word, word->work.merging->n);
    }
}

/* Returns the number of final tokens of a word that fills the memory: the tokens before its last
 * quarter, at least one, and all bytes of a character or none. */
static size_t count_kept(const struct word *word, const struct merge_work *symbols)
{
    const struct symbol *tokens = symbols->symbols;
    size_t n = 0;
    while (n + 1 < symbols->n && tokens[n].last < word->n_chars / 4 * 3)
        n++;
    /* The next token is nearly all: an unknown one, or one longer than its text. */
    n += n < symbols->n && (n == 0 || tokens[n - 1].last < word->n_chars / 4);
    while (n > 0 && n < symbols->n && tokens[n].first == tokens[n - 1].last)
        n++;
    return n;
}

void bpe_add_part(struct word *word)
{
    const struct merge_work *symbols = word->work.merging;
    merge(word, false);
    const size_t n = count_kept(word, symbols);
    word->in_unknown = word->in_unknown && word->is_rest;
    add_tokens(word, n);
    word_forget(word, n < symbols->n ? symbols->symbols[n].first : word->n_chars);
    word->is_rest = true;
}

/* ---- Writing ---- */

size_t merges_bytes(size_t n, uint32_t n_ids)
{
    enum { MAX_MERGES = 1 << 28 };
    size_t n_slots = 1;
    if (n > MAX_MERGES)
        return 0;
    while (n_slots < n + n / 2 + 1) /* at most two thirds are occupied */
        n_slots *= 2;
    const uint64_t bytes = merges_table_bytes(n_slots, n_ids);
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
    const uint32_t n_slots =
        (uint32_t)((section_bytes - merges_table_bytes(0, vocabulary->n)) / sizeof(struct merge));
    const uint32_t header[4] = {(uint32_t)n, n_slots, vocabulary->n, 0};
    struct merge *slots = (struct merge *)(void *)((char *)section + sizeof header);
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
