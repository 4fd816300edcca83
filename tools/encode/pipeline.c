/* pipeline.c - read, tokenize, encode, print; in order and in constant memory.
 *
 * The results of a batch are flushed before the program waits for more, so a slow producer sees
 * result k after line k. When a text fails, the results of those before it are still printed. Texts
 * of any length are split into windows, of which a few are encoded at a time. Encoding functions
 * return PROGRAM_DONE, or the exit code of a failure. */
#include "tools/encode/pipeline.h"

#include "tools/encode/beside.h"
#include "tools/encode/corpus/corpus.h"
#include "tools/encode/notes.h"
#include "tools/encode/print/printer.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

enum { GROUP_TOKENS = 4096, GROUP_WINDOWS = 64 };

struct pipeline {
    struct job *job;
    struct printer printer;
    struct beside beside;
    struct item windows[GROUP_WINDOWS];
    size_t n_windows;
};

/* ---- Inputs read together ---- */

/* About one second of work, judged by the last batch: enough to keep the threads busy, little
 * enough that results keep coming. */
static size_t bytes_of_a_second(size_t n_bytes, double seconds)
{
    const double bytes = (double)n_bytes / (seconds > 1e-6 ? seconds : 1e-6);
    return bytes < BATCH_BYTES_LEAST  ? BATCH_BYTES_LEAST
           : bytes < BATCH_BYTES_MOST ? (size_t)bytes
                                      : BATCH_BYTES_MOST;
}

