/* wordpiece.c - greedy longest match (Wu et al. 2016; Devlin et al. 2018). The hashes of all
 * prefixes of the rest of the word are computed once, byte by byte; then lengths are tried in
 * descending order, each with one lookup in the vocabulary. Pieces that continue a word have the
 * prefix ("##"): it is written before them, over characters of earlier pieces. Plain twin:
 * plain_pieces in tests/model/tokenizer/test_wordpiece.c.
 */
#include "model/tokenizer/pieces/wordpiece.h"

#include "model/tokenizer/tokenizer.h"

struct piece {
    int32_t id;
    size_t n_chars;
};

/* Returns the longest piece from character `first` on. */
static struct piece longest_piece(const struct tokenizer *tokenizer, struct word *word,
                                  size_t first, uint64_t *hashes)
{
    const size_t prefix = first > 0 ? tokenizer->prefix.len : 0;
    const size_t start = word->chars[first].at, longest = tokenizer->vocabulary.longest_bytes;
    char *text = word->bytes + start - prefix;
    uint64_t hash = vocabulary_hash(VOCABULARY_HASH_START, tokenizer->prefix.text, prefix);
    size_t n = 0, at = prefix;
    memcpy(text, tokenizer->prefix.text, prefix);
    for (; first + n < word->n_chars; n++) {
        const size_t end = word_at(word, first + n + 1) - start + prefix;
        if (end > longest)
            break;
        for (; at < end; at++)
            hash = vocabulary_hash_byte(hash, text[at]);
        hashes[n] = hash;
    }
    if (at >= 64)
        meter_take(word->sink->meter, n * (at / 64));
    for (; n > 0; n--) {
        const size_t end = word_at(word, first + n) - start + prefix;
        const int32_t id = tokenizer_find(tokenizer, hashes[n - 1], text, end, word->sink->meter);
        if (id >= 0)
            return (struct piece){id, n};
    }
    return (struct piece){-1, 0};
}

static bool add_pieces(struct word *word)
{
    struct word_sink *sink = word->sink;
    word_spell(word);
    for (size_t first = 0; first < word->n_chars && sink->meter->left > 0;) {
        const struct piece piece = longest_piece(sink->tokenizer, word, first, word->work.hashes);
        if (piece.id < 0)
            return false;
        word_sink_token(sink, piece.id, word->chars[first].begin,
                        word->chars[first + piece.n_chars - 1].end);
        first += piece.n_chars;
    }
    return true;
}

void wordpiece_add(struct word *word)
{
    struct word_sink *sink = word->sink;
    const size_t n_before = sink->n;
    if (word->n_chars <= word->cap_chars) {
        const int32_t id =
            tokenizer_find(sink->tokenizer, word->hash, word->bytes, word->len, sink->meter);
        if (id >= 0)
            word_sink_token(sink, id, word->begin, word->end);
        if (id >= 0 || add_pieces(word))
            return;
    }
    sink->n = n_before;
    word_sink_token(sink, sink->tokenizer->unknown, word->begin, word->end);
}
