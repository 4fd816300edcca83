/* added_window.h - cuts the normalized added tokens from a stream of normalized characters, and
 * passes the other characters to the pretokenizer. It buffers as many characters as the longest of
 * these tokens has.
 */
#ifndef MODEL_ADDED_WINDOW_H
#define MODEL_ADDED_WINDOW_H

#include "model/tokenizer/added_tokens.h"
#include "model/tokenizer/pretokenizer.h"
#include "model/tokenizer/words.h"

struct added_window {
    const struct pattern_set *set;
    struct pretokenizer *pretokenizer;
    struct normal_char *chars; /* [cap], n of them buffered */
    char *bytes;               /* [4 * cap], n_bytes: their UTF-8 */
    size_t n, n_bytes, cap;
    bool after_word;        /* there was a character before, and it was a word character */
    bool in_blanks;         /* so were blanks, in which case: */
    size_t blanks_begin;    /* offset of the first blank in the text */
    struct pretoken before; /* the word before them, */
    struct pattern_run run; /* the pattern's state before them, */
    bool has_ended;         /* a word has ended since */
    size_t n_tokens;        /* tokens up to the end of the word before the blanks */
    struct pretoken copy;   /* its bytes and characters, if blanks belong to words; else NULL */
    bool stripping;         /* of a token that includes blanks to its right */
    bool is_open;           /* the last token is such a token: its span grows with further blanks */
    size_t open;            /* its index in the sink */
};

/* Prepares a window. */
void added_window_carve(struct added_window *window, const struct pattern_set *set,
                        struct pretokenizer *pretokenizer, struct arena *arena);

/* For each text: begin, add its characters, end. */
void added_window_begin(struct added_window *window);
void added_window_add(struct added_window *window, struct normal_char c);
void added_window_end(struct added_window *window);

/* Reads ASCII from text[at .. end) as mapped by table, up to a value of 0 or until characters are
 * buffered. Returns the offset reached. */
size_t added_window_add_ascii(struct added_window *window, const struct ascii_table *table,
                              const char *text, size_t at, size_t end);

#endif
