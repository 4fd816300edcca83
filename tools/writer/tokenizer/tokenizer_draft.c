/* tokenizer_draft.c - see tokenizer_draft.h. */
#include "tools/writer/tokenizer/tokenizer_draft.h"

#include "tools/common/alloc.h"
#include "tools/writer/weight_writer.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct keras_rules KERAS_DEFAULTS = {.filters = KERAS_FILTERS,
                                           .split = " ",
                                           .filters_len = sizeof KERAS_FILTERS - 1,
                                           .split_len = 1};

void draft_set(struct tokenizer_draft *draft, const char *key, const char *value, size_t len)
{
    if (draft->n_settings == DRAFT_SETTINGS)
        alloc_die();
    char *copy = alloc_resize(NULL, len + 1, 1);
    memcpy(copy, value, len);
    copy[len] = '\0';
    draft->settings[draft->n_settings++] = (struct draft_setting){key, copy, len};
}

void draft_set_text(struct tokenizer_draft *draft, const char *key, const char *value)
{
    draft_set(draft, key, value, strlen(value));
}

void draft_set_number(struct tokenizer_draft *draft, const char *key, uint64_t number)
{
    char text[32];
    snprintf(text, sizeof text, "%" PRIu64, number);
    draft_set_text(draft, key, text);
}

void draft_replace(struct tokenizer_draft *draft, const char *key, const char *value)
{
    size_t n = 0;
    for (size_t i = 0; i < draft->n_settings; i++)
        if (strcmp(draft->settings[i].key, key) != 0)
            draft->settings[n++] = draft->settings[i];
    draft->n_settings = n;
    if (value != NULL)
        draft_set_text(draft, key, value);
}

void draft_add_section(struct tokenizer_draft *draft, const char *tag, void *data, size_t len)
{
    if (draft->n_sections == DRAFT_SECTIONS)
        alloc_die();
    draft->sections[draft->n_sections++] = (struct draft_section){tag, data, len};
}

const char *draft_get(const struct tokenizer_draft *draft, const char *key)
{
    for (size_t i = 0; i < draft->n_settings; i++)
        if (strcmp(draft->settings[i].key, key) == 0)
            return draft->settings[i].value;
    return "";
}

void draft_set_rules(struct tokenizer_draft *draft, const struct keras_rules *rules)
{
    draft_set_text(draft, "kind", rules != NULL ? "keras" : "blanks");
    draft_set_text(draft, "lower", draft->lower ? "yes" : "no");
    if (rules != NULL) {
        draft_set(draft, "filters", rules->filters, rules->filters_len);
        draft_set(draft, "split", rules->split, rules->split_len);
        draft_set_text(draft, "char_level", rules->char_level ? "yes" : "no");
    }
    if (draft->num_words > 0)
        draft_set_number(draft, "num_words", draft->num_words);
    if (draft->unknown != WORD_NONE)
        draft_set_number(draft, "unknown", draft->unknown);
}

engine_status draft_write(const struct tokenizer_draft *draft, struct weight_writer *writer)
{
    for (size_t i = 0; i < draft->n_settings; i++)
        weight_writer_setting(writer, ENGINE_SETTINGS_TOKENIZER, draft->settings[i].key,
                              draft->settings[i].value, draft->settings[i].len);
    for (size_t i = 0; i < draft->n_sections; i++)
        weight_writer_section(writer, draft->sections[i].tag, draft->sections[i].data,
                              draft->sections[i].len);
    weight_writer_vocabulary(writer, (const char *const *)draft->words.texts, draft->words.lens,
                             draft->words.n);
    return weight_writer_check_tokenizer(writer);
}
