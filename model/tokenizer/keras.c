/* keras.c - the rules of Keras' Tokenizer (texts_to_sequences, text_to_word_sequence):
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
#include "model/tokenizer/words.h"
#include "model/unicode/letters.h"
#include "model/unicode/unicode.h"

#include <string.h>

/* More than the longest split string, and a power of two. */
enum { RECENT = 64 };

/* word also contains the bytes of a partial split string: its last `matched` bytes. ends[i %
 * RECENT]: end of the character that byte i of the word was read from. border[i]: length of the
 * longest proper prefix of split[0 .. i] that is also its suffix. */
struct keras_reader {
    struct word_sink *sink;
    const struct tokenizer *tokenizer;
    struct word word;
    size_t ends[RECENT];
    size_t matched;
    uint8_t border[SPLIT_BYTES];
    bool wide_filters; /* some filters are not ASCII */
};

static size_t next_match(const struct keras_reader *reader, size_t matched, char byte)
{
    const char *split = reader->tokenizer->split.text;
    while (matched > 0 && split[matched] != byte)
        matched = reader->border[matched - 1];
    return matched + (split[matched] == byte);
}

static void reader_start(struct keras_reader *reader, struct word_sink *sink, char *buffer)
{
    const struct tokenizer *tokenizer = sink->tokenizer;
    *reader = (struct keras_reader){
        .sink = sink,
        .tokenizer = tokenizer,
        .word = {.bytes = buffer, .cap = tokenizer->vocabulary.longest_bytes},
    };
    for (size_t i = 1; i < tokenizer->split.len; i++)
        reader->border[i] =
            (uint8_t)next_match(reader, reader->border[i - 1], tokenizer->split.text[i]);
    for (size_t i = 0; i < tokenizer->filters.len; i++)
        reader->wide_filters |= (unsigned char)tokenizer->filters.text[i] >= 0x80;
}

/* Selects bytes that are neither filters nor in the split string: no match has such a byte. */
static void plain_ascii(const struct tokenizer *tokenizer, struct ascii_run *run)
{
    ascii_run_start(run, tokenizer->lower);
    for (size_t i = 0; i < tokenizer->filters.len; i++)
        ascii_run_stop_at(run, tokenizer->filters.text[i]);
    for (size_t i = 0; i < tokenizer->split.len; i++)
        ascii_run_stop_at(run, tokenizer->split.text[i]);
}

/* Ends the word, which is the first len bytes read. */
static void end_word(struct keras_reader *reader, size_t len)
{
    const struct word *word = &reader->word;
    if (len > 0)
        word_sink_add(reader->sink, word->bytes, len, word->begin,
                      reader->ends[(len - 1) % RECENT]);
    reader->word.len = 0;
    reader->matched = 0;
}

static void add_bytes(struct keras_reader *reader, const char *bytes, size_t n, size_t begin,
                      size_t end)
{
    const size_t split_bytes = reader->tokenizer->split.len;
    for (size_t i = 0; i < n; i++) {
        reader->ends[reader->word.len % RECENT] = end;
        word_append(&reader->word, bytes[i], begin);
        reader->matched = next_match(reader, reader->matched, bytes[i]);
        if (reader->matched == split_bytes)
            end_word(reader, reader->word.len - split_bytes);
    }
}

static bool is_filter(const struct keras_reader *reader, const char *bytes, size_t n)
{
    const struct tokenizer *tokenizer = reader->tokenizer;
    if (tokenizer->filters.len == 0)
        return false;
    if (n == 1)
        return memchr(tokenizer->filters.text, bytes[0], tokenizer->filters.len) != NULL;
    return reader->wide_filters &&
           memmem(tokenizer->filters.text, tokenizer->filters.len, bytes, n) != NULL;
}

static void add_character(struct keras_reader *reader, uint32_t code, size_t begin, size_t end)
{
    const struct tokenizer *tokenizer = reader->tokenizer;
    char bytes[UTF8_BYTES];
    const size_t n = utf8_encode(code, bytes);
    if (is_filter(reader, bytes, n))
        add_bytes(reader, tokenizer->split.text, tokenizer->split.len, begin, end);
    else
        add_bytes(reader, bytes, n, begin, end);
}

static size_t add_run(struct keras_reader *reader, const struct ascii_run *run, const char *text,
                      size_t len, size_t at)
{
    const size_t end = word_append_run(&reader->word, run, text, len, at);
    if (end > at) {
        reader->ends[(reader->word.len - 1) % RECENT] = end;
        reader->matched = 0;
    }
    return end;
}

static void split_words(struct word_sink *sink, const char *text, size_t len, char *buffer)
{
    const bool lower = sink->tokenizer->lower;
    struct keras_reader reader;
    struct ascii_run run;
    reader_start(&reader, sink, buffer);
    plain_ascii(sink->tokenizer, &run);
    for (size_t at = 0;
         (at = add_run(&reader, &run, text, len, at)) < len && meter_goes_on(sink->meter, at);) {
        const struct letter letter = letter_read(text, len, at, lower);
        for (size_t i = 0; i < letter.n_codes; i++)
            add_character(&reader, letter.codes[i], at, at + letter.len);
        at += letter.len;
    }
    end_word(&reader, reader.word.len);
}

static void split_characters(struct word_sink *sink, const char *text, size_t len)
{
    const bool lower = sink->tokenizer->lower;
    for (size_t at = 0; at < len && meter_goes_on(sink->meter, at);) {
        const struct letter letter = letter_read(text, len, at, lower);
        for (size_t i = 0; i < letter.n_codes; i++) {
            char bytes[UTF8_BYTES];
            word_sink_add(sink, bytes, utf8_encode(letter.codes[i], bytes), at, at + letter.len);
        }
        at += letter.len;
    }
}

void keras_split(struct word_sink *sink, const char *text, size_t len, char *buffer)
{
    if (sink->tokenizer->char_level)
        split_characters(sink, text, len);
    else
        split_words(sink, text, len, buffer);
}
