/* unicode.h - UTF-8; the properties, lower case, decomposition and composition of characters; texts
 * read letter by letter, word by word, or in a normal form: as in the reference tokenizer
 * (HuggingFace tokenizers 0.23), by utf8proc with the exceptions of unicode_exceptions.h. Code
 * points are at most U+10FFFF.
 */
#ifndef MODEL_UNICODE_H
#define MODEL_UNICODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- UTF-8 ----
 *
 * Invalid bytes are read as in WHATWG decoding: each maximal part of an incomplete sequence is one
 * U+FFFD. NUL is a character like any other. */

enum { UTF8_REPLACEMENT = 0xFFFD, UTF8_BYTES = 4 };

struct utf8_char {
    uint32_t code; /* never a surrogate, at most U+10FFFF */
    uint32_t len;  /* its bytes in the text, 1 to 4 */
};

/* Decode the first character of text, and the last one; len is at least 1. Both find the same
 * characters. */
struct utf8_char utf8_decode(const char *text, size_t len);
struct utf8_char utf8_decode_last(const char *text, size_t len);

/* Decodes the first character of a text, or the last one, and cuts it off. */
static inline struct utf8_char utf8_cut(const char **text, size_t *len, bool last)
{
    const struct utf8_char c = last ? utf8_decode_last(*text, *len) : utf8_decode(*text, *len);
    *text += last ? 0 : c.len;
    *len -= c.len;
    return c;
}

/* Writes a code point as utf8_decode returns it. Returns the bytes written. */
size_t utf8_encode(uint32_t code, char out[UTF8_BYTES]);

bool utf8_valid(const char *text, size_t len);

/* Returns the number of characters of a valid text. */
static inline size_t utf8_count(const char *text, size_t len)
{
    size_t n = 0;
    for (size_t i = 0; i < len; i++)
        n += ((unsigned char)text[i] & 0xC0) != 0x80;
    return n;
}

/* ---- Characters ---- */

enum unicode_property {
    UNICODE_BLANK = 1 << 0, /* White_Space */
    UNICODE_WORD = 1 << 1,  /* \w of a regular expression: letters, marks, digits, connectors */
    UNICODE_PUNCTUATION = 1 << 2, /* category P, and every ASCII symbol */
    UNICODE_NUMBER = 1 << 3,      /* category N */
    UNICODE_CONTROL = 1 << 4,     /* categories Cc, Cf, Co, except TAB, LF and CR */
    UNICODE_NONSPACING = 1 << 5,  /* category Mn */
    UNICODE_MARK = 1 << 6,        /* category M */
    UNICODE_LETTER = 1 << 7,      /* category L */
    /* Exceptions of the reference's normal forms: */
    UNICODE_WHOLE = 1 << 8,            /* has no canonical decomposition */
    UNICODE_WHOLE_COMPATIBLE = 1 << 9, /* has no compatibility decomposition */
    UNICODE_STARTER = 1 << 10,         /* has combining class 0 */
    UNICODE_LATE_NUMBER = 1 << 11,     /* a number, except in regular expressions */
    UNICODE_LATER = 1 << 12,           /* Unicode 15 does not assign it, a later one may */
    /* In regular expressions: */
    UNICODE_CAPITAL = 1 << 13, /* categories Lu and Lt */
    UNICODE_SMALL = 1 << 14,   /* category Ll */
    UNICODE_JOINED = 1 << 15   /* category M, of a newer Unicode than UNICODE_MARK */
};

/* Returns the properties of a character, or-ed. */
unsigned unicode_properties(uint32_t code);

enum { UNICODE_LOWER_CODES = 2, UNICODE_DECOMPOSED = 24 };

/* Writes the lower case of the character alone. Returns the number of code points. */
size_t unicode_lower(uint32_t code, uint32_t out[UNICODE_LOWER_CODES]);

/* Writes the full decomposition, with marks in any order. Returns the number of code points. */
size_t unicode_decompose(uint32_t code, bool compatible, uint32_t out[UNICODE_DECOMPOSED]);

