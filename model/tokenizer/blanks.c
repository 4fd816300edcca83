/* blanks.c - words between blanks: the characters with the Unicode property White_Space
 * (PropList.txt) separate words and are dropped; everything else is part of a word.
 */
#include "model/tokenizer/words.h"
#include "model/unicode/letter_case.h"
#include "model/unicode/utf8.h"

static bool is_white_space(uint32_t code)
{
    if (code < 0x80)
        return code == ' ' || (code >= '\t' && code <= '\r');
    return code == 0x85 || code == 0xA0 || code == 0x1680 || (code >= 0x2000 && code <= 0x200A) ||
           code == 0x2028 || code == 0x2029 || code == 0x202F || code == 0x205F || code == 0x3000;
}

static void end_word(struct word_sink *sink, struct word *word, size_t end)
{
    if (word->len > 0)
        word_sink_add(sink, word->bytes, word->len, word->begin, end);
    word->len = 0;
}

static void put_character(struct word *word, uint32_t code, size_t begin)
{
    char bytes[UTF8_BYTES];
    const size_t n = utf8_encode(code, bytes);
    for (size_t i = 0; i < n; i++)
        word_put(word, bytes[i], begin);
}

void blanks_split(struct word_sink *sink, const char *text, size_t len, char *buffer)
{
    const bool lower = sink->tokenizer->lower;
    struct word word = {.bytes = buffer, .cap = sink->tokenizer->vocabulary.longest_bytes};
    struct ascii_run run;
    ascii_run_start(&run, lower);
    for (const char *blank = " \t\n\v\f\r"; *blank != '\0'; blank++)
        ascii_run_stop_at(&run, *blank);

    for (size_t at = 0; (at = word_put_run(&word, &run, text, len, at)) < len;) {
        const struct letter letter = letter_read(text, len, at, lower);
        if (is_white_space(letter.codes[0]))
            end_word(sink, &word, at);
        else
            for (size_t i = 0; i < letter.n_codes; i++)
                put_character(&word, letter.codes[i], at);
        at += letter.len;
    }
    end_word(sink, &word, len);
}
