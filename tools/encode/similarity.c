/* similarity.c - encode --similarity: a·b / (|a| |b|) of pooled vectors; all of them are kept, the
 * matrix is not. */
#include "tools/common/print/display.h"
#include "tools/encode/batch.h"
#include "tools/encode/print/printer.h"

#include <stdlib.h>
#include <string.h>

struct matrix {
    struct encoder *encoder;
    struct kept texts;
    float *vectors; /* [texts.n, width] */
};

static int encode_matrix(void *task, struct batch *batch)
{
    struct matrix *matrix = task;
    struct encoder *encoder = matrix->encoder;
    const size_t n = matrix->texts.n, width = encoder->width;
    if (batch_tokenize(batch, NULL) < batch->n_items ||
        encoder_encode(encoder, batch->items, batch->n_items) < batch->n_items)
        return program_fail("%s", encoder->message);
    alloc_for("all texts");
    matrix->vectors =
        alloc_resize(matrix->vectors, n + batch->n_items, width * sizeof *matrix->vectors);
    for (size_t i = 0; i < batch->n_items; i++)
        memcpy(matrix->vectors + (n + i) * width, batch->items[i].rows,
               width * sizeof *matrix->vectors);
    batch_keep(batch, &matrix->texts);
    for (size_t i = n; i < matrix->texts.n; i++) {
        free(matrix->texts.items[i].tokens);
        matrix->texts.items[i].tokens = NULL;
    }
    return PROGRAM_DONE;
}

/* ---- Printing ---- */

enum { TEXT_COLUMNS = 40 };

static double similarity(const struct matrix *matrix, size_t a, size_t b)
{
    size_t width = matrix->encoder->width;
    return engine_cosine(matrix->vectors + a * width, matrix->vectors + b * width, width);
}

static void print_matrix_row(const struct matrix *matrix, size_t row, FILE *stream)
{
    const engine_input *input = &matrix->texts.items[row].record.input;
    fprintf(stream, "%6zu ", row + 1);
    for (size_t i = 0; i < matrix->texts.n; i++) {
        putc(' ', stream);
        display_number(stream, similarity(matrix, row, i));
    }
    fputs("  ", stream);
    print_input(stream, input, TEXT_COLUMNS);
    putc('\n', stream);
}

static void print_matrix(const struct matrix *matrix, struct rows *rows)
{
    FILE *stream = rows->stream;
    print_heading(stream, matrix->encoder);
    fprintf(stream, "\n%6s ", "#");
    for (size_t i = 0; i < matrix->texts.n; i++)
        fprintf(stream, " %*zu", DISPLAY_NUMBER, i + 1);
    fputs("  text\n", stream);
    for (size_t row = 0; row < matrix->texts.n && !ferror(stream); row++)
        print_matrix_row(matrix, row, stream);
}

static void print_matrix_json(const struct matrix *matrix, struct rows *rows)
{
    struct json_writer *json = &rows->json;
    json_begin_object(json, NULL);
    write_inputs_json(json, &matrix->texts);
    write_prompt_json(json, matrix->encoder);
    json_begin_array(json, "similarity");
    for (size_t row = 0; row < matrix->texts.n && !ferror(json->stream); row++) {
        json_begin_array(json, NULL);
        for (size_t i = 0; i < matrix->texts.n; i++)
            json_write_float(json, NULL, (float)similarity(matrix, row, i));
        json_end_array(json);
    }
    json_end_array(json);
    write_truncated_json(json, &matrix->texts);
    json_end_object(json);
}

static void print_matrix_csv(const struct matrix *matrix, struct rows *rows)
{
    rows_titles(rows, "index,text,pair", matrix->texts.n, "s");
    for (size_t row = 0; row < matrix->texts.n && !ferror(rows->stream); row++) {
        const engine_input *input = &matrix->texts.items[row].record.input;
        row_begin(rows);
        row_count(rows, ROWS_CSV, "index", row);
        row_text(rows, ROWS_CSV, "text", input->text, input->text_len, 0);
        row_text(rows, ROWS_CSV, "pair", input->pair, input->pair_len, 0);
        for (size_t i = 0; i < matrix->texts.n; i++)
            row_float(rows, ROWS_CSV, "s", (float)similarity(matrix, row, i));
        row_end(rows);
    }
}

int print_similarities(struct job *job)
{
    struct matrix matrix = {.encoder = job->encoder};
    int code = batch_run(job, encode_matrix, &matrix);
    if (code == PROGRAM_DONE && matrix.texts.n < 2)
        program_die("--similarity takes at least two texts; stdin has %s",
                    matrix.texts.n ? "one" : "none");
    if (code == PROGRAM_DONE)
        (job->rows.format == ROWS_JSON  ? print_matrix_json
         : job->rows.format == ROWS_CSV ? print_matrix_csv
                                        : print_matrix)(&matrix, &job->rows);
    kept_free(&matrix.texts);
    free(matrix.vectors);
    return code;
}
