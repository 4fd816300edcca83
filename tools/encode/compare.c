/* compare.c - encode --compare A B: which vectors of the words that both texts have differ, and
 * why.
 *
 * Words are paired by their id (unknown words, which share one, by their spelling too), repeated
 * words in the order they occur; special tokens are excluded. Each pair gives the cosine of its two
 * vectors and their largest difference, max over i of |a[i] - b[i]|.
 */
#include "tools/common/model_file.h"
#include "tools/common/print/display.h"
#include "tools/encode/print/printer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Vectors that differ by no more than this part of their largest value are the same: float32 sums
 * of a few hundred terms, taken in another order, differ by less. */
static const double ROUNDING = 1e-5;

/* Words at the same position that differ by no more are reported as equal. */
static const double NOT_AT_ALL = 1e-6;

struct pair {
    size_t a, b; /* tokens */
    double cosine, difference;
};

struct comparison {
    const struct encoder *encoder;
    struct item items[2];
    struct pair *pairs; /* [n_pairs], in the order of A */
    size_t n_pairs;
    char *is_paired[2]; /* [n_tokens] of each text */
    size_t n_only[2];
    /* Over all pairs; over those at another position, and at the same. */
    double largest, largest_value;
    size_t n_moved;
    double least_moved, most_moved, most_kept;
    bool loses_index; /* index positions shift all columns, and the first norm shifts them back */
    bool same_words, has_positions, is_causal, sees_all; /* a word sees all, at any position */
    const char *positions; /* the name of those that the model adds, else of those in attention */
    double rounding;       /* vectors that differ by no more are the same */
};

enum { WORDS_MOST = 8, WORD_COLUMNS = 24, TEXT_COLUMNS = 70, SENTENCE_COLUMNS = 80 };

/* Returns whether token i of a text is a word that the other text does not have. */
static bool is_only(const struct comparison *comparison, int side, size_t i)
{
    return !comparison->is_paired[side][i] && !comparison->items[side].tokens[i].special;
}

/* Returns the word of token i, and whether the vocabulary lacks it. */
static const char *word_at(const struct comparison *comparison, int side, size_t i, size_t *len,
                           bool *is_unknown)
{
    const struct item *item = &comparison->items[side];
    const char *word = encoder_unknown_word(comparison->encoder, item, i, len);
    *is_unknown = word != NULL;
    return word ? word : encoder_token_text(comparison->encoder, item, i, len);
}

/* ---- Pairing ---- */

static bool is_same_word(const struct comparison *comparison, size_t a, size_t b)
{
    const struct item *items = comparison->items;
    const engine_token *in_a = &items[0].tokens[a], *in_b = &items[1].tokens[b];
    size_t len = in_a->end - in_a->begin;

    if (in_a->special || in_b->special || in_a->id != in_b->id)
        return false;
    return in_a->id != comparison->encoder->unknown ||
           (len == in_b->end - in_b->begin &&
            memcmp(items[0].record.input.text + in_a->begin,
                   items[1].record.input.text + in_b->begin, len) == 0);
}

static void measure_pair(struct comparison *comparison, struct pair *pair)
{
    size_t width = comparison->encoder->width;
    const float *a = comparison->items[0].rows + pair->a * width;
    const float *b = comparison->items[1].rows + pair->b * width;

    for (size_t i = 0; i < width; i++) {
        pair->difference = fmax(pair->difference, fabs((double)a[i] - (double)b[i]));
        comparison->largest_value = fmax(comparison->largest_value, fabs((double)a[i]));
    }
    pair->cosine = engine_cosine(a, b, width);
    comparison->largest = fmax(comparison->largest, pair->difference);
    if (pair->a == pair->b) {
        comparison->most_kept = fmax(comparison->most_kept, pair->difference);
        return;
    }
    if (comparison->n_moved++ == 0)
        comparison->least_moved = pair->difference;
    comparison->least_moved = fmin(comparison->least_moved, pair->difference);
    comparison->most_moved = fmax(comparison->most_moved, pair->difference);
}

static void pair_words(struct comparison *comparison)
{
    const struct item *items = comparison->items;
    for (size_t a = 0; a < items[0].n_tokens; a++)
        for (size_t b = 0; b < items[1].n_tokens; b++)
            if (!comparison->is_paired[1][b] && is_same_word(comparison, a, b)) {
                struct pair *pair = &comparison->pairs[comparison->n_pairs++];
                *pair = (struct pair){.a = a, .b = b};
                comparison->is_paired[0][a] = comparison->is_paired[1][b] = 1;
                measure_pair(comparison, pair);
                break;
            }
    for (int side = 0; side < 2; side++)
        for (size_t i = 0; i < items[side].n_tokens; i++)
            comparison->n_only[side] += is_only(comparison, side, i);
    comparison->same_words = comparison->n_only[0] + comparison->n_only[1] == 0;
    comparison->rounding = ROUNDING * fmax(1, comparison->largest_value);
}

