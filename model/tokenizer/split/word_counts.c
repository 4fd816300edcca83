/* word_counts.c - see word_counts.h. A word is a run of characters that are neither blanks nor
 * punctuation; from U+2E80 on each token is a word.
 */
#include "model/tokenizer/split/word_counts.h"

#include "model/unicode/unicode.h"

struct word {
    uint32_t first; /* character */
    size_t begin, end, n_tokens, n_unknown;
    bool in_pair;
};

/* Returns the first character of a token that is not a blank; 0 if it is not part of a word. */
static uint32_t word_character(const char *text, const engine_token *token)
{
    for (size_t at = token->begin; at < token->end;) {
        struct utf8_char c = utf8_decode(text + at, token->end - at);
        unsigned properties = unicode_properties(c.code);
        if ((properties & UNICODE_BLANK) == 0)
            return (properties & (UNICODE_PUNCTUATION | UNICODE_CONTROL)) == 0 ? c.code : 0;
        at += c.len;
    }
    return 0;
}

static void add_word(const struct word *word, engine_word_counts *counts)
{
    bool is_latin = word->first < 0x250 || (word->first >= 0x1E00 && word->first < 0x1F00);
    counts->n += word->n_tokens > 0;
    if (word->n_unknown == word->n_tokens) {
        counts->n_unknown += word->n_tokens > 0;
    } else if (is_latin && (unicode_properties(word->first) & UNICODE_LETTER) != 0 &&
               word->end - word->begin >= 3) {
        counts->n_latin++;
        counts->n_whole += word->n_tokens == 1;
    }
}

bool words_count(const struct tokenizer *tokenizer, const struct token_input *texts,
                 const engine_token *tokens, size_t n_tokens, engine_word_counts *counts)
{
    enum { IDEOGRAPHS = 0x2E80 };
    struct word word = {0};
    *counts = (engine_word_counts){0};
    for (const engine_token *token = tokens; token < tokens + n_tokens; token++) {
        const bool in_pair = token->in_pair != 0;
        const char *text = in_pair ? texts->pair : texts->text;
        if (token->special || token->in_prompt || token->begin >= token->end)
            continue;
        if (token->end > (in_pair ? texts->pair_len : texts->text_len))
            return false;
        uint32_t code = word_character(text, token);
        if (word.n_tokens == 0 || code == 0 || code >= IDEOGRAPHS || word.first >= IDEOGRAPHS ||
            text[token->begin] == ' ' || token->begin > word.end || in_pair != word.in_pair) {
            add_word(&word, counts);
            word = (struct word){.first = code, .begin = token->begin, .in_pair = in_pair};
        }
        word.end = token->end;
        word.n_tokens += code > 0;
        word.n_unknown += code > 0 && token->id == tokenizer->unknown;
    }
    add_word(&word, counts);
    if (tokenizer->char_level)
        counts->n_latin = counts->n_whole = 0;
    return true;
}
