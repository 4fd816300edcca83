/* words.c - a word becomes a token: its id if it is in the vocabulary, else the id of unknown
 * words, or nothing. By Keras' rules, words with ids from num_words on are unknown.
 */
#include "model/tokenizer/words.h"

#include "model/unicode/unicode.h"

#include <string.h>

void word_sink_add(struct word_sink *sink, const char *word, size_t len, size_t begin, size_t end)
{
    const struct tokenizer *tokenizer = sink->tokenizer;
    int32_t id = vocabulary_find(&tokenizer->vocabulary, word, len);
    if (tokenizer->kind == TOKENIZER_KERAS && tokenizer->num_words != 0 &&
        id >= tokenizer->num_words)
        id = -1;
    if (tokenizer_own_id(tokenizer, id) < 0)
        id = tokenizer->unknown;
    if (id >= 0)
        word_sink_token(sink, id, begin, end);
}

/* ---- Parts of words ---- */

static bool has_prefix(const struct tokenizer *tokenizer, const char *text, size_t len)
{
    const struct text_view prefix = tokenizer->prefix;
    return prefix.len > 0 && len > prefix.len && memcmp(text, prefix.text, prefix.len) == 0;
}

/* Pieces that start a word begin with a blank character; pieces that begin with a letter or a
 * number continue one. With byte_level, so do pieces that begin with a byte above ASCII. */
bool tokenizer_continues_word(const struct tokenizer *tokenizer, int32_t id)
{
    const bool is_bpe = tokenizer->kind == TOKENIZER_BPE;
    size_t len = 0;
    const char *text = vocabulary_text(&tokenizer->vocabulary, id, &len);
    if (text == NULL)
        return false;
    if (tokenizer->kind == TOKENIZER_WORDPIECE || (is_bpe && tokenizer->prefix.len > 0))
        return has_prefix(tokenizer, text, len);
    const uint32_t code = utf8_decode(text, len).code;
    if (tokenizer->kind == TOKENIZER_UNIGRAM && tokenizer->splitter.metaspace != METASPACE_NONE)
        return code != tokenizer->splitter.space;
    if (!is_bpe || tokenizer->suffix.len > 0)
        return false;
    if (tokenizer->byte_level && code >= 0x80)
        return code < byte_level_code(0) || code > BYTE_LEVEL_BLANK;
    return (unicode_properties(code) & (UNICODE_LETTER | UNICODE_NUMBER | UNICODE_MARK)) != 0;
}

/* ---- Trimmed spans ---- */

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
    size_t leading = count_blanks(own.text, own.len, false), at = end;
    size_t trailing = count_blanks(own.text, own.len, true);
    if (is_first && leading == 1 && sink->tokenizer->trim == TRIM_BLANKS_BUT_FIRST)
        leading = 0;
    for (; leading > 0 && begin < end; leading--)
        begin += utf8_decode(sink->text + begin, end - begin).len;
    for (; trailing > 0 && at > 0; trailing--)
        at -= utf8_decode_last(sink->text, at).len;
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
    if (sink->tokenizer->trim == TRIM_NONE || !word_sink_keeps(sink, sink->n)) {
        word_sink_token(sink, id, begin, end);
        return;
    }
    own.text = vocabulary_text(&sink->tokenizer->vocabulary, id, &own.len);
    if (own.text == NULL || (is_plain(own.text[0]) && is_plain(own.text[own.len - 1])))
        word_sink_token(sink, id, begin, end);
    else
        add_trimmed(sink, id, begin, end, own);
}

void word_sink_added(struct word_sink *sink, int32_t id, size_t begin, size_t end)
{
    if (sink->tokenizer->trim == TRIM_NONE || !word_sink_keeps(sink, sink->n))
        word_sink_token(sink, id, begin, end);
    else
        add_trimmed(sink, id, begin, end, (struct text_view){sink->text + begin, end - begin});
}

/* ---- ASCII ---- */

void ascii_run_start(struct ascii_run *run, bool lower)
{
    for (unsigned byte = 0; byte < 256; byte++) {
        const bool capital = byte >= 'A' && byte <= 'Z';
        run->value[byte] = (uint8_t)(byte >= 0x80 ? 0 : lower && capital ? byte + 32 : byte);
    }
}

/* With lower case, a capital reads as the small letter. Stopping without need is harmless. */
void ascii_run_stop_at(struct ascii_run *run, char stop)
{
    const uint8_t byte = (uint8_t)stop;
    run->value[byte] = 0;
    if (byte >= 'a' && byte <= 'z')
        run->value[byte - 'a' + 'A'] = 0;
}

size_t word_append_run(struct word *word, const struct ascii_run *run, const char *text, size_t len,
                       size_t at)
{
    const size_t end =
        append_mapped(run->value, text, at, len, word->bytes, word->len, word->cap, NULL);
    if (word->len == 0)
        word->begin = at;
    word->len += end - at;
    return end;
}
