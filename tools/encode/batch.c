/* batch.c - reading inputs together; see job.h. */
#include "tools/encode/job.h"

#include "tools/encode/pipeline.h"
#include "tools/encode/corpus/corpus.h"

#include <stdlib.h>
#include <string.h>

/* About one second of work, judged by the last batch: enough to keep the threads busy, little
 * enough that results keep coming. */
static size_t bytes_of_a_second(size_t n_bytes, double seconds)
{
    const double bytes = (double)n_bytes / (seconds > 1e-6 ? seconds : 1e-6);
    return bytes < BATCH_BYTES_LEAST  ? BATCH_BYTES_LEAST
           : bytes < BATCH_BYTES_MOST ? (size_t)bytes
                                      : BATCH_BYTES_MOST;
}

int batch_run(struct job *job, int (*process)(void *task, struct batch *batch), void *task)
{
    struct batch *batch = alloc_zeros(1, sizeof *batch);
    size_t most_bytes = BATCH_BYTES_LEAST;
    enum reader_state state;
    bool has_more;
    int code;
    batch->job = job;
    do {
        state = READER_RECORD; /* at the end of a full batch: there may be more */
        while (batch->n_items < BATCH_ITEMS && batch->n_bytes < most_bytes) {
            struct item *item = &batch->items[batch->n_items];
            const engine_input *input = &item->record.input;
            *item = (struct item){0};
            state = reader_next(&job->reader, batch->n_items == 0, &item->record);
            if (state != READER_RECORD)
                break;
            item->number = ++job->progress.lines;
            batch->n_items++;
            batch->n_bytes += input->text_len + input->pair_len + input->n_ids * sizeof(int32_t);
        }
        has_more = state == READER_RECORD || state == READER_PENDING;
        const double start = program_seconds();
        code = process(task, batch);
        if (!output_check(&job->output, state != READER_RECORD))
            code = PROGRAM_FAILED;
        else if (code == PROGRAM_DONE && job->corpus)
            code = corpus_advance(job->corpus, !has_more);
        if (code == PROGRAM_DONE && job->notes.is_counted)
            notes_count(job, batch->items, batch->n_items);
        if (has_more && batch->n_bytes > 0)
            most_bytes = bytes_of_a_second(batch->n_bytes, program_seconds() - start);
        for (; batch->n_items > 0; batch->n_items--)
            item_free(&batch->items[batch->n_items - 1]);
        batch->n_bytes = 0;
    } while (code == PROGRAM_DONE && has_more);
    free(batch);
    if (code == PROGRAM_DONE && state == READER_FAILED)
        return program_fail("%s", job->reader.message);
    if (code == PROGRAM_DONE)
        notes_end(job);
    return code;
}

/* Skipped items are freed, and the others move up. */
size_t batch_tokenize(struct batch *batch, struct left_out *left)
{
    struct encoder *encoder = batch->job->encoder;
    const struct request_options *request = &encoder->request;
    const bool has_prompt = request->encode.prompt || request->encode.prompt_text;
    struct item *items = batch->items;
    size_t n_good = 0, i = 0;
    for (; i < batch->n_items; i++) {
        struct item *item = &items[i];
        bool is_good = false;
        if (item->record.fault) {
            encoder_fail(encoder, item, "%s", item->record.fault);
        } else if (item->record.input.ids && has_prompt) {
            encoder_fail(encoder, item, ": ids cannot be combined with a prompt");
        } else {
            if (encoder->prompt.len > 0)
                item_add_prompt(item, &encoder->prompt);
            is_good = encoder_tokenize(encoder, item);
        }
        if (is_good && encoder->padding.n > item->n_tokens && !request->is_chunked)
            padding_apply(&encoder->padding, item); /* windows are padded one by one */
        if (is_good)
            items[n_good++] = *item;
        else if (left && left_out_add(left, item))
            item_free(item);
        else
            break;
    }
    memmove(items + n_good, items + i, (batch->n_items - i) * sizeof *items);
    batch->n_items -= i - n_good;
    return n_good;
}
