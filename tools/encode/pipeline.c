/* pipeline.c - read, tokenize, encode, print; in order and in constant memory.
 *
 * The results of a batch are flushed before the program waits for more, so a slow producer sees
 * result k after line k. When a text fails, the results of those before it are still printed.
 * Texts that go in windows are encoded window by window, a few of them at a time, whatever their
 * length.
 */
#include "tools/encode/batch.h"
#include "tools/encode/corpus/corpus.h"
#include "tools/encode/corpus/left_out.h"
#include "tools/encode/origin.h"
#include "tools/encode/print/printer.h"

#include <stdlib.h>
#include <string.h>

enum { GROUP_TOKENS = 4096, GROUP_WINDOWS = 64 };

struct pipeline {
    const struct job *job;
    struct encoder *encoder;
    const struct printer_kind *kind;
    struct printer printer;
    struct rows_file rows;
    struct left_out left;
    struct item windows[GROUP_WINDOWS];
    size_t n_windows;
};

/* Those that encode return PROGRAM_DONE, or the exit code after a failure. */

/* An interruption is no text's fault: the run has the exit code of its signal, and no message. */
static int fail(const struct pipeline *pipeline, const char *message)
{
    if (pipeline->encoder->fault == FAULT_INTERRUPTED)
        return corpus_keep(pipeline->job->corpus);
    return notes_fail(pipeline->job->notes, message);
}

/* ---- Groups: what is encoded in one call ---- */

static bool has_failed(const struct printer *printer)
{
    return printer->message || ferror(printer->stream);
}

static bool can_be_printed(const struct pipeline *pipeline, const struct item *item)
{
    const struct printer_kind *kind = pipeline->kind;
    const char *fault = kind->fault ? kind->fault(&pipeline->printer, item) : NULL;
    return !fault || encoder_fail(pipeline->encoder, item, "%s", fault);
}

/* Encodes and prints texts together, up to one that fails. */
static int encode_group(struct pipeline *pipeline, struct item *items, size_t n)
{
    struct encoder *encoder = pipeline->encoder;
    char reason[sizeof encoder->message]; /* a text that is left out has another */
    size_t n_encoded = encoder_encode(encoder, items, n);
    strcpy(reason, n_encoded < n ? encoder->message : "");
    for (size_t i = 0; i < n_encoded; i++) {
        if (!can_be_printed(pipeline, &items[i])) {
            if (left_out_take(&pipeline->left, &items[i]))
                continue;
            return fail(pipeline, encoder->message);
        }
        notes_of(pipeline->job->notes, &items[i]);
        pipeline->kind->item(&pipeline->printer, &items[i]);
        rows_file_add(&pipeline->rows, &items[i]);
        if (has_failed(&pipeline->printer))
            return PROGRAM_FAILED;
    }
    return n_encoded == n ? PROGRAM_DONE : fail(pipeline, reason);
}

/* Rows per token take memory for each, a weight for each id is many numbers; groups bound it. */
static size_t group_len(const struct pipeline *pipeline, const struct item *items, size_t n)
{
    size_t n_tokens = 0, i = 0, most = encoder_most_pooled(pipeline->encoder);
    if (pipeline->encoder->is_pooled)
        return n < most ? n : most;
    while (i < n && (i == 0 || n_tokens + items[i].n_tokens <= GROUP_TOKENS))
        n_tokens += items[i++].n_tokens;
    return i;
}

static int encode_items(struct pipeline *pipeline, struct item *items, size_t n)
{
    int code = PROGRAM_DONE;
    for (size_t from = 0, len; from < n && code == PROGRAM_DONE; from += len) {
        len = group_len(pipeline, items + from, n - from);
        code = encode_group(pipeline, items + from, len);
    }
    return code;
}

/* ---- Windows of texts ---- */

static int encode_windows(struct pipeline *pipeline)
{
    int code = encode_items(pipeline, pipeline->windows, pipeline->n_windows);
    for (size_t i = 0; i < pipeline->n_windows; i++)
        item_free(&pipeline->windows[i]);
    pipeline->n_windows = 0;
    return code;
}

/* Makes window i of n. It borrows the text and owns its tokens. */
static struct item make_window(const struct item *item, const engine_window *cut, size_t i,
                               size_t n)
{
    struct item window = {
        .number = item->number,
        .record = item->record,
        .prompt_len = item->prompt_len,
        .window = {i, n, cut->begin, cut->end, cut->in_pair},
        .tokens = alloc_zeros(cut->n_tokens, sizeof *window.tokens),
        .n_tokens = cut->n_tokens,
    };
    window.record.storage = window.record.members_storage = NULL;
    engine_window_tokens(cut, item->tokens, item->n_tokens, window.tokens);
    if (item->mask) /* of ids */
        window.mask = memcpy(alloc_zeros(cut->n, 1), item->mask + cut->first, cut->n);
    return window;
}

