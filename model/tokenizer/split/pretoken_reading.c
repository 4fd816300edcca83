/* pretoken_reading.c - see pretoken_reading.h. Runs of ASCII, in which every character is one byte
 * of the text, are counted but not stored one by one; pretoken_spell does so if a kind of pieces
 * needs it.
 */
#include "model/tokenizer/split/pretoken_reading.h"

#include "model/tokenizer/pieces/bpe.h"
#include "model/tokenizer/pieces/wordpiece.h"
#include "model/tokenizer/split/byte_level.h"
#include "model/tokenizer/words.h"
#include "model/unicode/unicode.h"

#include <string.h>

static void begin(struct pretoken *word, size_t at)
{
    word->begin = at;
    word->hash = VOCABULARY_HASH_START;
}

/* Returns the number of characters that fit into the word; most kinds count any number. */
static size_t make_room(struct pretoken *word)
{
    const enum tokenizer_kind kind = word->sink->tokenizer->kind;
    if (kind != TOKENIZER_BPE && kind != TOKENIZER_UNIGRAM)
        return SIZE_MAX;
    if (word->n_chars < word->cap_chars)
        return word->cap_chars - word->n_chars;
    if (kind == TOKENIZER_BPE)
        bpe_add_part(word);
    else
        unigram_make_room(word->sink, &word->unigram, word);
    word->n_parts++;
    return word->cap_chars - word->n_chars;
}

static void append_code(struct pretoken *word, struct normal_char c)
{
    char bytes[UTF8_BYTES];
    const size_t n = utf8_encode(c.code, bytes);
    if (word->n_chars == 0) {
        begin(word, c.begin);
        word->plain = false;
    }
    if (word->plain)
        pretoken_spell(word);
    make_room(word);
    if (word->n_chars < word->cap_chars)
        word->chars[word->n_chars] = (struct word_char){c.begin, c.end, word->len};
    for (size_t i = 0; i < n; i++, word->len++) {
        if (word->len < word->cap)
            word->bytes[word->len] = bytes[i];
        word->hash = vocabulary_hash_byte(word->hash, bytes[i]);
    }
    word->n_chars++;
    word->end = c.end;
}

/* Appends the blank before a word as one character, with byte_level. Returns false for others. */
static bool append_plain(struct pretoken *word, struct normal_char c)
{
    static const char blank[2] = {(char)0xC4, (char)0xA0};
    if (c.code != ' ' || c.end != c.begin + 1 || word->n_chars > 0)
        return false;
    begin(word, c.begin);
    memcpy(word->bytes, blank, sizeof blank);
    word->hash = vocabulary_hash(word->hash, blank, sizeof blank);
    word->len = sizeof blank;
    word->n_chars = 1;
    word->end = c.end;
    word->plain = true;
    return true;
}

void pretoken_append(struct pretoken *word, struct normal_char c)
{
    char bytes[UTF8_BYTES];
    if (!word->sink->tokenizer->byte_level || (c.code > ' ' && c.code < 0x7F)) {
        append_code(word, c);
        return;
    }
    if (append_plain(word, c))
        return;
    const size_t n = utf8_encode(c.code, bytes);
    for (size_t i = 0; i < n; i++)
        append_code(word, (struct normal_char){byte_level_code((uint8_t)bytes[i]), c.begin, c.end});
}

/* ---- ASCII ---- */

size_t pretoken_append_ascii(struct pretoken *word, const uint8_t table[256], const char *text,
                             size_t at, size_t end)
{
    const size_t room = make_room(word);
    const size_t most = end - at < room ? end : at + room;
    if (word->n_chars == 0)
        begin(word, at);
    const size_t stop =
        append_mapped(table, text, at, most, word->bytes, word->len, word->cap, &word->hash);
    const size_t n = stop - at;
    if (word->n_chars == 0) {
        word->plain = true;
    } else if (word->plain && word->end != at) {
        pretoken_spell(word);
    }
    if (!word->plain)
        for (size_t i = 0; i < n && word->n_chars + i < word->cap_chars; i++)
            word->chars[word->n_chars + i] = (struct word_char){at + i, at + i + 1, word->len + i};
    word->n_chars += n;
    word->len += n;
    word->end = stop;
    return stop;
}

/* ---- The end ---- */

static void add_by_kind(struct pretoken *word)
{
    switch (word->sink->tokenizer->kind) {
    case TOKENIZER_BPE: bpe_add(word); break;
    case TOKENIZER_WORDPIECE: wordpiece_add(word); break;
    case TOKENIZER_UNIGRAM: unigram_add(word->sink, &word->unigram, word); break;
    default: word_sink_add(word->sink, word->bytes, word->len, word->begin, word->end); break;
    }
    word->n_ended++;
}

void pretoken_end(struct pretoken *word)
{
    if (word->n_chars == 0 && !word->is_rest)
        return;
    add_by_kind(word);
    word->len = word->n_chars = 0;
    word->is_rest = false;
}

/* Characters that have become tokens already, because the word was so long, cannot be cut. */
void pretoken_end_first(struct pretoken *word, size_t n)
{
    if (n >= word->n_chars || word->is_rest) {
        pretoken_end(word);
        return;
    }
    pretoken_spell(word);
    struct pretoken first = *word;
    first.n_chars = n;
    first.len = word->chars[n].at;
    first.end = word->chars[n - 1].end;
    first.hash = vocabulary_hash(VOCABULARY_HASH_START, first.bytes, first.len);
    const struct pretoken whole = *word;
    char behind[AFFIX_BYTES]; /* kind bpe writes its suffix there */
    memcpy(behind, word->bytes + first.len, sizeof behind);
    add_by_kind(&first);
    memcpy(word->bytes + first.len, behind, sizeof behind);
    word->n_ended = first.n_ended;
    word->len = word->n_chars = 0;
    for (size_t i = n; i < whole.n_chars; i++) {
        const struct word_char c = whole.chars[i];
        const uint32_t code = utf8_decode(whole.bytes + c.at, whole.len - c.at).code;
        append_code(word, (struct normal_char){code, c.begin, c.end});
    }
}
