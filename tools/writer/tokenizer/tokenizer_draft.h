/* tokenizer_draft.h - the tokenizer of a weight file that is being made: its words by id, and the
 * settings of section TOKN in the order in which they will be written (weights/FORMAT.md). Where
 * the words come from: keras.h and the readers of encode-import. */
#ifndef TOOLS_TOKENIZER_DRAFT_H
#define TOOLS_TOKENIZER_DRAFT_H

#include "engine/engine.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WORD_NONE SIZE_MAX

/* All zero: empty. */
struct word_list {
    char **texts; /* [n] NUL-terminated; NULL: an id without text */
    size_t *lens; /* [n] */
    size_t n, cap;
    uint32_t *slots; /* [n_slots] open addressing: id + 1, or 0 */
    size_t n_slots;
};

/* The id of a text, or WORD_NONE. */
size_t word_list_find(const struct word_list *list, const char *text, size_t len);

/* Stores a copy of the text at a free id; the text must not be in the list. New ids before it have
 * no text; an empty text stores none. */
void word_list_place(struct word_list *list, size_t id, const char *text, size_t len);

/* Removes ids from n on. */
void word_list_cut(struct word_list *list, size_t n);

/* Stores a text at the next id. */
void word_list_append(struct word_list *list, const char *text, size_t len);

/* Texts by their numbers; NULL texts are skipped, others have no NUL byte and at most 1024 bytes,
 * and no two are the same. Returns *n_units units. */
uint32_t *trie_write(const char *const *texts, const size_t *lens, size_t n, size_t *n_units);

struct weight_writer;

enum { DRAFT_SETTINGS = 24, DRAFT_SECTIONS = 4 };

/* All zero is empty, but for `unknown`: see DRAFT_EMPTY. */
struct tokenizer_draft {
    struct word_list words;
    struct draft_setting {
        const char *key; /* static */
        char *value;     /* NUL-terminated; [len] */
        size_t len;
    } settings[DRAFT_SETTINGS];
    size_t n_settings;
    struct draft_section {
        const char *tag; /* static */
        void *data;      /* [len] */
        size_t len;
    } sections[DRAFT_SECTIONS];
    size_t n_sections;
    /* For the kinds `keras` and `blanks`; draft_set_rules makes settings of these. */
    bool lower;
    uint64_t num_words;
    size_t unknown; /* id, or WORD_NONE: unknown words are dropped */
};

#define DRAFT_EMPTY ((struct tokenizer_draft){.unknown = WORD_NONE})

/* Adds a setting with a copy of its value. */
void draft_set(struct tokenizer_draft *draft, const char *key, const char *value, size_t len);
void draft_set_text(struct tokenizer_draft *draft, const char *key, const char *value);
void draft_set_number(struct tokenizer_draft *draft, const char *key, uint64_t number);

/* Changes a setting, or adds it; NULL removes it. */
void draft_replace(struct tokenizer_draft *draft, const char *key, const char *value);

/* Adds a section of the weight file other than VOCB, without a copy of the data. */
void draft_add_section(struct tokenizer_draft *draft, const char *tag, void *data, size_t len);

/* A merge of two tokens of the vocabulary. */
struct draft_merge {
    uint32_t left, right, id;
};

/* Adds section MERG of n merges, in their order, of the draft's words. Prefix: of the tokens of a
 * word but the first; suffix: of the last. Returns NULL on success, else what is wrong; *bad is the
 * index of the wrong merge. */
const char *draft_add_merges(struct tokenizer_draft *draft, const struct draft_merge *merges,
                             size_t n, const char *prefix, const char *suffix, size_t *bad);

/* The value of a setting, or "". */
const char *draft_get(const struct tokenizer_draft *draft, const char *key);

/* How Keras' Tokenizer splits. */
struct keras_rules {
    const char *filters, *split; /* borrowed */
    size_t filters_len, split_len;
    bool char_level;
};

/* Its defaults. */
#define KERAS_FILTERS "!\"#$%&()*+,-./:;<=>?@[\\]^_`{|}~\t\n"
extern const struct keras_rules KERAS_DEFAULTS;

/* The settings of kind keras; of kind blanks where rules is NULL. */
void draft_set_rules(struct tokenizer_draft *draft, const struct keras_rules *rules);

/* Writes the settings, the vocabulary and the sections; failures are the writer's. */
engine_status draft_write(const struct tokenizer_draft *draft, struct weight_writer *writer);

#endif
