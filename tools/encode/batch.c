/* batch.c - reading inputs together; see batch.h. */
#include "tools/encode/batch.h"

#include "tools/encode/corpus/corpus.h"
#include "tools/encode/corpus/left_out.h"

#include <stdlib.h>
#include <string.h>

static void empty(struct batch *batch)
{
    for (size_t i = 0; i < batch->n_items; i++)
        item_free(&batch->items[i]);
    batch->n_items = 0;
}

static void count_items(struct batch *batch)
{
    size_t n_tokens = 0;
    for (size_t i = 0; i < batch->n_items; i++)
        n_tokens += batch->items[i].n_tokens;
    notes_count(batch->job->notes, batch->n_items, n_tokens);
}

/* As many bytes as take a second, by the time that the last batch took: large enough for the
 * threads to be busy, and small enough to see results come. */
static void choose_bytes(struct batch *batch)
{
    double seconds = program_seconds() - batch->filled;
    if (batch->n_bytes == 0 || batch->filled <= 0)
        return;
    double bytes = (double)batch->n_bytes / (seconds > 1e-6 ? seconds : 1e-6);
    batch->most_bytes = bytes < BATCH_BYTES_LEAST  ? BATCH_BYTES_LEAST
                        : bytes < BATCH_BYTES_MOST ? (size_t)bytes
                                                   : BATCH_BYTES_MOST;
}

/* READER_RECORD: the batch is full, and there may be more. */
static enum reader_state read_items(struct batch *batch)
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
        item->number = ++batch->job->notes->n_read;
        batch->n_items++;
        batch->n_bytes += item->record.input.text_len + item->record.input.pair_len +
                          item->record.input.n_ids * sizeof(int32_t);
    }
    return READER_RECORD;
}

static int run(struct batch *batch, int (*process)(void *task, struct batch *batch), void *task)
{
    const struct job *job = batch->job;
    enum reader_state state;
    do {
        state = read_items(batch);
        batch->filled = program_seconds();
        int code = process(task, batch);
        if (!output_check(job->output, state != READER_RECORD))
            return PROGRAM_FAILED;
        if (code == PROGRAM_DONE && job->corpus)
            code = corpus_advance(job->corpus, state != READER_RECORD && state != READER_PENDING);
        if (code != PROGRAM_DONE)
            return code;
    } while (state == READER_RECORD || state == READER_PENDING);
    if (state == READER_FAILED)
        return notes_fail(job->notes, job->reader->message);
    count_items(batch);
    notes_end(job->notes);
    return PROGRAM_DONE;
}

int batch_run(const struct job *job, int (*process)(void *task, struct batch *batch), void *task)
{
    struct batch *batch = alloc_zeros(1, sizeof *batch);
    batch->job = job;
    batch->most_bytes = BATCH_BYTES_LEAST;
    int code = run(batch, process, task);
    empty(batch);
    free(batch);
    return code;
}

static bool put_prompt(struct encoder *encoder, struct item *item)
{
    bool is_asked = encoder->request.encode.prompt || encoder->request.encode.prompt_text;
    if (item->record.input.ids && is_asked)
        return encoder_fail(encoder, item, ": ids are taken as they are; they go without a prompt");
    item_add_prompt(item, &encoder->prompt);
    return true;
}

static bool tokenize(struct encoder *encoder, struct item *item)
{
    if (item->record.fault)
        return encoder_fail(encoder, item, "%s", item->record.fault);
    if (!put_prompt(encoder, item) || !encoder_tokenize(encoder, item))
        return false;
    if (!encoder->request.is_chunked) /* windows are padded one by one */
        padding_apply(&encoder->padding, item);
    return true;
}

/* Items that are left out are freed, and the others move up. */
size_t batch_tokenize(struct batch *batch, struct left_out *left)
{
    struct item *items = batch->items;
    size_t n_good = 0, i = 0;
    for (; i < batch->n_items; i++) {
        if (tokenize(batch->job->encoder, &items[i]))
            items[n_good++] = items[i];
        else if (left && left_out_take(left, &items[i]))
            item_free(&items[i]);
        else
            break;
    }
    memmove(items + n_good, items + i, (batch->n_items - i) * sizeof *items);
    batch->n_items -= i - n_good;
    return n_good;
}

void batch_keep(struct batch *batch, struct kept *kept)
{
    const size_t n = batch->n_items;
    alloc_for("all texts");
    kept->items = alloc_resize(kept->items, kept->n + n, sizeof *kept->items);
    for (size_t i = 0; i < n; i++)
        notes_of(batch->job->notes, &batch->items[i]);
    count_items(batch);
    memcpy(kept->items + kept->n, batch->items, n * sizeof *kept->items);
    kept->n += n;
    batch->n_items = 0;
}

void kept_free(struct kept *kept)
{
    for (size_t i = 0; i < kept->n; i++)
        item_free(&kept->items[i]);
    free(kept->items);
}
