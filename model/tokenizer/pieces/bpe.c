/* bpe.c - byte pair encoding as in the reference. A word whose text is a token that its own
 * characters merge to, by the bit in the file, needs no merging: nearly all words of usual text.
 *
 * The token of a character can depend on all later characters of the word, but only through a chain
 * of merges each of which prevents the one before it. So a word that fills the memory is merged,
 * and the tokens before its last quarter are final; the characters after the last of these are
 * merged again with the next ones, which gives the same as merging all at once, for no merge
 * crosses the border of two tokens.
 */
#include "model/tokenizer/pieces/bpe.h"

#include "model/unicode/unicode.h"

#include <string.h>

/* ---- Characters ---- */

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