uint8_t unicode_combining_class(uint32_t code);

/* Returns the primary composite of two characters, or 0. */
uint32_t unicode_compose(uint32_t first, uint32_t second);

/* Returns whether a grapheme cluster ends between two characters (Unicode annex 29). *state must be
 * 0 at the start of a text; each call updates it. */
bool unicode_breaks_cluster(uint32_t first, uint32_t second, int32_t *state);

/* ---- Letters of a text, in lower case or unchanged ---- */

/* A character's effect on a sigma near it. */
enum letter_context { LETTER_OTHER, LETTER_CASED, LETTER_CASE_IGNORABLE };

/* Case_Ignorable has precedence for the few characters that are also Cased, as in the rule. */
enum letter_context letter_context(uint32_t code);

struct letter {
    uint32_t codes[UNICODE_LOWER_CODES]; /* the character, or its lower case */
    size_t n_codes;
    size_t len; /* its bytes in the text */
};

/* Reads the character at text[at]. In lower case, U+03A3 depends on the text around it. */
struct letter letter_read(const char *text, size_t len, size_t at, bool lower);

/* ---- Words, for search ----
 *
 * Runs of letters, marks, digits and connectors, in lower case and decomposed (NFD, if marks are in
 * order); each ideograph alone. */

/* Finds the next word from text[*at] on, and advances *at past it: *key is the 64-bit FNV-1a hash
 * of its UTF-8. Returns false at the end. */
bool word_next(const char *text, size_t len, size_t *at, uint64_t *key);

/* ---- Normal forms ----
 *
 * NFD, NFC, NFKD and NFKC of a stream of characters, each with its span in the text. Characters are
 * buffered until their order and composition are certain: a run of more than FORM_MARKS marks is
 * ordered and composed in pieces of that length. */

enum { FORM_MARKS = 256, RING_SPANS = 4 * FORM_MARKS /* a power of two */ };

/* An input character, and the bytes of the text that it came from. */
struct normal_char {
    uint32_t code;
    size_t begin, end;
};

struct text_span {
    size_t begin, end;
};

/* The spans of characters that were read, in the order of the text, until they are assigned to
 * characters of the result. A full ring forgets its first span. */
struct span_ring {
    struct text_span spans[RING_SPANS], last; /* [n], from `first` on; the one assigned last */
    size_t first, n;
};

/* Call where a text starts, at that offset. */
static inline void span_ring_begin(struct span_ring *ring, size_t at)
{
    ring->first = ring->n = 0;
    ring->last = (struct text_span){at, at};
}

/* Assigns the next span, or the last one again if there is no other. */
static inline struct text_span span_ring_next(struct span_ring *ring)
{
    if (ring->n > 0) {
        ring->last = ring->spans[ring->first];
        ring->first = (ring->first + 1) % RING_SPANS;
        ring->n--;
    }
    return ring->last;
}

static inline void span_ring_add(struct span_ring *ring, struct normal_char c)
{
    if (ring->n == RING_SPANS)
        span_ring_next(ring);
    ring->spans[(ring->first + ring->n++) % RING_SPANS] = (struct text_span){c.begin, c.end};
}

/* change: the characters that it replaces, counted as by the reference: 1: none (it was added); 0:
 * one; -n: n + 1. */
struct form_char {
    uint32_t code;
    int16_t change;
    uint8_t combining_class;
};

struct normal_form {
    void (*emit)(void *user, struct normal_char c);
    void *user;
    bool compatible, compose;
    struct form_char marks[FORM_MARKS]; /* [n_marks] to be ordered */
    size_t n_marks;
    bool has_starter;
    struct form_char starter;             /* may compose with the next characters */
    struct form_char blocked[FORM_MARKS]; /* [n_blocked] follow it without composing with it */
    size_t n_blocked;
    struct span_ring spans;
};

/* Reads one character; passes the characters that are certain to `emit`. */
void normal_form_add(struct normal_form *form, struct normal_char c);

/* Emits all buffered characters: at the end of a text or, without composition, before a starter. */
void normal_form_end(struct normal_form *form);

#endif
