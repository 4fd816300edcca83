/* similarity.c - encode --similarity; see similarity.h. a·b / (|a| |b|) of pooled vectors; all of
 * them are kept, the matrix is not. */
#include "tools/encode/similarity.h"

#include "tools/common/csv_output.h"
#include "tools/common/display.h"
#include "tools/common/json_output.h"
#include "tools/encode/batch.h"
#include "tools/encode/print/printer.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct matrix {
    struct encoder *encoder;
    struct item *items; /* [n], without tokens */
    float *vectors;     /* [n, width] */
    size_t n, cap;
};

/* ---- Reading ---- */

static bool make_room(struct matrix *matrix, size_t n_more)
{
    size_t width = matrix->encoder->width, cap = 2 * matrix->cap + n_more;
    if (n_more <= matrix->cap - matrix->n)
        return true;
    if (cap > SIZE_MAX / sizeof *matrix->items || cap > SIZE_MAX / sizeof(float) / width)
        return false;
    struct item *items = realloc(matrix->items, cap * sizeof *items);
    if (items)
        matrix->items = items;
    float *vectors = realloc(matrix->vectors, cap * width * sizeof *vectors);
    if (vectors)
        matrix->vectors = vectors;
    if (!items || !vectors)
        return false;
    matrix->cap = cap;
    return true;
}

/* Takes the items over from the batch. */
static void take(struct matrix *matrix, struct batch *batch)
{
    size_t width = matrix->encoder->width;
    for (size_t i = 0; i < batch->n_items; i++) {
        struct item *item = &batch->items[i];
        batch_note(batch, item);
        memcpy(matrix->vectors + matrix->n * width, item->rows, width * sizeof *item->rows);
        free(item->tokens);
        item->tokens = NULL;
        item->rows = NULL;
        matrix->items[matrix->n++] = *item;
        *item = (struct item){0};
    }
}

static int read_all(struct matrix *matrix, struct batch *batch)
{
    struct encoder *encoder = matrix->encoder;
    enum reader_state state;
    do {
        state = batch_fill(batch);
        if (batch->n_items == 0)
            continue;
        if (batch_tokenize(batch) < batch->n_items ||
            !encoder_encode(encoder, batch->items, batch->n_items))
            return batch_fail(batch, encoder->message);
        if (!make_room(matrix, batch->n_items))
            return batch_fail(batch, "not enough memory");
        take(matrix, batch);
    } while (state == READER_RECORD || state == READER_PENDING);
    if (state == READER_FAILED)
        return batch_fail(batch, batch->reader->message);
    if (matrix->n < 2)
        return batch_fail(batch, matrix->n
                                     ? "--similarity takes at least two texts; stdin has one"
                                     : "--similarity takes at least two texts; stdin has none");
    batch_end(batch);
    return PROGRAM_DONE;
}

/* ---- Printing ---- */

static double similarity(const struct matrix *matrix, size_t a, size_t b)
{
    size_t width = matrix->encoder->width;
    return engine_cosine(matrix->vectors + a * width, matrix->vectors + b * width, width);
}

enum { TEXT_COLUMNS = 40 };

static void print_table(const struct matrix *matrix, FILE *stream)
{
    print_heading(stream, matrix->encoder);
    fprintf(stream, "\n%6s ", "#");
    for (size_t i = 0; i < matrix->n; i++)
        fprintf(stream, " %*zu", DISPLAY_NUMBER, i + 1);
    fputs("  text\n", stream);
    for (size_t row = 0; row < matrix->n && !ferror(stream); row++) {
        const engine_input *input = &matrix->items[row].record.input;
        fprintf(stream, "%6zu ", row + 1);
        for (size_t i = 0; i < matrix->n; i++) {
            putc(' ', stream);
            display_number(stream, similarity(matrix, row, i));
        }
        fputs("  ", stream);
        if (input->ids)
            fputs("(token ids)", stream);
        else
            display_text(stream, input->text, input->text_len, TEXT_COLUMNS);
        if (input->pair) {
            fputs(" | ", stream);
            display_text(stream, input->pair, input->pair_len, TEXT_COLUMNS);
        }
        putc('\n', stream);
    }
}

static void print_object(const struct matrix *matrix, FILE *stream)
{
    const struct prompt *prompt = &matrix->encoder->prompt;
    fputs("{\"texts\": [", stream);
    for (size_t i = 0; i < matrix->n; i++) {
        fputs(i ? ", " : "", stream);
        json_put_input(stream, &matrix->items[i].record.input);
    }
    putc(']', stream);
    if (prompt->len) {
        fputs(", \"prompt\": ", stream);
        json_put_string(stream, prompt->text, prompt->len);
    }
    fputs(", \"similarity\": [", stream);
    for (size_t row = 0; row < matrix->n && !ferror(stream); row++) {
        fputs(row ? "], [" : "[", stream);
        for (size_t i = 0; i < matrix->n; i++) {
            fputs(i ? ", " : "", stream);
            json_put_float(stream, (float)similarity(matrix, row, i));
        }
    }
    fputs("]], \"truncated\": [", stream);
    for (size_t i = 0; i < matrix->n; i++)
        fprintf(stream, "%s%s", i ? ", " : "", matrix->items[i].n_dropped ? "true" : "false");
    fputs("]}\n", stream);
}

static void print_csv(const struct matrix *matrix, FILE *stream)
{
    fputs("text_index,text,pair", stream);
    for (size_t i = 0; i < matrix->n; i++)
        fprintf(stream, ",s%zu", i);
    csv_end_row(stream);
    for (size_t row = 0; row < matrix->n && !ferror(stream); row++) {
        const engine_input *input = &matrix->items[row].record.input;
        fprintf(stream, "%zu,", row);
        csv_put_field(stream, input->text ? input->text : "", input->text_len);
        putc(',', stream);
        csv_put_field(stream, input->pair ? input->pair : "", input->pair_len);
        for (size_t i = 0; i < matrix->n; i++) {
            putc(',', stream);
            csv_put_float(stream, (float)similarity(matrix, row, i));
        }
        csv_end_row(stream);
    }
}

int similarity_print(const struct encode_options *options, struct encoder *encoder,
                     struct reader *reader, struct output *output)
{
    struct matrix matrix = {.encoder = encoder};
    struct batch *batch = batch_new(options, encoder, reader);
    int code = batch ? read_all(&matrix, batch) : program_fail("not enough memory");
    if (code == PROGRAM_DONE) {
        errno = 0;
        if (options->format == FORMAT_JSON)
            print_object(&matrix, output->stream);
        else if (options->format == FORMAT_CSV)
            print_csv(&matrix, output->stream);
        else
            print_table(&matrix, output->stream);
        output_check(output, false);
    }
    for (size_t i = 0; i < matrix.n; i++)
        item_free(&matrix.items[i]);
    free(matrix.items);
    free(matrix.vectors);
    batch_free(batch);
    return code;
}
