/* rank.c - encode --rank QUERY: how well each text answers a query.
 *
 * A batch of texts is scored and its vectors are freed. To print the best first, all scores must be
 * there: a record of each text is kept, and the texts are in a temporary file, one after the other.
 * Tables count texts from 1, JSON and CSV from 0; ranks are from 1.
 */
#include "tools/common/print/display.h"
#include "tools/encode/notes.h"
#include "tools/encode/pipeline.h"
#include "tools/encode/print/printer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct candidate {
    struct ranked ranked; /* first: ranked_compare sorts candidates */
    off_t offset;         /* in the temporary file */
    size_t len;
    bool is_cut;
};

struct ranking {
    struct job *job;
    struct text_encoder *encoder;
    struct item query;
    FILE *texts;
    off_t n_bytes; /* of texts */
    struct candidate *candidates;
    size_t n, cap;
};

/* ---- Printing ---- */

enum { TEXT_COLUMNS = 70, COUNT_COLUMNS = 6 };

static void begin_ranking(struct ranking *ranking)
{
    struct rows *rows = &ranking->job->rows;
    const bool in_order = ranking->job->options->in_order;
    rows_titles(rows, in_order ? "index,score,text" : "rank,index,score,text", 0, NULL);
    rows_begin(rows, NULL, NULL);
    rows->count_width = COUNT_COLUMNS;
    if (rows->format != ROWS_TABLE)
        return;
    print_heading(rows->stream, ranking->encoder);
    fputs("query: ", rows->stream);
    print_input(rows->stream, &ranking->query.record.input, TEXT_COLUMNS);
    fprintf(rows->stream, "\n\n%s%*s  %*s  text\n", in_order ? "" : "  rank  ", COUNT_COLUMNS, "#",
            DISPLAY_NUMBER, "score");
}

/* Prints a row, without a rank if that is 0. text has its prompt. */
static void print_candidate(struct ranking *ranking, const struct candidate *candidate, size_t rank,
                            const char *text)
{
    struct rows *rows = &ranking->job->rows;
    const engine_input *query = &ranking->query.record.input;
    const size_t index = candidate->ranked.index;
    row_begin(rows);
    row_text(rows, ROWS_JSON, "query", query->text, query->text_len, 0);
    row_count(rows, rank ? ROWS_ALL : 0, "rank", rank);
    row_count(rows, ROWS_TABLE, "#", index + 1);
    row_count(rows, ROWS_DATA, "index", index);
    row_float(rows, ROWS_ALL, "score", candidate->ranked.score);
    row_text(rows, ROWS_ALL, "text", text, candidate->len, TEXT_COLUMNS);
    if (rows->format == ROWS_JSON) {
        write_prompt_json(&rows->json, ranking->encoder);
        json_write_truth(&rows->json, "truncated", candidate->is_cut);
    }
    row_end(rows);
}

/* ---- Texts that wait until all are scored ---- */

static int store_candidate(struct ranking *ranking, const struct candidate *candidate,
                           const char *text)
{
    if (ranking->n == ranking->cap) {
        ranking->cap = ranking->cap ? 2 * ranking->cap : 256;
        ranking->candidates =
            alloc_resize(ranking->candidates, ranking->cap, sizeof *ranking->candidates);
    }
    ranking->candidates[ranking->n] = *candidate;
    ranking->candidates[ranking->n++].offset = ranking->n_bytes;
    ranking->n_bytes += (off_t)candidate->len;
    if (candidate->len && fwrite(text, 1, candidate->len, ranking->texts) != candidate->len)
        return program_fail("cannot write the texts to a temporary file");
    return PROGRAM_DONE;
}

static int print_sorted(struct ranking *ranking)
{
    const size_t top = ranking->job->options->request.top;
    const size_t n = top && top < ranking->n ? top : ranking->n;
    char *text = NULL;
    bool is_read = true;
    if (ranking->n)
        qsort(ranking->candidates, ranking->n, sizeof *ranking->candidates, ranked_compare);
    begin_ranking(ranking);
    for (size_t i = 0; i < n && is_read && !ferror(ranking->job->rows.stream); i++) {
        const struct candidate *candidate = &ranking->candidates[i];
        text = alloc_resize(text, candidate->len, 1);
        is_read = fseeko(ranking->texts, candidate->offset, SEEK_SET) == 0 &&
                  fread(text, 1, candidate->len, ranking->texts) == candidate->len;
        if (is_read)
            print_candidate(ranking, candidate, i + 1, text);
    }
    free(text);
    return is_read ? PROGRAM_DONE
                   : program_fail("cannot read the temporary file with the texts again");
}

