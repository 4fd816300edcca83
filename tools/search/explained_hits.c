/* explained_hits.c - see explained_hits.h. */
#include "tools/search/explained_hits.h"

#include "tools/common/print/display.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS_IN_LINE = 6, PAIRS_IN_JSON = 20, WORD_COLUMNS = 16 };

/* Sparse weights and vectors of tokens have their own score. */
static engine_metric metric_of(const struct collection *collection)
{
    return collection->vectors->kind == VECTORS_ROWS ? collection->metric : ENGINE_METRIC_DOT;
}

void explained_hits_check(const struct collection *collection, struct text_encoder *encoder)
{
    explanation_check(encoder, metric_of(collection), "--explain");
    for (size_t i = 0; i < collection->n_files; i++)
        if (origin_option(&collection->files[i], "spans"))
            program_die("--explain: '%s' has vectors of spans, made of the whole texts' rows; "
                        "expected vectors of texts, or of windows",
                        collection->files[i].path);
}

/* ---- The text of a hit ---- */

/* Keeps the tokens of a window, and those around every window. Of the text begin and end count
 * without the prompt. */
static void keep_window(struct item *item, size_t begin, size_t end, bool in_pair)
{
    const size_t shift = in_pair ? 0 : item->prompt_len;
    size_t n = 0;
    for (size_t i = 0; i < item->n_tokens; i++) {
        const engine_token *token = &item->tokens[i];
        if (token->special || token->in_prompt || (bool)token->in_pair != in_pair ||
            (token->begin >= begin + shift && token->end <= end + shift))
            item->tokens[n++] = *token;
    }
    item->n_tokens = n;
}

/* Makes the tokens of a hit's text as encode made them: of a window those of the text up to its
 * end, of which the window's are kept; of others at most as many as were encoded. */
static void tokenize_hit(struct item *item, struct text_encoder *encoder,
                         const struct passage *passage, const struct record *record)
{
    const bool in_pair = json_is_true(json_object_get(passage->members, "pair"));
    const char *most = origin_option(passage->file, "max-tokens");
    const struct text_encoder before = *encoder;
    engine_input *input = &item->record.input;
    size_t begin = 0, end = 0;
    const bool is_window =
        passage_number(passage, "begin", &begin) && passage_number(passage, "end", &end);
    *item = (struct item){.number = passage->line, .record = *record};
    item->record.storage = item->record.members_storage = NULL; /* borrowed */
    if (is_window && !in_pair && input->text_len > 0) { /* else begin may be beyond the text */
        input->text -= begin;
        input->text_len += begin;
    }
    item_add_prompt(item, &encoder->prompt);
    encoder->request.is_chunked = is_window;
    encoder->options.role = ENGINE_ROLE_DOCUMENT; /* a query may have another length */
    encoder->options.on_long = ENGINE_ON_LONG_TRUNCATE;
    if (most)
        encoder->options.max_tokens = strtoul(most, NULL, 10);
    if (!encoder_tokenize(encoder, item))
        program_die("--explain: %s", item_fault(item));
    encoder->request = before.request;
    encoder->options = before.options;
    if (is_window)
        keep_window(item, begin, end, in_pair);
}

/* ---- Printing ---- */

/* Returns the word of the query with the largest share of those that are not printed, n_words if
 * none is left. */
static size_t next_word(const struct explained_text *query, const bool *is_printed)
{
    size_t best = query->n_words;
    for (size_t i = 0; i < query->n_words; i++)
        if (query->words[i].is_of_text && !is_printed[i] &&
            (best == query->n_words ||
             fabs(query->words[i].share) > fabs(query->words[best].share)))
            best = i;
    return best;
}

