/* pipeline.c - read, tokenize, encode, print; in order and in constant memory.
 *
 * The results of a batch are flushed before the program waits for more, so a slow producer sees
 * result k after line k. When a text fails, the results of those before it are still printed.
 * Texts that go in windows are encoded window by window, a few of them at a time, whatever their
 * length.
 */
#include "tools/encode/batch.h"
#include "tools/encode/print/printer.h"
#include "tools/encode/windows.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { GROUP_TOKENS = 4096, GROUP_WINDOWS = 64 };

struct pipeline {
    struct encoder *encoder;
    FILE *stream;
    struct batch *batch;
    const struct printer_kind *kind;
    struct printer printer;
    struct item windows[GROUP_WINDOWS];
    size_t n_windows;
};

/* ---- Groups: what is encoded in one call ---- */

static bool print_items(struct pipeline *pipeline, const struct item *items, size_t n)
{
    errno = 0;
    for (size_t i = 0; i < n; i++) {
        notes_of(&pipeline->batch->notes, &items[i]);
        if (!pipeline->kind->item(&pipeline->printer, &items[i]) || ferror(pipeline->stream))
            return false;
    }
    return true;
}

/* Encodes and prints texts together, up to one that fails. */
static bool encode_group(struct pipeline *pipeline, struct item *items, size_t n, int *code)
{
    size_t n_encoded = encoder_encode(pipeline->encoder, items, n);
    if (!print_items(pipeline, items, n_encoded))
        return false;
    if (n_encoded < n)
        *code = batch_fail(pipeline->batch, pipeline->encoder->message);
    return n_encoded == n;
}

/* Rows per token take memory for each; groups bound it. */
static size_t group_len(const struct pipeline *pipeline, const struct item *items, size_t n)
{
    size_t n_tokens = 0, i = 0;
    while (i < n &&
           (i == 0 || pipeline->encoder->is_pooled || n_tokens + items[i].n_tokens <= GROUP_TOKENS))
        n_tokens += items[i++].n_tokens;
    return i;
}

static bool encode_items(struct pipeline *pipeline, struct item *items, size_t n, int *code)
{
    for (size_t from = 0, len; from < n; from += len) {
        len = group_len(pipeline, items + from, n - from);
        if (!encode_group(pipeline, items + from, len, code))
            return false;
    }
    return true;
}

/* ---- Windows of texts ---- */

static bool encode_windows(struct pipeline *pipeline, int *code)
{
    bool is_good = encode_items(pipeline, pipeline->windows, pipeline->n_windows, code);
    for (size_t i = 0; i < pipeline->n_windows; i++)
        item_free(&pipeline->windows[i]);
    pipeline->n_windows = 0;
    return is_good;
}

/* Adds the windows of an item to those that wait, and encodes them whenever they are enough. */
static bool add_windows(struct pipeline *pipeline, struct windows *windows, int *code)
{
    struct encoder *encoder = pipeline->encoder;
    while (windows->index < windows->of) {
        if (pipeline->n_windows == GROUP_WINDOWS && !encode_windows(pipeline, code))
            return false;
        struct item *window = &pipeline->windows[pipeline->n_windows++];
        bool is_made = windows_next(windows, window);
        if (!(is_made ? encoder_pad(encoder, window)
                      : encoder_fail_memory(encoder, windows->item))) {
            *code = batch_fail(pipeline->batch, encoder->message);
            return false;
        }
    }
    return true;
}

static bool cut_item(struct pipeline *pipeline, struct item *item, int *code)
{
    struct windows windows;
    char reason[sizeof pipeline->encoder->message];
    bool is_good = windows_begin(&windows, pipeline->encoder, item);
    if (is_good) {
        is_good = add_windows(pipeline, &windows, code);
    } else {
        strcpy(reason, pipeline->encoder->message);
        if (encode_windows(pipeline, code))
            *code = batch_fail(pipeline->batch, reason);
    }
    windows_end(&windows);
    return is_good;
}

static bool encode_chunked(struct pipeline *pipeline, struct item *items, size_t n, int *code)
{
    for (size_t i = 0; i < n; i++)
        if (!cut_item(pipeline, &items[i], code))
            return false;
    return encode_windows(pipeline, code);
}

/* ---- All of them ---- */

static int process_batch(void *task, struct batch *batch)
{
    struct pipeline *pipeline = task;
    struct encoder *encoder = pipeline->encoder;
    size_t n = batch_tokenize(batch);
    char reason[sizeof encoder->message]; /* encoding those before it may change the message */
    int code = PROGRAM_FAILED;

    strcpy(reason, n == batch->n_items ? "" : encoder->message);
    if (!(encoder->request.is_chunked ? encode_chunked(pipeline, batch->items, n, &code)
                                      : encode_items(pipeline, batch->items, n, &code)))
        return code;
    return n == batch->n_items ? PROGRAM_DONE : batch_fail(batch, reason);
}

static int run(struct pipeline *pipeline)
{
    const struct printer_kind *kind = pipeline->kind;
    struct printer *printer = &pipeline->printer;
    int code = PROGRAM_FAILED;
    errno = 0;
    if (!kind->begin || kind->begin(printer))
        code = batch_run(pipeline->batch, process_batch, pipeline);
    if (code == PROGRAM_DONE)
        notes_end(&pipeline->batch->notes);
    if (code == PROGRAM_DONE && kind->end && !kind->end(printer))
        code = PROGRAM_FAILED;
    else if (code != PROGRAM_DONE && kind->abandon)
        kind->abandon(printer);
    return printer->message ? program_fail("%s", printer->message) : code;
}

static void prepare(struct pipeline *pipeline, const struct job *job)
{
    const struct encode_options *options = job->options;
    FILE *stream = job->output->stream;
    pipeline->encoder = job->encoder;
    pipeline->stream = stream;
    pipeline->batch = batch_new(job);
    pipeline->kind = printer_of(options->format);
    pipeline->printer = (struct printer){
        .stream = stream,
        .encoder = job->encoder,
        .json = {.stream = stream},
        .csv = {.stream = stream},
        .all_values = options->all_values,
        .has_titles = options->request.n_texts != 1 || options->request.is_chunked,
        .ranked = calloc(job->encoder->info.n_labels + 1, sizeof(struct ranked)),
    };
}

int encode_texts(const struct job *job)
{
    int code;
    struct pipeline *pipeline = calloc(1, sizeof *pipeline);
    if (!pipeline)
        return program_fail("not enough memory");
    prepare(pipeline, job);
    code = pipeline->batch && pipeline->printer.ranked ? run(pipeline)
                                                       : program_fail("not enough memory");
    output_check(job->output, false);
    for (size_t i = 0; i < pipeline->n_windows; i++)
        item_free(&pipeline->windows[i]);
    batch_free(pipeline->batch);
    free(pipeline->printer.ranked);
    free(pipeline);
    return code;
}
