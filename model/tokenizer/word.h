/* word.h - a word as it is read, character by character, and the sink in which words become tokens.
 * Internal to the tokenizer.
 */
#ifndef MODEL_WORD_H
#define MODEL_WORD_H

#include "engine/engine_types.h"
#include "model/tokenizer/text.h"
#include "model/tokenizer/vocabulary.h"
#include "model/unicode/unicode.h"

#include <string.h>

struct tokenizer;

/* ---- Tokens ---- */

/* Which blanks token spans exclude. */
enum span_trim {
    TRIM_NONE,
    TRIM_BLANKS,          /* blanks at both ends */
    TRIM_BLANKS_BUT_FIRST /* the same, except a single blank at the start of a text */
};

/* Collects the tokens of one text. Tokens after the first `skip` are stored in out[0 .. cap), as
 * many as fit; all are counted. */
struct word_sink {
    const struct tokenizer *tokenizer;
    engine_token *out;
    size_t cap, skip;
    size_t n;    /* tokens so far */
    size_t most; /* of these and the dropped ones: others are only counted */
    size_t n_dropped, n_beyond;
    struct text_view text; /* the complete text */
    struct meter *meter;
    int32_t type, dropped; /* of all tokens; id of tokens that are dropped, or -1 */
    enum span_trim trim;
    bool in_pair;
};

/* Returns whether the index-th token is stored in out. */
static inline bool word_sink_keeps(const struct word_sink *sink, size_t index)
{
    return index >= sink->skip && index - sink->skip < sink->cap;
}

/* Moves the end of the index-th token. */
static inline void word_sink_extend(struct word_sink *sink, size_t index, size_t end)
{
    if (word_sink_keeps(sink, index))
        sink->out[index - sink->skip].end = end;
}

/* Adds a token, unless it is dropped or beyond the most. */
void word_sink_token(struct word_sink *sink, int32_t id, size_t begin, size_t end);

/* The same with spans trimmed by the tokenizer's setting: a piece of a word by the blanks in its
 * own text, an added token by the blanks that it includes. */
void word_sink_piece(struct word_sink *sink, int32_t id, size_t begin, size_t end);
void word_sink_added(struct word_sink *sink, int32_t id, size_t begin, size_t end);

/* ---- Words ---- */

/* The longest affix of a piece: a word has space for it before and after its bytes. */
enum { AFFIX_BYTES = 32 };

/* The origin of a character of a word in the text, and its first byte in the word. */
struct word_char {
    size_t begin, end, at;
};

/* Characters beyond cap_chars, and bytes beyond cap, are counted but not stored: no token has so
 * long a text. With add_part, a word that fills the memory becomes tokens part by part. */
struct word {
    struct word_sink *sink;  /* receives the tokens of the words */
    char *bytes;             /* [cap] */
    struct word_char *chars; /* [cap_chars] */
    size_t cap, cap_chars;
    void (*add)(struct word *word);      /* makes tokens of the word; its bytes are consumed */
    void (*add_part)(struct word *word); /* makes tokens of its first characters; NULL: never */
    union {
        uint64_t *hashes;           /* wordpiece: [cap_chars] */
        struct unigram *unigram;    /* unigram */
        struct merge_work *merging; /* bpe */
    } work;
    bool byte_level;     /* each byte of the text becomes a character (byte_level_code) */
    size_t len, n_chars; /* bytes and characters */
    size_t begin, end;   /* bytes of the text, from its first character to its last */
    uint64_t hash;       /* of its bytes, as in the vocabulary */
    bool plain;          /* every character is one byte of the text; chars is not set */
    bool is_rest;        /* bpe: its start has become tokens */
    bool in_unknown;     /* bpe: the last of them is unknown and may grow */
    size_t n_ended;      /* words of the text so far */
    size_t n_parts;      /* times that a word filled the memory, and its start was removed */
};

/* Appends a character; with byte_level, a character for each of its bytes. */
void word_append(struct word *word, struct normal_char c);

/* Appends ASCII bytes from text[at .. end), as mapped by table, up to one whose value is 0 or that
 * does not fit. Returns the offset reached. */
size_t word_append_ascii(struct word *word, const uint8_t table[256], const char *text, size_t at,
                         size_t end);

/* Ends the word; does nothing if it has no characters. */
void word_end(struct word *word);

/* Ends a word of its first n characters; the others start the next one. */
void word_end_first(struct word *word, size_t n);

/* An `add` without pieces: adds the token of the complete word, the unknown one, or none. */
void word_add(struct word *word);

/* An `add` of kind wordpiece: the longest piece that the word starts with, then the longest that
 * continues it, and so on; one unknown token if that fails. */
void word_add_pieces(struct word *word);

/* Sets `chars` of a plain word. Its characters have one byte each or, with byte_level, two. */
static inline void word_spell(struct word *word)
{
    const size_t n = word->n_chars < word->cap_chars ? word->n_chars : word->cap_chars;
    for (size_t i = 0, at = 0; word->plain && i < n; i++) {
        word->chars[i] = (struct word_char){word->begin + i, word->begin + i + 1, at};
        at += (unsigned char)word->bytes[at] < 0x80 ? 1 : 2;
    }
    word->plain = false;
}

/* Returns the offset of the i-th character; past the last one, the end of the word. */
static inline size_t word_at(const struct word *word, size_t i)
{
    return i < word->n_chars ? word->chars[i].at : word->len;
}

/* Drops the first n characters, which have become tokens. */
static inline void word_forget(struct word *word, size_t n)
{
    const size_t at = word_at(word, n);
    word->n_chars -= n;
    word->len -= at;
    memmove(word->bytes, word->bytes + at, word->len);
    memmove(word->chars, word->chars + n, word->n_chars * sizeof *word->chars);
    for (size_t i = 0; i < word->n_chars; i++)
        word->chars[i].at -= at;
}

/* ---- Bytes as characters ----
 *
 * GPT-2's table of visible characters: the printable bytes of Latin-1 are themselves, the other 68
 * U+0100, U+0101 and so on in their order; a blank is U+0120. */

enum { BYTE_LEVEL_BLANK = 0x120, BYTE_LEVEL_CODES = 0x144 /* all codes are below */ };

static inline uint32_t byte_level_code(uint8_t byte)
{
    if (byte <= ' ') /* U+0100 to U+0120 */
        return 0x100u + byte;
    if (byte >= 0x7F && byte <= 0xA0)
        return 0x121u + (byte - 0x7Fu);
    return byte == 0xAD ? 0x143 : byte;
}

/* Returns the byte of that character, or -1. */
static inline int byte_level_byte(uint32_t code)
{
    const uint32_t byte = code <= 0xFF ? code : code <= 0x120 ? code - 0x100 : code - 0x121 + 0x7F;
    const uint32_t own = code == 0x143 ? 0xAD : byte;
    return own <= 0xFF && byte_level_code((uint8_t)own) == code ? (int)own : -1;
}

#endif
