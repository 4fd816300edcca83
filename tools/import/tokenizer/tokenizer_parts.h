/* tokenizer_parts.h - putting a tokenizer together: texts by id, added tokens and settings,
 * whichever file they come from. Internal to the reading of tokenizers.
 */
#ifndef TOOLS_IMPORT_TOKENIZER_PARTS_H
#define TOOLS_IMPORT_TOKENIZER_PARTS_H

#include "tools/import/tokenizer/tokenizer_file.h"

/* A text that grows; NULL at the start. */
struct growing_text {
    char *bytes; /* [len] and a NUL */
    size_t len, cap;
};

bool text_add(struct growing_text *text, const char *bytes, size_t len, struct problem *problem);
bool text_format(struct growing_text *text, struct problem *problem, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* A token of the added_tokens of a tokenizer.json; content is borrowed. */
struct added_token {
    const char *content;
    size_t len;
    uint64_t id;
    bool single_word, lstrip, rstrip, normalized, special;
};

/* Makes ids 0 .. n-1 exist. Refuses numbers that no vocabulary needs. */
bool parts_reserve(struct import_tokenizer *tokenizer, const char *name, uint64_t n,
                   struct problem *problem);

/* Gives an id its text; another one there is refused. */
bool parts_set_text(struct import_tokenizer *tokenizer, const char *name, uint64_t id,
                    const char *text, size_t len, struct problem *problem);

/* Finds ids by their texts. */
struct text_index {
    uint32_t *slots; /* [n_slots] id + 1, or 0 */
    size_t n_slots;
};

/* Of the texts that are there, with room for n_more. Refuses two ids with the same text. */
bool text_index_build(struct text_index *index, const struct import_tokenizer *tokenizer,
                      const char *name, size_t n_more, struct problem *problem);
void text_index_free(struct text_index *index);

/* The id of a text, or -1. */
int32_t text_index_find(const struct text_index *index, const struct import_tokenizer *tokenizer,
                        const char *text, size_t len);

/* The same without an index: looks at each of them. */
int32_t parts_find(const struct import_tokenizer *tokenizer, const char *text);

/* Takes over the value. */
bool parts_set(struct import_tokenizer *tokenizer, const char *key, struct growing_text *value,
               struct problem *problem);
bool parts_set_number(struct import_tokenizer *tokenizer, const char *key, int64_t number,
                      struct problem *problem);

/* A list of steps, each followed by a blank; none: nothing is set. */
bool parts_set_steps(struct import_tokenizer *tokenizer, const char *key,
                     struct growing_text *steps, struct problem *problem);

/* All added tokens, when the model's texts are in place: their ids must be those that the reference
 * gives them, in this order. Sets `added`. */
bool parts_add_tokens(struct import_tokenizer *tokenizer, const char *name,
                      const struct added_token *tokens, size_t n, struct problem *problem);

/* The frame [CLS] A [SEP] B [SEP] with types 0 and 1. */
bool parts_bert_template(struct import_tokenizer *tokenizer, uint64_t cls, uint64_t sep,
                         struct problem *problem);

/* The steps of BertNormalizer and BertPreTokenizer. */
struct bert_switches {
    bool clean_text, handle_chinese_chars, strip_accents, lowercase;
};
bool parts_bert_normalizer(struct growing_text *steps, const struct bert_switches *switches,
                           struct problem *problem);
#define BERT_SPLITTER "blanks punctuation "

/* The sources. */
bool tokenizer_json_read(struct import_tokenizer *tokenizer, const char *name, const char *text,
                         size_t len, struct problem *problem);

/* What tokenizer_config.json and special_tokens_map.json say; texts are borrowed from them. */
struct tokenizer_config {
    const char *class_name;
    const char *unknown, *cls, *sep, *pad, *mask; /* NULL: not said */
    bool lowercase, chinese, says_lowercase;
    int strip_accents; /* -1: as lowercase */
    int64_t max_length;
};

/* config: NULL where there is none. */
bool tokenizer_vocab_read(struct import_tokenizer *tokenizer, const char *name, const char *text,
                          size_t len, const struct tokenizer_config *config,
                          struct problem *problem);

#endif