int batch_run(struct job *job, int (*process)(void *task, struct item_batch *batch), void *task)
{
    struct item_batch *batch = alloc_zeros(1, sizeof *batch);
    size_t most_bytes = BATCH_BYTES_LEAST;
    enum reader_state state;
    bool has_more;
    int code;
    notes_begin(job);
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

/* ---- Groups, each encoded in one call ---- */

/* Prints an item's fault, unless it was interrupted: then the exit code is that of the signal. */
static int fail_item(struct pipeline *pipeline, const struct item *item)
{
    if (pipeline->job->encoder->fault == FAULT_INTERRUPTED)
        return corpus_keep(pipeline->job->corpus);
    return program_fail("%s", item_fault(item));
}

/* Prints an item that is encoded, or skips it if the format cannot hold it, and it may be. */
static int print_item(struct pipeline *pipeline, struct item *item)
{
    struct job *job = pipeline->job;
    struct printer *printer = &pipeline->printer;
    const struct printer_kind *kind = printer->kind;
    const char *fault = kind->fault ? kind->fault(printer, item) : NULL;
    if (fault) {
        encoder_fail(job->encoder, item, "%s", fault);
        return beside_leave_out(&pipeline->beside, item) ? PROGRAM_DONE : fail_item(pipeline, item);
    }
    if (!job->encoder->request.has_spans) /* notes are of whole texts */
        notes_of(job, item);
    kind->item(printer, item);
    if (job->options->output_path)
        beside_add(&pipeline->beside, item);
    return printer_is_good(printer) ? PROGRAM_DONE : PROGRAM_FAILED;
}

/* Encodes items in groups, which bound memory, and prints them, up to an item that fails. */
static int encode_items(struct pipeline *pipeline, struct item *items, size_t n)
{
    struct text_encoder *encoder = pipeline->job->encoder;
    const size_t most = encoder->is_pooled ? encoder_most_pooled(encoder) : SIZE_MAX;
    int code = PROGRAM_DONE;
    for (size_t from = 0, len; from < n && code == PROGRAM_DONE; from += len) {
        size_t n_tokens = 0;
        for (len = 0; from + len < n && len < most; len++) {
            n_tokens += items[from + len].n_tokens;
            if (!encoder->is_pooled && len > 0 && n_tokens > GROUP_TOKENS)
                break;
        }
        const size_t n_encoded = encoder_encode(encoder, items + from, len);
        for (size_t i = 0; i < n_encoded && code == PROGRAM_DONE; i++)
            code = print_item(pipeline, &items[from + i]);
        if (code == PROGRAM_DONE && n_encoded < len)
            code = fail_item(pipeline, &items[from + n_encoded]);
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

/* Splits texts into windows, and encodes these when they are enough for a group. */
static int encode_chunked(struct pipeline *pipeline, struct item *items, size_t n)
{
    struct text_encoder *encoder = pipeline->job->encoder;
    int code = PROGRAM_DONE;
    for (size_t i = 0; i < n && code == PROGRAM_DONE; i++) {
        size_t n_cuts = 0;
        engine_window *cuts = encoder_windows(encoder, &items[i], &n_cuts);
        if (cuts == NULL) {
            code = encode_windows(pipeline);
            return code == PROGRAM_DONE ? fail_item(pipeline, &items[i]) : code;
        }
        for (size_t k = 0; k < n_cuts && code == PROGRAM_DONE; k++) {
            if (pipeline->n_windows == GROUP_WINDOWS)
                code = encode_windows(pipeline);
            if (code != PROGRAM_DONE)
                break;
            struct item *window = &pipeline->windows[pipeline->n_windows++];
            *window = make_window(&items[i], &cuts[k], k, n_cuts);
            padding_apply(&encoder->padding, window);
        }
        free(cuts);
    }
    return code == PROGRAM_DONE ? encode_windows(pipeline) : code;
}

/* ---- Spans that a JSON line names, and a vector for each of them ---- */

/* Ends the program if the model's vectors cannot be those of a part of a text. */
static void check_spans(struct text_encoder *encoder)
{
    const engine_input empty = {.text = ""};
    if (engine_encode_spans(encoder->session, &empty, NULL, 0, &encoder->options, NULL, 0, NULL,
                            NULL) == ENGINE_ERROR_UNSUPPORTED)
        program_die("--spans needs vectors of all tokens, as those of -p mean; -p %s makes none of "
                    "a part of a text",
                    engine_pooling_name(encoder->shape.pooling));
}

/* Reads arrays [begin, end] that are within the item's text; spans count its prompt, too. */
static bool read_pairs(struct text_encoder *encoder, struct item *item, json_t *array,
                       engine_span *spans)
{
    const size_t len = item->record.input.text_len - item->prompt_len;
    for (size_t i = 0; i < json_array_size(array); i++) {
        json_t *value = json_array_get(array, i);
        json_int_t begin, end;
        if (json_unpack(value, "[II!]", &begin, &end) == 0 && begin >= 0 && end >= begin &&
            (uint64_t)end <= len) {
            spans[i].begin = (size_t)begin + item->prompt_len;
            spans[i].end = (size_t)end + item->prompt_len;
            continue;
        }
        char *found = json_dumps(value, JSON_ENCODE_ANY);
        encoder_fail(encoder, item,
                     ": \"spans\"[%zu] is %.60s; expected [begin, end], bytes of the text, which "
                     "has %zu",
                     i, found ? found : "", len);
        free(found);
        return false;
    }
    return true;
}

/* Reads the "spans" of an item's line: *spans is [*n], to be freed. Returns false after it has set
 * the item's fault, which names the span. */
static bool read_spans(struct text_encoder *encoder, struct item *item, engine_span **spans,
                       size_t *n)
{
    const struct record *record = &item->record;
    const struct record_member *member = record->members,
                               *end = record->members + record->n_members;
    *spans = NULL;
    if (record->input.ids)
        return encoder_fail(encoder, item, ": ids have no spans; --spans takes texts");
    while (member < end && strcmp(member->key, "spans") != 0)
        member++;
    json_t *array = member < end ? json_loadb(member->value, member->value_len, 0, NULL) : NULL;
    const bool is_array = json_is_array(array);
    *n = json_array_size(array);
    *spans = alloc_zeros(*n, sizeof **spans);
    const bool is_good =
        is_array ? read_pairs(encoder, item, array, *spans)
                 : encoder_fail(encoder, item,
                                member < end ? ": \"spans\" is no array of [begin, end]"
                                             : " has no \"spans\"; expected {\"text\": …, "
                                               "\"spans\": [[begin, end], …]}");
    json_decref(array);
    return is_good;
}

/* Encodes an item whose tokens are set, once: rows is [n, width]. Returns false like read_spans. */
static bool compute_spans(struct text_encoder *encoder, struct item *item, const engine_span *spans,
                          size_t n, float *rows)
{
    const engine_input input = {.tokens = item->tokens, .n_tokens = item->n_tokens};
    engine_encode_options options = encoder->options;
    options.max_tokens = 0; /* they are cut already */
    return engine_encode_spans(encoder->session, &input, spans, n, &options, rows,
                               n * encoder->width, NULL, NULL) == ENGINE_OK ||
           encoder_fail_in_engine(encoder, item);
}

/* Prints the row of a span of an item, as if it were a window: the text is without its prompt. The
 * first one without a token is noted. */
static int print_span(struct pipeline *pipeline, const struct item *item, const engine_span *spans,
                      size_t i, size_t n, const float *row)
{
    const size_t begin = spans[i].begin - item->prompt_len, end = spans[i].end - item->prompt_len;
    struct item part = {.number = item->number,
                        .record = item->record,
                        .window = {i, n, begin, end, false},
                        .n_dropped = item->n_dropped,
                        .n_skipped = item->n_tokens,
                        .rows = row};
    bool *has_noted = &pipeline->job->notes.has_noted_empty;
    size_t k = 0;
    part.record.input.text += item->prompt_len;
    part.record.input.text_len -= item->prompt_len;
    while (k < pipeline->job->encoder->width && row[k] == 0)
        k++;
    if (k == pipeline->job->encoder->width && !*has_noted) {
        *has_noted = true;
        program_note("%s: no token is in \"spans\"[%zu], [%zu, %zu]: its vector is all zeros",
                     item_name(item), i, begin, end);
    }
    const int code = print_item(pipeline, &part);
    free(part.record.fault);
    return code;
}

/* Encodes texts one by one, and prints a row for each of their spans. */
static int encode_spans(struct pipeline *pipeline, struct item *items, size_t n_items)
{
    struct text_encoder *encoder = pipeline->job->encoder;
    int code = PROGRAM_DONE;
    for (struct item *item = items; item < items + n_items && code == PROGRAM_DONE; item++) {
        engine_span *spans;
        float *rows = NULL;
        size_t n = 0;
        const bool is_good = read_spans(encoder, item, &spans, &n) &&
                             (rows = alloc_zeros(n, encoder->width * sizeof *rows)) &&
                             compute_spans(encoder, item, spans, n, rows);
        if (is_good)
            notes_of(pipeline->job, item);
        else if (!beside_leave_out(&pipeline->beside, item))
            code = fail_item(pipeline, item);
        for (size_t i = 0; i < n && is_good && code == PROGRAM_DONE; i++)
            code = print_span(pipeline, item, spans, i, n, rows + i * encoder->width);
        free(spans);
        free(rows);
    }
    return code;
}

/* ---- All of them ---- */

/* Prepends the prompt to a text, tokenizes it and pads it; windows are padded one by one. */
static bool prepare_item(struct text_encoder *encoder, struct item *item)
{
    if (encoder->prompt.len > 0)
        item_add_prompt(item, &encoder->prompt);
    if (item->record.fault)
        return encoder_fail(encoder, item, "%s", item->record.fault);
    if (!encoder_tokenize(encoder, item))
        return false;
    if (encoder->padding.n > 0 && !encoder->request.is_chunked)
        padding_apply(&encoder->padding, item);
    return true;
}

/* Prepares the texts of a batch, up to one that fails, and encodes those before it. Skipped texts
 * are freed, and the others move up. */
static int encode_batch(void *task, struct item_batch *batch)
{
    struct pipeline *pipeline = task;
    struct text_encoder *encoder = pipeline->job->encoder;
    struct item *items = batch->items;
    size_t n = 0, i = 0;
    for (; i < batch->n_items; i++) {
        if (prepare_item(encoder, &items[i]))
            items[n++] = items[i];
        else if (beside_leave_out(&pipeline->beside, &items[i]))
            item_free(&items[i]);
        else
            break;
    }
    memmove(items + n, items + i, (batch->n_items - i) * sizeof *items);
    batch->n_items -= i - n;
    int code = encoder->request.has_spans    ? encode_spans(pipeline, items, n)
               : encoder->request.is_chunked ? encode_chunked(pipeline, items, n)
                                             : encode_items(pipeline, items, n);
    return code == PROGRAM_DONE && n < batch->n_items ? fail_item(pipeline, &items[n]) : code;
}

int encode_texts(struct job *job)
{
    struct pipeline *pipeline = alloc_zeros(1, sizeof *pipeline);
    struct printer *printer = &pipeline->printer;
    int code = PROGRAM_FAILED;
    pipeline->job = pipeline->beside.job = job;
    if (job->options->request.has_spans)
        check_spans(job->encoder);
    if (job->options->output_path)
        beside_open(&pipeline->beside);
    printer_open(printer, job);
    if (job->corpus && printer_is_good(printer))
        printer->message = corpus_begin(job->corpus);
    if (printer_is_good(printer))
        code = batch_run(job, encode_batch, pipeline);
    code = printer_close(printer, code);
    if (job->options->output_path || job->progress.left_out > 0)
        beside_end(&pipeline->beside, code);
    for (size_t i = 0; i < pipeline->n_windows; i++)
        item_free(&pipeline->windows[i]);
    free(pipeline);
    return code;
}
