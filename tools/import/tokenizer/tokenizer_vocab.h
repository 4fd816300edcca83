/* tokenizer_vocab.h - a tokenizer from a vocab.txt and what stands beside it. */
#ifndef TOOLS_IMPORT_TOKENIZER_VOCAB_H
#define TOOLS_IMPORT_TOKENIZER_VOCAB_H

#include "tools/import/tokenizer/tokenizer_parts.h"

/* What tokenizer_config.json and special_tokens_map.json say; texts are borrowed from them. */
enum special_token { SPECIAL_UNKNOWN, SPECIAL_SEP, SPECIAL_PAD, SPECIAL_CLS, SPECIAL_MASK };
enum { N_SPECIALS = SPECIAL_MASK + 1 };

struct tokenizer_config {
    const char *class_name;
    const char *specials[N_SPECIALS]; /* NULL: not said */
    bool lowercase, chinese, says_lowercase;
    int strip_accents; /* -1: as lowercase */
    int64_t max_length;
};

/* Into an empty tokenizer. */
bool tokenizer_vocab_read(struct import_tokenizer *tokenizer, const char *text, size_t len,
                          const struct tokenizer_config *config);

#endif
