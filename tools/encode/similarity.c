/* similarity.c - encode --similarity: pooled vectors compared, by their cosine or as the model's
 * file says: of every two texts, whose vectors are in memory; or with --pairs of the two texts of
 * each pair, in constant memory. */
#include "tools/common/print/display.h"
#include "tools/common/print/format_float.h"
#include "tools/encode/print/printer.h"

#include <stdlib.h>
#include <string.h>

/* ---- Every two texts ---- */

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
        const double score =
            engine_similarity(matrix->encoder->metric, vector, matrix->vectors + i * width, width);
        if (rows->format == ROWS_TABLE) {
            putc(' ', rows->stream);
            display_number(rows->stream, score);
        }
        row_float(rows, ROWS_DATA, NULL, (float)score);
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

/* ---- Pairs ---- */

struct pairs {
    struct job *job;
    struct encoder *encoder;
    struct batch seconds; /* the second texts of the pairs of a batch, which has the first */
    float *vectors;       /* [n_vectors, width], of first texts */
    size_t n_vectors;
};

/* As text the number alone, with all its digits. */
static void print_similarity(struct rows *rows, const struct item *first, const struct item *second,
                             float similarity)
{
    const engine_input *text = &first->record.input, *pair = &second->record.input;
    char number[FORMAT_FLOAT_MAX];
    if (rows->format == ROWS_TABLE) {
        format_float(similarity, number);
        fprintf(rows->stream, "%s\n", number);
        return;
    }
    row_begin(rows);
    row_count(rows, ROWS_CSV, "index", first->number - 1);
    row_text(rows, ROWS_DATA, "text", text->text, text->text_len, 0);
    row_text(rows, ROWS_DATA, "pair", pair->text, pair->text_len, 0);
    if (rows->format == ROWS_JSON)
        write_members_json(&rows->json, first, TASK_SIMILARITY);
    row_float(rows, ROWS_DATA, "similarity", similarity);
    row_end(rows);
}

/* Takes the second text of each pair out of the batch, and tokenizes both sides. How many pairs,
 * from the first, could be; the encoder's message says why not all. */
static size_t split_pairs(struct pairs *pairs, struct batch *firsts)
{
    struct batch *seconds = &pairs->seconds;
    const size_t n_read = firsts->n_items;
    size_t n = 0;
    for (; n < n_read && firsts->items[n].record.input.pair; n++) {
        struct item *item = &firsts->items[n];
        engine_input *input = &item->record.input;
        seconds->items[n] = (struct item){
            .number = item->number,
            .record = {.input = {.text = input->pair, .text_len = input->pair_len},
                       .line = item->record.line},
        };
        input->pair = NULL;
        input->pair_len = 0;
    }
    if (n < n_read)
        encoder_fail(pairs->encoder, &firsts->items[n],
                     ": --pairs takes two texts, [\"text\", \"pair\"] or "
                     "{\"text\": …, \"pair\": …}");
    firsts->n_items = n;
    seconds->n_items = batch_tokenize(firsts, NULL);
    firsts->n_items = n_read;
    return batch_tokenize(seconds, NULL);
}

/* Of n pairs with their tokens; returns how many could be. */
static size_t compare_group(struct pairs *pairs, struct item *firsts, struct item *seconds,
                            size_t n)
{
    const size_t width = pairs->encoder->width;
    if (n > pairs->n_vectors) {
        pairs->vectors = alloc_resize(pairs->vectors, n, width * sizeof *pairs->vectors);
        pairs->n_vectors = n;
    }
    n = encoder_encode(pairs->encoder, firsts, n);
    for (size_t i = 0; i < n; i++)
        memcpy(pairs->vectors + i * width, firsts[i].rows, width * sizeof *pairs->vectors);
    n = encoder_encode(pairs->encoder, seconds, n);
    for (size_t i = 0; i < n; i++) {
        notes_of(pairs->job, &firsts[i]);
        notes_of(pairs->job, &seconds[i]);
        print_similarity(&pairs->job->rows, &firsts[i], &seconds[i],
                         (float)engine_similarity(pairs->encoder->metric,
                                                  pairs->vectors + i * width, seconds[i].rows,
                                                  width));
    }
    return n;
}

static int compare_pairs(void *task, struct batch *batch)
{
    struct pairs *pairs = task;
    const size_t n_read = batch->n_items, most = encoder_most_pooled(pairs->encoder);
    char reason[sizeof((struct encoder *)0)->message]; /* a copy: encoding others may change it */
    size_t n = split_pairs(pairs, batch), n_done = 0, len, n_compared;

    strcpy(reason, n < n_read ? pairs->encoder->message : "");
    do {
        len = n - n_done < most ? n - n_done : most;
        n_compared =
            compare_group(pairs, batch->items + n_done, pairs->seconds.items + n_done, len);
        n_done += n_compared;
    } while (n_compared == len && n_done < n);
    for (size_t i = 0; i < pairs->seconds.n_items; i++)
        item_free(&pairs->seconds.items[i]);
    if (n_done == n_read)
        return PROGRAM_DONE;
    return program_fail("%s", n_done < n ? pairs->encoder->message : reason);
}

int print_pair_similarities(struct job *job)
{
    struct pairs *pairs = alloc_zeros(1, sizeof *pairs);
    pairs->job = pairs->seconds.job = job;
    pairs->encoder = job->encoder;
    rows_titles(&pairs->job->rows, "index,text,pair,similarity", 0, NULL);
    int code = batch_run(job, compare_pairs, pairs);
    free(pairs->vectors);
    free(pairs);
    return code;
}
