/* similarity.c - encode-compare similarity and pairs: vectors of texts compared, by their cosine or
 * as the model's file says: of every two texts, whose vectors are in memory; or of the two texts of
 * each pair, in constant memory. */
#include "tools/common/print/display.h"
#include "tools/study/compare/compare.h"

#include <stdlib.h>
#include <string.h>

enum { GROUP = 256 /* texts that are encoded together */ };

/* Returns the vectors of n items, [n, width], to be freed. */
static float *vectors_of(struct comparison *comparison, struct item *items, size_t n)
{
    const size_t width = comparison->encoder.width;
    const size_t most = encoder_most_pooled(&comparison->encoder);
    alloc_for("all texts");
    float *vectors = alloc_zeros(n, width * sizeof *vectors);
    for (size_t at = 0, len; at < n; at += len) {
        len = n - at < GROUP ? n - at : GROUP;
        len = len < most ? len : most;
        comparison_encode(comparison, items + at, len);
        for (size_t i = at; i < at + len; i++)
            memcpy(vectors + i * width, items[i].rows, width * sizeof *vectors);
    }
    return vectors;
}

/* ---- Every two texts ---- */

struct matrix {
    struct text_encoder *encoder;
    struct item *texts; /* [n_texts] */
    size_t n_texts;
    float *vectors; /* [n_texts, width] */
};

enum { TEXT_COLUMNS = 40 };

/* Prints a row of the matrix: an array in JSON, a line of the table or of CSV with its text. */
static void print_matrix_row(const struct matrix *matrix, size_t row, struct rows *rows)
{
    const engine_input *input = &matrix->texts[row].record.input;
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
    for (size_t i = 0; i < matrix->n_texts; i++) {
        const double score = engine_similarity(matrix->encoder->shape.metric, vector,
                                               matrix->vectors + i * width, width);
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
        write_texts_json(&rows->json, matrix->encoder, matrix->texts, matrix->n_texts);
        json_begin_array(&rows->json, "similarity");
    } else if (rows->format == ROWS_TABLE) {
        print_heading(stream, matrix->encoder);
        fprintf(stream, "\n%6s ", "#");
        for (size_t i = 0; i < matrix->n_texts; i++)
            fprintf(stream, " %*zu", DISPLAY_NUMBER, i + 1);
        fputs("  text\n", stream);
    }
    rows_titles(rows, "index,text,pair", matrix->n_texts, "s");
    for (size_t row = 0; row < matrix->n_texts && !ferror(stream); row++)
        print_matrix_row(matrix, row, rows);
    if (is_json) {
        json_end_array(&rows->json);
        write_truncated_json(&rows->json, matrix->texts, matrix->n_texts);
        json_end_object(&rows->json);
    }
}

void compare_similarity(struct comparison *comparison)
{
    struct matrix matrix = {.encoder = &comparison->encoder};
    matrix.texts = comparison_all(comparison, &matrix.n_texts);
    if (matrix.n_texts < 2)
        program_die("similarity takes at least two texts; stdin has %s",
                    matrix.n_texts ? "one" : "none");
    matrix.vectors = vectors_of(comparison, matrix.texts, matrix.n_texts);
    print_matrix(&matrix, &comparison->rows);
}

/* ---- Pairs ---- */

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
    row_count(rows, ROWS_CSV, "index", first->record.line ? first->number - 1 : first->number / 2);
    row_text(rows, ROWS_DATA, "text", text->text, text->text_len, 0);
    row_text(rows, ROWS_DATA, "pair", pair->text, pair->text_len, 0);
    for (size_t i = 0; rows->format == ROWS_JSON && i < first->record.n_members; i++) {
        const struct record_member *member = &first->record.members[i];
        if (strcmp(member->key, "similarity") != 0)
            json_write_raw(&rows->json, member->key, member->value, member->value_len);
    }
    row_float(rows, ROWS_DATA, "similarity", similarity);
    row_end(rows);
}

/* Takes the second text of a pair out of the first, and tokenizes both. */
static void split_pair(struct comparison *comparison, struct item *first, struct item *second)
{
    engine_input *input = &first->record.input;
    if (!input->pair)
        program_die("%s: pairs takes two texts, [\"text\", \"pair\"] or {\"text\": …, "
                    "\"pair\": …}",
                    item_name(first));
    if (first->record.line == 0) /* arguments, two for each pair */
        first->number = 2 * first->number - 1;
    *second = (struct item){.number = first->number + (first->record.line == 0),
                            .record = {.input = {.text = input->pair, .text_len = input->pair_len},
                                       .line = first->record.line}};
    input->pair = NULL;
    input->pair_len = 0;
    comparison_tokenize(comparison, first);
    comparison_tokenize(comparison, second);
}

/* Of a group of pairs, item 2i and item 2i + 1. */
static void print_group(struct comparison *comparison, struct item *items, size_t n)
{
    const size_t width = comparison->encoder.width;
    float *vectors = vectors_of(comparison, items, n);
    for (size_t i = 0; i < n; i += 2) {
        const float *first = vectors + i * width;
        print_similarity(&comparison->rows, &items[i], &items[i + 1],
                         (float)engine_similarity(comparison->encoder.shape.metric, first,
                                                  first + width, width));
    }
    for (size_t i = 0; i < n; i++)
        item_free(&items[i]);
    free(vectors);
}

void compare_pairs(struct comparison *comparison)
{
    struct item items[GROUP];
    size_t n = 0;
    rows_titles(&comparison->rows, "index,text,pair,similarity", 0, NULL);
    while (!ferror(comparison->rows.stream) && comparison_next(comparison, &items[n])) {
        split_pair(comparison, &items[n], &items[n + 1]);
        if ((n += 2) == GROUP) {
            print_group(comparison, items, n);
            n = 0;
        }
    }
    print_group(comparison, items, n);
}
