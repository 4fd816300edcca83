/* simple_kinds.c - see simple_kinds.h.
 *
 * Kind blanks: the characters with the Unicode property White_Space (PropList.txt) separate words
 * and are dropped; all other characters belong to words.
 *
 * Kind keras, by the rules of Keras' Tokenizer (texts_to_sequences, text_to_word_sequence):
 *
 *     text = text.lower()                          if `lower`
 *     text = text with every filter character replaced by the split string
 *     words = the non-empty parts of text.split(split string)
 *
 * or, at character level, every character of the (lower-case) text. All three steps run together,
 * character by character, so that memory does not grow with the text. The split string is searched
 * by the Knuth-Morris-Pratt algorithm, from the left and without overlap, in the bytes that the
 * first two steps give: a match may begin in the text and end in a filter's replacement. Plain
 * twin: tests/model/tokenizer/test_keras_twin.c.
 */
#include "model/tokenizer/simple_kinds.h"

#include "model/tokenizer/tokenizer.h"
#include "model/unicode/unicode.h"

/* ---- Runs of ASCII ---- */

/* Each byte's (lower case) value, or 0 for characters that end the run and need a closer look: NUL,
 * characters beyond ASCII, or a `stop`. */
static void ascii_run(uint8_t value[256], bool lower)
{
    for (unsigned byte = 0; byte < 256; byte++) {
        const bool capital = byte >= 'A' && byte <= 'Z';
        value[byte] = (uint8_t)(byte >= 0x80 ? 0 : lower && capital ? byte + 32 : byte);
    }
}

/* With lower case, a capital reads as the small letter. Stopping without need is harmless. */
static void stop_at(uint8_t value[256], struct text_view stops)
{
    for (size_t i = 0; i < stops.len; i++) {
        const uint8_t byte = (uint8_t)stops.text[i];
        value[byte] = 0;
        if (byte >= 'a' && byte <= 'z')
            value[byte - 'a' + 'A'] = 0;
    }
}

/* ---- Blanks ---- */

void blanks_split(struct word *word, struct text_view text)
{
    const bool lower = word->sink->tokenizer->keras.lower;
    uint8_t run[256];
    ascii_run(run, lower);
    stop_at(run, (struct text_view){" \t\n\v\f\r", 6});
    for (size_t at = 0; at < text.len && meter_goes_on(word->sink->meter, at);) {
        if (run[(uint8_t)text.text[at]] != 0) {
            at = word_append_ascii(word, run, text.text, at, text.len);
            continue;
        }
        const struct letter letter = letter_read(text.text, text.len, at, lower);
        if (unicode_properties(letter.codes[0]) & UNICODE_BLANK)
            word_end(word);
        else
            for (size_t i = 0; i < letter.n_codes; i++)
                word_append(word, (struct normal_char){letter.codes[i], at, at + letter.len});
        at += letter.len;
    }
    word_end(word);
}

/* ---- Keras ---- */

/* More than the longest split string, and a power of two. */
enum { RECENT = 64 };

/* The word also contains the bytes of a partial split string: its last `matched` bytes. ends[i %
 * RECENT]: end of the character that byte i of the word was read from. border[i]: length of the
 * longest proper prefix of split[0 .. i] that is also its suffix. */
struct keras_reader {
    struct word *word;
    const struct keras_settings *rules;
    size_t ends[RECENT];
    size_t matched;
    uint8_t border[SPLIT_BYTES];
    bool wide_filters; /* some filters are not ASCII */
};

static size_t next_match(const struct keras_reader *reader, size_t matched, char byte)
{
    const char *split = reader->rules->split.text;
    while (matched > 0 && split[matched] != byte)
        matched = reader->border[matched - 1];
    return matched + (split[matched] == byte);
}

static void reader_start(struct keras_reader *reader, struct word *word)
{
    const struct keras_settings *rules = &word->sink->tokenizer->keras;
    *reader = (struct keras_reader){.word = word, .rules = rules};
    for (size_t i = 1; i < rules->split.len; i++)
        reader->border[i] =
            (uint8_t)next_match(reader, reader->border[i - 1], rules->split.text[i]);
    for (size_t i = 0; i < rules->filters.len; i++)
        reader->wide_filters |= (unsigned char)rules->filters.text[i] >= 0x80;
}

