/* windows.h - a text longer than a model accepts, as windows of its tokens.
 *
 * Every window has the special tokens, the prompt's tokens and, for a pair, the tokens of the other
 * text; the rest of it is for tokens of the text itself. A window begins `stride` tokens before the
 * end of the window before it.
 */
#ifndef MODEL_WINDOWS_H
#define MODEL_WINDOWS_H

#include "model/tokenizer/tokenizer.h"

struct windows {
    const struct tokenizer *tokenizer;
    const engine_token *tokens; /* [n_tokens], all tokens of the text */
    size_t n_tokens, stride;
    bool whole_words; /* begin and end between words, if possible */
    /* Set by windows_begin. */
    bool in_pair;    /* the second text is split into windows */
    size_t first, n; /* the tokens of that text: one run */
    size_t room;     /* for these tokens, in a window */
    size_t at;       /* index among them where the next window begins; SIZE_MAX at the end */
};

/* A range of the text: tokens first .. first + n - 1 of all, bytes begin .. end - 1. */
struct window {
    size_t first, n;
    size_t begin, end;
};

/* Starts windows of at most `most` tokens in total. If the room is 0, or not larger than the
 * stride, the caller must stop. */
void windows_begin(struct windows *windows, engine_truncation truncation, size_t most);

/* Makes the next window: a single one if the text is not too long. Returns false after the last. */
bool windows_next(struct windows *windows, struct window *window);

#endif
