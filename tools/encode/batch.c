/* batch.c - reading inputs together; see batch.h. */
#include "tools/encode/batch.h"

#include <stdlib.h>

struct batch *batch_new(const struct encode_options *options, struct encoder *encoder,
                        struct reader *reader)
{
    struct batch *batch = calloc(1, sizeof *batch);
    if (!batch)
        return NULL;
    batch->encoder = encoder;
    batch->reader = reader;
    batch->most_bytes = BATCH_BYTES_LEAST;
    text_count_begin(&batch->text_count, options);
    return batch;
}

static void empty(struct batch *batch)
{
    for (size_t i = 0; i < batch->n_items; i++)
        item_free(&batch->items[i]);
    batch->n_items = 0;
}

void batch_free(struct batch *batch)
{
    if (!batch)
        return;
    empty(batch);
    free(batch);
}

static void count_items(struct batch *batch)
{
    size_t n_tokens = 0;
    for (size_t i = 0; i < batch->n_items; i++)
        n_tokens += batch->items[i].n_tokens;
    text_count_add(&batch->text_count, batch->n_items, n_tokens);
}

/* As many bytes as take a second, by the time that the last batch took: large enough for the
 * threads to be busy, and small enough to see results come. */
static void choose_bytes(struct batch *batch)
{
    double seconds = text_count_seconds() - batch->filled;
    if (batch->n_bytes == 0 || batch->filled <= 0)
        return;
    double bytes = (double)batch->n_bytes / (seconds > 1e-6 ? seconds : 1e-6);
    batch->most_bytes = bytes < BATCH_BYTES_LEAST  ? BATCH_BYTES_LEAST
                        : bytes < BATCH_BYTES_MOST ? (size_t)bytes
                                                   : BATCH_BYTES_MOST;
}

static enum reader_state fill(struct batch *batch)
{
    while (batch->n_items < BATCH_ITEMS && batch->n_bytes < batch->most_bytes) {
        struct item *item = &batch->items[batch->n_items];
        *item = (struct item){0};
        enum reader_state state = reader_next(batch->reader, batch->n_items == 0, &item->record);
        if (state != READER_RECORD)
            return state;
        item->number = ++batch->n_read;
        batch->n_items++;
        batch->n_bytes += item->record.input.text_len + item->record.input.pair_len +
                          item->record.input.n_ids * sizeof(int32_t);
    }
    return READER_RECORD;
}

enum reader_state batch_fill(struct batch *batch)
{
    count_items(batch);
    choose_bytes(batch);
    empty(batch);
    batch->n_bytes = 0;
    enum reader_state state = fill(batch);
    batch->filled = text_count_seconds();
    return state;
}

void batch_end(struct batch *batch)
{
    count_items(batch);
    text_count_end(&batch->text_count);
    if (batch->n_cut > batch->n_cut_named)
        program_note("%zu of %zu text%s %s cut", batch->n_cut, batch->n_read, plural(batch->n_read),
                     batch->n_cut == 1 ? "was" : "were");
}

static bool put_prompt(struct encoder *encoder, struct item *item)
{
    if (item->record.input.ids && encoder->prompt.is_asked)
        return encoder_fail(encoder, item, ": ids are taken as they are; they go without a prompt");
    return prompt_apply(&encoder->prompt, item) || encoder_fail_memory(encoder, item);
}

size_t batch_tokenize(struct batch *batch)
{
    struct encoder *encoder = batch->encoder;
    for (size_t i = 0; i < batch->n_items; i++) {
        struct item *item = &batch->items[i];
        if (!put_prompt(encoder, item) || !encoder_tokenize(encoder, item) ||
            (!encoder->is_chunked && !encoder_pad(encoder, item)))
            return i;
    }
    return batch->n_items;
}

/* ---- What is said on stderr while it runs ---- */

static const char *zeros(const struct encoder *encoder)
{
    if (encoder->task == TASK_LABELS && encoder->is_pooled)
        return ": it has no label";
    if (encoder->task == TASK_RANK)
        return ": its score is 0";
    return encoder->width && encoder->is_pooled ? ": its vector is all zeros" : "";
}

static bool has_mask(const struct encoder *encoder, const struct item *item)
{
    for (size_t i = 0; i < item->n_tokens; i++)
        if (item->tokens[i].id == encoder->info.mask_token && !item_is_masked(item, i))
            return true;
    return false;
}

static void note_missing_mask(struct batch *batch, const struct item *item)
{
    char name[ITEM_NAME_BYTES];
    size_t len;
    const char *mask = encoder_id_text(batch->encoder, batch->encoder->info.mask_token, &len);
    batch->has_noted_mask = true;
    text_count_clear(&batch->text_count);
    program_note("%s has no %.*s%s: there is nothing to fill", item_name(item, name), (int)len,
                 mask,
                 item->n_dropped ? " in the part that was kept (--on-long chunk keeps all)" : "");
}

static void note_padding(struct batch *batch, const struct item *item)
{
    char name[ITEM_NAME_BYTES];
    int32_t id = batch->encoder->padding.likely;
    size_t len;
    const char *text = encoder_id_text(batch->encoder, id, &len);
    batch->has_noted_padding = true;
    text_count_clear(&batch->text_count);
    program_note("%s: its ids begin or end with %d%s%.*s, which counts as a token here; --pad-id "
                 "%d, or a \"mask\", makes it padding",
                 item_name(item, name), (int)id, len ? ", " : "", (int)(len < 64 ? len : 64), text,
                 (int)id);
}

void batch_note(struct batch *batch, const struct item *item)
{
    const struct encoder *encoder = batch->encoder;
    char name[ITEM_NAME_BYTES];
    if (!task_is_tokens(encoder->task) && !batch->has_noted_empty && item_n_visible(item) == 0) {
        batch->has_noted_empty = true;
        text_count_clear(&batch->text_count);
        program_note("%s has no tokens%s", item_name(item, name), zeros(encoder));
    }
    if (item->n_dropped > 0)
        batch->n_cut += item->number > 0;
    if (!batch->has_noted_cut && item->n_dropped > 0) {
        batch->has_noted_cut = true;
        batch->n_cut_named = batch->n_cut;
        text_count_clear(&batch->text_count);
        program_note("%s was cut to %zu of its %zu tokens", item_name(item, name), item->n_tokens,
                     item->n_tokens + item->n_dropped);
    }
    if (encoder->task != TASK_TOKENS && encoder->padding.likely >= 0 && !batch->has_noted_padding &&
        padding_is_at_ends(item, encoder->padding.likely))
        note_padding(batch, item);
    if (encoder->task == TASK_FILL && !batch->has_noted_mask && item->window.of <= 1 &&
        !has_mask(encoder, item))
        note_missing_mask(batch, item);
}

int batch_fail(const struct batch *batch, const char *message)
{
    text_count_clear(&batch->text_count);
    return program_fail("%s", message);
}