/* ---- What it means, in words: it follows from the numbers, and from what the model was asked to
 * ---- do about positions and masks ---- */

static void conclude_same(const struct comparison *comparison, FILE *out)
{
    const bool same_words = comparison->same_words, has_positions = comparison->has_positions;
    if (same_words && comparison->n_moved == 0)
        fputs("The same words in the same order: the same vectors", out);
    else if (same_words && !has_positions && comparison->sees_all)
        fprintf(out,
                "Without positions%s and with a full mask the order of the words makes no "
                "difference: the same words have the same vectors up to rounding",
                comparison->loses_index ? " (index adds one number to all columns, which the norm "
                                          "subtracts with their mean)"
                                        : "");
    else if (same_words && has_positions)
        fputs("Words moved, and the same words have the same vectors up to rounding", out);
    else
        fputs("The shared words have the same vectors up to rounding", out);
    fprintf(out, " (largest difference %.2g)", comparison->largest);
    if (same_words && has_positions && comparison->n_moved > 0)
        fprintf(out,
                ": what the %s positions add is the same in these places, too little to show, or "
                "taken away by norms",
                comparison->positions);
    else if (!same_words && comparison->is_causal && comparison->encoder->info.n_layers > 0)
        fputs(": with a causal mask a word sees only itself and what comes before it", out);
    putc('.', out);
}

/* The same words, in other places of a model with positions. */
static void conclude_moved(const struct comparison *comparison, FILE *out)
{
    const double least = comparison->least_moved, most = comparison->most_moved;
    fprintf(out,
            least > comparison->rounding
                ? "With %s positions the same word in another place gets another vector"
                : "With %s positions a word's vector depends on its place, but not every two "
                  "places differ",
            comparison->positions);
    fputs(": the words that moved differ by ", out);
    if (least < most)
        fprintf(out, "%.3g to ", least);
    fprintf(out, "%.3g", most);
    if (comparison->n_moved < comparison->n_pairs && comparison->most_kept > NOT_AT_ALL)
        fprintf(out, ", and those in the same place by up to %.3g because the others moved",
                comparison->most_kept);
    else if (comparison->n_moved < comparison->n_pairs)
        fputs(", those in the same place not at all", out);
    putc('.', out);
}

/* Names what a vector of this model depends on, as far as it differs here. */
static void conclude_other_words(const struct comparison *comparison, FILE *out)
{
    const struct encoder *encoder = comparison->encoder;
    const bool by_place = comparison->has_positions && comparison->n_moved > 0;
    const bool by_length = comparison->has_positions && strcmp(encoder->position, "index") == 0 &&
                           comparison->items[0].n_tokens != comparison->items[1].n_tokens;
    fprintf(out, "The texts have different words, and a vector takes in %s",
            encoder->info.n_layers == 0 ? "its word"
            : comparison->is_causal     ? "all that comes before its word"
                                        : "the whole text");
    if (by_place)
        fputs(by_length ? ", its word's place" : " and its word's place", out);
    if (by_length)
        fputs(" and, as index positions do, the number of tokens", out);
    fprintf(out, "%s: those of the shared words differ by up to %.3g.",
            encoder->info.n_layers == 0 ? " (there are no layers)" : "", comparison->largest);
}

/* Returns the conclusion from the numbers, one sentence, to be freed. */
static char *conclude(const struct comparison *comparison)
{
    const double largest = comparison->largest;
    struct written sentence;
    FILE *out = alloc_open(&sentence);
    if (comparison->n_pairs == 0)
        fputs("The texts share no word: there is nothing to compare.", out);
    else if (largest <= comparison->rounding)
        conclude_same(comparison, out);
    else if (!comparison->same_words)
        conclude_other_words(comparison, out);
    else if (comparison->has_positions)
        conclude_moved(comparison, out);
    else
        fprintf(out,
                comparison->is_causal
                    ? "Even without positions a causal mask lets order show, because a word sees "
                      "only itself and what comes before it: the same words differ by up to %.3g."
                : !comparison->sees_all
                    ? "Even without positions a window lets order show, because a word sees only "
                      "those next to it: the same words differ by up to %.3g."
                    : "Without positions and with a full mask the same words should have the same "
                      "vectors, but they differ by up to %.3g, which is more than rounding.",
                largest);
    return alloc_close(out, &sentence);
}

