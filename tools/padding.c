/* padding.c - rows of one length, as pad_sequences of Keras makes them; see padding.h.
 *
 * Padding is for the eye and for arrays: the engine is told which tokens it is, computes nothing
 * for them, and gives them rows of zeros.
 */
#include "tools/padding.h"

#include "tools/options.h"

#include <stdlib.h>
#include <string.h>

static bool has_text(const engine_model *model, int32_t id, const char *wanted)
{
    const char *text;
    size_t len;
    return engine_token_text(model, id, &text, &len) == ENGINE_OK && len == strlen(wanted) &&
           memcmp(text, wanted, len) == 0;
}

/* The id of a token, or -1; it is the first one in most vocabularies. */
static int32_t find_token(const engine_model *model, const char *wanted)
{
    engine_info info = {.struct_bytes = sizeof info};
    engine_model_info(model, &info);
    for (size_t id = 0; id < info.n_vocabulary; id++)
        if (has_text(model, (int32_t)id, wanted))
            return (int32_t)id;
    return -1;
}

static int32_t default_id(const engine_model *model, bool notes)
{
    const char *text;
    size_t len;
    int32_t id = find_token(model, "[PAD]");
    if (id < 0)
        id = find_token(model, "<pad>");
    if (id >= 0)
        return id;
    if (notes && engine_token_text(model, 0, &text, &len) == ENGINE_OK && len > 0)
        program_note("this vocabulary has neither [PAD] nor <pad>: padding has the id 0, which is "
                     "also that of \"%.*s\"; --pad-id takes another",
                     (int)(len < 64 ? len : 64), text);
    return 0;
}

void padding_settle(struct padding *padding, const engine_model *model,
                    const struct encode_options *options, bool notes)
{
    *padding = (struct padding){.n = options->pad_to, .on_left = options->pad_left};
    if (options->has_pad_id)
        padding->id = options->pad_id;
    else if (options->pad_to || options->task == TASK_SHOW_MASK)
        padding->id = default_id(model, notes);
}

bool padding_apply(const struct padding *padding, struct item *item)
{
    size_t n = padding->n, n_tokens = item->n_tokens;
    if (n <= n_tokens)
        return true;
    engine_token *tokens = calloc(n, sizeof *tokens);
    if (!tokens)
        return false;
    size_t n_pads = n - n_tokens;
    item->n_pads_left = padding->on_left ? n_pads : 0;
    item->n_pads_right = n_pads - item->n_pads_left;
    for (size_t i = 0; i < n; i++)
        tokens[i] = (engine_token){.id = padding->id, .special = 1};
    if (n_tokens > 0)
        memcpy(tokens + item->n_pads_left, item->tokens, n_tokens * sizeof *tokens);
    free(item->tokens);
    item->tokens = tokens;
    item->n_tokens = n;
    return true;
}
