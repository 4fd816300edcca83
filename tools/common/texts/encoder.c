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

/* The engine counts the inputs of one call, the user all texts: "text 7" or "line 7 of stdin" takes
 * the place of "input 6". */
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

static size_t count_rows(const struct encoder *encoder, const struct item *items, size_t n)
{
    size_t n_rows = 0;
    for (size_t i = 0; i < n; i++)
        n_rows += encoder->is_pooled ? 1 : items[i].n_tokens;
    return n_rows;
}

size_t encoder_first_wrong(const struct encoder *encoder, size_t n)
{
    size_t index = engine_session_error(encoder->session)->input;
    return index < n ? index : 0;
}

/* Vectors that only some tokens have: the others are taken out, so each token left has a row. */
static void keep_tokens_with_vectors(const struct encoder *encoder, struct item *item)
{
    size_t n = 0, place = 0;
    for (size_t i = 0; i < item->n_tokens; i++)
        if (!item_is_masked(item, i) && engine_token_has_vector(encoder->model, item->tokens[i].id,
                                                                place++, encoder->options.role))
            item->tokens[n++] = item->tokens[i];
    item->n_skipped = place - n;
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

static size_t make_rows(struct encoder *encoder, struct item *items, size_t n)
{
    engine_status (*const make)(engine_session *, const engine_input *, size_t,
                                const engine_encode_options *, float *, size_t, size_t *,
                                engine_result *) =
        encoder->request.task == TASK_LABELS ? engine_classify : engine_encode;
    const size_t width = encoder->width, n_rows = count_rows(encoder, items, n);
    size_t n_made = n;

    if (n_rows > encoder->rows_cap || !encoder->rows) {
        encoder->rows = alloc_resize(encoder->rows, n_rows, width * sizeof *encoder->rows);
        encoder->rows_cap = n_rows;
    }
    if (make(encoder->session, encoder->inputs, n, &encoder->token_options, encoder->rows,
             n_rows * width, NULL, NULL) != ENGINE_OK) {
        n_made = encoder_first_wrong(encoder, n);
        encoder_fail_in_engine(encoder, &items[n_made]);
    }
    const float *next = encoder->rows;
    for (size_t i = 0; i < n_made; i++) {
        items[i].rows = next;
        if (encoder->options.pooling == ENGINE_POOLING_COLBERT)
            keep_tokens_with_vectors(encoder, &items[i]);
        next += count_rows(encoder, &items[i], 1) * width;
    }
    return n_made;
}

/* ---- Lists: words for mask tokens, and entities ---- */

static bool fill(struct encoder *encoder, const engine_input *input, struct item *item)
{
    size_t cap = item_count(item, encoder->info.mask_token) * encoder->top;
    if (cap == 0)
        return true;
    item->candidates = alloc_zeros(cap, sizeof *item->candidates);
    if (engine_fill(encoder->session, input, encoder->top, &encoder->token_options,
                    item->candidates, cap, &item->n_candidates, NULL) != ENGINE_OK)
        return encoder_fail_in_engine(encoder, item);
    return true;
}

static bool find_entities(struct encoder *encoder, const engine_input *input, struct item *item)
{
    item->entities = alloc_zeros(item->n_tokens, sizeof *item->entities);
    if (engine_entities(encoder->session, input, &encoder->token_options, item->entities,
                        item->n_tokens, &item->n_entities, NULL) != ENGINE_OK)
        return encoder_fail_in_engine(encoder, item);
    return true;
}

size_t encoder_encode(struct encoder *encoder, struct item *items, size_t n)
{
    if (n == 0 || task_is_tokens(encoder->request.task))
        return n;
    item_takes_memory(items);
    if (n > encoder->inputs_cap)
        encoder->inputs =
            alloc_resize(encoder->inputs, encoder->inputs_cap = n, sizeof *encoder->inputs);
    for (size_t i = 0; i < n; i++)
        encoder->inputs[i] = item_input(&items[i]);
    if (encoder->width)
        return make_rows(encoder, items, n);
    for (size_t i = 0; i < n; i++)
        if (!(encoder->request.task == TASK_FILL
                  ? fill(encoder, &encoder->inputs[i], &items[i])
                  : find_entities(encoder, &encoder->inputs[i], &items[i])))
            return i;
    return n;
}
