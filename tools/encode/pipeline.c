/* pipeline.c - read, tokenize, encode, print; in order and in constant memory.
 *
 * The results of a batch are flushed before the program waits for more, so a slow producer sees
 * result k after line k. When a text fails, the results of those before it are still printed. Texts
 * of any length are split into windows, of which a few are encoded at a time. Encoding functions
 * return PROGRAM_DONE, or the exit code of a failure. */
#include "tools/encode/pipeline.h"

#include "tools/encode/corpus/corpus.h"
#include "tools/encode/notes.h"
#include "tools/encode/print/printer.h"
#include "tools/encode/spans.h"

#include <stdlib.h>
#include <string.h>

/* ---- Files beside an output that describe it, a line of JSON for each row or skipped text ----
 *
 * The rows of an array, in out.npy.rows.jsonl:
 *
 *     {"row": 0, "line": 1, "id": "d7", "window": 0, "windows": 3, "begin": 0, "end": 512}
 *
 * As long as row k is line k + 1 of the input and has neither id, window nor token, rows are only
 * counted; the first other row writes the lines of those before it too. "line" is the number of a
 * text if texts are arguments. Windows are bytes of the text as it was read, without a prompt. Rows
 * count along the first axis of the array.
 *
 * Texts skipped by --on-long skip and --on-error skip, in FILE.left-out.jsonl or the file of
 * --report; for a text in windows a line names the "window":
 *
 *     {"line": 7, "id": "d7", "reason": "…"}
 */
struct rows_file {
    struct json_writer json; /* its stream is NULL without such a file */
    bool is_per_token;       /* a row is a token */
    bool is_begun;           /* rows are written, from row 0 on, not only counted */
};

enum { GROUP_TOKENS = 4096, GROUP_WINDOWS = 64 };

struct pipeline {
    struct job *job;
    const struct printer_kind *kind;
    struct printer printer;
    struct rows_file rows;
    struct json_writer left_out; /* skipped texts; if its stream is NULL, notes are printed */
    size_t last_left_out;        /* the number of the last one */
    engine_index_builder *words; /* of --words, or NULL */
    FILE *words_stream;
    struct item windows[GROUP_WINDOWS];
    size_t n_windows;
};

static void begin_row(struct rows_file *rows, size_t row, size_t line)
{
    json_begin_object(&rows->json, NULL);
    json_write_count(&rows->json, "row", row);
    json_write_count(&rows->json, "line", line);
}

/* Returns the offset in the text as it was read, without the prompt. */
static size_t without_prompt(const struct item *item, size_t at)
{
    const size_t prompt_len = item->window.in_pair ? 0 : item->prompt_len;
    return at > prompt_len ? at - prompt_len : 0;
}

static void write_window(struct json_writer *json, const struct item *item)
{
    const struct window *window = &item->window;
    json_write_count(json, "window", window->index);
    json_write_count(json, "windows", window->of);
    if (item->record.input.ids)
        return;
    json_write_count(json, "begin", without_prompt(item, window->begin));
    json_write_count(json, "end", without_prompt(item, window->end));
    if (window->in_pair)
        json_write_truth(json, "pair", true);
}

/* A row that is the next line and nothing more is only counted, until a row has other fields: then
 * the counted rows are written, and every row from there on. */
static void add_rows(struct pipeline *pipeline, const struct item *item)
{
    struct rows_file *rows = &pipeline->rows;
    struct json_writer *json = &rows->json;
    const struct record *record = &item->record;
    size_t *n_rows = &pipeline->job->progress.rows;
    for (size_t i = 0; i < (rows->is_per_token ? item->n_tokens : 1); i++, ++*n_rows) {
        const bool is_next_line =
            !record->id && !item->window.of && !rows->is_per_token && item->number == *n_rows + 1;
        for (size_t row = 0; !is_next_line && !rows->is_begun && row < *n_rows; row++) {
            begin_row(rows, row, row + 1);
            json_end_object(json);
        }
        rows->is_begun = rows->is_begun || !is_next_line;
        if (!rows->is_begun)
            continue;
        begin_row(rows, *n_rows, item->number);
        if (record->id)
            json_write_raw(json, "id", record->id, record->id_len);
        if (item->window.of)
            write_window(json, item);
        if (rows->is_per_token)
            json_write_count(json, "token", i);
        json_end_object(json);
    }
}

