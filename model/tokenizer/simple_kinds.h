/* simple_kinds.h - kinds `blanks` and `keras`: a word is a token. Internal to the tokenizer. */
#ifndef MODEL_SIMPLE_KINDS_H
#define MODEL_SIMPLE_KINDS_H

#include "model/tokenizer/word.h"

/* Add the tokens of a text. word: empty, with memory for the longest word of the vocabulary. */
void blanks_split(struct word *word, struct text_view text);
void keras_split(struct word *word, struct text_view text);

#endif
