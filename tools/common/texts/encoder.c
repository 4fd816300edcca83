/* encoder.c - from tokens to vectors, scores, entities and words, by the public API; see encoder.h.
 * A text is tokenized once; the engine takes its tokens as they are. */
#include "tools/common/texts/encoder.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

bool encoder_fail(struct encoder *encoder, const struct item *item, const char *format, ...)
{
    va_list arguments;
    size_t len = (size_t)snprintf(encoder->message, sizeof encoder->message, "%s", item_name(item));
    va_start(arguments, format);
    vsnprintf(encoder->message + len, sizeof encoder->message - len, format, arguments);
    va_end(arguments);
    encoder->fault = FAULT_OF_TEXT;
    return false;
}

/* The engine counts the inputs of one call, the user all texts: "text 7" or "line 7 of stdin"
 * replaces "input 6". */
bool encoder_fail_in_engine(struct encoder *encoder, const struct item *item)
{
    const engine_error *error = engine_session_error(encoder->session);
    encoder_fail(encoder, item, "%s%s%s", error->name_len ? "" : ": ",
                 error->message + error->name_len,
                 position_scale_hint(&encoder->request.positions, error->reason));
    if (error->status == ENGINE_ERROR_INTERRUPTED)
        encoder->fault = FAULT_INTERRUPTED;
    return false;
}

const char *encoder_label(const struct encoder *encoder, size_t label)
{
    static char numbered[32];
    const char *name = engine_label(encoder->model, label);
    if (name)
        return name;
    snprintf(numbered, sizeof numbered, "LABEL_%zu", label);
    return numbered;
}

/* ---- Rows: vectors, and scores of labels ---- */

size_t encoder_first_wrong(const struct encoder *encoder, size_t n)
{
    size_t index = engine_session_error(encoder->session)->input;
    return index < n ? index : 0;
}

/* Removes the tokens that have no vector, so that each token has a row. */
static void drop_tokens_without_vectors(const struct encoder *encoder, struct item *item)
{
    size_t n = 0, index = 0;
    for (size_t i = 0; i < item->n_tokens; i++)
        if (!item_is_masked(item, i) && engine_token_has_vector(encoder->model, item->tokens[i].id,
                                                                index++, encoder->options.role))
            item->tokens[n++] = item->tokens[i];
    item->n_skipped = index - n;
    item->n_tokens = n;
    free(item->mask);
    item->mask = NULL;
}

size_t encoder_most_pooled(const struct encoder *encoder)
{
    enum { MOST_NUMBERS = 4 << 20 };
    size_t n = encoder->width > 0 ? MOST_NUMBERS / encoder->width : SIZE_MAX;
    return n > 0 ? n : 1;
}

/* Returns how many, from the first, have their rows. */
static size_t make_rows(struct encoder *encoder, struct item *items, size_t n,
                        const engine_encode_options *options)
{
    engine_status (*const make)(engine_session *, const engine_input *, size_t,
                                const engine_encode_options *, float *, size_t, size_t *,
                                engine_result *) =
        encoder->request.task == TASK_LABELS ? engine_classify : engine_encode;
    const size_t width = encoder->width;
    size_t n_rows = 0, n_made = n;
    for (size_t i = 0; i < n; i++)
        n_rows += encoder->is_pooled ? 1 : items[i].n_tokens;
    if (n_rows > encoder->rows_cap || !encoder->rows) {
        encoder->rows = alloc_resize(encoder->rows, n_rows, width * sizeof *encoder->rows);
        encoder->rows_cap = n_rows;
    }
    if (make(encoder->session, encoder->inputs, n, options, encoder->rows, n_rows * width, NULL,
             NULL) != ENGINE_OK) {
        n_made = encoder_first_wrong(encoder, n);
        encoder_fail_in_engine(encoder, &items[n_made]);
    }
    const float *next = encoder->rows;
    for (size_t i = 0; i < n_made; i++) {
        items[i].rows = next;
        if (encoder->options.pooling == ENGINE_POOLING_COLBERT)
            drop_tokens_without_vectors(encoder, &items[i]);
        next += (encoder->is_pooled ? 1 : items[i].n_tokens) * width;
    }
    return n_made;
}

/* Words for mask tokens, or entities. */
static bool make_list(struct encoder *encoder, const engine_input *input, struct item *item,
                      const engine_encode_options *options)
{
    engine_status status = ENGINE_OK;
    if (encoder->request.task == TASK_FILL) {
        const size_t cap = item_count(item, encoder->info.mask_token) * encoder->top;
        item->candidates = alloc_zeros(cap, sizeof *item->candidates);
        if (cap > 0)
            status = engine_fill(encoder->session, input, encoder->top, options, item->candidates,
                                 cap, &item->n_candidates, NULL);
    } else {
        item->entities = alloc_zeros(item->n_tokens, sizeof *item->entities);
        status = engine_entities(encoder->session, input, options, item->entities, item->n_tokens,
                                 &item->n_entities, NULL);
    }
    return status == ENGINE_OK || encoder_fail_in_engine(encoder, item);
}

/* The engine takes tokens, which are cut already. */
size_t encoder_encode(struct encoder *encoder, struct item *items, size_t n)
{
    engine_encode_options options = encoder->options;
    if (n == 0 || task_is_tokens(encoder->request.task))
        return n;
    alloc_for("%s", item_name(items));
    if (n > encoder->inputs_cap)
        encoder->inputs =
            alloc_resize(encoder->inputs, encoder->inputs_cap = n, sizeof *encoder->inputs);
    for (size_t i = 0; i < n; i++)
        encoder->inputs[i] = (engine_input){
            .tokens = items[i].tokens, .mask = items[i].mask, .n_tokens = items[i].n_tokens};
    for (size_t i = 0; i < n && encoder->request.task == TASK_ENTITIES; i++) { /* for its words */
        const engine_input *text = &items[i].record.input;
        encoder->inputs[i].text = text->text, encoder->inputs[i].text_len = text->text_len;
        encoder->inputs[i].pair = text->pair, encoder->inputs[i].pair_len = text->pair_len;
    }
    options.max_tokens = 0; /* as many as the session takes */
    if (encoder->width)
        return make_rows(encoder, items, n, &options);
    for (size_t i = 0; i < n; i++)
        if (!make_list(encoder, &encoder->inputs[i], &items[i], &options))
            return i;
    return n;
}
