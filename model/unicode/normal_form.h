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

enum { FORM_MARKS = 256, FORM_SPANS = 4 * FORM_MARKS /* a power of two */ };

/* An input character, and the bytes of the text that it came from. */
struct normal_char {
    uint32_t code;
    size_t begin, end;
};

/* change: the characters that it replaces, counted as by the reference: 1: none (it was added); 0:
 * one; -n: n + 1. */
struct form_char {
    uint32_t code;
    int16_t change;
    uint8_t combining_class;
};

struct form_span {
    size_t begin, end;
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
    int last_class;                     /* of the last blocked one, or -1 */
    struct form_span spans[FORM_SPANS]; /* ring of [n_spans] that are not yet assigned */
    size_t first_span, n_spans;
    struct form_span last_span; /* assigned last */
};

/* Call before each text's first character; at: offset where the text starts. */
void normal_form_begin(struct normal_form *form, size_t at);

/* Reads one character; passes the characters that are certain to `emit`. */
void normal_form_add(struct normal_form *form, struct normal_char c);

/* Emits all buffered characters: at the end of a text or, without composition, before a starter. */
void normal_form_end(struct normal_form *form);

#endif
