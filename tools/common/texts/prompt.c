/* prompt.c - the library finds the words; here is decided when the file's own are used. */
#include "tools/common/texts/prompt.h"

#include "tools/common/alloc.h"

#include <string.h>

static bool uses_own_pooling(const struct request_options *request)
{
    bool is_models = request->pooling == ENGINE_POOLING_MODEL ||
                     request->pooling == ENGINE_POOLING_SPARSE ||
                     request->pooling == ENGINE_POOLING_COLBERT;
    if (request->task == TASK_RANK || request->task == TASK_SIMILARITY)
        return is_models || !request->has_pooling;
    return request->task == TASK_VECTORS && is_models;
}

/* name: a prompt of the file; "": none; NULL: where the file's own are used, that of the role. */
static void find(const engine_model *model, const char *option, const char *name, bool uses_own,
                 engine_role role, struct prompt *prompt)
{
    const engine_encode_options asked =
        ENGINE_ENCODE_OPTIONS(.pooling = uses_own ? ENGINE_POOLING_MODEL : ENGINE_POOLING_NONE,
                              .prompt = name, .role = role);
    engine_error error = {0};
    if (engine_prompt(model, &asked, &prompt->text, &prompt->len, &error) == ENGINE_OK)
        return;
    const char *hint = role == ENGINE_ROLE_QUERY ? "" : "; --prompt-text TEXT gives other words";
    if (name)
        program_die_misused("%s: %s%s", option, error.message, hint);
    program_die("%s (--prompt, --prompt-text or --no-prompt)", error.message);
}

void prompt_resolve(const engine_model *model, const struct request_options *request,
                    bool ranks_pairs, struct prompt *texts, struct prompt *query)
{
    const bool is_rank = request->task == TASK_RANK;
    const bool uses_own = uses_own_pooling(request) && !ranks_pairs;
    const char *unasked = request->no_prompt ? "" : NULL;

    if (request->prompt_text)
        *texts = (struct prompt){request->prompt_text, strlen(request->prompt_text)};
    else
        find(model, "--prompt", request->prompt ? request->prompt : unasked, uses_own,
             is_rank ? ENGINE_ROLE_DOCUMENT : ENGINE_ROLE_TEXT, texts);
    if (is_rank)
        find(model, "--query-prompt", request->query_prompt ? request->query_prompt : unasked,
             uses_own, ENGINE_ROLE_QUERY, query);
}

void prompt_precede(const struct prompt *prompt, struct item *item)
{
    engine_input *input = &item->record.input;
    if (prompt->len == 0 || input->ids)
        return;
    item->prompted = alloc_zeros(prompt->len + input->text_len, 1);
    memcpy(item->prompted, prompt->text, prompt->len);
    if (input->text_len)
        memcpy(item->prompted + prompt->len, input->text, input->text_len);
    item->prompt_len = prompt->len;
    input->text = item->prompted;
    input->text_len += prompt->len;
}
