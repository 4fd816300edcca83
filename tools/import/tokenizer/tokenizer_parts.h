/* tokenizer_parts.h - what the readers of a tokenizer share: the files beside it, parts of a
 * tokenizer.json, and words, lists, templates and sections for the weight file. */
#ifndef TOOLS_IMPORT_TOKENIZER_PARTS_H
#define TOOLS_IMPORT_TOKENIZER_PARTS_H

#include "tools/import/files/json_file.h"
#include "tools/writer/tokenizer/tokenizer_draft.h"

enum { TEMPLATE_BYTES = 512 };

struct import_tokenizer {
    /* TOKN without the templates, which depend on the model's token types, and VOCB. */
    struct tokenizer_draft draft;
    char single[TEMPLATE_BYTES], pair[TEMPLATE_BYTES]; /* templates, or "": the defaults */
    size_t max_length; /* model_max_length of tokenizer_config.json; 0: none */
    size_t truncation; /* of static embeddings: tokens of tokenizer.json's truncation; 0: none */
    size_t padding;    /* id of pad_token, or WORD_NONE */
    bool lowercases;   /* capitals and small letters give the same tokens */
    bool gives_types;  /* else the type of every token is 0 */
    bool types_differ; /* transformers 4 gives them */
    char note[512];    /* for the user, or "" */
    const char *name;  /* while it is read: the file, for messages */
};

/* ---- Readers, each into an empty tokenizer ---- */

/* The files beside the one that has the vocabulary; all zero: none. */
struct tokenizer_beside {
    struct json_file config, map; /* tokenizer_config.json and special_tokens_map.json */
    struct json_file model;       /* config.json */
    struct json_file added;       /* added_tokens.json */
    char *merges;                 /* [merges_len], text of merges.txt, or NULL */
    size_t merges_len;
    struct folder *folder; /* NULL: files beside a tokenizer.json are ignored */
    bool is_static;        /* so is its frame, but not its truncation */
    enum reference_release as;
};

/* From a tokenizer.json of HuggingFace tokenizers or Keras; a vocab.txt; a vocab.json; a
 * sentencepiece model. Each of the last three becomes what the class of tokenizer_config.json makes
 * of it in transformers, or the class of config.json's model_type. */
void tokenizer_json_read(struct import_tokenizer *tokenizer, const char *text, size_t len,
                         const struct tokenizer_beside *beside);
void tokenizer_vocab_read(struct import_tokenizer *tokenizer, const char *text, size_t len,
                          const struct tokenizer_beside *beside);
void bpe_files_read(struct import_tokenizer *tokenizer, const char *text, size_t len,
                    const struct tokenizer_beside *beside);
void sentencepiece_read(struct import_tokenizer *tokenizer, const char *text, size_t len,
                        const struct tokenizer_beside *beside);

/* ---- Lists: settings that are put together piece by piece, with blanks between items ---- */

struct blank_list {
    char *text; /* [len], then a NUL; NULL at first */
    size_t len, cap, n;
};

/* Adds an item; or continues the last one. */
#define list_add(list, ...)    list_print(list, true, __VA_ARGS__)
#define list_append(list, ...) list_print(list, false, __VA_ARGS__)
void list_print(struct blank_list *list, bool is_item, const char *format, ...)
    PROGRAM_PRINTF(3, 4);

/* Returns the length of the next item of a list, which it moves past, or 0. */
size_t list_cut_item(const char **list, const char **item);

/* Sets the list, unless it is empty. */
void list_set(struct blank_list *list, struct tokenizer_draft *draft, const char *key);

/* ---- Parts of any tokenizer ---- */

/* Gives an id its text, which may be "". Refuses an id that has another text, a text that has
 * another id, and numbers that no vocabulary needs. */
void token_place(struct import_tokenizer *tokenizer, uint64_t id, const char *text, size_t len);

/* Switches of an added token; in a weight file each is a letter of "nlrw". */
enum { NORMALIZED, LSTRIP, RSTRIP, SINGLE_WORD, N_TOKEN_SWITCHES };
extern const char *const TOKEN_SWITCHES[N_TOKEN_SWITCHES];

/* The id of a special token, which must be in the vocabulary. */
size_t special_id(const struct import_tokenizer *tokenizer, const char *text);

/* Sets the templates of one text and of two, with a token before the first text and one after each.
 */
enum frame {
    FRAME_BERT,    /* types 0 and 1 */
    FRAME_ROBERTA, /* type 0, two tokens between texts */
    FRAME_T5       /* type 0, no token before the first text */
};
void templates_set(struct import_tokenizer *tokenizer, size_t first, size_t last, enum frame frame);

/* Copies a template with all types 0. */
void template_without_types(char copy[TEMPLATE_BYTES], const char *template);

/* Sets byte_fallback if the vocabulary has the tokens <0x00> to <0xFF>. Refused: it has some of
 * them, for then the reference decides text by text. */
void byte_fallback_set(struct import_tokenizer *tokenizer);

/* Of placed pieces: the kind unigram and its section PIEC. scores: [words.n], by id. */
void unigram_set(struct import_tokenizer *tokenizer, const double *scores, size_t unknown,
                 bool byte_fallback);

bool draft_has_section(const struct tokenizer_draft *draft, const char *tag);

/* Sets sentencepiece's map of characters (section CMAP), once. */
void charsmap_set(struct import_tokenizer *tokenizer, const void *map, size_t len);

/* ---- Parts of a tokenizer.json ---- */

struct json_tokenizer {
    struct json_file file;
    struct import_tokenizer *tokenizer;
    struct blank_list steps; /* of the list that is being read */
    const char *pattern;     /* that words are split by, or NULL */
    bool is_byte_level, trims, is_static;
    int64_t n_model; /* tokens of the model, those without a text too: the first new id */
    const struct tokenizer_beside *beside; /* that transformers reads with the file, or NULL */
    const struct reference_class *class;   /* by them, or NULL */
    bool is_vocabulary;                    /* alone: the class makes the other parts */
};

/* All parts of a file. */
void json_parts_read(struct json_tokenizer *json);

/* Members of the file, each absent or read and checked, after the model. */
void steps_read(struct json_tokenizer *json);
void added_tokens_read(struct json_tokenizer *json);
void post_processor_read(struct json_tokenizer *json);

/* A type that a part may have, and what reads it; a list of them ends with type NULL. */
struct part_reader {
    const char *type;
    const char *step; /* what it always becomes; or NULL */
    void (*read)(struct json_tokenizer *json, const json_t *part);
};

/* Reads a part by its type. `what` is its name in messages: "normalizer". */
void part_read(struct json_tokenizer *json, const char *what, const json_t *part,
               const struct part_reader *kinds);

/* The members of a part that is a Sequence, or NULL if it is another part. */
const json_t *part_members(const struct json_tokenizer *json, const json_t *part, const char *key);

/* "FILE: the WHAT is 'FOUND'; expected EXPECTED". */
_Noreturn void part_die(const struct json_tokenizer *json, const char *what, const char *found,
                        const char *expected);

#endif
