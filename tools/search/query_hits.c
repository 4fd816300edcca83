/* query_hits.c - see query_hits.h. */
#include "tools/search/query_hits.h"

#include "engine/file/crc32c.h"
#include "tools/common/print/display.h"
#include "tools/search/explained_hits.h"
#include "tools/search/words.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static void drop_last(struct query_hits *hits)
{
    hits->n--;
    passage_free(&hits->hits[hits->n].passage);
    record_free(&hits->hits[hits->n].record);
}

void query_hits_free(struct query_hits *hits)
{
    while (hits->n > 0)
        drop_last(hits);
    free(hits->hits);
    free(hits->query_id);
}

/* Returns the slot of a number in a set [n_slots], a power of two, not full; free slots have 0. */
static size_t *find_slot(size_t *slots, size_t n_slots, size_t number)
{
    size_t i = (size_t)(number * UINT64_C(0x9E3779B97F4A7C15) >> 32) & (n_slots - 1);
    while (slots[i] != 0 && slots[i] != number)
        i = (i + 1) & (n_slots - 1);
    return &slots[i];
}

/* Returns whether a row found is no hit: that of an empty text, or of a text that has a better row
 * or, with --dedup, occurs in a better hit. */
static bool is_passed_over(const struct collection *collection, const struct query_hit *hit,
                           bool dedup, size_t *seen, size_t n_slots)
{
    const engine_vectors *rows = &hit->passage.file->vectors.rows;
    const size_t bytes = engine_row_bytes(rows->type, rows->width);
    const size_t row = (size_t)(hit->found.row - hit->passage.file->first_row);
    const engine_input *text = &hit->record.input;
    if (collection->empty_row &&
        memcmp((const char *)rows->rows + row * bytes, collection->empty_row, bytes) == 0)
        return true;
    size_t n_blank = 0;
    while (n_blank < text->text_len && isspace((unsigned char)text->text[n_blank]))
        n_blank++;
    if (text->text != NULL && n_blank == text->text_len && text->pair_len == 0 &&
        !json_object_get(hit->passage.members, "begin"))
        return true;
    const size_t line = collection->has_rows ? hit->passage.line : 0;
    const size_t crc = crc32c(crc32c(1, text->text, text->text_len), text->pair, text->pair_len);
    const size_t sum = dedup && text->text != NULL ? crc << 20 ^ (text->text_len + 1) : 0;
    if ((line > 0 && *find_slot(seen, n_slots, line) == line) ||
        (sum > 0 && *find_slot(seen, n_slots, sum) == sum))
        return true;
    *find_slot(seen, n_slots, line) = line;
    *find_slot(seen, n_slots, sum) = sum;
    return false;
}

void query_hits_fill(struct query_hits *hits, const struct collection *collection,
                     const engine_hit *rows, size_t k, size_t most,
                     const struct search_options *options)
{
    size_t n_slots = 64;
    while (n_slots < 4 * most)
        n_slots *= 2;
    size_t *seen = alloc_zeros(n_slots, sizeof *seen);
    while (hits->n > 0)
        drop_last(hits);
    for (size_t i = 0; i < k && hits->n < most && rows[i].row != UINT64_MAX; i++) {
        struct query_hit *hit = &hits->hits[hits->n];
        *hit = (struct query_hit){.ranked = {rows[i].score, hits->n}, .found = rows[i]};
        passage_find(collection, rows[i].row, &hit->passage);
        if (collection->n_texts > 0)
            passage_text(collection, &hit->passage, &hit->record);
        hits->n++;
        if (is_passed_over(collection, hit, options->dedup, seen, n_slots)) {
            drop_last(hits);
            continue;
        }
        hit->by_vector = hit->found.score;
        if (options->is_hybrid && options->format != SEARCH_TREC)
            hit->by_vector = words_score(collection, hits->query, rows[i].row, &hit->by_words);
    }
    free(seen);
}

/* ---- Reranking ---- */

void reranker_open(struct reranker *reranker, const struct search_options *options)
{
    struct request_options request =
        REQUEST_OPTIONS(.model_path = options->rerank, .task = TASK_RANK);
    request.model = options->request.model;
    request.session.n_threads = options->request.session.n_threads;
    request.encode.on_long = options->request.encode.on_long;
    encoder_open(&reranker->encoder, &request);
    if (!reranker->encoder.ranks_pairs)
        program_die("--rerank takes a cross-encoder, a model with head sequence that ranks pairs; "
                    "'%s' is not one",
                    reranker->encoder.info.path);
}

