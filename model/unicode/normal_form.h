/* normal_form.h - NFD, NFC, NFKD and NFKC of a stream of characters, each with its span in the
 * text. Internal to the normalizer.
 *
 * Characters are held back until their order and composition are certain: a run of more than
 * FORM_MARKS marks is put in order and composed in pieces of that length.
 */
#ifndef MODEL_NORMAL_FORM_H
#define MODEL_NORMAL_FORM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { FORM_MARKS = 256, FORM_SPANS = 4 * FORM_MARKS /* a power of two */ };

/* A character on its way, and the bytes of the text that it came from. */
struct normal_char {
    uint32_t code;
    size_t begin, end;
};

/* change: how many characters it is in place of, as the reference counts: 1: it was added, and is
 * in place of none; 0: of one; -n: of that one and n more. */
struct form_char {
    uint32_t code;
    int16_t change;
    uint8_t combining_class;
};

struct form_span {
    size_t begin, end;
};

struct normal_form {
    void (*take)(void *user, struct normal_char c);
    void *user;
    bool compatible, compose;
    struct form_char marks[FORM_MARKS]; /* [n_marks] to be put in order */
    size_t n_marks;
    bool has_starter;
    struct form_char starter;             /* may compose with what follows */
    struct form_char blocked[FORM_MARKS]; /* [n_blocked] follow it and do not compose with it */
    size_t n_blocked;
    int last_class;                     /* of the last of them, or -1 */
    struct form_span spans[FORM_SPANS]; /* ring of [n_spans] that are not yet given away */
    size_t first_span, n_spans;
    struct form_span last_span; /* given away last */
};

/* Before the first character, and again for each new text; at: where it starts. */
void normal_form_begin(struct normal_form *form, size_t at);

/* Reads one character; hands those that are certain to `take`. */
void normal_form_put(struct normal_form *form, struct normal_char c);

/* Hands on everything held back: the text ends, or (where nothing composes) a starter follows. */
void normal_form_end(struct normal_form *form);

#endif
