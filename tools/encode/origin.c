/* origin.c - see origin.h. */
#include "tools/encode/origin.h"

#include <stdlib.h>
#include <unistd.h>

FILE *origin_open(struct job *job)
{
    job->reader.lines.has_sum = true;
    return output_beside(&job->output, job->output.path, OUTPUT_ORIGIN);
}

void origin_write(FILE *stream, const struct job *job)
{
    const struct encoder *encoder = job->encoder;
    const struct line_reader *lines = &job->reader.lines;
    json_t *origin = settings_make(job->options->settings, encoder);
    json_object_update_new(
        origin,
        json_pack("{ssssssssss%sIsIsI}", "name", encoder->name, "pooling",
                  encoder_pooling_asked(encoder), "position", encoder->position, "mask",
                  encoder->mask, "prompt", encoder->prompt.text ? encoder->prompt.text : "",
                  encoder->prompt.len, "dimensions", (json_int_t)encoder->width, "rows",
                  (json_int_t)job->progress.rows, "texts", (json_int_t)job->progress.lines));
    if (!job->reader.texts)
        json_object_update_new(origin,
                               json_pack("{sIsIsI}", "input_lines", (json_int_t)lines->n_lines,
                                         "input_bytes", (json_int_t)lines->place.bytes,
                                         "input_crc32c", (json_int_t)lines->place.sum));
    json_dumpf(origin, stream, JSON_PRESERVE_ORDER | JSON_INDENT(2));
    fputc('\n', stream);
    json_decref(origin);
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
