/* batch.c - reading inputs together; see batch.h. */
#include "tools/encode/batch.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct batch *batch_new(const struct job *job)
{
    struct batch *batch = calloc(1, sizeof *batch);
    if (!batch)
        return NULL;
    batch->job = job;
    batch->most_bytes = BATCH_BYTES_LEAST;
    notes_begin(&batch->notes, job);
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
    notes_count(&batch->notes, batch->n_items, n_tokens);
}

/* As many bytes as take a second, by the time that the last batch took: large enough for the
 * threads to be busy, and small enough to see results come. */
static void choose_bytes(struct batch *batch)
{
    double seconds = notes_seconds() - batch->filled;
    if (batch->n_bytes == 0 || batch->filled <= 0)
        return;
    double bytes = (double)batch->n_bytes / (seconds > 1e-6 ? seconds : 1e-6);
    batch->most_bytes = bytes < BATCH_BYTES_LEAST  ? BATCH_BYTES_LEAST
                        : bytes < BATCH_BYTES_MOST ? (size_t)bytes
                                                   : BATCH_BYTES_MOST;
}

/* READER_RECORD: the batch is full, and there may be more. */
static enum reader_state fill(struct batch *batch)
{
    count_items(batch);
    choose_bytes(batch);
    empty(batch);
    batch->n_bytes = 0;
    while (batch->n_items < BATCH_ITEMS && batch->n_bytes < batch->most_bytes) {
        struct item *item = &batch->items[batch->n_items];
        *item = (struct item){0};
        enum reader_state state =
            reader_next(batch->job->reader, batch->n_items == 0, &item->record);
        if (state != READER_RECORD)
            return state;
        item->number = ++batch->notes.n_read;
        batch->n_items++;
        batch->n_bytes += item->record.input.text_len + item->record.input.pair_len +
                          item->record.input.n_ids * sizeof(int32_t);
    }
    return READER_RECORD;
}

int batch_run(struct batch *batch, int (*process)(void *task, struct batch *batch), void *task)
{
    enum reader_state state;
    do {
        state = fill(batch);
        batch->filled = notes_seconds();
        int code = process(task, batch);
        if (!output_check(batch->job->output, state != READER_RECORD))
            return PROGRAM_FAILED;
        if (code != PROGRAM_DONE)
            return code;
    } while (state == READER_RECORD || state == READER_PENDING);
    if (state == READER_FAILED)
        return batch_fail(batch, batch->job->reader->message);
    count_items(batch);
    empty(batch);
    return PROGRAM_DONE;
}

static bool put_prompt(struct encoder *encoder, struct item *item)
{
    bool is_asked = encoder->request.prompt || encoder->request.prompt_text;
    if (item->record.input.ids && is_asked)
        return encoder_fail(encoder, item, ": ids are taken as they are; they go without a prompt");
    return prompt_apply(&encoder->prompt, item) || encoder_fail_memory(encoder, item);
}

size_t batch_tokenize(struct batch *batch)
{
    struct encoder *encoder = batch->job->encoder;
    for (size_t i = 0; i < batch->n_items; i++) {
        struct item *item = &batch->items[i];
        if (!put_prompt(encoder, item) || !encoder_tokenize(encoder, item) ||
            (!encoder->request.is_chunked && !encoder_pad(encoder, item)))
            return i;
    }
    return batch->n_items;
}

bool batch_keep(struct batch *batch, struct item **items, size_t *n)
{
    if (batch->n_items == 0)
        return true;
    struct item *more = *n <= SIZE_MAX / sizeof *more - batch->n_items
                            ? realloc(*items, (*n + batch->n_items) * sizeof *more)
                            : NULL;
    if (!more)
        return false;
    *items = more;
    count_items(batch);
    memcpy(more + *n, batch->items, batch->n_items * sizeof *more);
    *n += batch->n_items;
    batch->n_items = 0;
    return true;
}

int batch_fail(const struct batch *batch, const char *message)
{
    notes_clear(&batch->notes);
    return program_fail("%s", message);
}
