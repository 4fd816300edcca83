/* words.c - a word becomes a token: its id if it is in the vocabulary, else the id of unknown
 * words, or nothing. With Keras' rules, num_words makes words with ids from there on unknown.
 */
#include "model/tokenizer/words.h"

void word_sink_add(struct word_sink *sink, const char *word, size_t len, size_t begin, size_t end)
{
    const struct tokenizer *tokenizer = sink->tokenizer;
    const size_t n_before = sink->n;
    int32_t id = vocabulary_find(&tokenizer->vocabulary, word, len);
    if (tokenizer->kind == TOKENIZER_KERAS && tokenizer->num_words != 0 &&
        id >= tokenizer->num_words)
        id = -1;
    if (id < 0 || added_is_outside(&tokenizer->added, id))
        id = tokenizer->unknown;
    if (id >= 0)
        word_sink_token(sink, id, begin, end);
    word_sink_end_word(sink, n_before);
}

void ascii_run_start(struct ascii_run *run, bool lower)
{
    for (unsigned byte = 0; byte < 256; byte++) {
        const bool capital = byte >= 'A' && byte <= 'Z';
        run->value[byte] = (uint8_t)(byte >= 0x80 ? 0 : lower && capital ? byte + 32 : byte);
    }
}

/* With lower case, a capital reads as the small letter. It does no harm to stop for nothing. */
void ascii_run_stop_at(struct ascii_run *run, char stop)
{
    const uint8_t byte = (uint8_t)stop;
    run->value[byte] = 0;
    if (byte >= 'a' && byte <= 'z')
        run->value[byte - 'a' + 'A'] = 0;
}

size_t word_put_run(struct word *word, const struct ascii_run *run, const char *text, size_t len,
                    size_t at)
{
    const size_t start = at, space = word->cap > word->len ? word->cap - word->len : 0;
    const size_t kept = len - at < space ? len : at + space;
    char *bytes = word->bytes + (word->len < word->cap ? word->len : word->cap);
    uint8_t value;
    while (at < kept && (value = run->value[(uint8_t)text[at]]) != 0) {
        *bytes++ = (char)value;
        at++;
    }
    if (at == kept)
        while (at < len && run->value[(uint8_t)text[at]] != 0)
            at++;
    if (word->len == 0)
        word->begin = start;
    word->len += at - start;
    return at;
}
