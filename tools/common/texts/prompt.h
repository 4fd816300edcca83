/* prompt.h - the text that goes before texts: a prompt of the weight file by its name, or the
 * user's own words. */
#ifndef TOOLS_PROMPT_H
#define TOOLS_PROMPT_H

#include "tools/common/texts/item.h"
#include "tools/common/texts/request_options.h"

struct prompt {
    const char *text; /* borrowed */
    size_t len;       /* 0: none */
};

/* What goes before texts and, with --rank, before the query, after the options and the file. The
 * file's own prompts are used where its own pooling is: default_prompt, and with --rank those of
 * the roles query, and document or passage; a model that ranks pairs takes texts as they are. */
void prompt_resolve(const engine_model *model, const struct request_options *request,
                    bool ranks_pairs, struct prompt *texts, struct prompt *query);

/* Puts it before the text of an item; ids are left alone, which is the caller's to tell a user who
 * asked for it. From there on it is part of the text: spans count in both. */
void prompt_precede(const struct prompt *prompt, struct item *item);

#endif