/* Reports a failed text or window as skipped. Returns false if options do not allow skipping. */
static bool leave_out(struct pipeline *pipeline, const struct item *item)
{
    struct job *job = pipeline->job;
    const struct encoder *encoder = job->encoder;
    const struct record *record = &item->record;
    struct json_writer *json = &pipeline->left_out;
    if (encoder->fault >= FAULT_OF_ALL ||
        !(job->options->skips_errors ||
          (encoder->fault == FAULT_OF_LENGTH && encoder->request.skips_long)))
        return false;
    if (pipeline->last_left_out != item->number) /* each of its windows may be */
        job->progress.left_out++;
    pipeline->last_left_out = item->number;
    if (!json->stream) {
        program_note("left out: %s", encoder->message);
        return true;
    }
    const char *reason = encoder->message + strlen(item_name(item));
    json_begin_object(json, NULL);
    json_write_count(json, record->line ? "line" : "text", item->number);
    if (record->id)
        json_write_raw(json, "id", record->id, record->id_len);
    if (item->window.of > 0)
        json_write_count(json, "window", item->window.index);
    json_write_text(json, "reason", reason + strspn(reason, ": "));
    json_end_object(json);
    return true;
}

/* Notes how many texts were skipped, and where they are listed. */
static void note_left_out(const struct pipeline *pipeline)
{
    const struct job *job = pipeline->job;
    const struct progress *progress = &job->progress;
    const char *report_path = job->options->report_path;
    const bool is_told = pipeline->left_out.stream != NULL;
    program_note("%zu of %zu text%s %s left out%s%s%s", progress->left_out, progress->lines,
                 plural(progress->lines), progress->left_out == 1 ? "was" : "were",
                 is_told ? ": see " : "",
                 !is_told      ? ""
                 : report_path ? report_path
                               : job->output.path,
                 is_told && !report_path ? OUTPUT_LEFT_OUT : "");
}

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

int batch_run(struct job *job, int (*process)(void *task, struct batch *batch), void *task)
{
    struct batch *batch = alloc_zeros(1, sizeof *batch);
    size_t most_bytes = BATCH_BYTES_LEAST;
    enum reader_state state;
    bool has_more;
    int code;
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

/* Prepends the prompt to each text, tokenizes it and pads it. Returns how many texts, from the
 * first, succeeded; the encoder's message is the error of the next. Skipped texts are freed, and
 * the others move up. */
static size_t tokenize_batch(struct pipeline *pipeline, struct batch *batch)
{
    struct encoder *encoder = pipeline->job->encoder;
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
        else if (leave_out(pipeline, item))
            item_free(item);
        else
            break;
    }
    memmove(items + n_good, items + i, (batch->n_items - i) * sizeof *items);
    batch->n_items -= i - n_good;
    return n_good;
}

/* ---- The way of a text ---- */

/* Prints the message, unless the text was interrupted: then the exit code is that of the signal. */
static int fail_text(struct pipeline *pipeline, const char *message)
{
    if (pipeline->job->encoder->fault == FAULT_INTERRUPTED)
        return corpus_keep(pipeline->job->corpus);
    return program_fail("%s", message);
}

/* ---- Groups, each encoded in one call ---- */

/* Prints an item that is encoded, or skips it if the format cannot hold it, and it may be. */
static int print_item(struct pipeline *pipeline, const struct item *item)
{
    struct printer *printer = &pipeline->printer;
    const struct printer_kind *kind = pipeline->kind;
    const char *fault = kind->fault ? kind->fault(printer, item) : NULL;
    if (fault) {
        encoder_fail(pipeline->job->encoder, item, "%s", fault);
        return leave_out(pipeline, item) ? PROGRAM_DONE
                                         : fail_text(pipeline, pipeline->job->encoder->message);
    }
    if (!pipeline->job->encoder->request.has_spans) /* notes are of whole texts */
        notes_of(pipeline->job, item);
    kind->item(printer, item);
    if (pipeline->rows.json.stream)
        add_rows(pipeline, item);
    if (pipeline->words) { /* without the prompt */
        const engine_input text = item_shown(item);
        const size_t begin = item->window.in_pair ? 0 : item->window.begin;
        const size_t skipped = item->prompt_len > begin ? item->prompt_len - begin : 0;
        if (engine_index_add_text(pipeline->words, text.text + skipped, text.text_len - skipped,
                                  NULL) != ENGINE_OK)
            alloc_die();
    }
    return printer->message || ferror(printer->stream) ? PROGRAM_FAILED : PROGRAM_DONE;
}

