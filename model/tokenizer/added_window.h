/* added_window.h - cuts the normalized added tokens from a stream of normalized characters, and
 * hands the other characters to the pretokenizer. It holds back as many characters as the longest
 * of these tokens has.
 */
#ifndef MODEL_ADDED_WINDOW_H
#define MODEL_ADDED_WINDOW_H

#include "model/tokenizer/added_tokens.h"
#include "model/tokenizer/pretokenizer.h"
#include "model/tokenizer/words.h"

struct added_window {
    const struct pattern_set *set;
    struct pretokenizer *pretokenizer;
    struct normal_char *chars; /* [cap], n of them waiting */
    char *bytes;               /* [4 * cap], n_bytes: their UTF-8 */
    size_t n, n_bytes, cap;
    bool at_start;          /* nothing was before */
    bool after_word;        /* the character before was one of a word */
    bool in_blanks;         /* so were blanks, since: */
    size_t blanks_begin;    /* where they start in the text */
    struct pretoken before; /* and the word as it was before them, */
    struct pattern_run run; /* and where the pattern was in it; */
    bool has_ended;         /* a word has ended since; */
    size_t n_tokens;        /* tokens up to the end of the word before the blanks */
    struct text_count count;
    bool taking_blanks; /* of a token that strips what is right of it */
    bool is_open;       /* such a token: its span goes on while there are blanks */
    size_t open;        /* which, of the sink's */
};

/* Bytes of memory (aligned to 16) for a window. */
size_t added_window_bytes(const struct pattern_set *set);

void added_window_start(struct added_window *window, const struct pattern_set *set,
                        struct pretokenizer *pretokenizer, void *memory);

/* A text: begin, put its characters, end. */
void added_window_begin(struct added_window *window);
void added_window_put(struct added_window *window, struct normal_char c);
void added_window_end(struct added_window *window);

/* Takes ASCII from text[at .. end) as it stands in table, up to where it is 0 or characters wait;
 * returns where it stops. */
size_t added_window_put_ascii(struct added_window *window, const struct ascii_table *table,
                              const char *text, size_t at, size_t end);

#endif
