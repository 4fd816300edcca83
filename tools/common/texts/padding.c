/* padding.c - rows of one length, as pad_sequences of Keras makes them; see padding.h.
 *
 * Padding is for the eye and for arrays: the engine is told which tokens it is, computes nothing
 * for them, and gives them rows of zeros.
 */
#include "tools/common/texts/padding.h"

#include "tools/common/alloc.h"

#include <stdlib.h>
#include <string.h>

/* The id of a token, or -1; it is the first one in most vocabularies. */
static int32_t find_token(const engine_model *model, const char *wanted)
{
    const size_t wanted_len = strlen(wanted);
    engine_info info = ENGINE_INFO();
    engine_model_info(model, &info, NULL);
    for (size_t id = 0; id < info.n_vocabulary; id++) {
        const char *text;
        size_t len;
        if (engine_token_text(model, (int32_t)id, &text, &len) == ENGINE_OK && len == wanted_len &&
            memcmp(text, wanted, len) == 0)
            return (int32_t)id;
    }
    return -1;
}

void padding_choose(struct padding *padding, const engine_model *model,
                    const struct request_options *request)
{
    const bool is_used = request->padding.n || request->task == TASK_SHOW_MASK;
    int32_t named = find_token(model, "[PAD]");
    if (named < 0)
        named = find_token(model, "<pad>");
    const char *word;
    size_t len;
    const bool is_0_a_word = engine_token_text(model, 0, &word, &len) == ENGINE_OK && len > 0;
    padding->id = named < 0 ? 0 : named;
    if (request->is_json_input && (named >= 0 || !is_0_a_word))
        padding->likely = padding->id;
    if (task_is_tokens(request->task) && is_used && named < 0 && is_0_a_word)
        program_note("this vocabulary has neither [PAD] nor <pad>: padding has the id 0, which is "
                     "also that of \"%.*s\"; --pad-id takes another",
                     (int)(len < 64 ? len : 64), word);
}

bool padding_is_at_ends(const struct item *item, int32_t id)
{
    const engine_input *input = &item->record.input;
    return input->ids && !item->mask && input->n_ids > 0 &&
           (input->ids[0] == id || input->ids[input->n_ids - 1] == id);
}

void padding_find(const struct padding *padding, struct item *item)
{
    const engine_input *input = &item->record.input;
    size_t begin = 0, end = input->n_ids;
    bool is_at_ends = padding->is_named && !input->mask && padding_is_at_ends(item, padding->id);
    if (!input->mask && !is_at_ends)
        return;
    item->mask = alloc_zeros(end, 1);
    if (input->mask) {
        memcpy(item->mask, input->mask, end);
        return;
    }
    while (end > 0 && input->ids[end - 1] == padding->id)
        end--;
    while (begin < end && input->ids[begin] == padding->id)
        begin++;
    memset(item->mask + begin, 1, end - begin);
}

void padding_apply(const struct padding *padding, struct item *item)
{
    size_t n = padding->n, n_tokens = item->n_tokens;
    if (n <= n_tokens)
        return;
    engine_token *tokens = alloc_zeros(n, sizeof *tokens);
    uint8_t *mask = alloc_zeros(n, 1);
    size_t first = padding->is_left ? n - n_tokens : 0;
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
}
