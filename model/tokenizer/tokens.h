/* tokens.h - what tokens tell: their text, which of them begin words, the words that a model knows,
 * and the windows of a text that is longer than a model accepts.
 */
#ifndef MODEL_TOKENS_H
#define MODEL_TOKENS_H

#include "model/tokenizer/tokenize.h"

/* Returns whether the id's piece continues the word before it, judged by its text: "##ing"; with
 * metaspace, a text that does not start with a visible blank. */
bool tokenizer_continues_word(const struct tokenizer *tokenizer, int32_t id);

/* Returns whether the id is a template's, or that of an added token like [PAD] or <pad>. */
bool tokenizer_is_special(const struct tokenizer *tokenizer, int32_t id);

/* Returns the bytes of the text that an id, which has one, adds to that of the ids before it
 * (at_start: there is none yet; cleared unless the id is skipped), and writes them unless out is
 * NULL. */
size_t tokenizer_decode(const struct tokenizer *tokenizer, int32_t id, bool skip_special,
                        bool *at_start, char *out);

/* Counts the words of the texts, either of which may be absent (NULL, 0), whose tokens
 * tokenizer_encode made. Returns false if a span is not within its text. */
bool tokens_count_words(const struct tokenizer *tokenizer, const struct token_input *texts,
                        const engine_token *tokens, size_t n_tokens, engine_word_counts *counts);

/* ---- Windows ----
 *
 * Every window has the special tokens, the prompt's tokens and, for a pair, the tokens of the other
 * text; the rest of it is for tokens of the text itself. A window begins `stride` tokens before the
 * end of the window before it, or more with whole_words. */

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

/* Returns whether a token is of the first text, or of the second, and not around it. */
static inline bool token_is_of_text(const engine_token *token, bool in_pair)
{
    return !token->special && !token->in_prompt && token->in_pair == in_pair;
}

/* Starts windows of at most `most` tokens in total. If the room is 0, or not larger than the
 * stride, the caller must stop. */
void windows_begin(struct windows *windows, engine_truncation truncation, size_t most);

/* Makes the next window: a single one if the text is not too long. Returns false after the last. */
bool windows_next(struct windows *windows, engine_window *window);

#endif
