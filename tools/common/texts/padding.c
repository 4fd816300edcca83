/* padding.c - rows of one length, as pad_sequences of Keras makes them; see padding.h.
 *
 * Padding is for the eye and for arrays: the engine is told which tokens it is, computes nothing
 * for them, and gives them rows of zeros.
 */
#include "tools/common/texts/padding.h"

#include "tools/common/options.h"

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

static int32_t named_padding(const engine_model *model)
{
    int32_t id = find_token(model, "[PAD]");
    return id >= 0 ? id : find_token(model, "<pad>");
}

static int32_t default_id(const engine_model *model, bool notes)
{
    const char *text;
    size_t len;
    int32_t id = named_padding(model);
    if (id >= 0)
        return id;
    if (notes && engine_token_text(model, 0, &text, &len) == ENGINE_OK && len > 0)
        program_note("this vocabulary has neither [PAD] nor <pad>: padding has the id 0, which is "
                     "also that of \"%.*s\"; --pad-id takes another",
                     (int)(len < 64 ? len : 64), text);
    return 0;
}

/* The named token, or 0 where that is no word's id; else -1. */
static int32_t likely_id(const engine_model *model)
{
    const char *text;
    size_t len;
    int32_t id = named_padding(model);
    if (id >= 0)
        return id;
    return engine_token_text(model, 0, &text, &len) == ENGINE_OK && len > 0 ? -1 : 0;
}

void padding_settle(struct padding *padding, const engine_model *model,
                    const struct request_options *options, bool notes)
{
    *padding = (struct padding){.n = options->pad_to, .on_left = options->pad_left, .likely = -1};
    padding->is_named = options->has_pad_id;
    if (options->is_json_input && !options->has_pad_id)
        padding->likely = likely_id(model);
    if (options->has_pad_id)
        padding->id = options->pad_id;
    else if (options->pad_to || options->task == TASK_SHOW_MASK)
        padding->id = default_id(model, notes);
}

bool padding_is_at_ends(const struct item *item, int32_t id)
{
    const engine_input *input = &item->record.input;
    return input->ids && !item->mask && input->n_ids > 0 &&
           (input->ids[0] == id || input->ids[input->n_ids - 1] == id);
}

bool padding_find(const struct padding *padding, struct item *item)
{
    const engine_input *input = &item->record.input;
    size_t begin = 0, end = input->n_ids;
    bool is_at_ends = padding->is_named && !input->mask && padding_is_at_ends(item, padding->id);
    if (!input->mask && !is_at_ends)
        return true;
    item->mask = calloc(end + 1, 1);
    if (!item->mask)
        return false;
    if (input->mask) {
        memcpy(item->mask, input->mask, end);
        return true;
    }
    while (end > 0 && input->ids[end - 1] == padding->id)
        end--;
    while (begin < end && input->ids[begin] == padding->id)
        begin++;
    memset(item->mask + begin, 1, end - begin);
    return true;
}

bool padding_apply(const struct padding *padding, struct item *item)
{
    size_t n = padding->n, n_tokens = item->n_tokens;
    if (n <= n_tokens)
        return true;
    engine_token *tokens = calloc(n, sizeof *tokens);
    uint8_t *mask = calloc(n, 1);
    if (!tokens || !mask) {
        free(tokens);
        free(mask);
        return false;
    }
    size_t first = padding->on_left ? n - n_tokens : 0;
    for (size_t i = 0; i < n; i++)
        tokens[i] = (engine_token){.id = padding->id, .special = 1};
    for (size_t i = 0; i < n_tokens; i++) {
        tokens[first + i] = item->tokens[i];
        mask[first + i] = !item_is_masked(item, i);
    }
    free(item->tokens);
    free(item->mask);
    item->tokens = tokens;
    item->mask = mask;
    item->n_tokens = n;
    return true;
}
