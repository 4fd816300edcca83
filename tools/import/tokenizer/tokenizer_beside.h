/* tokenizer_beside.h - a tokenizer from other files than a tokenizer.json: each of these becomes
 * what the transformers package makes of it, by the class that the files beside it name.
 */
#ifndef TOOLS_IMPORT_TOKENIZER_BESIDE_H
#define TOOLS_IMPORT_TOKENIZER_BESIDE_H

#include "tools/import/files/json_file.h"
#include "tools/import/tokenizer/tokenizer_parts.h"

/* What stands beside the file that has the vocabulary; all zero: nothing. */
struct tokenizer_beside {
    struct json_file config, map; /* tokenizer_config.json and special_tokens_map.json */
    struct json_file model;       /* config.json */
    struct json_file added;       /* added_tokens.json */
    char *merges;                 /* [merges_len], text of merges.txt, or NULL */
    size_t merges_len;
    struct folder *folder; /* NULL: nothing beside a tokenizer.json counts */
};

/* Whether special_tokens_map.json is read: the newer added_tokens_decoder has all tokens. */
bool tokenizer_map_counts(const struct tokenizer_beside *beside);

/* What config.json says that the model is, or NULL. */
const char *tokenizer_model_type(const struct tokenizer_beside *beside);

/* The text of a special token ("cls_token") by these files, or NULL. */
const char *tokenizer_special(const struct tokenizer_beside *beside, const char *key);

/* What a vocab.txt needs of them: switches that are right, and a class that is known. */
void tokenizer_config_check(const struct tokenizer_beside *beside);

/* ---- Into an empty tokenizer ---- */

/* From a vocab.txt. */
void tokenizer_vocab_read(struct import_tokenizer *tokenizer, const char *text, size_t len,
                          const struct tokenizer_beside *beside);

/* From the text of a vocab.json, and the merges. */
void bpe_files_read(struct import_tokenizer *tokenizer, const char *vocabulary, size_t len,
                    const struct tokenizer_beside *beside);

/* From a model of sentencepiece. The family is that of tokenizer_config.json's class, else of
 * config.json's model_type, else the one whose file has that name. */
void sentencepiece_read(struct import_tokenizer *tokenizer, const char *data, size_t len,
                        const struct tokenizer_beside *beside);

#endif
