/* encoder.c - from tokens to vectors, scores, entities and words, by the public API; see encoder.h.
 *
 * A text is tokenized once, for its spans; what the model makes of it is made from the ids, which
 * the engine takes as they are. Entities are the exception: their spans are the engine's.
 */
#include "tools/common/texts/encoder.h"

#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool encoder_fail(struct encoder *encoder, const struct item *item, const char *format, ...)
{
    va_list arguments;
    size_t len = strlen(item_name(item, encoder->message));
    va_start(arguments, format);
    vsnprintf(encoder->message + len, sizeof encoder->message - len, format, arguments);
    va_end(arguments);
    return false;
}

bool encoder_fail_memory(struct encoder *encoder, const struct item *item)
{
    return encoder_fail(encoder, item, ": not enough memory");
}

/* The engine counts the inputs of one call, the user all texts: "input 0" becomes "text 7" or
 * "line 7 of stdin". */
bool encoder_fail_in_engine(struct encoder *encoder, const struct item *item)
{
    static const char first[] = "input 0";
    const char *message = engine_session_message(encoder->session);
    if (strncmp(message, first, sizeof first - 1) == 0)
        return encoder_fail(encoder, item, "%s", message + sizeof first - 1);
    return encoder_fail(encoder, item, ": %s", message);
}

void *encoder_room(void *data, size_t *cap, size_t n, size_t element_bytes)
{
    if (n <= *cap)
        return data;
    free(data);
    data = n <= SIZE_MAX / element_bytes ? malloc(n * element_bytes) : NULL;
    *cap = data ? n : 0;
    return data;
}

const char *encoder_label(const struct encoder *encoder, size_t label,
                          char scratch[LABEL_NAME_BYTES])
{
    const char *name = engine_label(encoder->model, label);
    if (name)
        return name;
    snprintf(scratch, LABEL_NAME_BYTES, "LABEL_%zu", label);
    return scratch;
}

/* ---- Inputs ---- */

/* An item as ids, [n_tokens] and behind them as many types, and a mask where there is padding. */
static engine_input gather_input(const struct encoder *encoder, const struct item *item,
                                 int32_t *ids, uint8_t *mask)
{
    size_t n = item->n_tokens;
    int32_t *types = ids + n;
    bool is_padded = item->n_pads_left + item->n_pads_right > 0;

    if (item->record.input.ids && !is_padded)
        return item->record.input;
    for (size_t t = 0; t < n; t++) {
        ids[t] = item->tokens[t].id;
        types[t] = item->tokens[t].type;
        mask[t] = !item_is_masked(item, t);
    }
    return (engine_input){.ids = ids,
                          .types = encoder->info.n_types ? types : NULL,
                          .mask = is_padded ? mask : NULL,
                          .n_ids = n};
}

/* The ids and types of all texts behind one another, and the inputs that point at them. */
static bool gather_inputs(struct encoder *encoder, const struct item *items, size_t n)
{
    size_t n_ids = 0;
    for (size_t i = 0; i < n; i++)
        n_ids += items[i].n_tokens;
    encoder->inputs =
        encoder_room(encoder->inputs, &encoder->inputs_cap, n, sizeof *encoder->inputs);
    encoder->ids =
        encoder_room(encoder->ids, &encoder->ids_cap, 2 * n_ids + 1, sizeof *encoder->ids);
    encoder->masks =
        encoder_room(encoder->masks, &encoder->masks_cap, n_ids + 1, sizeof *encoder->masks);
    if (!encoder->inputs || !encoder->ids || !encoder->masks)
        return false;

    int32_t *next = encoder->ids;
    uint8_t *mask = encoder->masks;
    for (size_t i = 0; i < n; i++) {
        encoder->inputs[i] = gather_input(encoder, &items[i], next, mask);
        next += 2 * items[i].n_tokens;
        mask += items[i].n_tokens;
    }
    return true;
}

/* ---- Rows: vectors, and scores of labels ---- */

static size_t count_rows(const struct encoder *encoder, const struct item *items, size_t n)
{
    size_t n_rows = 0;
    for (size_t i = 0; i < n; i++)
        n_rows += encoder->is_pooled ? 1 : items[i].n_tokens;
    return n_rows;
}

