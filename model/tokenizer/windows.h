/* windows.h - a text longer than a model takes, as windows of its tokens.
 *
 * In every window stand the special tokens, the prompt's and, of a pair, those of the other text;
 * they leave room for so many tokens of the text itself. A window begins `stride` tokens before the
 * end of the one before it.
 */
#ifndef MODEL_WINDOWS_H
#define MODEL_WINDOWS_H

#include "model/tokenizer/tokenizer.h"

struct windows {
    const struct tokenizer *tokenizer;
    const struct token *tokens; /* [n_tokens], all tokens of the text */
    size_t n_tokens, stride;
    bool whole_words; /* begin and end between words, where that can be */
    /* What windows_begin finds out. */
    bool in_pair;    /* the second text goes in windows */
    size_t first, n; /* the tokens of that text: one run */
    size_t room;     /* for them in a window */
    size_t at;       /* where the next window begins among them; SIZE_MAX: there is none */
};

/* A part of the text: tokens first .. first + n - 1 of them all, bytes begin .. end - 1. */
struct window {
    size_t first, n;
    size_t begin, end;
};

/* Windows of at most `most` tokens, all in all. If the room is 0, or not larger than the stride,
 * the caller must not go on. */
void windows_begin(struct windows *windows, enum truncation truncation, size_t most);

/* The next window: one for a text that is not too long. False: that was the last. */
bool windows_next(struct windows *windows, struct window *window);

#endif
