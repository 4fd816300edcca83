/* similarity.c - encode --similarity: a·b / (|a| |b|) of pooled vectors; all of them are kept, the
 * matrix is not. */
#include "tools/common/display.h"
#include "tools/encode/batch.h"
#include "tools/encode/print/printer.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct matrix {
    struct encoder *encoder;
    struct item *items; /* [n] */
    float *vectors;     /* [n, width] */
    size_t n;
};

/* ---- Reading ---- */

static bool keep_vectors(struct matrix *matrix, const struct item *items, size_t n)
{
    size_t width = matrix->encoder->width, n_all = matrix->n + n;
    float *vectors = n_all <= SIZE_MAX / sizeof *vectors / width
                         ? realloc(matrix->vectors, n_all * width * sizeof *vectors)
                         : NULL;
    if (!vectors)
        return false;
    matrix->vectors = vectors;
    for (size_t i = 0; i < n; i++)
        memcpy(vectors + (matrix->n + i) * width, items[i].rows, width * sizeof *vectors);
    return true;
}

static int take_batch(void *task, struct batch *batch)
{
    struct matrix *matrix = task;
    struct encoder *encoder = matrix->encoder;
    if (batch->n_items == 0)
        return PROGRAM_DONE;
    if (batch_tokenize(batch) < batch->n_items ||
        encoder_encode(encoder, batch->items, batch->n_items) < batch->n_items)
        return batch_fail(batch, encoder->message);
    if (!keep_vectors(matrix, batch->items, batch->n_items))
        return batch_fail(batch, "not enough memory");
    for (size_t i = 0; i < batch->n_items; i++) {
        notes_of(&batch->notes, &batch->items[i]);
        free(batch->items[i].tokens);
        batch->items[i].tokens = NULL;
    }
    return batch_keep(batch, &matrix->items, &matrix->n) ? PROGRAM_DONE
                                                         : batch_fail(batch, "not enough memory");
}

static int read_all(struct matrix *matrix, struct batch *batch)
{
    int code = batch_run(batch, take_batch, matrix);
    if (code != PROGRAM_DONE)
        return code;
    if (matrix->n < 2)
        return batch_fail(batch, matrix->n
                                     ? "--similarity takes at least two texts; stdin has one"
                                     : "--similarity takes at least two texts; stdin has none");
    notes_end(&batch->notes);
    return PROGRAM_DONE;
}

/* ---- Printing ---- */

enum { TEXT_COLUMNS = 40 };

static double similarity(const struct matrix *matrix, size_t a, size_t b)
{
    size_t width = matrix->encoder->width;
    return engine_cosine(matrix->vectors + a * width, matrix->vectors + b * width, width);
}

static void print_row(const struct matrix *matrix, size_t row, FILE *stream)
{
    const engine_input *input = &matrix->items[row].record.input;
    fprintf(stream, "%6zu ", row + 1);
    for (size_t i = 0; i < matrix->n; i++) {
        putc(' ', stream);
        display_number(stream, similarity(matrix, row, i));
    }
    fputs("  ", stream);
    print_input(stream, input, TEXT_COLUMNS);
    putc('\n', stream);
}

static void print_table(const struct matrix *matrix, FILE *stream)
{
    print_heading(stream, matrix->encoder);
    fprintf(stream, "\n%6s ", "#");
    for (size_t i = 0; i < matrix->n; i++)
        fprintf(stream, " %*zu", DISPLAY_NUMBER, i + 1);
    fputs("  text\n", stream);
    for (size_t row = 0; row < matrix->n && !ferror(stream); row++)
        print_row(matrix, row, stream);
}

static void print_json(const struct matrix *matrix, struct json_writer *json)
{
    json_begin_object(json, NULL);
    write_inputs_json(json, matrix->items, matrix->n);
    write_prompt_json(json, matrix->encoder);
    json_begin_array(json, "similarity");
    for (size_t row = 0; row < matrix->n && !ferror(json->stream); row++) {
        json_begin_array(json, NULL);
        for (size_t i = 0; i < matrix->n; i++)
            json_write_float(json, NULL, (float)similarity(matrix, row, i));
        json_end_array(json);
    }
    json_end_array(json);
    write_truncated_json(json, matrix->items, matrix->n);
    json_end_object(json);
}

static void print_csv(const struct matrix *matrix, struct csv_writer *csv)
{
    csv_write_fields(csv, "text_index,text,pair");
    csv_write_numbered(csv, "s", matrix->n);
    csv_end_row(csv);
    for (size_t row = 0; row < matrix->n && !ferror(csv->stream); row++) {
        const engine_input *input = &matrix->items[row].record.input;
        csv_write_integer(csv, (int64_t)row);
        csv_write_string(csv, input->text, input->text_len);
        csv_write_string(csv, input->pair, input->pair_len);
        for (size_t i = 0; i < matrix->n; i++)
            csv_write_float(csv, (float)similarity(matrix, row, i));
        csv_end_row(csv);
    }
}

static void print(const struct matrix *matrix, enum output_format format, FILE *stream)
{
    struct json_writer json = {.stream = stream};
    struct csv_writer csv = {.stream = stream};
    switch (format) {
    case FORMAT_TEXT: print_table(matrix, stream); break;
    case FORMAT_JSON: print_json(matrix, &json); break;
    case FORMAT_CSV: print_csv(matrix, &csv); break;
    case FORMAT_NPY:
    case FORMAT_IDS: break; /* encode_options_conflict refuses them */
    }
}

int print_similarities(const struct job *job)
{
    struct matrix matrix = {.encoder = job->encoder};
    struct batch *batch = batch_new(job);
    int code = batch ? read_all(&matrix, batch) : program_fail("not enough memory");
    if (code == PROGRAM_DONE) {
        errno = 0;
        print(&matrix, job->options->format, job->output->stream);
        output_check(job->output, false);
    }
    for (size_t i = 0; i < matrix.n; i++)
        item_free(&matrix.items[i]);
    free(matrix.items);
    free(matrix.vectors);
    batch_free(batch);
    return code;
}
