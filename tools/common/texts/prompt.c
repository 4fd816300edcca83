/* prompt.c - prompts of the file and of the user; see prompt.h. The file keeps them in META as
 * prompt.NAME, and the name of the one to use unasked as default_prompt. */
#include "tools/common/texts/prompt.h"

#include "tools/common/options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char PREFIX[] = "prompt.";

static bool find(const engine_model *model, const char *name, struct prompt *prompt)
{
    const char *key, *value;
    size_t len;
    for (size_t i = 0;
         engine_model_setting(model, ENGINE_SETTINGS_METADATA, i, &key, &value, &len) == ENGINE_OK;
         i++)
        if (strncmp(key, PREFIX, strlen(PREFIX)) == 0 && strcmp(key + strlen(PREFIX), name) == 0) {
            *prompt = (struct prompt){.text = value, .len = len};
            return true;
        }
    return false;
}

/* "it has query, passage" */
static void list_names(const engine_model *model, char *out, size_t cap)
{
    const char *key, *value;
    size_t n_names = 0, used = (size_t)snprintf(out, cap, "it has ");
    for (size_t i = 0;
         engine_model_setting(model, ENGINE_SETTINGS_METADATA, i, &key, &value, NULL) == ENGINE_OK;
         i++)
        if (strncmp(key, PREFIX, strlen(PREFIX)) == 0 && used < cap)
            used += (size_t)snprintf(out + used, cap - used, "%s%s", n_names++ ? ", " : "",
                                     key + strlen(PREFIX));
    if (n_names == 0)
        snprintf(out, cap, "it has none; --prompt-text TEXT gives one");
}

static bool find_named(const engine_model *model, const char *option, const char *name,
                       struct prompt *prompt, int *exit_code)
{
    char names[400];
    if (find(model, name, prompt)) {
        prompt->is_asked = true;
        return true;
    }
    list_names(model, names, sizeof names);
    *exit_code = program_misuse("%s: this model has no prompt '%s': %s", option, name, names);
    return false;
}

/* What the file wants where its own pooling is used. */
static bool find_default(const engine_model *model, struct prompt *prompt, int *exit_code)
{
    const char *name = engine_model_metadata(model, "default_prompt");
    if (!name || !name[0] || find(model, name, prompt))
        return true;
    *exit_code = program_fail("the file's default_prompt is '%s', and it has no prompt.%s: "
                              "--no-prompt, --prompt or --prompt-text says what to do instead",
                              name, name);
    return false;
}

static bool uses_own_pooling(const struct request_options *options)
{
    bool is_models = options->pooling == ENGINE_POOLING_MODEL;
    if (options->task == TASK_RANK || options->task == TASK_SIMILARITY)
        return is_models || !options->has_pooling;
    return options->task == TASK_VECTORS && is_models;
}

static bool resolve_texts(const engine_model *model, const struct request_options *options,
                          bool is_own, struct prompt *texts, int *exit_code)
{
    if (options->prompt_text) {
        *texts = (struct prompt){
            .text = options->prompt_text, .len = strlen(options->prompt_text), .is_asked = true};
        return true;
    }
    if (options->prompt)
        return find_named(model, "--prompt", options->prompt, texts, exit_code);
    if (!is_own || options->no_prompt ||
        (options->task == TASK_RANK &&
         (find(model, "document", texts) || find(model, "passage", texts))))
        return true;
    return find_default(model, texts, exit_code);
}

bool prompt_resolve(const engine_model *model, const struct request_options *options,
                    bool ranks_pairs, struct prompt *texts, struct prompt *query, int *exit_code)
{
    bool is_own = uses_own_pooling(options) && !ranks_pairs;

    *texts = *query = (struct prompt){0};
    if (!resolve_texts(model, options, is_own, texts, exit_code))
        return false;
    if (options->task != TASK_RANK)
        return true;
    if (options->query_prompt)
        return find_named(model, "--query-prompt", options->query_prompt, query, exit_code);
    if (!is_own || options->no_prompt || find(model, "query", query))
        return true;
    return find_default(model, query, exit_code);
}

bool prompt_apply(const struct prompt *prompt, struct item *item)
{
    engine_input *input = &item->record.input;
    if (!prompt->text || prompt->len == 0 || input->ids)
        return true;
    item->prompted = malloc(prompt->len + input->text_len + 1);
    if (!item->prompted)
        return false;
    memcpy(item->prompted, prompt->text, prompt->len);
    if (input->text_len)
        memcpy(item->prompted + prompt->len, input->text, input->text_len);
    item->prompt_len = prompt->len;
    input->text = item->prompted;
    input->text_len += prompt->len;
    return true;
}
