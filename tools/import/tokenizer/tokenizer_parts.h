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

/* The model_type of config.json, or NULL. */
const char *tokenizer_model_type(const struct tokenizer_beside *beside);

/* The text of a special token ("cls_token") by these files, or NULL. */
const char *tokenizer_special(const struct tokenizer_beside *beside, const char *key);

/* Returns whether a tokenizer_class is the one of that name, fast or not. */
bool tokenizer_is_class(const char *tokenizer_class, const char *name);

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

/* Sets the list, unless it is empty. */
void list_set(struct blank_list *list, struct tokenizer_draft *draft, const char *key);

/* ---- Parts of any tokenizer ---- */

/* Gives an id its text, which may be "". Refuses an id that has another text, a text that has
 * another id, and numbers that no vocabulary needs. */
void token_place(struct import_tokenizer *tokenizer, uint64_t id, const char *text, size_t len);

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

/* Sets byte_fallback if the vocabulary has the tokens <0x00> to <0xFF>. Refused: it has some of
 * them, for then the reference decides text by text. */
void byte_fallback_set(struct import_tokenizer *tokenizer);

/* Of placed pieces: the kind unigram and its section PIEC. scores: [words.n], by id. */
void unigram_set(struct import_tokenizer *tokenizer, const double *scores, size_t unknown,
                 bool byte_fallback);

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
    const struct reference_class *class;   /* by them or NULL */
    bool is_vocabulary;                    /* alone: the class makes the other parts */
};

/* All parts of a file. */
void json_parts_read(struct json_tokenizer *json);

/* Returns whether the class gives types of tokens where no file says so: in transformers 5 only
 * those of BERT, DeBERTa and a few more do. */
bool class_gives_types(const struct tokenizer_beside *beside);

/* The vocabulary of a model that has texts and their ids; the token of unknown words, which some
 * models must have in it. */
void vocabulary_read(struct json_tokenizer *json, const json_t *model);
void unknown_read(struct json_tokenizer *json, const json_t *model, bool is_needed);

/* Model BPE, and its pre-tokenizers and post-processors. */
void bpe_model_read(struct json_tokenizer *json, const json_t *model);
void byte_level_read(struct json_tokenizer *json, const json_t *part);
void split_read(struct json_tokenizer *json, const json_t *part);
void trim_read(struct json_tokenizer *json, const json_t *part);

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

enum { TOKEN_BOS, TOKEN_EOS, TOKEN_UNK, TOKEN_SEP, TOKEN_PAD, TOKEN_CLS, TOKEN_MASK, N_SPECIALS };
enum { UNK_TOKEN = -1, MOST_MORE = 3, MOST_BEFORE = 5, NO_ID = -1 };

#define METASPACE "\xE2\x96\x81"

struct reference_class {
    const char *names, *model_types; /* lists */
    /* Special tokens that no file names, or NULL: a text, and after ":" how it takes the blanks
     * before it if no file says so: "l" it does, "4" it does in 4.x. */
    const char *specials[N_SPECIALS];
    const char *kind, *prefix, *suffix; /* of the model; NULL: none */
    int unknown;                        /* id; UNK_TOKEN: that of unk_token; 0: none */
    bool falls_back;                    /* to bytes; and unknown characters are fused */
    bool lowercases;                    /* unless do_lower_case says otherwise */
    const char *normalizer, *splitter;  /* without the steps that switches turn off */
    const char *pattern;
    bool may_add_blank; /* add_prefix_space */
    int first, last;    /* tokens of its templates; last 0: those of tokenizer.json */
    enum frame frame;
    bool yields; /* the template of tokenizer.json counts, if there is one */
    bool trims;
    bool resets_tokens; /* special ones have no switches */
    const char *more[MOST_MORE];
    bool is_of_4; /* only for its pieces: 5 makes another tokenizer, which is not known here */
    /* What it makes of a sentencepiece model, in 4.x; added NULL: nothing. */
    struct pieces {
        const char *file; /* the name that such a model has, if nothing else says it */
        const char *before[MOST_BEFORE]; /* texts of the first ids */
        double last_before;              /* the score of the fifth; 0 of the others */
        size_t n_skipped;                /* first pieces, which have no id */
        bool lowers_numbers;             /* pieces like "5," are 100 less likely */
        bool has_extra_ids;
        int unknown;      /* id, or NO_ID: as the file says */
        const char *mask; /* the token after all pieces, or NULL */
        const char *normalizer, *added;
    } pieces;
};

/* The tokenizer_class of tokenizer_config.json, else of config.json, or NULL. */
const char *tokenizer_class_name(const struct tokenizer_beside *beside);

/* The class by its name, else by model_type; NULL: none that is known. Ends the program if
 * transformers has it in Python alone; with has_json also if it replaces parts of a tokenizer.json
 * by others than those here. */
const struct reference_class *class_find(const struct tokenizer_beside *beside, bool has_json);

/* The class of a name without "Fast", or NULL. */
const struct reference_class *class_named(const char *name);

/* The class that reads sentencepiece models by its name, else by model_type, else by the file's name;
 * NULL: none. */
const struct reference_class *class_of_pieces(const struct tokenizer_beside *beside,
                                              const char *file);

/* The text of a special token, by the files or the class ("": none), which may be in `text`. */
const char *class_special(const struct reference_class *class,
                          const struct tokenizer_beside *beside, size_t which, char text[64]);

/* Sets the added tokens of a tokenizer.json, after its model, to those that AutoTokenizer makes of
 * it and the files beside it; of files without a tokenizer.json too. */
void class_tokens_set(struct json_tokenizer *json);

/* Switches of tokenizer_config.json that leave out steps of a class. */
struct class_switches {
    bool cjk, strips, lower, keeps_accents;
    bool has_map; /* there is a map of characters */
};
void class_steps(struct blank_list *list, const char *steps, const struct class_switches *switches);

/* Sets the templates to those of the class, whose tokens are as the files beside name them, or
 * (beside NULL) as the class does; unless it keeps those of tokenizer.json. */
void class_frame_set(struct import_tokenizer *tokenizer, const struct tokenizer_beside *beside,
                     const struct reference_class *class);

/* Drops the class if a tokenizer.json has a model that it cannot read, with a note. */
void class_kind_check(struct json_tokenizer *json);

/* Refuses parts of a tokenizer.json that its class replaces by others, or follows --as. */
void class_conflicts_check(struct json_tokenizer *json);

#define BLANKS_NOTE                                                                                \
    "blanks at the ends of texts and rare ones are split as transformers 5 does; --as "            \
    "transformers-4 splits them as 4 does by "

/* Sets everything but the vocabulary and the added tokens to what the class makes of the files. */
void class_settings_set(struct json_tokenizer *json, const struct tokenizer_beside *beside,
                        const struct reference_class *class);

#endif
