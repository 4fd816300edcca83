/* word.c - see word.h. Runs of ASCII, in which every character is one byte of the text, are counted
 * but not stored one by one; word_spell does so if a kind of pieces needs it.
 */
#include "model/tokenizer/word.h"

#include "model/tokenizer/tokenizer.h"
#include "model/unicode/unicode.h"

/* ---- Tokens, and trimmed spans ---- */

void word_sink_token(struct word_sink *sink, int32_t id, size_t begin, size_t end)
{
    if (id == sink->dropped) {
        sink->n_dropped++;
        return;
    }
    if (sink->n + sink->n_dropped >= sink->most) {
        sink->n_beyond++;
        return;
    }
    if (word_sink_keeps(sink, sink->n))
        sink->out[sink->n - sink->skip] = (engine_token){
            .id = id, .type = sink->type, .begin = begin, .end = end, .in_pair = sink->in_pair};
    sink->n++;
}

static bool is_trimmed(uint32_t code)
{
    return code == BYTE_LEVEL_BLANK || (unicode_properties(code) & UNICODE_BLANK);
}

/* Counts the blanks at the start of a text, or at its end. */
static size_t count_blanks(const char *text, size_t len, bool at_end)
{
    size_t n = 0;
    while (len > 0 && is_trimmed(utf8_cut(&text, &len, at_end).code))
        n++;
    return n;
}

/* Shortens the span by as many characters as `own` has blanks at its ends, as the reference counts;
 * at the start of a text, a single blank may have been added to `own`. */
static void add_trimmed(struct word_sink *sink, int32_t id, size_t begin, size_t end,
                        struct text_view own)
{
    const bool is_first = sink->n == sink->skip || begin == 0;
    const char *text = sink->text.text;
    size_t leading = count_blanks(own.text, own.len, false), at = end;
    size_t trailing = count_blanks(own.text, own.len, true);
    if (is_first && leading == 1 && sink->trim == TRIM_BLANKS_BUT_FIRST)
        leading = 0;
    for (; leading > 0 && begin < end; leading--)
        begin += utf8_decode(text + begin, end - begin).len;
    for (; trailing > 0 && at > 0; trailing--)
        at -= utf8_decode_last(text, at).len;
    if (trailing == 0)
        end = at > begin ? at : begin;
    word_sink_token(sink, id, begin, end);
}

/* Returns whether byte is neither an ASCII blank nor part of another blank. */
static bool is_plain(char byte)
{
    return byte > ' ' && byte < 0x7F;
}

void word_sink_piece(struct word_sink *sink, int32_t id, size_t begin, size_t end)
{
    struct text_view own = {"", 0};
    if (sink->trim != TRIM_NONE && word_sink_keeps(sink, sink->n))
        own.text = vocabulary_text(&sink->tokenizer->vocabulary, id, &own.len);
    if (own.text == NULL || own.len == 0 ||
        (is_plain(own.text[0]) && is_plain(own.text[own.len - 1])))
        word_sink_token(sink, id, begin, end);
    else
        add_trimmed(sink, id, begin, end, own);
}

void word_sink_added(struct word_sink *sink, int32_t id, size_t begin, size_t end)
{
    if (sink->trim == TRIM_NONE || !word_sink_keeps(sink, sink->n))
        word_sink_token(sink, id, begin, end);
    else
        add_trimmed(sink, id, begin, end, (struct text_view){sink->text.text + begin, end - begin});
}

/* ---- Characters ---- */

/* Call if the word fills the memory: makes tokens of its start, if its kind does; most only count
 * the characters that do not fit. */
static void make_room(struct word *word)
{
    if (word->add_part == NULL)
        return;
    word->add_part(word);
    word->n_parts++;
}

