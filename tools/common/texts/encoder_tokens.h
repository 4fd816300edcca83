/* encoder_tokens.h - an input's tokens, what they are called, and how both are printed. */
#ifndef TOOLS_ENCODER_TOKENS_H
#define TOOLS_ENCODER_TOKENS_H

#include "tools/common/texts/encoder.h"

/* Fills the tokens of an item whose record is set: all of them where the encoder is chunked, else
 * as many as the limit lets by. */
bool encoder_tokenize(struct encoder *encoder, struct item *item);

/* The windows, [n], of a text with all its tokens, or of ids, to be freed; NULL after a failure.
 * Each has the tokens of the prompt, which are marked as such. */
engine_window *encoder_windows(struct encoder *encoder, struct item *item, size_t *n);

/* Returns the text of a token of the vocabulary; "" if the token lacks a text. */
const char *encoder_id_text(const struct encoder *encoder, int32_t id, size_t *len);

/* The same as a text shows it, without a blank before it: "naïve" of "ĠnaÃ¯ve" or "▁naïve". The
 * result is in word, or the vocabulary's text if that is too long or not whole characters. */
enum { ENCODER_WORD_BYTES = 128 };
const char *encoder_word(const struct encoder *encoder, int32_t id, char word[ENCODER_WORD_BYTES],
                         size_t *len);

/* The text of the i-th token: the vocabulary's, else its span of the input, else "". */
const char *encoder_token_text(const struct encoder *encoder, const struct item *item, size_t i,
                               size_t *len);

/* Returns the word that the i-th token replaces if it is the token for unknown words; NULL for
 * other tokens, or if the word is that token's own text. */
const char *encoder_unknown_word(const struct encoder *encoder, const struct item *item, size_t i,
                                 size_t *len);

/* Texts whose words the model hardly knows: the first of unknown words are named. */
struct word_notes {
    size_t n_unknown, n_foreign;
};

/* Counts a text whose tokens are set, and prints a note if it is to be named. */
void word_notes_add(struct word_notes *notes, const struct encoder *encoder,
                    const struct item *item);

/* Prints how many of n texts there were, unless each was named, or they are less than 1 %. things:
 * "texts" or "queries". */
void word_notes_end(const struct word_notes *notes, size_t n, const char *things);

/* ---- For reading ---- */

/* Prints a text, "text | pair", or "(token ids)", each text in at most so many columns. */
void print_input(FILE *stream, const engine_input *input, size_t columns);

/* Prints what the i-th token stands for, where its own text does not show it: " (zoo)" of the token
 * for unknown words, " (ïve)" of a token of bytes. */
void print_meaning(FILE *stream, const struct encoder *encoder, const struct item *item, size_t i);

#endif
