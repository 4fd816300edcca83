/* tokenizer_class.h - the classes of transformers that make a tokenizer of a vocabulary: what each
 * makes of the files beside it, in the words of section TOKN of weights/FORMAT.md. */
#ifndef TOOLS_IMPORT_TOKENIZER_CLASS_H
#define TOOLS_IMPORT_TOKENIZER_CLASS_H

#include "tools/import/tokenizer/tokenizer_parts.h"

enum { BOS, EOS, UNK, SEP, PAD, CLS, MASK, N_SPECIALS };
enum { UNK_TOKEN = -1, MOST_MORE = 3 };

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
};

/* The tokenizer_class of tokenizer_config.json, else of config.json, or NULL. */
const char *tokenizer_class_name(const struct tokenizer_beside *beside);

/* The class by its name, else by model_type; NULL: none that is known. Ends the program if
 * transformers has it in Python alone; with has_json also if it replaces parts of a tokenizer.json
 * by others than those here. */
const struct reference_class *class_find(const struct tokenizer_beside *beside, bool has_json);

/* The class of a name without "Fast", or NULL. */
const struct reference_class *class_named(const char *name);

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
