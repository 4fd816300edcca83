/* normal_form.h - NFD, NFC, NFKD and NFKC of a stream of characters, each with its span in the
 * text. Internal to the normalizer.
 *
 * Characters are buffered until their order and composition are certain: a run of more than
 * FORM_MARKS marks is ordered and composed in pieces of that length.
 */
#ifndef MODEL_NORMAL_FORM_H
#define MODEL_NORMAL_FORM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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
    int last_class; /* of the last blocked one, or -1 */
    struct span_ring spans;
};

/* Call before each text's first character; at: offset where the text starts. */
void normal_form_begin(struct normal_form *form, size_t at);

/* Reads one character; passes the characters that are certain to `emit`. */
void normal_form_add(struct normal_form *form, struct normal_char c);

/* Emits all buffered characters: at the end of a text or, without composition, before a starter. */
void normal_form_end(struct normal_form *form);

#endif
