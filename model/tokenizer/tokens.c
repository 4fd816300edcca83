/* tokens.c - see tokens.h. */
#include "model/tokenizer/tokens.h"

#include "model/unicode/unicode.h"

/* ---- Text, by the rules of HuggingFace tokenizers' usual decoders ---- */

/* Pieces that start a word begin with a blank character; pieces that begin with a letter or a
 * number continue one. With byte_level, so do pieces that begin with a byte above ASCII. */
bool tokenizer_continues_word(const struct tokenizer *tokenizer, int32_t id)
{
    const bool is_bpe = tokenizer->kind == TOKENIZER_BPE;
    const struct text_view prefix = tokenizer->prefix;
    size_t len = 0;
    const char *text = vocabulary_text(&tokenizer->vocabulary, id, &len);
    if (text == NULL)
        return false;
    if (tokenizer->kind == TOKENIZER_WORDPIECE || (is_bpe && prefix.len > 0))
        return prefix.len > 0 && len > prefix.len && memcmp(text, prefix.text, prefix.len) == 0;
    const uint32_t code = utf8_decode(text, len).code;
    if (tokenizer->kind == TOKENIZER_UNIGRAM && tokenizer->splitter.metaspace != METASPACE_NONE)
        return code != tokenizer->splitter.space;
    if (!is_bpe || tokenizer->bpe.suffix.len > 0)
        return false;
    if (tokenizer->bpe.byte_level && code >= 0x80)
        return code < byte_level_code(0) || code > BYTE_LEVEL_BLANK;
    return (unicode_properties(code) & (UNICODE_LETTER | UNICODE_NUMBER | UNICODE_MARK)) != 0;
}

bool tokenizer_is_special(const struct tokenizer *tokenizer, int32_t id)
{
    struct text_view own;
    own.text = vocabulary_text(&tokenizer->vocabulary, id, &own.len);
    const struct token_template *const both[] = {&tokenizer->single, &tokenizer->pair};
    const struct added_set *const sets[] = {&tokenizer->added.raw, &tokenizer->added.normalized};
    struct meter meter = {.left = 0};
    bool goes_on;
    for (size_t i = 0; i < 2 * TEMPLATE_PIECES; i++)
        if (i / 2 < both[i % 2]->n_pieces && both[i % 2]->pieces[i / 2].id == id)
            return true;
    for (size_t i = 0; i < 2; i++) {
        const struct added_pattern *added =
            added_look(sets[i], own.text, own.len, &goes_on, &meter);
        if (added != NULL && added->id == id)
            return *own.text == '[' || *own.text == '<';
    }
    return false;
}

/* Returns the byte of a character of byte-level tokens, or of a token like <0x0A>; else -1. */
static int byte_of(const struct tokenizer *tokenizer, uint32_t code, int32_t id)
{
    if (tokenizer->bpe.byte_level)
        return byte_level_byte(code);
    for (int byte = 0; byte < 256 && tokenizer->byte_fallback; byte++)
        if (tokenizer->bytes[byte] == id)
            return byte;
    return -1;
}

/* Pieces of kinds unigram and bpe bring their blanks; others are joined by one. */
size_t tokenizer_decode(const struct tokenizer *tokenizer, int32_t id, bool skip_special,
                        bool *at_start, char *out)
{
    const bool has_blanks = tokenizer->kind == TOKENIZER_UNIGRAM ||
                            (tokenizer->kind == TOKENIZER_BPE && tokenizer->prefix.len == 0);
    const bool is_first = *at_start;
    const bool is_part = !is_first && !has_blanks && tokenizer_continues_word(tokenizer, id);
    const bool drops_blank =
        is_first && tokenizer->splitter.metaspace % METASPACE_NEVER != METASPACE_NONE;
    struct text_view own;
    own.text = vocabulary_text(&tokenizer->vocabulary, id, &own.len);
    if (skip_special && tokenizer_is_special(tokenizer, id))
        return 0;
    *at_start = false;
    const bool is_stop = tokenizer->kind == TOKENIZER_WORDPIECE && strchr(".,?!", *own.text);
    size_t n = !is_first && !has_blanks && !is_part && !is_stop;
    if (out != NULL && n > 0)
        *out = ' ';
    for (size_t at = is_part ? tokenizer->prefix.len : 0, step; at < own.len; at += step) {
        const struct utf8_char c = utf8_decode(own.text + at, own.len - at);
        const bool is_blank = has_blanks && c.code == tokenizer->splitter.space;
        const int byte = is_blank ? ' ' : byte_of(tokenizer, c.code, id);
        const char single = (char)byte;
        const size_t len = byte < 0 ? c.len : !is_blank || !drops_blank;
        if (out != NULL)
            memcpy(out + n, byte < 0 ? own.text + at : &single, len);
        n += len;
        step = byte < 0 || is_blank || tokenizer->bpe.byte_level ? c.len : own.len;
    }
    return n;
}