/* Words with ids from num_words on are unknown. */
static void add_token(struct word_sink *sink, const char *text, size_t len, size_t begin,
                      size_t end)
{
    const struct tokenizer *tokenizer = sink->tokenizer;
    const int64_t most = tokenizer->keras.num_words;
    const int32_t found = vocabulary_find(&tokenizer->vocabulary, text, len);
    const int32_t id = found < 0 || (most != 0 && found >= most) ? tokenizer->unknown : found;
    if (id >= 0)
        word_sink_token(sink, id, begin, end);
}

/* Ends the word, which is the first len bytes read. */
static void end_word(struct keras_reader *reader, size_t len)
{
    struct word *word = reader->word;
    if (len > 0)
        add_token(word->sink, word->bytes, len, word->begin, reader->ends[(len - 1) % RECENT]);
    word->len = 0;
    reader->matched = 0;
}

static void add_bytes(struct keras_reader *reader, const char *bytes, size_t n, size_t begin,
                      size_t end)
{
    struct word *word = reader->word;
    for (size_t i = 0; i < n; i++) {
        reader->ends[word->len % RECENT] = end;
        word->begin = word->len == 0 ? begin : word->begin;
        if (word->len < word->cap)
            word->bytes[word->len] = bytes[i];
        word->len++;
        reader->matched = next_match(reader, reader->matched, bytes[i]);
        if (reader->matched == reader->rules->split.len)
            end_word(reader, word->len - reader->matched);
    }
}

/* Adds the values of ASCII from text[at] on, up to one that is 0. Returns its offset. What exceeds
 * cap is counted but not stored: such a word is longer than any in the vocabulary. */
static size_t add_run(struct word *word, const uint8_t run[256], struct text_view text, size_t at)
{
    const size_t cap = word->cap;
    char *bytes = word->bytes;
    size_t len = word->len;
    word->begin = len == 0 ? at : word->begin;
    for (uint8_t byte; at < text.len && (byte = run[(uint8_t)text.text[at]]) != 0; at++, len++)
        if (len < cap)
            bytes[len] = (char)byte;
    word->len = len;
    return at;
}

static bool is_filter(const struct keras_reader *reader, const char *bytes, size_t n)
{
    const struct text_view filters = reader->rules->filters;
    if (n == 1)
        return memchr(filters.text, bytes[0], filters.len) != NULL;
    return reader->wide_filters && memmem(filters.text, filters.len, bytes, n) != NULL;
}

static void split_words(struct word *word, struct text_view text)
{
    struct keras_reader reader;
    uint8_t run[256]; /* no match has a byte of it: neither filters nor the split string have */
    reader_start(&reader, word);
    const struct keras_settings *rules = reader.rules;
    ascii_run(run, rules->lower);
    stop_at(run, rules->filters);
    stop_at(run, rules->split);
    for (size_t at = 0; at < text.len && meter_goes_on(word->sink->meter, at);) {
        if (run[(uint8_t)text.text[at]] != 0) {
            at = add_run(word, run, text, at);
            reader.ends[(word->len - 1) % RECENT] = at;
            reader.matched = 0;
            continue;
        }
        const struct letter letter = letter_read(text.text, text.len, at, rules->lower);
        const size_t end = at + letter.len;
        for (size_t i = 0; i < letter.n_codes; i++) {
            char bytes[UTF8_BYTES];
            const size_t n = utf8_encode(letter.codes[i], bytes);
            if (is_filter(&reader, bytes, n))
                add_bytes(&reader, rules->split.text, rules->split.len, at, end);
            else
                add_bytes(&reader, bytes, n, at, end);
        }
        at = end;
    }
    end_word(&reader, word->len);
}

static void split_characters(struct word_sink *sink, struct text_view text)
{
    const bool lower = sink->tokenizer->keras.lower;
    for (size_t at = 0; at < text.len && meter_goes_on(sink->meter, at);) {
        const struct letter letter = letter_read(text.text, text.len, at, lower);
        for (size_t i = 0; i < letter.n_codes; i++) {
            char bytes[UTF8_BYTES];
            add_token(sink, bytes, utf8_encode(letter.codes[i], bytes), at, at + letter.len);
        }
        at += letter.len;
    }
}

void keras_split(struct word *word, struct text_view text)
{
    if (word->sink->tokenizer->keras.char_level)
        split_characters(word->sink, text);
    else
        split_words(word, text);
}
