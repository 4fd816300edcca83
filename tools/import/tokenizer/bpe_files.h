/* bpe_files.h - a BPE tokenizer from a vocab.json, a merges.txt and what stands beside them, as the
 * tokenizer.json that transformers makes of them.
 */
#ifndef TOOLS_IMPORT_BPE_FILES_H
#define TOOLS_IMPORT_BPE_FILES_H

#include "tools/import/tokenizer/tokenizer_vocab.h"

struct bpe_files {
    const char *vocabulary, *merges; /* texts of vocab.json and merges.txt */
    size_t vocabulary_len, merges_len;
    const struct json_file *added; /* added_tokens.json; root NULL: there is none */
    const struct tokenizer_config *config;
    const char *model_type; /* of config.json, or NULL */
};

/* Into an empty tokenizer. */
void bpe_files_read(struct import_tokenizer *tokenizer, const struct bpe_files *files);

#endif
