/* encode.c - the program encode: texts in, vectors out. See man/encode.1.
 *
 *     encode_options   the command line
 *     reader           arguments, lines or JSON lines  →  records
 *     encoder          records  →  tokens  →  vectors, by the engine
 *     printer          text, json, csv, npy, ids
 *     pipeline         the four together, batch by batch
 *     compare, similarity, rank, show_mask   for what looks at several texts
 */
#include "tools/common/options.h"
#include "tools/common/output.h"
#include "tools/common/texts/encoder.h"
#include "tools/common/texts/reader.h"
#include "tools/encode/compare.h"
#include "tools/encode/encode_options.h"
#include "tools/encode/pipeline.h"
#include "tools/encode/rank.h"
#include "tools/encode/show_mask.h"
#include "tools/encode/similarity.h"

#include <stdio.h>
#include <unistd.h>

static int run_task(const struct encode_options *options, struct encoder *encoder,
                    struct reader *reader, struct output *output)
{
    switch (options->request.task) {
    case TASK_RANK: return rank_texts(options, encoder, reader, output);
    case TASK_SIMILARITY: return similarity_print(options, encoder, reader, output);
    case TASK_SHOW_MASK: return show_mask(options, encoder, reader, output);
    default: return pipeline_run(options, encoder, reader, output);
    }
}

static void note_terminal(const struct encode_options *options)
{
    if (options->request.n_texts == 0 && isatty(STDIN_FILENO))
        program_note("reading the terminal, a text per line; Ctrl-D ends, --help helps");
}

static int encode_all(const struct encode_options *options, struct encoder *encoder,
                      struct output *output)
{
    struct reader reader;
    if (options->request.n_texts > 0)
        reader_from_arguments(&reader, options->request.texts, options->request.n_texts,
                              options->pair);
    else
        reader_from_stdin(&reader, options->request.is_json_input);
    int code = run_task(options, encoder, &reader, output);
    reader_free(&reader);
    return code;
}

int main(int argc, char **argv)
{
    struct encode_options options;
    struct encoder encoder;
    struct output output;
    int code;

    program_begin("encode", argv);
    if (!encode_options_read(&options, argc, argv, &code))
        return code;
    if (encoder_open(&encoder, &options.request, &code)) {
        code = PROGRAM_FAILED;
        if (output_open(&output, options.output_path)) {
            note_terminal(&options);
            code = options.request.task == TASK_COMPARE ? compare_texts(&options, &encoder, &output)
                                                        : encode_all(&options, &encoder, &output);
            code = output_end(&output, code);
        }
    }
    encoder_close(&encoder);
    encode_options_free(&options);
    return code;
}
