/* tokenizer_vocab.h - a tokenizer from a vocab.txt and what stands beside it. */
#ifndef TOOLS_IMPORT_TOKENIZER_VOCAB_H
#define TOOLS_IMPORT_TOKENIZER_VOCAB_H

#include "tools/import/files/json_file.h"
#include "tools/import/tokenizer/tokenizer_parts.h"

/* tokenizer_config.json and special_tokens_map.json; all zero: there are none. */
struct tokenizer_config {
    struct json_file config, map;
};

/* What stands beside the file that has the vocabulary. */
struct tokenizer_beside {
    struct tokenizer_config config;
    struct json_file added; /* added_tokens.json; root NULL: there is none */
    const char *merges;     /* text of merges.txt, or NULL */
    size_t merges_len;
    const char *model_type; /* of config.json, or NULL */
};

/* The text of a special token ("cls_token") by these files, or NULL. */
const char *tokenizer_config_special(const struct tokenizer_config *config, const char *key);

/* What a vocab.txt needs of them: switches that are right, and a class that is known. */
void tokenizer_config_check(const struct tokenizer_config *config);

/* Into an empty tokenizer. */
void tokenizer_vocab_read(struct import_tokenizer *tokenizer, const char *text, size_t len,
                          const struct tokenizer_config *config);

#endif
