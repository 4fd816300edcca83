/* encode.c - the program encode: texts in, vectors out. See encode(1).
 *
 *     encode_options   the command line
 *     reader           arguments, lines or JSON lines  →  records
 *     encoder          records  →  tokens  →  vectors, by the engine
 *     batch            records that are there, read together; notes of them on stderr
 *     pipeline         result by result: read, tokenize, encode, print (text, json, csv, npy, ids)
 *     compare, similarity, rank, show_mask   what looks at several texts
 */
#include "tools/common/inputs.h"
#include "tools/encode/corpus/corpus.h"
#include "tools/encode/corpus/stop.h"
#include "tools/encode/notes.h"

#include <unistd.h>

static int run_task(const struct job *job)
{
    switch (job->options->request.task) {
    case TASK_RANK: return rank_texts(job);
    case TASK_SIMILARITY:
        return job->options->are_pairs ? print_pair_similarities(job) : print_similarities(job);
    case TASK_SHOW_MASK: return show_masks(job);
    case TASK_COMPARE: return compare_texts(job);
    case TASK_VECTORS:
    case TASK_TOKENS:
    case TASK_LABELS:
    case TASK_ENTITIES:
    case TASK_FILL: break;
    }
    return encode_texts(job);
}

static int encode_all(const struct encode_options *options, struct encoder *encoder,
                      struct output *output, struct corpus *corpus)
{
    const struct request_options *request = &options->request;
    struct reader reader;
    if (request->n_texts == 0 && isatty(STDIN_FILENO))
        program_note("reading the terminal, a text per line; Ctrl-D ends, --help helps");
    if (request->n_texts > 0)
        reader_from_arguments(&reader, request->texts, request->n_texts, options->pair);
    else
        reader_from_stdin(&reader, request->is_json_input);
    reader.two_by_two = options->are_pairs;
    reader.passes_faults = options->skips_errors;
    struct notes notes;
    struct job job = {options, encoder, &reader, output, &notes, corpus};
    notes_begin(&notes, &job);
    int code = run_task(&job);
    code = corpus ? corpus_end(corpus, code) : output_end(output, code);
    reader_free(&reader);
    return code;
}

static int encode(const struct encode_options *options, struct encoder *encoder)
{
    struct output output;
    struct corpus corpus;
    if (options->request.n_texts == 0)
        input_remember("-");
    if (corpus_is_asked(options))
        return corpus_open(&corpus, options, encoder, &output)
                   ? encode_all(options, encoder, &output, &corpus)
                   : PROGRAM_DONE;
    output_open(&output, options->output_path, OUTPUT_STREAM);
    return encode_all(options, encoder, &output, NULL);
}

int main(int argc, char **argv)
{
    struct encode_options options;
    struct encoder encoder = {0};

    program_begin("encode", argv);
    json_set_alloc_funcs(alloc_bytes, free);
    encode_options_read(&options, argc, argv);
    polite_threads(argv, options.request.session.n_threads);
    options.request.session.progress = stop_progress;
    encoder_open(&encoder, &options.request);
    const int code = encode(&options, &encoder);
    encoder_close(&encoder);
    json_decref(options.settings);
    return code;
}
