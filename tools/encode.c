/* encode.c - the program encode: texts in, vectors out. See encode(1).
 *
 *     encode_options   the command line
 *     job              what a run has: reader, encoder, output, what it counts
 *     pipeline         records that are available, read together; result by result: encode, print
 *     beside           files beside the output
 *     rank             how well texts answer a query
 */
#include "tools/common/output.h"
#include "tools/encode/corpus/corpus.h"
#include "tools/encode/pipeline.h"

#include <unistd.h>

/* Opens the input and the output, runs the task and ends the output. */
static int run_job(const struct encode_options *options, struct text_encoder *encoder)
{
    const struct request_options *request = &options->request;
    struct corpus corpus;
    struct job job = {.options = options, .encoder = encoder};
    reader_open(&job.reader, request);
    job.reader.keeps_going = options->skips_errors;
    const bool has_journal = options->output_path && options->format != FORMAT_NPZ &&
                             request->n_texts == 0 && !isatty(STDIN_FILENO) &&
                             request->task < TASK_RANK && request->task != TASK_SHOW_MASK;
    if (has_journal && !corpus_open(&corpus, &job))
        return PROGRAM_DONE; /* the output is complete */
    if (!has_journal)
        output_open(&job.output, options->output_path, OUTPUT_STREAM);
    if (request->n_texts == 0 && isatty(STDIN_FILENO))
        program_note("reading the terminal, a text per line; Ctrl-D ends, --help helps");
    const enum output_format format = options->format;
    job.rows = (struct rows)ROWS(job.output.stream, format == FORMAT_JSON  ? ROWS_JSON
                                                    : format == FORMAT_CSV ? ROWS_CSV
                                                                           : ROWS_TABLE);
    if (options->has_own_pooling && !request->has_spans)
        program_note(encoder->is_pooled
                         ? "one vector per text (-p model); -p none: one per token"
                         : "one vector per token, as this model has no pooling of its "
                           "own; -p mean: one per text");
    encode_options_note(options);
    int code = request->task == TASK_RANK ? rank_texts(&job) : encode_texts(&job);
    code = job.corpus ? corpus_end(job.corpus, code) : output_end(&job.output, code);
    if (request->n_texts == 0)
        reader_free(&job.reader);
    return code;
}

int main(int argc, char **argv)
{
    struct encode_options options;
    struct text_encoder encoder = {0};

    program_begin("encode", argv);
    json_set_alloc_funcs(alloc_bytes, free);
    encode_options_read(&options, argc, argv);
    set_passive_waiting(argv, options.request.session.n_threads);
    if (options.output_path)
        options.request.session.progress = corpus_progress;
    encoder_open(&encoder, &options.request);
    if (options.settings)
        options.settings = settings_make(options.settings, &encoder);
    const int code = run_job(&options, &encoder);
    encoder_close(&encoder);
    json_decref(options.settings);
    return code;
}