/* Counts the tokens of a pair. Too many end the program, or are cut, which the first note says. */
static void check_pair(struct reranker *reranker, const engine_input *query,
                       const engine_input *text, size_t line)
{
    struct item pair = {.number = line, .record.input = *query};
    pair.record.input.pair = text->text;
    pair.record.input.pair_len = text->text_len;
    if (!encoder_tokenize(&reranker->encoder, &pair))
        program_die("--rerank: after the query, %s", item_fault(&pair));
    if (pair.n_dropped > 0 && reranker->n_cut++ == 0)
        program_note("--rerank: after the query, text %zu was cut: %zu of %zu tokens are read",
                     pair.number, pair.n_tokens, pair.n_tokens + pair.n_dropped);
    item_free(&pair);
}

void query_hits_rerank(struct query_hits *hits, struct reranker *reranker)
{
    engine_session *session = reranker->encoder.session;
    struct item query = {.record.input = query_text(hits->query)};
    engine_input *texts = alloc_zeros(hits->n, sizeof *texts);
    float *scores = alloc_zeros(hits->n, sizeof *scores);
    engine_encode_options options = reranker->encoder.options;
    options.on_long = ENGINE_ON_LONG_TRUNCATE; /* check_pair has noted which texts are cut */
    item_add_prompt(&query, &reranker->encoder.query_prompt);
    for (size_t i = 0; i < hits->n; i++) {
        const engine_input *text = &hits->hits[i].record.input;
        texts[i] = (engine_input){.text = text->text, .text_len = text->text_len};
        check_pair(reranker, &query.record.input, text, hits->hits[i].passage.line);
    }
    if (engine_rank(session, &query.record.input, texts, hits->n, &options, scores) != ENGINE_OK)
        program_die("--rerank: %s", engine_session_message(session));
    for (size_t i = 0; i < hits->n; i++)
        hits->hits[i].ranked.score = scores[i];
    if (hits->n > 0)
        qsort(hits->hits, hits->n, sizeof *hits->hits, ranked_compare);
    free(texts);
    free(scores);
    item_free(&query);
}

/* ---- Printing ---- */

enum { QUERY_COLUMNS = 70, ID_COLUMNS = 40, TEXT_COLUMNS = 60 };

void hits_print_heading(struct hits_printer *printer)
{
    const struct vectors *vectors = printer->collection->vectors;
    const char *name = printer->encoder->name;
    const bool is_hybrid = printer->collection->indexes != NULL && !printer->options->rerank;
    const char *score = metric_words(printer->collection->metric);
    if (vectors->kind != VECTORS_ROWS)
        score = vectors->kind == VECTORS_SPARSE ? "product of weights" : "MaxSim";
    if (printer->options->rerank)
        score = "cross-encoder";
    if (printer->options->format != SEARCH_TEXT)
        return;
    display_text(printer->rows.stream, name, strlen(name), QUERY_COLUMNS);
    fprintf(printer->rows.stream,
            is_hybrid ? ": %zu rows, width %zu (%s), z-scores of %s and words\n"
                      : ": %zu rows, width %zu (%s), %s\n",
            printer->collection->n_rows, printer->encoder->width, vectors_kind_name(vectors),
            score);
}

/* The window of a hit: "2/3" and its span, "512-900"; empty if its file has none. */
static void print_window(struct rows *rows, const struct passage *passage)
{
    size_t window = 0, windows = 0;
    struct row_span span = {.in_pair = json_is_true(json_object_get(passage->members, "pair"))};
    char text[48];
    span.is_absent = !passage_number(passage, "window", &window);
    passage_number(passage, "windows", &windows);
    passage_number(passage, "begin", &span.begin);
    passage_number(passage, "end", &span.end);
    const int len = snprintf(text, sizeof text, "%zu/%zu", window + 1, windows);
    row_text(rows, ROWS_TABLE | ROWS_TSV, "window", span.is_absent ? NULL : text,
             span.is_absent ? 0 : (size_t)len, sizeof text);
    row_span(rows, ROWS_TABLE | ROWS_TSV, "span", span);
}

/* Prints which words made the score of a hit. */
static void explain_hit(struct hits_printer *printer, const struct query_hits *hits,
                        const struct query_hit *hit, struct explained_text *query)
{
    struct hybrid_shares shares;
    if (hits->fusion) {
        shares.of_vectors = hits->fusion->vector * hit->by_vector + hits->vector_offset;
        shares.of_words = hit->ranked.score - shares.of_vectors;
    }
    explained_hit_print(&printer->rows, printer->collection, printer->encoder, query, &hit->passage,
                        &hit->record, hits->fusion ? &shares : NULL);
}

/* In JSON a hit has the members of its line of the rows file as they were written. query: its
 * words, to explain the hit, or NULL. */
