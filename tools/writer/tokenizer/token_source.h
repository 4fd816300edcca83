/* token_source.h - words for a new model's tokenizer: from the command line, a list, a text to fit
 * a vocabulary on, or a file of Keras. Errors end the program. */
#ifndef TOOLS_TOKEN_SOURCE_H
#define TOOLS_TOKEN_SOURCE_H

#include "tools/common/options.h"
#include "tools/writer/tokenizer/tokenizer_draft.h"

/* Words separated by blanks, each once; then "[UNK]", unless it or "<unk>" is one of them. */
void token_source_words(struct tokenizer_draft *draft, const char *words);

/* The text of a file with one token per line: the id is the number of the line, from 0. A list for
 * a tokenizer that splits at blanks must have none in its tokens. */
void token_source_list(struct tokenizer_draft *draft, const char *path, const char *data,
                       size_t len, bool splits_at_blanks);

/* Appends a token unless the draft has it. */
void token_source_add(struct tokenizer_draft *draft, const char *token);

/* The words of a text (a file; "-": stdin), as Keras' Tokenizer.fit_on_texts makes them, in lower
 * case where the draft says so. */
struct fit_options {
    const char *oov;  /* text of the token for unknown words; "": none */
    size_t num_words; /* 0: all; else the most frequent */
    size_t min_count; /* words that occur less often are dropped */
};
void token_source_fit(struct tokenizer_draft *draft, const char *path,
                      const struct fit_options *options);

/* Writes the text to `out`, [3 * len], in lower case if `lower`, as tokenizers of weight files have
 * it; each invalid part becomes U+FFFD. Returns the length. */
size_t text_lower(const char *text, size_t len, bool lower, char *out);

/* Into an empty draft: words and settings of Keras' Tokenizer.to_json(). path is for messages. */
void keras_json_read(struct tokenizer_draft *draft, const char *path, const char *data, size_t len);

#endif