/* Encodes items in groups, which bound memory, and prints them, up to an item that fails. */
static int encode_items(struct pipeline *pipeline, struct item *items, size_t n)
{
    struct encoder *encoder = pipeline->job->encoder;
    const size_t most = encoder->is_pooled ? encoder_most_pooled(encoder) : SIZE_MAX;
    char reason[sizeof encoder->message]; /* a skipped item has another */
    int code = PROGRAM_DONE;
    for (size_t from = 0, len; from < n && code == PROGRAM_DONE; from += len) {
        size_t n_tokens = 0;
        for (len = 0; from + len < n && len < most; len++) {
            n_tokens += items[from + len].n_tokens;
            if (!encoder->is_pooled && len > 0 && n_tokens > GROUP_TOKENS)
                break;
        }
        const size_t n_encoded = encoder_encode(encoder, items + from, len);
        strcpy(reason, n_encoded < len ? encoder->message : "");
        for (size_t i = 0; i < n_encoded && code == PROGRAM_DONE; i++)
            code = print_item(pipeline, &items[from + i]);
        if (code == PROGRAM_DONE && n_encoded < len)
            code = fail_text(pipeline, reason);
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
    struct encoder *encoder = pipeline->job->encoder;
    int code = PROGRAM_DONE;
    for (size_t i = 0; i < n && code == PROGRAM_DONE; i++) {
        size_t n_cuts = 0;
        engine_window *cuts = encoder_windows(encoder, &items[i], &n_cuts);
        if (cuts == NULL) {
            char reason[sizeof encoder->message];
            strcpy(reason, encoder->message);
            code = encode_windows(pipeline);
            return code == PROGRAM_DONE ? fail_text(pipeline, reason) : code;
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

/* ---- Spans of texts ---- */

/* Notes a span that has no vector, the first of the run. */
static void note_empty_span(struct pipeline *pipeline, const struct item *item,
                            const engine_span *spans, size_t i, const float *row)
{
    bool *has_noted = &pipeline->job->notes.has_noted_empty;
    size_t k = 0;
    while (k < pipeline->job->encoder->width && row[k] == 0)
        k++;
    if (k < pipeline->job->encoder->width || *has_noted)
        return;
    *has_noted = true;
    program_note("%s: no token is in \"spans\"[%zu], [%zu, %zu]: its vector is all zeros",
                 item_name(item), i, spans[i].begin, spans[i].end);
}

/* Encodes a text, and prints a row for each of its spans. */
static int encode_spans_of(struct pipeline *pipeline, const struct item *item)
{
    struct encoder *encoder = pipeline->job->encoder;
    engine_span *spans;
    float *rows = NULL;
    size_t n = 0;
    int code = PROGRAM_DONE;
    bool is_good = spans_read(encoder, item, &spans, &n);
    if (is_good) {
        rows = alloc_zeros(n, encoder->width * sizeof *rows);
        is_good = spans_encode(encoder, item, spans, n, rows);
    }
    if (is_good)
        notes_of(pipeline->job, item);
    else if (!leave_out(pipeline, item))
        code = fail_text(pipeline, encoder->message);
    for (size_t i = 0; i < n && is_good && code == PROGRAM_DONE; i++) {
        const struct item part = spans_item(item, spans, i, n, rows + i * encoder->width);
        note_empty_span(pipeline, item, spans, i, part.rows);
        code = print_item(pipeline, &part);
    }
    free(spans);
    free(rows);
    return code;
}

static int encode_spans(struct pipeline *pipeline, const struct item *items, size_t n)
{
    int code = PROGRAM_DONE;
    for (size_t i = 0; i < n && code == PROGRAM_DONE; i++)
        code = encode_spans_of(pipeline, &items[i]);
    return code;
}

/* ---- All of them ---- */

static int encode_batch(void *task, struct batch *batch)
{
    struct pipeline *pipeline = task;
    struct encoder *encoder = pipeline->job->encoder;
    size_t n = tokenize_batch(pipeline, batch);
    char reason[sizeof encoder->message]; /* encoding those before it may change the message */

    strcpy(reason, n == batch->n_items ? "" : encoder->message);
    int code = encoder->request.has_spans    ? encode_spans(pipeline, batch->items, n)
               : encoder->request.is_chunked ? encode_chunked(pipeline, batch->items, n)
                                             : encode_items(pipeline, batch->items, n);
    return code == PROGRAM_DONE && n < batch->n_items ? fail_text(pipeline, reason) : code;
}

/* Opens the files beside an output. Returns the stream of its origin, or NULL. */
static FILE *open_beside(struct pipeline *pipeline)
{
    struct job *job = pipeline->job;
    struct output *output = &job->output;
    const struct encoder *encoder = job->encoder;
    const struct encode_options *options = job->options;
    const enum output_format format = options->format;
    const bool is_array = format == FORMAT_NPY || format == FORMAT_NPZ;
    if (is_array)
        pipeline->rows.json.stream = output_beside(output, output->path, OUTPUT_ROWS);
    pipeline->rows.is_per_token = encoder->width > 0 && !encoder->is_pooled && !encoder->padding.n;
    if (options->report_path)
        pipeline->left_out.stream = output_beside(output, options->report_path, "");
    else if (options->skips_errors || options->request.skips_long)
        pipeline->left_out.stream = output_beside(output, output->path, OUTPUT_LEFT_OUT);
    if (options->has_words) {
        pipeline->words_stream = output_beside(output, output->path, ".words");
        if (!encoder->is_pooled)
            program_die_misused("--words is for one vector for each text: -p model, mean ...");
        if (job->corpus && job->corpus->journal.settings)
            program_note(
                "'%s.words' is not made of a part of the texts: use encode-search --hybrid",
                output->path);
        else
            pipeline->words = engine_index_new();
    }
    if (!(is_array && encoder->request.task == TASK_VECTORS) && !(options->resumes && job->corpus))
        return NULL;
    job->reader.lines.has_sum = true;
    return output_beside(output, output->path, OUTPUT_ORIGIN);
}

/* The index is stamped with the checksums of the rows file and of the input. */
static void write_words(struct pipeline *pipeline)
{
    FILE *rows = pipeline->rows.json.stream;
    const void *bytes;
    uint32_t of_rows = 0;
    size_t len;
    if (fflush(rows) != 0 || !file_sum(fileno(rows), 0, ftello(rows), &of_rows))
        program_die("the rows file cannot be read again");
    const uint64_t stamp = (uint64_t)of_rows << 32 | pipeline->job->reader.lines.place.sum;
    if (engine_index_bytes(pipeline->words, stamp, &bytes, &len, NULL) != ENGINE_OK)
        alloc_die();
    fwrite(bytes, 1, len, pipeline->words_stream);
}

/* Begins the printer, encodes all texts and ends the printer. */
static int run_pipeline(struct pipeline *pipeline)
{
    struct job *job = pipeline->job;
    struct printer *printer = &pipeline->printer;
    const struct printer_kind *kind = pipeline->kind;
    int code = PROGRAM_FAILED;
    if (kind->begin)
        kind->begin(printer);
    if (job->corpus && !printer->message && !ferror(printer->stream)) {
        printer->message = corpus_begin(job->corpus);
        if (pipeline->rows.json.stream) /* of a run that is continued */
            pipeline->rows.is_begun = ftello(pipeline->rows.json.stream) > 0;
    }
    if (!printer->message && !ferror(printer->stream))
        code = batch_run(job, encode_batch, pipeline);
    if (code == PROGRAM_DONE && kind->end && !kind->end(printer))
        code = PROGRAM_FAILED;
    else if (code != PROGRAM_DONE && kind->abandon)
        kind->abandon(printer);
    return printer->message ? program_fail("%s", printer->message) : code;
}

int encode_texts(struct job *job)
{
    const struct encode_options *options = job->options;
    const struct encoder *encoder = job->encoder;
    struct pipeline *pipeline = alloc_zeros(1, sizeof *pipeline);
    pipeline->job = job;
    pipeline->kind = PRINTERS[options->format];
    pipeline->printer = (struct printer){
        .stream = job->output.stream,
        .encoder = encoder,
        .rows = job->rows,
        .n_array_rows = &job->progress.array_rows,
        .all_values = options->all_values,
        .npy.type = options->type,
        .has_titles = options->request.n_texts != 1 || options->request.is_chunked,
        .ranked = alloc_zeros(encoder->width, sizeof(struct ranked)),
    };
    if (options->request.has_spans)
        spans_check(pipeline->job->encoder);
    FILE *origin = options->output_path ? open_beside(pipeline) : NULL;
    const int code = run_pipeline(pipeline);
    if (code == PROGRAM_DONE && job->progress.left_out > 0)
        note_left_out(pipeline);
    if (code == PROGRAM_DONE && pipeline->words)
        write_words(pipeline);
    if (code == PROGRAM_DONE && origin)
        origin_write(origin, job);
    if (pipeline->words)
        engine_index_free(pipeline->words);
    for (size_t i = 0; i < pipeline->n_windows; i++)
        item_free(&pipeline->windows[i]);
    free(pipeline->printer.ranked);
    free(pipeline->printer.row_title);
    free(pipeline);
    return code;
}