static void print_hit(struct hits_printer *printer, const struct query_hits *hits, size_t i,
                      struct explained_text *query)
{
    struct rows *rows = &printer->rows;
    const struct query_hit *hit = &hits->hits[i];
    const struct passage *passage = &hit->passage;
    const struct record_member *members = passage->written.members;
    const bool is_hybrid = printer->collection->indexes != NULL;
    row_begin(rows);
    row_text(rows, ROWS_TSV, "query_id", hits->query_id, hits->query_id_len, 0);
    row_count(rows, ROWS_ALL, "rank", i + 1);
    row_text(rows, ROWS_TSV, "id", passage->id, passage->id_len, 0);
    row_float(rows, ROWS_ALL, "score", hit->ranked.score);
    const unsigned of_reranked = printer->options->rerank ? ROWS_JSON : 0;
    row_float(rows, is_hybrid ? ROWS_ALL : of_reranked, "score_by_vector", hit->by_vector);
    row_float(rows, is_hybrid ? ROWS_ALL : 0, "score_by_words", hit->by_words);
    row_integer(rows, ROWS_JSON, "row", (int64_t)hit->found.row);
    row_integer(rows, ROWS_JSON, "line", (int64_t)passage->line);
    for (size_t k = 0; rows->format == ROWS_JSON && k < passage->written.n_members; k++)
        json_write_raw(&rows->json, members[k].key, members[k].value, members[k].value_len);
    row_text(rows, ROWS_TABLE, "id", passage->id, passage->id_len, ID_COLUMNS);
    if (printer->collection->has_windows)
        print_window(rows, passage);
    if (printer->options->n_texts > 0)
        row_text(rows, ROWS_ALL, "text", hit->record.input.text, hit->record.input.text_len,
                 TEXT_COLUMNS);
    if (query && rows->format == ROWS_JSON)
        explain_hit(printer, hits, hit, query);
    row_end(rows);
    if (query && rows->format == ROWS_TABLE)
        explain_hit(printer, hits, hit, query);
}

/* A table after the line "query 3: who pays?", an object with the hits as a member, or lines. */
static void print_rows(struct hits_printer *printer, const struct query_hits *hits)
{
    struct rows *rows = &printer->rows;
    const struct record *record = &hits->query->record;
    const engine_input query = query_text(hits->query);
    const bool is_hybrid = printer->collection->indexes != NULL;
    const bool has_windows = printer->collection->has_windows;
    char titles[64];
    snprintf(titles, sizeof titles, "rank\tscore%s\tid%s%s", is_hybrid ? "\tvector\twords" : "",
             has_windows ? "\twindow\tspan" : "", printer->options->n_texts > 0 ? "\ttext" : "");
    if (rows->format == ROWS_TABLE) {
        fputs("\nquery ", rows->stream);
        display_text(rows->stream, hits->query_id, hits->query_id_len, ID_COLUMNS);
        fputs(": ", rows->stream);
        display_text(rows->stream, query.text, query.text_len, QUERY_COLUMNS);
        putc('\n', rows->stream);
    } else if (rows->format == ROWS_JSON) {
        json_begin_object(&rows->json, NULL);
        if (record->id != NULL)
            json_write_raw(&rows->json, "id", record->id, record->id_len);
        json_write_string(&rows->json, "query", query.text, query.text_len);
    }
    rows_begin(rows, "hits", titles);
    const bool explains = printer->options->explains && hits->n > 0;
    struct explained_text words = {0};
    if (explains)
        explained_text_make(&words, printer->encoder, hits->query, ENGINE_ROLE_QUERY);
    for (size_t i = 0; i < hits->n && i < printer->options->n_hits; i++)
        print_hit(printer, hits, i, explains ? &words : NULL);
    explained_text_free(&words);
    rows_end(rows, is_hybrid     ? (has_windows ? ">>>><<<<" : ">>>><<")
                   : has_windows ? ">><<<<"
                                 : ">><<");
    if (rows->format == ROWS_JSON)
        json_end_object(&rows->json);
}

/* A run of TREC has fields between blanks, so an id must have no blank, and not be empty. */
static void check_id(const char *id, size_t len, const char *whose)
{
    bool is_good = len > 0;
    for (size_t i = 0; i < len; i++)
        is_good = is_good && (unsigned char)id[i] > ' ' && id[i] != 0x7F;
    if (!is_good)
        program_die("-f trec: the id '%.*s' of %s is empty, or has a blank, which ends an id in "
                    "this format: use -f tsv or json",
                    (int)len, id, whose);
}

void hits_print(struct hits_printer *printer, const struct query_hits *hits)
{
    char score[FORMAT_FLOAT_MAX];
    if (printer->options->format != SEARCH_TREC) {
        print_rows(printer, hits);
        return;
    }
    check_id(hits->query_id, hits->query_id_len, "a query");
    for (size_t i = 0; i < hits->n && i < printer->options->n_hits; i++) {
        const struct passage *passage = &hits->hits[i].passage;
        check_id(passage->id, passage->id_len, "a text");
        format_float(hits->hits[i].ranked.score, score);
        fprintf(printer->rows.stream, "%.*s Q0 %.*s %zu %s encode-search\n",
                (int)hits->query_id_len, hits->query_id, (int)passage->id_len, passage->id, i + 1,
                score);
    }
}
