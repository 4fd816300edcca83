/* explain.c - encode-compare explain A B: which words of two texts make their similarity, as a sum
 * of shares of pairs of words. */
#include "tools/common/print/display.h"
#include "tools/common/texts/explanation.h"
#include "tools/study/compare/compare.h"

enum { PAIRS_SHOWN = 12, WORD_COLUMNS = 24, TEXT_COLUMNS = 70, LINE_COLUMNS = 80 };

struct explained {
    const struct text_encoder *encoder;
    const struct item *items; /* [2] */
    struct explained_text texts[2];
    struct explanation explanation;
};

static void print_word(struct rows *rows, const struct explained_word *word)
{
    row_text(rows, ROWS_TABLE, "", word->text, word->len, WORD_COLUMNS);
}

/* Prints the strongest pairs, and the sum of the others. */
static void print_pairs(const struct explained *explained, struct rows *rows)
{
    const struct explanation *explanation = &explained->explanation;
    const size_t n = explanation->n_pairs, shown = n > PAIRS_SHOWN ? PAIRS_SHOWN : n;
    double rest = explanation->score;
    rows_begin(rows, NULL, "share\tA\tB");
    for (size_t i = 0; i < shown; i++) {
        const struct word_pair *pair = &explanation->pairs[i];
        rest -= pair->share;
        row_begin(rows);
        row_float(rows, ROWS_TABLE, "", (float)pair->share);
        print_word(rows, &explained->texts[0].words[pair->a]);
        print_word(rows, &explained->texts[1].words[pair->b]);
        row_end(rows);
    }
    if (n > shown) {
        row_begin(rows);
        row_float(rows, ROWS_TABLE, "", (float)rest);
        fprintf(rows->cells, "\t(%zu other%s)", n - shown, plural(n - shown));
        row_end(rows);
    }
    rows_end(rows, "><<");
}

/* Prints a line, or more, of a text's words in their order, each with its share. */
static void print_words(FILE *stream, char name, const struct explained_text *text)
{
    struct written line;
    FILE *words = alloc_open(&line);
    fprintf(words, "%c by word:", name);
    for (size_t i = 0; i < text->n_words; i++) {
        fputs(i > 0 ? ", " : " ", words);
        display_text(words, text->words[i].text, text->words[i].len, WORD_COLUMNS);
        fprintf(words, " %.4f", text->words[i].share);
    }
    alloc_close(words, &line);
    display_sentence(stream, line.bytes, line.len, LINE_COLUMNS);
}

static void print_text(const struct explained *explained, struct rows *rows)
{
    const size_t n = explained->explanation.n_pairs;
    FILE *stream = rows->stream;
    print_heading(stream, explained->encoder);
    for (int side = 0; side < 2; side++) {
        fputs(side ? "B: " : "\nA: ", stream);
        print_input(stream, &explained->items[side].record.input, TEXT_COLUMNS);
        putc('\n', stream);
    }
    fprintf(stream, "\n%s %.6f", metric_words(explained->encoder->shape.metric),
            explained->explanation.score);
    if (n == 0) {
        fputs(": no word has a share\n", stream);
        return;
    }
    fprintf(stream, ", a sum over %zu pair%s of words\n\n", n, plural(n));
    print_pairs(explained, rows);
    putc('\n', stream);
    print_words(stream, 'A', &explained->texts[0]);
    print_words(stream, 'B', &explained->texts[1]);
}

static void print_json(const struct explained *explained, struct rows *rows)
{
    struct json_writer *json = &rows->json;
    const size_t n_b = explained->texts[1].n_words;
    json_begin_object(json, NULL);
    write_texts_json(json, explained->encoder, explained->items, 2);
    json_write_double(json, "similarity", "%.9g", explained->explanation.score);
    for (int side = 0; side < 2; side++) {
        const struct explained_text *text = &explained->texts[side];
        rows_begin(rows, side ? "words_b" : "words_a", NULL);
        for (size_t i = 0; i < text->n_words; i++) {
            const struct explained_word *word = &text->words[i];
            const struct row_span span = {word->begin, word->end, word->in_pair, false};
            row_begin(rows);
            row_text(rows, ROWS_JSON, "word", word->text, word->len, 0);
            if (word->is_of_text && !explained->encoder->is_sparse)
                row_span(rows, ROWS_JSON, "span", span);
            json_write_double(json, "share", "%.9g", word->share);
            row_end(rows);
        }
        rows_end(rows, NULL);
    }
    json_begin_array(json, "shares");
    for (size_t i = 0; i < explained->texts[0].n_words; i++) {
        json_begin_array(json, NULL);
        for (size_t k = 0; k < n_b; k++)
            json_write_double(json, NULL, "%.9g", explained->explanation.shares[i * n_b + k]);
        json_end_array(json);
    }
    json_end_array(json);
    write_truncated_json(json, explained->items, 2);
    json_end_object(json);
}

void compare_explain(struct comparison *comparison)
{
    struct text_encoder *encoder = &comparison->encoder;
    struct item items[2];
    struct explained explained = {.encoder = encoder, .items = items};
    explanation_check(encoder, encoder->shape.metric, "explain");
    comparison_two(comparison, items);
    for (int side = 0; side < 2; side++)
        explained_text_make(&explained.texts[side], encoder, &items[side], encoder->options.role);
    explanation_make(&explained.explanation, encoder, encoder->shape.metric, &explained.texts[0],
                     &explained.texts[1], false);
    (comparison->rows.format == ROWS_JSON ? print_json : print_text)(&explained, &comparison->rows);
}
