/* origin.c - see origin.h. */
#include "tools/encode/origin.h"

#include "tools/encode/notes.h"

#include <stdlib.h>
#include <unistd.h>

FILE *origin_open(const struct job *job, bool resumes)
{
    const struct encode_options *options = job->options;
    const bool is_array = options->format == FORMAT_NPY || options->format == FORMAT_NPZ;
    if (!resumes && !(is_array && options->request.task == TASK_VECTORS))
        return NULL;
    job->reader->lines.has_sum = true;
    return output_beside(job->output, job->output->path, OUTPUT_ORIGIN);
}

static void write_numbers(FILE *stream, json_t *origin, size_t n_rows, size_t n_texts,
                          const struct line_place *input, size_t n_lines)
{
    json_object_set_new(origin, "rows", json_integer((json_int_t)n_rows));
    json_object_set_new(origin, "texts", json_integer((json_int_t)n_texts));
    if (input) {
        json_object_set_new(origin, "input_lines", json_integer((json_int_t)n_lines));
        json_object_set_new(origin, "input_bytes", json_integer((json_int_t)input->bytes));
        json_object_set_new(origin, "input_crc32c", json_integer((json_int_t)input->sum));
    }
    json_dumpf(origin, stream, JSON_PRESERVE_ORDER | JSON_INDENT(2));
    fputc('\n', stream);
    json_decref(origin);
}

void origin_write(FILE *stream, const struct job *job, const struct rows_file *rows)
{
    const struct encoder *encoder = job->encoder;
    if (!stream)
        return;
    json_t *origin = settings_make(job->options->settings, encoder);
    json_object_update_new(
        origin, json_pack("{ssssssssss%sI}", "name", encoder->name, "pooling",
                          encoder_pooling_asked(encoder), "position", encoder->position, "mask",
                          encoder->mask, "prompt", encoder->prompt.text ? encoder->prompt.text : "",
                          encoder->prompt.len, "dimensions", (json_int_t)encoder->width));
    write_numbers(stream, origin, rows->n_rows, job->notes->n_read,
                  job->reader->texts ? NULL : &job->reader->lines.place,
                  job->reader->lines.n_lines);
}

bool origin_is_of(const char *output_path, const json_t *settings)
{
    char *path = alloc_text("%s" OUTPUT_ORIGIN, output_path);
    char message[SETTINGS_MESSAGE_BYTES] = "stdin is another input";
    json_t *origin = access(output_path, F_OK) == 0 ? json_load_file(path, 0, NULL) : NULL;
    const bool is_there = json_is_object(origin);
    const json_t *bytes = json_object_get(origin, "input_bytes");
    const json_t *sum = json_object_get(origin, "input_crc32c");
    bool is_same = is_there && settings_agree(origin, settings, message);
    if (is_same) {
        struct line_reader lines;
        line_reader_begin(&lines, STDIN_FILENO);
        lines.has_sum = true;
        is_same = line_reader_skip(&lines, UINT64_MAX) == LINE_END &&
                  json_integer_value(bytes) == (json_int_t)lines.place.bytes &&
                  json_integer_value(sum) == (json_int_t)lines.place.sum;
        line_reader_free(&lines);
    }
    if (is_there && !is_same) /* of a pipe what was read is gone */
        program_die("'%s' is complete, but %s: start over with --restart", output_path, message);
    if (is_there)
        program_note("'%s' is complete", output_path);
    json_decref(origin);
    free(path);
    return is_there;
}
