/* similarity.c - encode --similarity: a·b / (|a| |b|) of pooled vectors, which are in memory. */
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

/* Prints a row of the matrix: an array in JSON, a line of the table or of CSV with its text. */
static void print_matrix_row(const struct matrix *matrix, size_t row, struct rows *rows)
{
    const engine_input *input = &matrix->texts.items[row].record.input;
    const size_t width = matrix->encoder->width;
    const float *vector = matrix->vectors + row * width;
    if (rows->format == ROWS_JSON) {
        json_begin_array(&rows->json, NULL);
    } else if (rows->format == ROWS_CSV) {
        row_begin(rows);
        row_count(rows, ROWS_CSV, "index", row);
        row_text(rows, ROWS_CSV, "text", input->text, input->text_len, 0);
        row_text(rows, ROWS_CSV, "pair", input->pair, input->pair_len, 0);
    } else {
        fprintf(rows->stream, "%6zu ", row + 1);
    }
    for (size_t i = 0; i < matrix->texts.n; i++) {
        const double cosine = engine_cosine(vector, matrix->vectors + i * width, width);
        if (rows->format == ROWS_TABLE) {
            putc(' ', rows->stream);
            display_number(rows->stream, cosine);
        }
        row_float(rows, ROWS_DATA, NULL, (float)cosine);
    }
    if (rows->format == ROWS_JSON) {
        json_end_array(&rows->json);
    } else if (rows->format == ROWS_CSV) {
        row_end(rows);
    } else {
        fputs("  ", rows->stream);
        print_input(rows->stream, input, TEXT_COLUMNS);
        putc('\n', rows->stream);
    }
}

static void print_matrix(const struct matrix *matrix, struct rows *rows)
{
    const bool is_json = rows->format == ROWS_JSON;
    FILE *stream = rows->stream;
    if (is_json) {
        json_begin_object(&rows->json, NULL);
        write_inputs_json(&rows->json, &matrix->texts);
        write_prompt_json(&rows->json, matrix->encoder);
        json_begin_array(&rows->json, "similarity");
    } else if (rows->format == ROWS_TABLE) {
        print_heading(stream, matrix->encoder);
        fprintf(stream, "\n%6s ", "#");
        for (size_t i = 0; i < matrix->texts.n; i++)
            fprintf(stream, " %*zu", DISPLAY_NUMBER, i + 1);
        fputs("  text\n", stream);
    }
    rows_titles(rows, "index,text,pair", matrix->texts.n, "s");
    for (size_t row = 0; row < matrix->texts.n && !ferror(stream); row++)
        print_matrix_row(matrix, row, rows);
    if (is_json) {
        json_end_array(&rows->json);
        write_truncated_json(&rows->json, &matrix->texts);
        json_end_object(&rows->json);
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
        print_matrix(&matrix, &job->rows);
    kept_free(&matrix.texts);
    free(matrix.vectors);
    return code;
}