/* ---- Words that the vocabulary does not have ---- */

/* Returns "fahre, ich are not in the vocabulary: …", to be freed; NULL if every word is in it.
 * Each spelling is named once. The token is the one that the model reads instead of the last. */
static char *unknown_words(const struct comparison *comparison)
{
    const char *words[WORDS_MOST], *token = NULL;
    size_t lens[WORDS_MOST], n = 0, token_len = 0;
    struct written line;
    bool are_more = false;
    for (int side = 0; side < 2; side++)
        for (size_t i = 0; i < comparison->items[side].n_tokens; i++) {
            const struct item *item = &comparison->items[side];
            size_t len, k = 0;
            const char *word = encoder_unknown_word(comparison->encoder, item, i, &len);
            if (!word)
                continue;
            token = encoder_token_text(comparison->encoder, item, i, &token_len);
            while (k < n && (lens[k] != len || memcmp(words[k], word, len) != 0))
                k++;
            are_more = are_more || k == WORDS_MOST;
            if (k == n && n < WORDS_MOST) {
                words[n] = word;
                lens[n++] = len;
            }
        }
    if (!token)
        return NULL;
    FILE *stream = alloc_open(&line);
    for (size_t i = 0; i < n; i++) {
        fputs(i ? ", " : "", stream);
        display_text(stream, words[i], lens[i], WORD_COLUMNS);
    }
    fprintf(stream, "%s %s not in the vocabulary: %s the vector of ", are_more ? " and others" : "",
            n == 1 ? "is" : "are", n == 1 ? "it starts from" : "all start from");
    display_text(stream, token, token_len, WORD_COLUMNS);
    return alloc_close(stream, &line);
}

/* ---- Printing ---- */

static void print_pairs(const struct comparison *comparison, struct rows *rows)
{
    const bool is_table = rows->format == ROWS_TABLE;
    rows_begin(rows, "shared", "word\tin A\tin B\tcosine\tlargest difference");
    for (size_t i = 0; i < comparison->n_pairs; i++) {
        const struct pair *pair = &comparison->pairs[i];
        bool is_unknown;
        size_t len;
        const char *text = word_at(comparison, 0, pair->a, &len, &is_unknown);
        row_begin(rows);
        row_text(rows, ROWS_ALL, "word", text, len, WORD_COLUMNS);
        if (is_table && !is_unknown)
            print_meaning(rows->cells, comparison->encoder, &comparison->items[0], pair->a);
        row_flag(rows, ROWS_JSON, "unknown", is_unknown);
        row_count(rows, ROWS_ALL, "position_a", pair->a);
        row_count(rows, ROWS_ALL, "position_b", pair->b);
        if (is_table) {
            fprintf(rows->cells, "\t%9.6f\t%.*g", pair->cosine, pair->difference < 1e-3 ? 2 : 4,
                    pair->difference);
        } else {
            json_write_double(&rows->json, "cosine", "%.9g", pair->cosine);
            json_write_float(&rows->json, "largest_difference", (float)pair->difference);
        }
        row_end(rows);
    }
    rows_end(rows, "<>>>>");
}

/* Prints the words that one text alone has: a line, or an array of JSON. */
static void print_only(const struct comparison *comparison, int side, struct rows *rows)
{
    const struct item *item = &comparison->items[side];
    const bool is_table = rows->format == ROWS_TABLE;
    if (is_table && comparison->n_only[side] == 0)
        return;
    if (is_table)
        fprintf(rows->stream, "only in %c:", "AB"[side]);
    rows_begin(rows, side ? "only_b" : "only_a", NULL);
    for (size_t i = 0; i < item->n_tokens; i++) {
        bool is_unknown;
        size_t len;
        const char *text = word_at(comparison, side, i, &len, &is_unknown);
        if (!is_only(comparison, side, i))
            continue;
        if (is_table) {
            putc(' ', rows->stream);
            display_text(rows->stream, text, len, WORD_COLUMNS);
            if (!is_unknown)
                print_meaning(rows->stream, comparison->encoder, item, i);
            continue;
        }
        row_begin(rows);
        row_text(rows, ROWS_JSON, "word", text, len, 0);
        row_flag(rows, ROWS_JSON, "unknown", is_unknown);
        row_count(rows, ROWS_JSON, "position", i);
        row_end(rows);
    }
    if (is_table)
        putc('\n', rows->stream);
    else
        rows_end(rows, NULL);
}

