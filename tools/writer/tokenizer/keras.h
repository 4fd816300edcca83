/* keras.h - Keras' tokenizers: of a text to fit a vocabulary on, or of a file. Errors end the
 * program. */
#ifndef TOOLS_KERAS_H
#define TOOLS_KERAS_H

#include "tools/writer/tokenizer/tokenizer_draft.h"

/* The words of a text (a file; "-": stdin), as Keras' Tokenizer.fit_on_texts makes them, in lower
 * case where the draft says so. */
struct fit_options {
    const char *oov;  /* text of the token for unknown words; "": none */
    size_t num_words; /* 0: all; else the most frequent */
    size_t min_count; /* words that occur less often are dropped */
};
void keras_fit(struct tokenizer_draft *draft, const char *path, const struct fit_options *options);

/* Writes the text to `out`, [3 * len], in lower case if `lower`, as tokenizers of weight files have
 * it; each invalid part becomes U+FFFD. Returns the length. */
size_t text_lower(const char *text, size_t len, bool lower, char *out);

/* Into an empty draft: words and settings of Keras' Tokenizer.to_json(). path is for messages. */
void keras_json_read(struct tokenizer_draft *draft, const char *path, const char *data, size_t len);

#endif