/* ---- Words ----
 *
 * A word is a run of characters that are neither blanks nor punctuation; from U+2E80 on each token
 * is a word. */

struct token_word {
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

static void add_word(const struct token_word *word, engine_word_counts *counts)
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

bool tokens_count_words(const struct tokenizer *tokenizer, const struct token_input *texts,
                        const engine_token *tokens, size_t n_tokens, engine_word_counts *counts)
{
    enum { IDEOGRAPHS = 0x2E80 };
    struct token_word word = {0};
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
            word = (struct token_word){.first = code, .begin = token->begin, .in_pair = in_pair};
        }
        word.end = token->end;
        word.n_tokens += code > 0;
        word.n_unknown += code > 0 && token->id == tokenizer->unknown;
    }
    add_word(&word, counts);
    if (tokenizer->keras.char_level)
        counts->n_latin = counts->n_whole = 0;
    return true;
}

/* ---- Windows ----
 *
 * With whole_words, both ends move back to the nearest token that starts a word: an end after a
 * blank, if there is one in the last eighth of what the window adds, so that a full stop stays with
 * its word. Only a word is split of which more pieces follow the stride than fit. The last window
 * begins earlier if it would be less than half full: a full stop alone is near to any text. */

static size_t count_tokens(const struct windows *windows, bool in_pair)
{
    size_t n = 0;
    for (size_t i = 0; i < windows->n_tokens; i++)
        n += token_is_of_text(&windows->tokens[i], in_pair);
    return n;
}

void windows_begin(struct windows *windows, engine_truncation truncation, size_t most)
{
    size_t n_first = count_tokens(windows, false), n_second = count_tokens(windows, true);
    windows->in_pair = truncation == ENGINE_TRUNCATE_LONGEST_FIRST
                           ? n_second > n_first
                           : truncation == ENGINE_TRUNCATE_ONLY_SECOND && n_second > 0;
    windows->n = windows->in_pair ? n_second : n_first;
    windows->first = 0;
    while (windows->first < windows->n_tokens &&
           !token_is_of_text(&windows->tokens[windows->first], windows->in_pair))
        windows->first++;
    size_t n_around = windows->n_tokens - windows->n;
    windows->room = n_around < most ? most - n_around : 0;
    windows->at = 0;
}

/* Indexes count the tokens of the text. Pieces of one character have the same span. */
static bool begins_word(const struct windows *windows, size_t i)
{
    const engine_token *token = &windows->tokens[windows->first + i];
    return i == 0 || token->begin > token[-1].end ||
           (token->begin == token[-1].end &&
            !tokenizer_continues_word(windows->tokenizer, token->id));
}

/* Returns whether a blank is before the token, or in it as byte-level tokens have it. */
static bool follows_blank(const struct windows *windows, size_t i)
{
    const engine_token *token = &windows->tokens[windows->first + i];
    const struct tokenizer *tokenizer = windows->tokenizer;
    size_t len = 0;
    const char *text = vocabulary_text(&tokenizer->vocabulary, token->id, &len);
    return token->begin > token[-1].end || (tokenizer->bpe.byte_level && text != NULL &&
                                            utf8_decode(text, len).code == BYTE_LEVEL_BLANK);
}

/* Returns the last index in (after, at] where a word begins, else `at`. */
static size_t back_to_word(const struct windows *windows, size_t after, size_t at)
{
    const size_t far = at - (at - after) / 8;
    size_t word = after;
    for (size_t i = at; windows->whole_words && i > after && (word == after || i >= far); i--) {
        if (!begins_word(windows, i))
            continue;
        if (follows_blank(windows, i))
            return i;
        word = word == after ? i : word;
    }
    return word > after ? word : at;
}

bool windows_next(struct windows *windows, engine_window *window)
{
    size_t begin = windows->at, end = windows->n;
    const engine_token *tokens = windows->tokens + windows->first;
    if (begin == SIZE_MAX)
        return false;
    if (end - begin > windows->room)
        end = back_to_word(windows, begin + windows->stride, begin + windows->room);
    *window = (engine_window){.n_tokens = windows->n_tokens - windows->n + end - begin,
                              .first = windows->first + begin,
                              .n = end - begin,
                              .in_pair = windows->in_pair};
    if (end > begin) {
        window->begin = tokens[begin].begin;
        window->end = tokens[end - 1].end;
    }
    windows->at = SIZE_MAX;
    if (end < windows->n) {
        size_t next = end - windows->stride, latest = windows->n - windows->room / 2;
        if (windows->whole_words && next > latest)
            next = latest > begin ? latest : begin + 1;
        windows->at = back_to_word(windows, begin, next);
    }
    return true;
}
