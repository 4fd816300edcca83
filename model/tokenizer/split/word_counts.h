/* word_counts.h - counts a text's words, and the words that a model knows, from their tokens. */
#ifndef MODEL_WORD_COUNTS_H
#define MODEL_WORD_COUNTS_H

#include "model/tokenizer/tokenizer.h"

/* Counts the words of the texts, either of which may be absent (NULL, 0), whose tokens
 * tokenizer_encode made. Returns false if a span is not within its text. */
bool words_count(const struct tokenizer *tokenizer, const struct token_input *texts,
                 const engine_token *tokens, size_t n_tokens, engine_word_counts *counts);

#endif
