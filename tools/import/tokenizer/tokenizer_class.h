/* tokenizer_class.h - the classes of transformers that make a tokenizer of a vocabulary: what each
 * makes of the files beside it, in the words of section TOKN of weights/FORMAT.md. */
#ifndef TOOLS_IMPORT_TOKENIZER_CLASS_H
#define TOOLS_IMPORT_TOKENIZER_CLASS_H

#include "tools/import/tokenizer/tokenizer_parts.h"

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
    bool is_of_4; /* models are trained with what 4.x makes of the files, and 5 with other ids */
    enum frame frame_4; /* in 4.x, if is_of_4 */
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

/* The model_type of config.json, or NULL; the tokenizer_class of tokenizer_config.json, else of
 * config.json, or NULL. */
const char *tokenizer_model_type(const struct tokenizer_beside *beside);
const char *tokenizer_class_name(const struct tokenizer_beside *beside);

/* The class by its name, else by model_type; NULL: none that is known, or transformers follows the
 * tokenizer.json whatever the class is. json [len]: that file's text, or NULL. Ends the program if
 * transformers has the class in Python alone, or if it replaces parts of a tokenizer.json by others
 * than those here. */
const struct reference_class *class_find(const struct tokenizer_beside *beside, const char *json,
                                         size_t len);

/* The class of a name without "Fast", or NULL. */
const struct reference_class *class_named(const char *name);

/* The class that reads sentencepiece models, by its name, else by model_type, else by the name of
 * the file; NULL: none. */
const struct reference_class *class_of_pieces(const struct tokenizer_beside *beside,
                                              const char *file);

/* The text of a special token ("cls_token") by the files beside, or NULL. */
const char *tokenizer_special(const struct tokenizer_beside *beside, const char *key);

/* The text of a special token, by the files or the class ("": none), which may be in `text`. */
const char *class_special(const struct reference_class *class,
                          const struct tokenizer_beside *beside, size_t which, char text[64]);

/* Sets the added tokens of a tokenizer.json, after its model, to those that AutoTokenizer makes of
 * it and the files beside it; of files without a tokenizer.json too. */
void class_tokens_set(struct json_tokenizer *json);

/* Switches of tokenizer_config.json that leave out steps of a class. */
struct class_switches {
    bool cjk, strips, lower, keeps_accents, at_punctuation;
    bool has_map; /* there is a map of characters */
};
struct class_switches class_switches_read(const struct json_file *config,
                                          const struct reference_class *class, bool has_map);
void class_steps(struct blank_list *list, const char *steps, const struct class_switches *switches);

/* Sets the templates to those of the class, whose tokens are as the files beside name them, or
 * (beside NULL) as the class does; unless it keeps those of tokenizer.json. */
void class_frame_set(struct import_tokenizer *tokenizer, const struct tokenizer_beside *beside,
                     const struct reference_class *class);

/* Drops the class if a tokenizer.json has a model that it cannot read, with a note. */
void class_kind_check(struct json_tokenizer *json);

/* Refuses parts of a tokenizer.json that its class replaces by others, or follows --as; or what
 * models are trained with, with a note. */
void class_conflicts_check(struct json_tokenizer *json);

#define BLANKS_NOTE                                                                                \
    "blanks at the ends of texts and rare ones are split as transformers 5 does; --as "            \
    "transformers-4 splits them as 4 does by "

/* Sets everything but the vocabulary and the added tokens to what the class makes of the files. */
void class_settings_set(struct json_tokenizer *json);

/* Returns whether the class gives types of tokens where no file says so: in transformers 5 only
 * those of BERT, DeBERTa and a few more do. */
bool class_gives_types(const struct tokenizer_beside *beside);

#endif
