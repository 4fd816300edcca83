/* new_words.h - words of a new model's tokenizer, from the command line or a list. Errors end the
 * program. */
#ifndef TOOLS_NEW_WORDS_H
#define TOOLS_NEW_WORDS_H

#include "tools/writer/tokenizer/tokenizer_draft.h"

/* Words separated by blanks, each once; then "[UNK]", unless it or "<unk>" is one of them. */
void new_words_words(struct tokenizer_draft *draft, const char *words);

/* The text of a file with one token per line: the id is the number of the line, from 0. A list for
 * a tokenizer that splits at blanks must have none in its tokens. */
void new_words_list(struct tokenizer_draft *draft, const char *path, const char *data, size_t len,
                    bool splits_at_blanks);

/* Appends a token unless the draft has it. */
void new_words_add(struct tokenizer_draft *draft, const char *token);

#endif