/* Prints a word of the query with its share, and the word of the text that has most of it. */
static void print_share(FILE *stream, const struct explanation *explanation,
                        const struct explained_text *query, const struct explained_text *text,
                        size_t word)
{
    display_text(stream, query->words[word].text, query->words[word].len, WORD_COLUMNS);
    fprintf(stream, " %.4f", query->words[word].share);
    for (size_t i = 0; i < explanation->n_pairs; i++)
        if (explanation->pairs[i].a == word) { /* the first is the strongest */
            const struct explained_word *match = &text->words[explanation->pairs[i].b];
            fputs(" (", stream);
            display_text(stream, match->text, match->len, WORD_COLUMNS);
            putc(')', stream);
            return;
        }
}

/* "damage 0.0812 (DAMAGES), pays 0.0443 (LIABLE), others 0.2612" */
static void print_line(struct rows *rows, const struct collection *collection,
                       const struct explanation *explanation, const struct explained_text *query,
                       const struct explained_text *text, const struct hybrid_shares *shares)
{
    bool *is_printed = alloc_zeros(query->n_words, sizeof *is_printed);
    double rest = explanation->score;
    struct written line;
    FILE *stream = alloc_open(&line);
    fputs("      ", stream);
    if (shares)
        fprintf(stream, "vectors %.4f, words %.4f; of the %s: ", (double)shares->of_vectors,
                (double)shares->of_words, metric_words(metric_of(collection)));
    for (size_t n = 0, word; n < WORDS_IN_LINE; n++) {
        if ((word = next_word(query, is_printed)) == query->n_words)
            break;
        print_share(stream, explanation, query, text, word);
        fputs(", ", stream);
        rest -= query->words[word].share;
        is_printed[word] = true;
    }
    fprintf(stream, "others %.4f", rest);
    alloc_close(stream, &line);
    row_line(rows, line.bytes, line.len);
    free(line.bytes);
    free(is_printed);
}

static void write_word(struct json_writer *json, const char *key, const char *span_key,
                       const struct explained_word *word)
{
    json_write_string(json, key, word->text, word->len);
    if (word->end == 0) /* an id of sparse weights */
        return;
    json_begin_array(json, span_key);
    json_write_count(json, NULL, word->begin);
    json_write_count(json, NULL, word->end);
    json_end_array(json);
}

static void write_json(struct json_writer *json, const struct explanation *explanation,
                       const struct explained_text *query, const struct explained_text *text,
                       const struct hybrid_shares *shares)
{
    const size_t n = explanation->n_pairs, shown = n < PAIRS_IN_JSON ? n : PAIRS_IN_JSON;
    double rest = explanation->score;
    json_begin_object(json, "explanation");
    if (shares) {
        json_write_float(json, "share_of_vectors", shares->of_vectors);
        json_write_float(json, "share_of_words", shares->of_words);
    }
    json_write_double(json, "similarity", "%.9g", explanation->score);
    json_begin_array(json, "pairs");
    for (size_t i = 0; i < shown; i++) {
        const struct word_pair *pair = &explanation->pairs[i];
        rest -= pair->share;
        json_begin_object(json, NULL);
        write_word(json, "query", "query_span", &query->words[pair->a]);
        write_word(json, "text", "text_span", &text->words[pair->b]);
        json_write_double(json, "share", "%.9g", pair->share);
        json_end_object(json);
    }
    json_end_array(json);
    json_write_double(json, "others", "%.9g", rest);
    json_end_object(json);
}

void explained_hit_print(struct rows *rows, const struct collection *collection,
                         struct text_encoder *encoder, struct explained_text *query,
                         const struct passage *passage, const struct record *record,
                         const struct hybrid_shares *shares)
{
    struct explanation explanation;
    struct explained_text text;
    struct item item;
    tokenize_hit(&item, encoder, passage, record);
    explained_text_make(&text, encoder, &item, ENGINE_ROLE_DOCUMENT);
    explanation_make(&explanation, encoder, metric_of(collection), query, &text, true);
    if (rows->format == ROWS_JSON)
        write_json(&rows->json, &explanation, query, &text, shares);
    else
        print_line(rows, collection, &explanation, query, &text, shares);
    explanation_free(&explanation);
    explained_text_free(&text);
    item_free(&item);
}
