/* prompt.c - finds a prompt in the file and puts it before a text. */
#include "engine/request/prompt.h"
#include "engine/search/comparing.h"
#include "engine/status.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char PREFIX[] = "prompt.";
enum { PREFIX_LEN = sizeof PREFIX - 1 };

/* Finds the next prompt in META from *at on. Returns true, and its setting. */
static bool next_prompt(const engine_model *model, size_t *at, struct setting *setting)
{
    while (weight_file_setting(&model->file.sections[SECTION_META], at, setting))
        if (strncmp(setting->key, PREFIX, PREFIX_LEN) == 0)
            return true;
    return false;
}

static bool find(const engine_model *model, const char *name, struct prompt *prompt)
{
    struct setting setting;
    for (size_t at = 0; next_prompt(model, &at, &setting);)
        if (strcmp(setting.key + PREFIX_LEN, name) == 0) {
            *prompt = (struct prompt){setting.value, setting.value_len};
            return true;
        }
    return false;
}

static engine_status unknown_prompt(const engine_model *model, const char *name,
                                    engine_error *error)
{
    char names[160] = ", nor any other";
    struct setting setting;
    for (size_t at = 0, used = 0; next_prompt(model, &at, &setting) && used < sizeof names;)
        used += (size_t)snprintf(names + used, sizeof names - used, "%s%s",
                                 used > 0 ? ", " : ": choose ", setting.key + PREFIX_LEN);
    return misused(error, "this model has no prompt '%.48s'%s", name, names);
}

/* Chooses the file's prompt for texts without an explicit one, as sentence-transformers' encode,
 * encode_query and encode_document do; of a cross-encoder's pairs only the query has one. */
static engine_status choose_default(const engine_model *model, engine_role role,
                                    struct prompt *prompt, engine_error *error)
{
    const bool of_pairs = ranks_pairs(model);
    if (role != ENGINE_ROLE_TEXT && !of_pairs)
        find(model, role == ENGINE_ROLE_QUERY ? "query" : "document", prompt);
    if (role == ENGINE_ROLE_DOCUMENT || (role == ENGINE_ROLE_QUERY && !of_pairs))
        return ENGINE_OK;
    const char *name = engine_model_metadata(model, "default_prompt");
    if (name == NULL || name[0] == '\0' || find(model, name, prompt))
        return ENGINE_OK;
    return damaged(error,
                   "the file's default_prompt is '%.48s', and it has no prompt.%.48s: name another "
                   "prompt, or none",
                   name, name);
}

bool pooling_has_prompts(engine_pooling pooling)
{
    return pooling == ENGINE_POOLING_MODEL || pooling == ENGINE_POOLING_SPARSE ||
           pooling == ENGINE_POOLING_COLBERT;
}

engine_status prompt_choose(const engine_model *model, engine_role role, const char *name,
                            bool by_default, struct prompt *prompt, engine_error *error)
{
    enum { MOST_BYTES = 1 << 16 }; /* it is read again before each text */
    engine_status status = ENGINE_OK;
    *prompt = (struct prompt){0};
    if (name == NULL)
        status = by_default ? choose_default(model, role, prompt, error) : ENGINE_OK;
    else if (name[0] != '\0' && !find(model, name, prompt))
        return unknown_prompt(model, name, error);
    if (prompt->len > MOST_BYTES)
        return damaged(error, "a prompt of the file has %zu bytes, expected at most %d",
                       prompt->len, MOST_BYTES);
    return status;
}

engine_status prompt_of_options(const engine_model *model, const engine_encode_options *options,
                                bool by_default, struct prompt *prompt, engine_error *error)
{
    if (options->prompt_text == NULL)
        return prompt_choose(model, options->role, options->prompt, by_default, prompt, error);
    if (options->prompt != NULL)
        return misused(error, "prompt and prompt_text are both given: expected one of them");
    *prompt = (struct prompt){options->prompt_text,
                              text_bytes(options->prompt_text, options->prompt_len)};
    return ENGINE_OK;
}

/* Writes a prompt and its text; returns the end of both. */
static char *prepend(char *to, struct prompt prompt, const char **text, size_t *len)
{
    const char *begin = to;
    if (prompt.len > 0)
        memcpy(to, prompt.text, prompt.len);
    if (*len > 0)
        memcpy(to + prompt.len, *text, *len);
    *text = begin;
    *len += prompt.len;
    return to + *len;
}

engine_status prompt_apply(engine_session *session, struct prompt prompt, struct prompt pair_prompt,
                           const engine_input *input, size_t index, struct token_input *texts)
{
    size_t n_bytes = prompt.len + (input->pair != NULL ? pair_prompt.len : 0);
    *texts = (struct token_input){
        .text = input->text != NULL ? input->text : "",
        .text_len = text_bytes(input->text, input->text_len),
        .pair = input->pair,
        .pair_len = text_bytes(input->pair, input->pair_len),
    };
    if (n_bytes == 0)
        return ENGINE_OK;
    n_bytes += texts->text_len + texts->pair_len;
    if (n_bytes > session->prompted_cap) {
        free(session->prompted);
        session->prompted = malloc(n_bytes);
        session->prompted_cap = session->prompted != NULL ? n_bytes : 0;
        if (session->prompted == NULL)
            return fail_input(&session->error, ENGINE_ERROR_MEMORY, ENGINE_REASON_NONE, index,
                              ": no memory for its text after the prompt, %zu bytes", n_bytes);
    }
    char *rest = prepend(session->prompted, prompt, &texts->text, &texts->text_len);
    if (texts->pair != NULL)
        prepend(rest, pair_prompt, &texts->pair, &texts->pair_len);
    return ENGINE_OK;
}

void prompt_move_spans(struct prompt prompt, struct prompt pair_prompt, engine_token *tokens,
                       size_t n)
{
    for (size_t i = 0; i < n; i++) {
        engine_token *token = &tokens[i];
        size_t len = token->in_pair ? pair_prompt.len : prompt.len;
        if (token->special || len == 0)
            continue;
        token->in_prompt = token->end <= len;
        token->begin = token->begin > len ? token->begin - len : 0;
        token->end = token->end > len ? token->end - len : 0;
    }
}
