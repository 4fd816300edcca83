/* pretoken.h - the word being read, of the kinds that have a pipeline: its bytes, and where each of
 * its characters came from.
 */
#ifndef MODEL_PRETOKEN_H
#define MODEL_PRETOKEN_H

#include "model/tokenizer/pieces/unigram.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Where a character of a word came from, and its first byte in the word. */
struct word_char {
    size_t begin, end, at;
};

struct word_sink;

/* Of kinds bpe and unigram, a word that fills the memory becomes tokens part by part. Of others,
 * characters beyond cap_chars, and bytes beyond cap, are counted and not kept: no token has so long
 * a text. */
struct pretoken {
    struct word_sink *sink;  /* takes the tokens of the words */
    char *bytes;             /* [cap], with room before and behind it for what pieces have there */
    struct word_char *chars; /* [cap_chars]; what kinds of pieces work in is behind them */
    size_t cap, cap_chars;
    size_t len, n_chars; /* bytes and characters */
    size_t begin, end;   /* bytes of the text, from its first character to its last */
    uint64_t hash;       /* of its bytes, as the vocabulary has it */
    bool plain;          /* every character is one byte of the text; chars is not filled */
    /* Of kind bpe: */
    bool is_rest; /* its first part has become tokens; there were so many before them: */
    size_t n_before;
    bool in_unknown; /* and the last of them is an unknown one that may grow */
    size_t n_ended;  /* words of the text so far */
    size_t n_parts;  /* times that a word filled the memory, and its beginning was taken from it */
    struct unigram unigram;
};

/* Fills in `chars` of a plain word. Its characters have one byte each, or, with byte_level, two. */
static inline void pretoken_spell(struct pretoken *word)
{
    const size_t n = word->n_chars < word->cap_chars ? word->n_chars : word->cap_chars;
    for (size_t i = 0, at = 0; word->plain && i < n; i++) {
        word->chars[i] = (struct word_char){word->begin + i, word->begin + i + 1, at};
        at += (unsigned char)word->bytes[at] < 0x80 ? 1 : 2;
    }
    word->plain = false;
}

/* The byte where the i-th character begins; behind the last one, where the word ends. */
static inline size_t pretoken_at(const struct pretoken *word, size_t i)
{
    return i < word->n_chars ? word->chars[i].at : word->len;
}

/* Its first n characters have become tokens: it goes on with the others. */
static inline void pretoken_forget(struct pretoken *word, size_t n)
{
    const size_t at = pretoken_at(word, n);
    word->n_chars -= n;
    word->len -= at;
    memmove(word->bytes, word->bytes + at, word->len);
    memmove(word->chars, word->chars + n, word->n_chars * sizeof *word->chars);
    for (size_t i = 0; i < word->n_chars; i++)
        word->chars[i].at -= at;
}

#endif
