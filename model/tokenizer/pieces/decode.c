/* decode.c - from tokens back to text, by the rules of HuggingFace tokenizers' usual decoders. */
#include "model/tokenizer/split/byte_level.h"
#include "model/tokenizer/words.h"
#include "model/unicode/unicode.h"

#include <string.h>

/* Returns whether the id is a template's, or that of an added token like [PAD] or <pad>. */
static bool is_special(const struct tokenizer *tokenizer, int32_t id, struct text_view own)
{
    const struct token_template *const both[] = {&tokenizer->single, &tokenizer->pair};
    const struct pattern_set *const sets[] = {&tokenizer->added.raw, &tokenizer->added.normalized};
    struct meter meter = {.left = 0};
    bool goes_on;
    for (size_t i = 0; i < 2 * TEMPLATE_PIECES; i++)
        if (i / 2 < both[i % 2]->n_pieces && both[i % 2]->pieces[i / 2].id == id)
            return true;
    for (size_t i = 0; i < 2; i++) {
        const struct added_pattern *added =
            pattern_look(sets[i], own.text, own.len, &goes_on, &meter);
        if (added != NULL && added->id == id)
            return *own.text == '[' || *own.text == '<';
    }
    return false;
}

/* Returns the byte of a character of byte-level tokens, or of a token like <0x0A>; else -1. */
static int byte_of(const struct tokenizer *tokenizer, uint32_t code, int32_t id)
{
    if (tokenizer->byte_level)
        return byte_level_byte(code);
    for (int byte = 0; byte < 256 && tokenizer->byte_fallback; byte++)
        if (tokenizer->ids.bytes[byte] == id)
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
    if (skip_special && is_special(tokenizer, id, own))
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
        step = byte < 0 || is_blank || tokenizer->byte_level ? c.len : own.len;
    }
    return n;
}
