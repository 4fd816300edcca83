/* pretoken.h - the word being read, for kinds with a pipeline: its bytes, and the origin of each of
 * its characters.
 */
#ifndef MODEL_PRETOKEN_H
#define MODEL_PRETOKEN_H

#include "model/tokenizer/pieces/merges.h"
#include "model/tokenizer/pieces/unigram.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* The origin of a character of a word in the text, and its first byte in the word. */
struct word_char {
    size_t begin, end, at;
};

struct word_sink;

/* For kinds bpe and unigram, a word that fills the memory becomes tokens part by part. For others,
 * characters beyond cap_chars, and bytes beyond cap, are counted but not stored: no token has so
 * long a text. */
struct pretoken {
    struct word_sink *sink;  /* receives the tokens of the words */
    char *bytes;             /* [cap], with space before and after it for the affixes of pieces */
    struct word_char *chars; /* [cap_chars] */
    size_t cap, cap_chars;
    size_t len, n_chars; /* bytes and characters */
    size_t begin, end;   /* bytes of the text, from its first character to its last */
    uint64_t hash;       /* of its bytes, as in the vocabulary */
    bool plain;          /* every character is one byte of the text; chars is not set */
    uint64_t *hashes;    /* kind wordpiece: [cap_chars] */
    /* Kind bpe: */
    struct merge_work merging;
    bool is_rest;    /* its start has become tokens */
    bool in_unknown; /* the last of them is unknown and may grow */
    size_t n_ended;  /* words of the text so far */
    size_t n_parts;  /* times that a word filled the memory, and its start was removed */
    struct unigram unigram;
};

/* Sets `chars` of a plain word. Its characters have one byte each or, with byte_level, two. */
static inline void pretoken_spell(struct pretoken *word)
{
    const size_t n = word->n_chars < word->cap_chars ? word->n_chars : word->cap_chars;
    for (size_t i = 0, at = 0; word->plain && i < n; i++) {
        word->chars[i] = (struct word_char){word->begin + i, word->begin + i + 1, at};
        at += (unsigned char)word->bytes[at] < 0x80 ? 1 : 2;
    }
    word->plain = false;
}

/* Returns the offset of the i-th character; past the last one, the end of the word. */
static inline size_t pretoken_at(const struct pretoken *word, size_t i)
{
    return i < word->n_chars ? word->chars[i].at : word->len;
}

/* Drops the first n characters, which have become tokens. */
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