/* ---- Scoring ---- */

/* Sets the tokens that the model will read: those of the text, or for a cross-encoder those of its
 * pair with the query, of which it is the second text from here on. */
static bool tokenize_candidate(struct ranking *ranking, struct item *item)
{
    struct text_encoder *encoder = ranking->encoder;
    engine_input *input = &item->record.input, *query = &ranking->query.record.input;
    if (input->ids || input->pair)
        return encoder_fail(encoder, item, ": --rank takes single texts");
    alloc_for("%s", item_name(item));
    item_add_prompt(item, &encoder->prompt);
    if (encoder->ranks_pairs)
        *input = (engine_input){.text = query->text,
                                .text_len = query->text_len,
                                .pair = input->text,
                                .pair_len = input->text_len};
    return encoder_tokenize(encoder, item);
}

static engine_input text_of(const struct item *item)
{
    const engine_input *input = &item->record.input;
    return input->pair ? (engine_input){.text = input->pair, .text_len = input->pair_len} : *input;
}

/* Returns a text for a cross-encoder, else its tokens, which know what is of its prompt. */
static engine_input what_is_ranked(const struct ranking *ranking, const struct item *item)
{
    return ranking->encoder->ranks_pairs
               ? text_of(item)
               : (engine_input){.tokens = item->tokens, .n_tokens = item->n_tokens};
}

static int add_candidate(struct ranking *ranking, const struct item *item, float score)
{
    const engine_input input = text_of(item);
    struct candidate candidate = {
        .ranked = {score, item->number - 1}, .len = input.text_len, .is_cut = item->n_dropped > 0};
    notes_of(ranking->job, item);
    if (!ranking->job->options->in_order)
        return store_candidate(ranking, &candidate, input.text);
    print_candidate(ranking, &candidate, 0, input.text);
    return PROGRAM_DONE;
}

static int score_batch(void *task, struct item_batch *batch)
{
    struct ranking *ranking = task;
    struct text_encoder *encoder = ranking->encoder;
    engine_input inputs[BATCH_ITEMS];
    float scores[BATCH_ITEMS];
    size_t n = 0;
    int code = PROGRAM_DONE;

    for (; n < batch->n_items && tokenize_candidate(ranking, &batch->items[n]); n++)
        inputs[n] = what_is_ranked(ranking, &batch->items[n]);
    engine_encode_options options = encoder->options;
    options.on_long = ENGINE_ON_LONG_TRUNCATE; /* tokenize has seen which texts are cut */
    const engine_input query = what_is_ranked(ranking, &ranking->query);
    if (n && engine_rank(encoder->session, &query, inputs, n, &options, scores) != ENGINE_OK) {
        const engine_error *error = engine_session_error(encoder->session);
        if (error->input == ENGINE_QUERY_INPUT)
            return program_fail("%s", error->message);
        struct item *wrong = &batch->items[encoder_first_wrong(encoder, n)];
        encoder_fail_in_engine(encoder, wrong);
        return program_fail("%s", item_fault(wrong));
    }
    for (size_t i = 0; i < n && code == PROGRAM_DONE; i++)
        code = add_candidate(ranking, &batch->items[i], scores[i]);
    return code == PROGRAM_DONE && n < batch->n_items
               ? program_fail("%s", item_fault(&batch->items[n]))
               : code;
}

/* ---- The complete command ---- */

/* The query has tokens of its own, unless it is read in a pair with each text. */
int rank_texts(struct job *job)
{
    struct text_encoder *encoder = job->encoder;
    struct ranking ranking = {.job = job, .encoder = encoder};
    ranking.query.record.input.text = job->options->query;
    ranking.query.record.input.text_len = strlen(job->options->query);
    item_add_prompt(&ranking.query, &encoder->query_prompt);
    if (!encoder->ranks_pairs && !encoder_tokenize(encoder, &ranking.query))
        program_die("%s", item_fault(&ranking.query));
    if (!encoder->ranks_pairs)
        notes_of(job, &ranking.query);
    if (job->options->in_order)
        begin_ranking(&ranking);
    else if (!(ranking.texts = tmpfile()))
        program_die("cannot make a temporary file for the texts: %s", strerror(errno));
    int code = batch_run(job, score_batch, &ranking);
    if (code == PROGRAM_DONE && !job->options->in_order)
        code = print_sorted(&ranking);
    if (ranking.texts)
        fclose(ranking.texts);
    free(ranking.candidates);
    item_free(&ranking.query);
    return code;
}
