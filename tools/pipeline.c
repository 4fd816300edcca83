/* pipeline.c - read, tokenize, encode, print; see pipeline.h.
 *
 * A batch is what can be read without waiting, up to BATCH_ITEMS texts or BATCH_BYTES of text. Its
 * results are flushed before the program waits for more, so a slow producer sees result k after
 * line k. When a text fails, the results of those before it are still printed.
 */
#include "tools/pipeline.h"

#include "tools/options.h"
#include "tools/printer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { BATCH_ITEMS = 256, BATCH_BYTES = 1 << 20, GROUP_TOKENS = 4096 };

struct pipeline {
    struct encoder *encoder;
    struct reader *reader;
    struct output *output;
    const struct printer_kind *kind;
    struct printer printer;
    struct item items[BATCH_ITEMS];
    size_t n_items;
    size_t n_read; /* inputs, of all batches */
    bool has_noted_empty, has_noted_cut;
    bool shows_progress;
    struct timespec progress_time;
};

/* ---- What is said on stderr while it runs ---- */

static bool wants_progress(const struct encode_options *options)
{
    return options->n_texts == 0 && isatty(STDERR_FILENO) && !isatty(STDIN_FILENO) &&
           (options->output_path || !isatty(STDOUT_FILENO));
}

static void show_progress(struct pipeline *pipeline)
{
    struct timespec now;
    if (!pipeline->shows_progress || clock_gettime(CLOCK_MONOTONIC, &now) != 0)
        return;
    double seconds = (double)(now.tv_sec - pipeline->progress_time.tv_sec) +
                     1e-9 * (double)(now.tv_nsec - pipeline->progress_time.tv_nsec);
    if (seconds < 0.2)
        return;
    pipeline->progress_time = now;
    fprintf(stderr, "\r%zu text%s", pipeline->n_read, plural(pipeline->n_read));
}

static void clear_progress(const struct pipeline *pipeline)
{
    if (pipeline->shows_progress)
        fputs("\r\033[K", stderr);
}

static int fail(const struct pipeline *pipeline, const char *message)
{
    clear_progress(pipeline);
    return program_fail("%s", message);
}

/* Once each: a text without tokens is no error, but its zeros may surprise. */
static void note(struct pipeline *pipeline, const struct item *item)
{
    char name[ITEM_NAME_BYTES];
    if (pipeline->encoder->width && !pipeline->has_noted_empty && item_n_visible(item) == 0) {
        pipeline->has_noted_empty = true;
        clear_progress(pipeline);
        program_note("%s has no tokens%s", item_name(item, name),
                     pipeline->encoder->is_pooled ? ": its vector is all zeros" : "");
    }
    if (!pipeline->has_noted_cut && item->n_dropped > 0) {
        pipeline->has_noted_cut = true;
        clear_progress(pipeline);
        program_note("%s was cut to %zu of its %zu tokens", item_name(item, name), item->n_tokens,
                     item->n_tokens + item->n_dropped);
    }
}

/* ---- One batch ---- */

static void empty_batch(struct pipeline *pipeline)
{
    for (size_t i = 0; i < pipeline->n_items; i++)
        item_free(&pipeline->items[i]);
    pipeline->n_items = 0;
}

/* Waits for the first input only. READER_RECORD: the batch is full. */
static enum reader_state fill_batch(struct pipeline *pipeline)
{
    size_t n_bytes = 0;
    while (pipeline->n_items < BATCH_ITEMS && n_bytes < BATCH_BYTES) {
        struct item *item = &pipeline->items[pipeline->n_items];
        *item = (struct item){0};
        enum reader_state state =
            reader_next(pipeline->reader, pipeline->n_items == 0, &item->record);
        if (state != READER_RECORD)
            return state;
        item->number = ++pipeline->n_read;
        pipeline->n_items++;
        n_bytes += item->record.input.text_len + item->record.input.pair_len +
                   item->record.input.n_ids * sizeof(int32_t);
    }
    return READER_RECORD;
}

static bool print_items(struct pipeline *pipeline, const struct item *items, size_t n)
{
    errno = 0;
    for (size_t i = 0; i < n; i++) {
        note(pipeline, &items[i]);
        if (!pipeline->kind->item(&pipeline->printer, &items[i]) ||
            ferror(pipeline->output->stream))
            return false;
    }
    return true;
}