static void append_code(struct word *word, struct normal_char c)
{
    char bytes[UTF8_BYTES];
    const size_t n = utf8_encode(c.code, bytes);
    if (word->n_chars == 0) {
        word->begin = c.begin;
        word->hash = VOCABULARY_HASH_START;
        word->plain = false;
    }
    if (word->plain)
        word_spell(word);
    if (word->n_chars == word->cap_chars)
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
static bool append_plain(struct word *word, struct normal_char c)
{
    static const char blank[2] = {(char)0xC4, (char)0xA0};
    if (c.code != ' ' || c.end != c.begin + 1 || word->n_chars > 0)
        return false;
    memcpy(word->bytes, blank, sizeof blank);
    word->hash = vocabulary_hash(VOCABULARY_HASH_START, blank, sizeof blank);
    word->begin = c.begin;
    word->len = sizeof blank;
    word->n_chars = 1;
    word->end = c.end;
    word->plain = true;
    return true;
}

void word_append(struct word *word, struct normal_char c)
{
    char bytes[UTF8_BYTES];
    if (!word->byte_level || (c.code > ' ' && c.code < 0x7F)) {
        append_code(word, c);
        return;
    }
    if (append_plain(word, c))
        return;
    const size_t n = utf8_encode(c.code, bytes);
    for (size_t i = 0; i < n; i++)
        append_code(word, (struct normal_char){byte_level_code((uint8_t)bytes[i]), c.begin, c.end});
}

size_t word_append_ascii(struct word *word, const uint8_t table[256], const char *text, size_t at,
                         size_t end)
{
    const size_t first = at;
    if (word->n_chars == word->cap_chars)
        make_room(word);
    if (word->add_part != NULL && end - at > word->cap_chars - word->n_chars)
        end = at + (word->cap_chars - word->n_chars);
    if (word->n_chars == 0) {
        word->begin = at;
        word->hash = VOCABULARY_HASH_START;
    }
    /* Values that fit into the word are stored and hashed, others counted. */
    const size_t space = word->cap > word->len ? word->cap - word->len : 0;
    const size_t kept = end - at < space ? end : at + space;
    char *bytes = word->bytes + (word->cap - space);
    uint64_t hash = word->hash;
    for (uint8_t byte; at < kept && (byte = table[(uint8_t)text[at]]) != 0; at++) {
        *bytes++ = (char)byte;
        hash = vocabulary_hash_byte(hash, (char)byte);
    }
    word->hash = hash;
    while (at >= kept && at < end && table[(uint8_t)text[at]] != 0)
        at++;
    const size_t n = at - first;
    if (word->n_chars == 0)
        word->plain = true;
    else if (word->plain && word->end != first)
        word_spell(word);
    if (!word->plain)
        for (size_t i = 0; i < n && word->n_chars + i < word->cap_chars; i++)
            word->chars[word->n_chars + i] =
                (struct word_char){first + i, first + i + 1, word->len + i};
    word->n_chars += n;
    word->len += n;
    word->end = at;
    return at;
}

/* ---- The end ---- */

void word_add(struct word *word)
{
    const struct tokenizer *tokenizer = word->sink->tokenizer;
    int32_t id = vocabulary_find_hashed(&tokenizer->vocabulary, word->hash, word->bytes, word->len,
                                        word->sink->meter, NULL);
    id = id >= 0 ? id : tokenizer->unknown;
    if (id >= 0)
        word_sink_token(word->sink, id, word->begin, word->end);
}

void word_end(struct word *word)
{
    if (word->n_chars == 0 && !word->is_rest)
        return;
    word->add(word);
    word->n_ended++;
    word->len = word->n_chars = 0;
    word->is_rest = false;
}

/* Characters that have become tokens already, because the word was so long, cannot be cut. */
void word_end_first(struct word *word, size_t n)
{
    if (n >= word->n_chars || word->is_rest) {
        word_end(word);
        return;
    }
    word_spell(word);
    const struct word whole = *word;
    char behind[AFFIX_BYTES]; /* kind bpe writes its suffix there */
    word->n_chars = n;
    word->len = word->chars[n].at;
    word->end = word->chars[n - 1].end;
    word->hash = vocabulary_hash(VOCABULARY_HASH_START, word->bytes, word->len);
    memcpy(behind, word->bytes + word->len, sizeof behind);
    word->add(word);
    word->n_ended++;
    memcpy(word->bytes + whole.chars[n].at, behind, sizeof behind);
    word->len = word->n_chars = 0;
    for (size_t i = n; i < whole.n_chars; i++) {
        const struct word_char c = whole.chars[i];
        const uint32_t code = utf8_decode(whole.bytes + c.at, whole.len - c.at).code;
        append_code(word, (struct normal_char){code, c.begin, c.end});
    }
}

/* ---- Kind wordpiece ----
 *
 * Greedy longest match (Wu et al. 2016; Devlin et al. 2018). The hashes of all prefixes of the rest
 * of the word are computed once, byte by byte; then lengths are tried in descending order, each
 * with one lookup in the vocabulary. Pieces that continue a word have the prefix ("##"): it is
 * written before them, over characters of earlier pieces. Plain twin: plain_pieces in
 * tests/model/tokenizer/test_wordpiece.c. */

/* Returns the characters of the longest piece from character `first` on, or 0. */
static size_t longest_piece(struct word *word, size_t first, int32_t *id)
{
    const struct tokenizer *tokenizer = word->sink->tokenizer;
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
        word->work.hashes[n] = hash;
    }
    if (at >= 64)
        meter_take(word->sink->meter, n * (at / 64));
    for (; n > 0; n--) {
        const size_t end = word_at(word, first + n) - start + prefix;
        *id = vocabulary_find_hashed(&tokenizer->vocabulary, word->work.hashes[n - 1], text, end,
                                     word->sink->meter, NULL);
        if (*id >= 0)
            break;
    }
    return n;
}

void word_add_pieces(struct word *word)
{
    struct word_sink *sink = word->sink;
    const bool is_short = word->n_chars <= word->cap_chars;
    const size_t n_before = sink->n;
    int32_t id = -1;
    if (is_short)
        id = vocabulary_find_hashed(&sink->tokenizer->vocabulary, word->hash, word->bytes,
                                    word->len, sink->meter, NULL);
    if (id >= 0) {
        word_sink_token(sink, id, word->begin, word->end);
        return;
    }
    word_spell(word);
    size_t first = 0;
    for (size_t n = is_short; n > 0 && first < word->n_chars && sink->meter->left > 0; first += n) {
        n = longest_piece(word, first, &id);
        if (n > 0)
            word_sink_token(sink, id, word->chars[first].begin, word->chars[first + n - 1].end);
    }
    if (first == word->n_chars)
        return;
    sink->n = n_before;
    word_sink_token(sink, sink->tokenizer->unknown, word->begin, word->end);
}