/* What float32 cannot hold is no result, but for a comparison, which has words for it. */
static bool check_rows(struct encoder *encoder, const struct item *item)
{
    size_t n = count_rows(encoder, item, 1) * encoder->width;
    for (size_t i = 0; i < n; i++)
        if (!isfinite(item->rows[i]))
            return encoder_fail(encoder, item,
                                ": a value came to %g, which is no number that float32 holds: %s",
                                (double)item->rows[i],
                                encoder->embedding_scale != 1 || encoder->position_scale != 1
                                    ? "--embedding-scale or --position-scale is too large"
                                    : "the weights are too large, or no numbers");
    return true;
}

static bool make_rows(struct encoder *encoder, struct item *items, size_t n)
{
    size_t width = encoder->width;
    size_t n_rows = count_rows(encoder, items, n);

    if (n_rows >= SIZE_MAX / width)
        return encoder_fail_memory(encoder, items);
    encoder->rows =
        encoder_room(encoder->rows, &encoder->rows_cap, n_rows * width + 1, sizeof *encoder->rows);
    if (!encoder->rows)
        return encoder_fail_memory(encoder, items);
    engine_status (*make)(engine_session *, const engine_input *, size_t,
                          const engine_encode_options *, float *, size_t, size_t *,
                          engine_result *) =
        encoder->request.task == TASK_LABELS ? engine_classify : engine_encode;
    if (make(encoder->session, encoder->inputs, n, &encoder->options, encoder->rows, n_rows * width,
             NULL, NULL) != ENGINE_OK)
        return encoder_fail_in_engine(encoder, items);

    const float *next = encoder->rows;
    for (size_t i = 0; i < n; i++) {
        items[i].rows = next;
        next += (encoder->is_pooled ? 1 : items[i].n_tokens) * width;
        if (encoder->request.task != TASK_COMPARE && !check_rows(encoder, &items[i]))
            return false;
    }
    return true;
}

/* ---- Lists: words for mask tokens, and entities ---- */

static bool fill(struct encoder *encoder, const engine_input *input, struct item *item)
{
    size_t n_masks = item_count(item, encoder->info.mask_token), cap = 0;
    if (n_masks == 0)
        return true;
    item->candidates = encoder_room(NULL, &cap, n_masks * encoder->top, sizeof *item->candidates);
    if (!item->candidates)
        return encoder_fail_memory(encoder, item);
    if (engine_fill(encoder->session, input, encoder->top, &encoder->options, item->candidates, cap,
                    &item->n_candidates, NULL) != ENGINE_OK)
        return encoder_fail_in_engine(encoder, item);
    return true;
}

/* A window is read as a text of its own, and its spans moved to where it is. */
static bool find_entities(struct encoder *encoder, struct item *item)
{
    engine_input input = item_shown(item);
    const struct window *window = &item->window;
    size_t cap = 0;

    item->entities = encoder_room(NULL, &cap, item->n_tokens + 1, sizeof *item->entities);
    if (!item->entities)
        return encoder_fail_memory(encoder, item);
    if (engine_entities(encoder->session, &input, &encoder->options, item->entities, cap,
                        &item->n_entities, NULL) != ENGINE_OK)
        return encoder_fail_in_engine(encoder, item);
    for (size_t i = 0; i < item->n_entities; i++) {
        engine_entity *entity = &item->entities[i];
        if (window->of && entity->in_pair == window->in_pair) {
            entity->begin += window->begin;
            entity->end += window->begin;
        }
    }
    return true;
}

bool encoder_encode(struct encoder *encoder, struct item *items, size_t n)
{
    if (n == 0 || task_is_tokens(encoder->request.task))
        return true;
    if (!gather_inputs(encoder, items, n))
        return encoder_fail_memory(encoder, items);
    if (encoder->width)
        return make_rows(encoder, items, n);
    for (size_t i = 0; i < n; i++)
        if (!(encoder->request.task == TASK_FILL ? fill(encoder, &encoder->inputs[i], &items[i])
                                                 : find_entities(encoder, &items[i])))
            return false;
    return true;
}
