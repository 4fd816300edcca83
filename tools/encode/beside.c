/* beside.c - see beside.h. */
#include "tools/encode/beside.h"

#include "tools/encode/corpus/corpus.h"

#include <string.h>

/* ---- Rows, and their words ---- */

static void begin_row(struct json_writer *json, size_t row, size_t line)
{
    json_begin_object(json, NULL);
    json_write_count(json, "row", row);
    json_write_count(json, "line", line);
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
static void add_rows(struct beside *beside, const struct item *item)
{
    struct json_writer *json = &beside->rows;
    const struct text_encoder *encoder = beside->job->encoder;
    const struct record *record = &item->record;
    const bool is_per_token = encoder->width > 0 && !encoder->is_pooled && !encoder->padding.n;
    size_t *n_rows = &beside->job->progress.rows;
    for (size_t i = 0; i < (is_per_token ? item->n_tokens : 1); i++, ++*n_rows) {
        const bool is_begun = ftello(json->stream) > 0;
        if (!is_begun && !record->id && !item->window.of && !is_per_token &&
            item->number == *n_rows + 1)
            continue;
        for (size_t row = 0; !is_begun && row < *n_rows; row++) {
            begin_row(json, row, row + 1);
            json_end_object(json);
        }
        begin_row(json, *n_rows, item->number);
        if (record->id)
            json_write_raw(json, "id", record->id, record->id_len);
        if (item->window.of)
            write_window(json, item);
        if (is_per_token)
            json_write_count(json, "token", i);
        json_end_object(json);
    }
}

void beside_add(struct beside *beside, const struct item *item)
{
    if (beside->rows.stream)
        add_rows(beside, item);
    if (!beside->words)
        return;
    const engine_input text = item_shown(item); /* without the prompt */
    const size_t begin = item->window.in_pair ? 0 : item->window.begin;
    const size_t skipped = item->prompt_len > begin ? item->prompt_len - begin : 0;
    if (engine_index_add_text(beside->words, text.text + skipped, text.text_len - skipped, NULL) !=
        ENGINE_OK)
        alloc_die();
}

/* The index is stamped with the checksums of the rows file and of the input. */
static void write_words(struct beside *beside)
{
    FILE *rows = beside->rows.stream;
    const void *bytes;
    uint32_t of_rows = 0;
    size_t len;
    if (fflush(rows) != 0 || !file_sum(fileno(rows), 0, ftello(rows), &of_rows))
        program_die("the rows file cannot be read again");
    const uint64_t stamp = (uint64_t)of_rows << 32 | beside->job->reader.lines.place.sum;
    if (engine_index_bytes(beside->words, stamp, &bytes, &len, NULL) != ENGINE_OK)
        alloc_die();
    fwrite(bytes, 1, len, beside->words_stream);
}

/* ---- Skipped texts ---- */

bool beside_leave_out(struct beside *beside, const struct item *item)
{
    struct job *job = beside->job;
    const struct text_encoder *encoder = job->encoder;
    const struct record *record = &item->record;
    struct json_writer *json = &beside->left_out;
    if (encoder->fault >= FAULT_OF_ALL ||
        !(job->options->skips_errors ||
          (encoder->fault == FAULT_OF_LENGTH && encoder->request.skips_long)))
        return false;
    if (beside->last_left_out != item->number) /* each of its windows may be */
        job->progress.left_out++;
    beside->last_left_out = item->number;
    if (!json->stream) {
        program_note("left out: %s", item_fault(item));
        return true;
    }
    json_begin_object(json, NULL);
    json_write_count(json, record->line ? "line" : "text", item->number);
    if (record->id)
        json_write_raw(json, "id", record->id, record->id_len);
    if (item->window.of > 0)
        json_write_count(json, "window", item->window.index);
    json_write_text(json, "reason", record->fault + strspn(record->fault, ": "));
    json_end_object(json);
    return true;
}

/* Notes how many texts were skipped, and where they are listed. */
static void note_left_out(const struct beside *beside)
{
    const struct job *job = beside->job;
    const struct progress *progress = &job->progress;
    const char *report_path = job->options->report_path;
    const bool is_told = beside->left_out.stream != NULL;
    program_note("%zu of %zu text%s %s left out%s%s%s", progress->left_out, progress->lines,
                 plural(progress->lines), progress->left_out == 1 ? "was" : "were",
                 is_told ? ": see " : "",
                 !is_told      ? ""
                 : report_path ? report_path
                               : job->output.path,
                 is_told && !report_path ? OUTPUT_LEFT_OUT : "");
}

/* ---- All files ---- */

void beside_open(struct beside *beside)
{
    struct job *job = beside->job;
    struct output *output = &job->output;
    const struct encode_options *options = job->options;
    const bool is_array = options->format == FORMAT_NPY || options->format == FORMAT_NPZ;
    const bool is_vectors = is_array && job->encoder->request.task == TASK_VECTORS;
    if (is_array)
        beside->rows.stream = output_beside(output, output->path, OUTPUT_ROWS);
    if (options->report_path)
        beside->left_out.stream = output_beside(output, options->report_path, "");
    else if (options->skips_errors || options->request.skips_long)
        beside->left_out.stream = output_beside(output, output->path, OUTPUT_LEFT_OUT);
    if (options->has_words) {
        beside->words_stream = output_beside(output, output->path, ".words");
        if (!job->encoder->is_pooled)
            program_die_misused("--words is for one vector for each text: -p model, mean ...");
        if (job->corpus && job->corpus->journal.settings)
            program_note(
                "'%s.words' is not made of a part of the texts: use encode-search --hybrid",
                output->path);
        else
            beside->words = engine_index_new();
    }
    job->reader.lines.has_sum = is_vectors || (options->resumes && job->corpus);
    if (job->reader.lines.has_sum)
        beside->origin = output_beside(output, output->path, OUTPUT_ORIGIN);
}

void beside_end(struct beside *beside, int code)
{
    if (code == PROGRAM_DONE && beside->job->progress.left_out > 0)
        note_left_out(beside);
    if (code == PROGRAM_DONE && beside->words)
        write_words(beside);
    if (code == PROGRAM_DONE && beside->origin)
        origin_write(beside->origin, beside->job);
    engine_index_free(beside->words);
}
