/* left_out.c - see left_out.h. */
#include "tools/encode/corpus/left_out.h"

#include "tools/encode/notes.h"

#include <string.h>

void left_out_open(struct left_out *left)
{
    const struct encode_options *options = left->job->options;
    struct output *output = &left->job->output;
    if (options->report_path)
        left->report.stream = output_beside(output, options->report_path, "");
    else if (options->skips_errors || options->request.skips_long)
        left->report.stream = output_beside(output, output->path, OUTPUT_LEFT_OUT);
}

bool left_out_add(struct left_out *left, const struct item *item)
{
    const struct encoder *encoder = left->job->encoder;
    const struct record *record = &item->record;
    struct json_writer *json = &left->report;
    if (encoder->fault >= FAULT_OF_ALL ||
        !(left->job->options->skips_errors ||
          (encoder->fault == FAULT_OF_LENGTH && encoder->request.skips_long)))
        return false;
    left->job->progress.left_out += left->last != item->number; /* each of its windows may be */
    left->last = item->number;
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

void left_out_end(const struct left_out *left)
{
    const struct progress *progress = &left->job->progress;
    const char *report_path = left->job->options->report_path;
    const char *path = report_path ? report_path : left->job->output.path;
    program_note("%zu of %zu text%s %s left out%s%s%s", progress->left_out, progress->lines,
                 plural(progress->lines), progress->left_out == 1 ? "was" : "were",
                 left->report.stream ? ": see " : "", left->report.stream ? path : "",
                 left->report.stream && !report_path ? OUTPUT_LEFT_OUT : "");
}
