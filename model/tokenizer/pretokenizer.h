/* pretokenizer.h - normalized characters to words: which characters are dropped, which stand alone,
 * and at which borders between kinds of characters a word ends. Internal to the tokenizer; rules:
 * `splitter` in section TOKN of weights/FORMAT.md.
 */
#ifndef MODEL_PRETOKENIZER_H
#define MODEL_PRETOKENIZER_H

#include "model/tokenizer/normalizer.h"
#include "model/tokenizer/splitter.h"
#include "model/tokenizer/words.h"

/* Where a character of a word came from, and its first byte in the word. */
struct word_char {
    size_t begin, end, at;
};

/* The word being read. Characters beyond cap_chars, and bytes beyond cap, are counted and not kept:
 * no token has so long a text. */
struct pretoken {
    char *bytes;             /* [cap], with room before it for the prefix of word pieces */
    struct word_char *chars; /* [cap_chars] */
    size_t cap, cap_chars;
    size_t len, n_chars; /* bytes and characters */
    size_t begin, end;   /* bytes of the text, from its first character to its last */
    uint64_t hash;       /* of its bytes, as the vocabulary has it */
    bool plain;          /* every character is one byte of the text; chars is not filled */
};

/* Fills in `chars` of a plain word. */
void pretoken_spell(struct pretoken *word);

struct pretokenizer {
    struct word_sink *sink;
    struct pretoken word;
    unsigned last; /* unicode_properties of the word's last character */
};

void pretokenizer_put(struct pretokenizer *pretokenizer, struct normal_char c);

/* The word ends here. */
void pretokenizer_cut(struct pretokenizer *pretokenizer);

/* Reads ASCII from text[at] on up to a character that must go through the normalizer, or text[end];
 * returns its place. */
size_t pretokenizer_put_ascii(struct pretokenizer *pretokenizer, const char *text, size_t at,
                              size_t end);

#endif
