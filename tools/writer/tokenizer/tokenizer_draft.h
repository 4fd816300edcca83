/* tokenizer_draft.h - the tokenizer of a weight file that is being made: its words by id, and the
 * settings of section TOKN in the order in which they will be written (weights/FORMAT.md). Where
 * the words come from: token_source.h and the readers of encode-import. */
#ifndef TOOLS_TOKENIZER_DRAFT_H
#define TOOLS_TOKENIZER_DRAFT_H

#include "engine/engine.h"
#include "tools/writer/tokenizer/word_list.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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
