/* left_out.c - see left_out.h. */
#include "tools/encode/corpus/left_out.h"

#include "tools/encode/notes.h"

#include <string.h>

void left_out_open(struct left_out *left, const struct job *job)
{
    const struct encode_options *options = job->options;
    *left = (struct left_out){.job = job};
    if (options->report_path)
        left->report.stream = output_beside(job->output, options->report_path, "");
    else if (options->skips_errors || options->request.skips_long)
        left->report.stream = output_beside(job->output, job->output->path, OUTPUT_LEFT_OUT);
}

/* The encoder's message without the name of the text that it begins with. */
static const char *reason_of(const struct encoder *encoder, const struct item *item)
{
    const char *reason = encoder->message + strlen(item_name(item));
    return reason + strspn(reason, ": ");
}

static void report(struct left_out *left, const struct item *item)
{
    struct json_writer *json = &left->report;
    const struct record *record = &item->record;
    json_begin_object(json, NULL);
    json_write_count(json, record->line ? "line" : "text", item->number);
    if (record->id)
        json_write_raw(json, "id", record->id, record->id_len);
    if (item->window.of > 0)
        json_write_count(json, "window", item->window.index);
    json_write_text(json, "reason", reason_of(left->job->encoder, item));
    json_end_object(json);
}

bool left_out_take(struct left_out *left, const struct item *item)
{
    const struct encoder *encoder = left->job->encoder;
    const bool skips_errors = left->job->options->skips_errors;
    if (encoder->fault >= FAULT_OF_ALL ||
        !(skips_errors || (encoder->fault == FAULT_OF_LENGTH && encoder->request.skips_long)))
        return false;
    left->n += left->last != item->number; /* of its windows each may be left out */
    left->last = item->number;
    if (left->report.stream) {
        report(left, item);
        return true;
    }
    notes_clear(left->job->notes);
    program_note("left out: %s", encoder->message);
    return true;
}

void left_out_end(const struct left_out *left, size_t n_read)
{
    const struct encode_options *options = left->job->options;
    if (left->n == 0)
        return;
    const char *path = options->report_path ? options->report_path : left->job->output->path;
    program_note("%zu of %zu text%s %s left out%s%s%s", left->n, n_read, plural(n_read),
                 left->n == 1 ? "was" : "were", left->report.stream ? ": see " : "",
                 left->report.stream ? path : "",
                 left->report.stream && !options->report_path ? OUTPUT_LEFT_OUT : "");
}
