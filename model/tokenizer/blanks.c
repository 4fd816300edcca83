/* blanks.c - words between blanks: the characters with the Unicode property White_Space
 * (PropList.txt) separate words and are dropped; all other characters belong to words.
 */
#include "model/tokenizer/words.h"
#include "model/unicode/letters.h"
#include "model/unicode/unicode.h"

static void end_word(struct word_sink *sink, struct word *word, size_t end)
{
    if (word->len > 0)
        word_sink_add(sink, word->bytes, word->len, word->begin, end);
    word->len = 0;
}

static void add_character(struct word *word, uint32_t code, size_t begin)
{
    char bytes[UTF8_BYTES];
    const size_t n = utf8_encode(code, bytes);
    for (size_t i = 0; i < n; i++)
        word_append(word, bytes[i], begin);
}

void blanks_split(struct word_sink *sink, const char *text, size_t len, char *buffer)
{
    const bool lower = sink->tokenizer->lower;
    struct word word = {.bytes = buffer, .cap = sink->tokenizer->vocabulary.longest_bytes};
    struct ascii_run run;
    ascii_run_start(&run, lower);
    for (const char *blank = " \t\n\v\f\r"; *blank != '\0'; blank++)
        ascii_run_stop_at(&run, *blank);

    for (size_t at = 0; (at = word_append_run(&word, &run, text, len, at)) < len &&
                        meter_goes_on(sink->meter, at);) {
        const struct letter letter = letter_read(text, len, at, lower);
        if (unicode_properties(letter.codes[0]) & UNICODE_BLANK)
            end_word(sink, &word, at);
        else
            for (size_t i = 0; i < letter.n_codes; i++)
                add_character(&word, letter.codes[i], at);
        at += letter.len;
    }
    end_word(sink, &word, len);
}
