/* tokenizer_json.h - a tokenizer from a tokenizer.json, of HuggingFace tokenizers or Keras: the
 * whole file, and its parts for a vocab.txt, which BertTokenizer reads with the same ones.
 */
#ifndef TOOLS_IMPORT_TOKENIZER_JSON_H
#define TOOLS_IMPORT_TOKENIZER_JSON_H

#include "tools/import/files/json_file.h"
#include "tools/import/tokenizer/tokenizer_parts.h"

/* Into an empty tokenizer. Of a file of Keras with num_words, words with ids from there on are left
 * away: texts never give them. */
struct tokenizer_beside;
void tokenizer_json_read(struct import_tokenizer *tokenizer, const char *text, size_t len,
                         const struct tokenizer_beside *beside);

struct json_tokenizer {
    struct json_file file;
    struct import_tokenizer *tokenizer;
    struct blank_list steps; /* of the list that is being read */
    const char *pattern;     /* that words are split by, or NULL */
    bool is_byte_level, trims;
    const struct tokenizer_beside
        *beside; /* that transformers reads with a tokenizer.json, or NULL */
};

/* Of the class that AutoTokenizer of transformers takes: adds the tokens that the files beside and
 * the class name; refuses switches and special tokens that would change parts of the file. */
void class_tokens_add(struct json_tokenizer *json, const struct tokenizer_beside *beside);
void class_conflicts_check(const struct json_tokenizer *json,
                           const struct tokenizer_beside *beside);

/* All parts of a file. */
void json_parts_read(struct json_tokenizer *json);

/* The vocabulary of a model that has texts and their ids. */
void vocabulary_read(struct json_tokenizer *json, const json_t *model);

/* The token of unknown words; of some models it must be in the vocabulary. */
void unknown_read(struct json_tokenizer *json, const json_t *model, bool is_needed);

/* Model BPE (bpe_model.c), and the pre-tokenizers and post-processors that come with it. */
void bpe_model_read(struct json_tokenizer *json, const json_t *model);
void byte_level_read(struct json_tokenizer *json, const json_t *part);
void split_read(struct json_tokenizer *json, const json_t *part);
void trim_read(struct json_tokenizer *json, const json_t *part);

/* Parts of the file, each absent or read and checked; those of the model are there before. */
void steps_read(struct json_tokenizer *json);
void added_tokens_read(struct json_tokenizer *json);
void post_processor_read(struct json_tokenizer *json);

/* A type that a part may have, and what reads it; a list of them ends with type NULL. */
struct part_kind {
    const char *type;
    const char *step; /* what it always becomes; or NULL */
    void (*read)(struct json_tokenizer *json, const json_t *part);
};

/* Reads a part by its type. `what` is its name in messages: "normalizer". */
void part_read(struct json_tokenizer *json, const char *what, const json_t *part,
               const struct part_kind *kinds);

/* Whether a part is a list of others, and that list. */
bool part_is_sequence(const json_t *part);
const json_t *part_members(const struct json_tokenizer *json, const json_t *part, const char *key);

/* "FILE: the WHAT is 'FOUND'; expected EXPECTED". */
_Noreturn void part_die(const struct json_tokenizer *json, const char *what, const char *found,
                        const char *expected);

#endif