static void print_text(const struct comparison *comparison, const char *conclusion,
                       struct rows *rows)
{
    FILE *stream = rows->stream;
    char *unknown = unknown_words(comparison);
    print_heading(stream, comparison->encoder);
    for (int side = 0; side < 2; side++) {
        const engine_input *input = &comparison->items[side].record.input;
        fprintf(stream, side ? "B: " : "\nA: ");
        display_text(stream, input->text, input->text_len, TEXT_COLUMNS);
        putc('\n', stream);
    }
    if (comparison->n_pairs) {
        putc('\n', stream);
        print_pairs(comparison, rows);
    }
    if (!comparison->same_words)
        putc('\n', stream);
    print_only(comparison, 0, rows);
    print_only(comparison, 1, rows);
    putc('\n', stream);
    if (unknown)
        display_sentence(stream, unknown, strlen(unknown), SENTENCE_COLUMNS);
    display_sentence(stream, conclusion, strlen(conclusion), SENTENCE_COLUMNS);
    free(unknown);
}

static void print_json(const struct comparison *comparison, const char *conclusion,
                       struct rows *rows)
{
    const engine_input *a = &comparison->items[0].record.input;
    const engine_input *b = &comparison->items[1].record.input;
    struct json_writer *json = &rows->json;

    json_begin_object(json, NULL);
    json_write_string(json, "a", a->text, a->text_len);
    json_write_string(json, "b", b->text, b->text_len);
    json_write_text(json, "position", comparison->encoder->position);
    json_write_text(json, "mask", comparison->encoder->mask);
    print_pairs(comparison, rows);
    print_only(comparison, 0, rows);
    print_only(comparison, 1, rows);
    json_write_float(json, "largest_difference", (float)comparison->largest);
    json_write_text(json, "conclusion", conclusion);
    json_end_object(json);
}

/* ---- The complete command ---- */

/* Reads two texts. Ends the program if there are fewer or more. */
static void read_two(struct comparison *comparison, struct reader *reader)
{
    struct record more;
    enum reader_state state = READER_RECORD;
    size_t n = 0;
    for (; n < 2 && state == READER_RECORD; n += state == READER_RECORD) {
        state = reader_next(reader, true, &comparison->items[n].record);
        comparison->items[n].number = n + 1;
    }
    if (n == 2 && (state = reader_next(reader, true, &more)) == READER_END)
        return;
    if (state == READER_FAILED)
        program_die("%s", reader->message);
    program_die("--compare takes two texts; stdin has %s", n == 2   ? "more than two lines"
                                                           : n == 1 ? "one line"
                                                                    : "none");
}

static void prepare(struct comparison *comparison, struct job *job)
{
    struct encoder *encoder = job->encoder;
    read_two(comparison, &job->reader);
    for (size_t side = 0; side < 2; side++) {
        struct item *item = &comparison->items[side];
        if (!encoder_tokenize(encoder, item))
            program_die("%s", encoder->message);
        if (item->n_dropped)
            program_note("%s was cut to %zu of its %zu tokens", item_name(item), item->n_tokens,
                         item->n_tokens + item->n_dropped);
        comparison->is_paired[side] = alloc_zeros(item->n_tokens, 1);
    }
    comparison->pairs = alloc_zeros(comparison->items[0].n_tokens, sizeof *comparison->pairs);
    if (encoder_encode(encoder, comparison->items, 2) < 2)
        program_die("%s", encoder->message);
}

int compare_texts(struct job *job)
{
    const struct encoder *encoder = job->encoder;
    const bool are_added = strcmp(encoder->position, "none") != 0;
    const char *norm = model_setting(encoder->model, ENGINE_SETTINGS_CONFIG, "embedding_norm");
    const bool loses_index = strcmp(encoder->position, "index") == 0 && strcmp(norm, "layer") == 0;
    struct comparison comparison = {
        .encoder = encoder,
        .has_positions = (are_added && encoder->numbers.position_scale != 0 && !loses_index) ||
                         strcmp(encoder->attention_position, "none") != 0,
        .loses_index = loses_index,
        .positions = are_added ? encoder->position : encoder->attention_position,
        .is_causal = strcmp(encoder->mask, "causal") == 0,
        .sees_all = strcmp(encoder->mask, "full") == 0 && encoder->window == 0,
    };
    prepare(&comparison, job);
    pair_words(&comparison);
    char *conclusion = conclude(&comparison);
    (job->rows.format == ROWS_JSON ? print_json : print_text)(&comparison, conclusion, &job->rows);
    free(conclusion);
    for (int side = 0; side < 2; side++) {
        item_free(&comparison.items[side]);
        free(comparison.is_paired[side]);
    }
    free(comparison.pairs);
    return PROGRAM_DONE;
}