/* Adds the windows of an item to those that wait, and encodes them whenever they are enough. */
static int add_windows(struct pipeline *pipeline, const struct item *item,
                       const engine_window *cuts, size_t n)
{
    int code = PROGRAM_DONE;
    for (size_t i = 0; i < n && code == PROGRAM_DONE; i++) {
        if (pipeline->n_windows == GROUP_WINDOWS)
            code = encode_windows(pipeline);
        if (code != PROGRAM_DONE)
            break;
        struct item *window = &pipeline->windows[pipeline->n_windows++];
        *window = make_window(item, &cuts[i], i, n);
        padding_apply(&pipeline->encoder->padding, window);
    }
    return code;
}

static int cut_item(struct pipeline *pipeline, struct item *item)
{
    struct encoder *encoder = pipeline->encoder;
    char reason[sizeof encoder->message];
    size_t n;
    engine_window *cuts = encoder_windows(encoder, item, &n);
    if (cuts != NULL) {
        int code = add_windows(pipeline, item, cuts, n);
        free(cuts);
        return code;
    }
    strcpy(reason, encoder->message);
    int code = encode_windows(pipeline);
    return code == PROGRAM_DONE ? fail(pipeline, reason) : code;
}

static int encode_chunked(struct pipeline *pipeline, struct item *items, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        int code = cut_item(pipeline, &items[i]);
        if (code != PROGRAM_DONE)
            return code;
    }
    return encode_windows(pipeline);
}

/* ---- All of them ---- */

static int process_batch(void *task, struct batch *batch)
{
    struct pipeline *pipeline = task;
    struct encoder *encoder = pipeline->encoder;
    size_t n = batch_tokenize(batch, &pipeline->left);
    char reason[sizeof encoder->message]; /* encoding those before it may change the message */

    strcpy(reason, n == batch->n_items ? "" : encoder->message);
    int code = encoder->request.is_chunked ? encode_chunked(pipeline, batch->items, n)
                                           : encode_items(pipeline, batch->items, n);
    return code == PROGRAM_DONE && n < batch->n_items ? fail(pipeline, reason) : code;
}

static int run(struct pipeline *pipeline)
{
    const struct printer_kind *kind = pipeline->kind;
    struct printer *printer = &pipeline->printer;
    const struct job *job = pipeline->job;
    int code = PROGRAM_FAILED;
    if (kind->begin)
        kind->begin(printer);
    if (!has_failed(printer) && job->corpus)
        corpus_begin(job->corpus, job, printer, &pipeline->rows, &pipeline->left);
    if (!has_failed(printer))
        code = batch_run(job, process_batch, pipeline);
    if (code == PROGRAM_DONE && kind->end && !kind->end(printer))
        code = PROGRAM_FAILED;
    else if (code != PROGRAM_DONE && kind->abandon)
        kind->abandon(printer);
    return printer->message ? program_fail("%s", printer->message) : code;
}

int encode_texts(const struct job *job)
{
    const struct encode_options *options = job->options;
    struct pipeline *pipeline = alloc_zeros(1, sizeof *pipeline);
    pipeline->job = job;
    pipeline->encoder = job->encoder;
    pipeline->kind = PRINTERS[options->format];
    pipeline->printer = (struct printer){
        .stream = job->output->stream,
        .encoder = job->encoder,
        .all_values = options->all_values,
        .npy.type = options->type,
        .has_titles = options->request.n_texts != 1 || options->request.is_chunked,
        .ranked = alloc_zeros(job->encoder->is_sparse ? job->encoder->info.n_vocabulary
                                                      : job->encoder->info.n_labels,
                              sizeof(struct ranked)),
    };
    rows_open_for(&pipeline->printer.rows, job);
    rows_file_open(&pipeline->rows, job);
    left_out_open(&pipeline->left, job);
    FILE *origin = origin_open(job, job->options->resumes && corpus_is_asked(job->options));
    int code = run(pipeline);
    if (code == PROGRAM_DONE) {
        left_out_end(&pipeline->left, job->notes->n_read);
        origin_write(origin, job, &pipeline->rows);
    }
    for (size_t i = 0; i < pipeline->n_windows; i++)
        item_free(&pipeline->windows[i]);
    free(pipeline->printer.ranked);
    free(pipeline);
    return code;
}