/* Encodes and prints texts together; if that fails, one by one up to the one that fails. */
static bool encode_group(struct pipeline *pipeline, struct item *items, size_t n, int *code)
{
    struct encoder *encoder = pipeline->encoder;
    if (!encoder->width || encoder_encode(encoder, items, n))
        return print_items(pipeline, items, n);
    for (size_t i = 0; i < n; i++) {
        if (n > 1 && encoder_encode(encoder, &items[i], 1)) {
            if (!print_items(pipeline, &items[i], 1))
                return false;
            continue;
        }
        *code = fail(pipeline, encoder->message);
        return false;
    }
    return true;
}

/* Vectors per token take memory for each; groups bound it. */
static size_t group_len(const struct pipeline *pipeline, size_t from, size_t n)
{
    size_t n_tokens = 0, i = from;
    while (i < n && (i == from || pipeline->encoder->is_pooled ||
                     n_tokens + pipeline->items[i].n_tokens <= GROUP_TOKENS))
        n_tokens += pipeline->items[i++].n_tokens;
    return i - from;
}

/* False: stop, with *code unless it is the output that failed. */
static bool process_batch(struct pipeline *pipeline, int *code)
{
    struct encoder *encoder = pipeline->encoder;
    size_t n_tokenized = 0;
    while (n_tokenized < pipeline->n_items &&
           encoder_tokenize(encoder, &pipeline->items[n_tokenized]))
        n_tokenized++;

    bool is_good = n_tokenized == pipeline->n_items;
    char reason[sizeof encoder->message]; /* encoding those before it may change the message */
    strcpy(reason, is_good ? "" : encoder->message);
    for (size_t from = 0, n; from < n_tokenized; from += n) {
        n = group_len(pipeline, from, n_tokenized);
        if (!encode_group(pipeline, &pipeline->items[from], n, code))
            return false;
    }
    if (!is_good)
        *code = fail(pipeline, reason);
    return is_good;
}

/* ---- All of them ---- */

static int run(struct pipeline *pipeline)
{
    enum reader_state state;
    int code = PROGRAM_FAILED;
    do {
        state = fill_batch(pipeline);
        bool is_good = process_batch(pipeline, &code);
        empty_batch(pipeline);
        if (!output_check(pipeline->output, state != READER_RECORD) || !is_good)
            return code;
        show_progress(pipeline);
    } while (state == READER_RECORD || state == READER_PENDING);
    if (state == READER_FAILED)
        return fail(pipeline, pipeline->reader->message);
    return PROGRAM_DONE;
}

static struct pipeline *pipeline_new(const struct encode_options *options, struct encoder *encoder,
                                     struct reader *reader, struct output *output)
{
    struct pipeline *pipeline = calloc(1, sizeof *pipeline);
    if (!pipeline)
        return NULL;
    pipeline->encoder = encoder;
    pipeline->reader = reader;
    pipeline->output = output;
    pipeline->kind = printer_of(options->format);
    pipeline->printer.stream = output->stream;
    pipeline->printer.encoder = encoder;
    pipeline->printer.all_values = options->all_values;
    pipeline->printer.has_titles = options->n_texts != 1;
    pipeline->shows_progress = wants_progress(options);
    return pipeline;
}

int pipeline_run(const struct encode_options *options, struct encoder *encoder,
                 struct reader *reader, struct output *output)
{
    struct pipeline *pipeline = pipeline_new(options, encoder, reader, output);
    if (!pipeline)
        return program_fail("not enough memory");

    const struct printer_kind *kind = pipeline->kind;
    struct printer *printer = &pipeline->printer;
    int code = PROGRAM_FAILED;
    errno = 0;
    if (!kind->begin || kind->begin(printer))
        code = run(pipeline);
    clear_progress(pipeline);
    if (code == PROGRAM_DONE && kind->end && !kind->end(printer))
        code = PROGRAM_FAILED;
    else if (code != PROGRAM_DONE && kind->abandon)
        kind->abandon(printer);
    if (printer->message)
        program_fail("%s", printer->message);
    output_check(output, false);
    free(pipeline);
    return code;
}
