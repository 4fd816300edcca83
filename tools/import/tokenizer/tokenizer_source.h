/* tokenizer_source.h - a tokenizer of words as encode-new makes them
 * (tools/common/weights/token_source.h), for a file that is imported. */
#ifndef TOOLS_IMPORT_TOKENIZER_SOURCE_H
#define TOOLS_IMPORT_TOKENIZER_SOURCE_H

#include "tools/common/weights/token_source.h"
#include "tools/import/tokenizer/tokenizer_file.h"

/* Takes the rules and the words over; the source is then empty, also where there is no memory. With
 * num_words, words with ids from there on are left away: texts never give them. */
bool import_tokenizer_take(struct import_tokenizer *tokenizer, struct token_source *source,
                           struct problem *problem);

/* From the text of Keras' Tokenizer.to_json(). */
bool import_tokenizer_keras(struct import_tokenizer *tokenizer, const char *name, const char *text,
                            size_t len, struct problem *problem);

/* Takes the words over, as kind `words` of weights/FORMAT.md: texts are split at blanks and at
 * punctuation, unless at_blanks says at blanks alone. Words with punctuation between letters or
 * digits ("well-known", "1,000", "u.s.") are then kept whole, as added tokens. `unknown` is an
 * id. */
bool import_tokenizer_take_words(struct import_tokenizer *tokenizer, struct word_list *words,
                                 bool lower, bool at_blanks, size_t unknown,
                                 struct problem *problem);

#endif
