/* search.c - the program encode-search: queries in, the nearest texts of a corpus out. See
 * encode-search(1).
 *
 *     vectors     a file that encode wrote of the corpus, mapped (npy, zip)
 *     places      all of these; which text a row is of, by rows files and TEXTS, for hits only
 *     find        queries that are there, searched together
 *     hits        sorted again by a cross-encoder, and printed
 */
#include "tools/common/inputs.h"
#include "tools/common/options.h"
#include "tools/common/output.h"
#include "tools/common/texts/encoder_tokens.h"
#include "tools/common/texts/reader.h"
#include "tools/common/texts/word_notes.h"
#include "tools/search/find.h"
#include "tools/search/hits.h"
#include "tools/search/origin.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Of one group: queries; hits of all of them, which memory is for. */
enum { GROUP_QUERIES = 1024, GROUP_OF_TOKENS = 64, GROUP_HITS = 1 << 20 };

struct search {
    struct search_options options;
    struct places places;
    struct encoder encoder;
    struct reranker reranker;
    struct reader reader;
    struct output output;
    struct hits_printer printer;
    struct item queries[GROUP_QUERIES];
    size_t n_queries, most_queries;
    size_t n_read, n_cut, n_repaired;
    struct word_notes words;
    size_t n_wanted; /* hits of each, or candidates */
    engine_hit *found;
};

/* ---- Hits of one query ---- */

/* Of the rows that were found for a group. A run of TREC has each text once, and where texts have
 * several rows the best ones may be of too few texts: then more are looked for, for this query. */
static void add_hits(struct search *search, struct hits *hits, const engine_hit *found)
{
    const struct places *places = &search->places;
    const size_t wanted = search->n_wanted, n = places->n_rows;
    const bool once = search->options.format == SEARCH_TREC && places->has_rows;
    hits_fill(hits, places, found, wanted, wanted, once);
    for (size_t k = wanted; once && hits->n < wanted && k < n;) {
        k = k < n / 4 ? 4 * k : n;
        engine_hit *rows = alloc_zeros(k, sizeof *rows);
        find_rows(places, &search->encoder, hits->query, 1, k, search->options.metric, rows);
        hits_fill(hits, places, rows, k, wanted, once);
        free(rows);
    }
}

/* A query without tokens is like nothing. */
static void answer(struct search *search, const struct item *query, const engine_hit *found)
{
    struct hits hits;
    hits_of(&hits, query, search->n_wanted);
    if (item_n_visible(query) > 0) {
        add_hits(search, &hits, found);
        if (search->options.rerank)
            rerank(&search->reranker, &hits);
    }
    hits_print(&search->printer, &hits);
    hits_free(&hits);
}

/* ---- Queries in groups ---- */

static bool tokenize(struct search *search, struct item *query)
{
    struct encoder *encoder = &search->encoder;
    char note[WORD_NOTE_BYTES];
    if (query->record.input.ids || query->record.input.pair)
        return encoder_fail(encoder, query, ": a query is a single text");
    if (query->record.is_repaired && search->n_repaired++ == 0)
        program_note("%s is not UTF-8: each invalid part is read as U+FFFD", item_name(query));
    item_add_prompt(query, &encoder->query_prompt);
    if (!encoder_tokenize(encoder, query))
        return false;
    if (item_n_visible(query) == 0)
        program_note("%s has no tokens, and no hits", item_name(query));
    if (word_notes_add(&search->words, encoder, query, note))
        program_note("%s", note);
    if (query->n_dropped > 0 && search->n_cut++ == 0)
        program_note("%s was cut to %zu of its %zu tokens", item_name(query), query->n_tokens,
                     query->n_tokens + query->n_dropped);
    return true;
}

/* What is there without waiting; READER_RECORD: the group is full, and there may be more. */
static enum reader_state read_group(struct search *search)
{
    for (; search->n_queries > 0; search->n_queries--)
        item_free(&search->queries[search->n_queries - 1]);
    while (search->n_queries < search->most_queries) {
        struct item *query = &search->queries[search->n_queries];
        *query = (struct item){0};
        enum reader_state state =
            reader_next(&search->reader, search->n_queries == 0, &query->record);
        if (state != READER_RECORD)
            return state;
        query->number = ++search->n_read;
        search->n_queries++;
    }
    return READER_RECORD;
}

/* Answers queries up to one that fails. */
static void answer_group(struct search *search)
{
    struct encoder *encoder = &search->encoder;
    size_t n = 0, n_encoded;
    while (n < search->n_queries && tokenize(search, &search->queries[n]))
        n++;
    char reason[sizeof encoder->message]; /* encoding those before it may change the message */
    strcpy(reason, n < search->n_queries ? encoder->message : "");
    n_encoded = encoder_encode(encoder, search->queries, n);
    if (n_encoded < n)
        strcpy(reason, encoder->message);
    if (n_encoded > 0 && search->n_wanted > 0)
        find_rows(&search->places, encoder, search->queries, n_encoded, search->n_wanted,
                  search->options.metric, search->found);
    for (size_t i = 0; i < n_encoded; i++)
        answer(search, &search->queries[i], search->found + i * search->n_wanted);
    if (reason[0] != '\0')
        program_die("%s", reason);
}

static void note_skipped(const struct vector_file *file)
{
    if (file->vectors.n_skipped > 0)
        program_note("%zu of %zu rows of '%s' have no scores: they have NaN or an infinity, or "
                     "cannot be scaled to length 1",
                     file->vectors.n_skipped, file->vectors.n, file->path);
}

static int answer_all(struct search *search)
{
    enum reader_state state;
    do {
        state = read_group(search);
        answer_group(search);
        if (!output_check(&search->output, state != READER_RECORD))
            return PROGRAM_FAILED;
    } while (state == READER_RECORD || state == READER_PENDING);
    for (size_t i = 0; i < search->places.n_files; i++)
        note_skipped(&search->places.files[i]);
    if (search->n_cut > 1)
        program_note("%zu of %zu queries were cut", search->n_cut, search->n_read);
    word_notes_end(&search->words, search->n_read, "queries");
    if (search->reranker.n_cut > 1)
        program_note("--rerank: %zu texts were cut", search->reranker.n_cut);
    return state == READER_END ? PROGRAM_DONE : program_fail("%s", search->reader.message);
}

static int run(struct search *search)
{
    const struct search_options *options = &search->options;
    if (!options->query && isatty(STDIN_FILENO))
        program_note("reading the terminal, a query per line; Ctrl-D ends, --help helps");
    reader_open(&search->reader, (char *const *)&options->query, options->query ? 1 : 0,
                options->request.is_json_input);
    hits_print_heading(&search->printer);
    int code = answer_all(search);
    reader_free(&search->reader);
    return code;
}

/* ---- Opening ---- */

/* Sparse weights and vectors of tokens are of one kind of pooling. */
static void settle_pooling(struct search *search)
{
    struct search_options *options = &search->options;
    const struct vectors *vectors = search->places.vectors;
    const enum vectors_kind kind = vectors->kind;
    if (kind == VECTORS_ROWS)
        return;
    if (options->request.has_pooling || options->has_metric)
        program_die_misused("'%s' holds %s, which says how queries are encoded and compared: it "
                            "goes without -p and --metric",
                            options->vectors[0], vectors_kind_name(vectors));
    options->request.has_pooling = true;
    options->request.encode.pooling =
        kind == VECTORS_SPARSE ? ENGINE_POOLING_SPARSE : ENGINE_POOLING_COLBERT;
}

static void check_model(struct search *search)
{
    const struct encoder *encoder = &search->encoder;
    if (encoder->ranks_pairs)
        program_die_misused("%s is a cross-encoder, which makes no vectors: it requires --rerank, "
                            "and -m is the model of the vectors",
                            encoder->name);
    if (search->places.vectors->kind == VECTORS_ROWS && !encoder->is_pooled)
        program_die_misused("%s makes a vector for each token, and '%s' has one for each text: -p "
                            "says how they were made",
                            encoder->name, search->options.vectors[0]);
    for (size_t i = 0; i < search->places.n_files; i++)
        vectors_fit(&search->places.files[i].vectors, encoder);
}

static void open_encoders(struct search *search)
{
    struct encoder *encoder = &search->encoder;
    settle_pooling(search);
    encoder_open(encoder, &search->options.request);
    check_model(search);
    if (!search->options.no_check)
        origin_check(&search->places, encoder);
    encoder->options.role = ENGINE_ROLE_QUERY;
    if (search->options.rerank)
        reranker_open(&search->reranker, &search->options);
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

static void make_room(struct search *search)
{
    const struct search_options *options = &search->options;
    size_t wanted = options->rerank ? options->n_candidates : options->n_hits;
    search->n_wanted = least(wanted, search->places.n_rows);
    search->most_queries = search->places.vectors->kind == VECTORS_TOKENS
                               ? GROUP_OF_TOKENS
                               : least(GROUP_QUERIES, encoder_most_pooled(&search->encoder));
    if (search->n_wanted > 0)
        search->most_queries = least(search->most_queries, 1 + (GROUP_HITS - 1) / search->n_wanted);
    search->found = alloc_zeros(search->most_queries * search->n_wanted, sizeof *search->found);
}

static void open_all(struct search *search)
{
    const struct search_options *options = &search->options;
    places_open(&search->places, options->vectors, options->n_vectors, options->texts,
                options->n_texts);
    for (size_t i = 0; i < search->places.n_files; i++)
        search->places.files[i].vectors.skips_rows = options->skips_rows;
    open_encoders(search);
    if (!options->query)
        input_remember("-");
    make_room(search);
    output_open(&search->output, options->output_path, OUTPUT_STREAM);
    search->printer = (struct hits_printer){
        .options = options, .encoder = &search->encoder, .places = &search->places};
    search->printer.rows =
        (struct rows)ROWS(search->output.stream, options->format == SEARCH_JSON  ? ROWS_JSON
                                                 : options->format == SEARCH_TSV ? ROWS_TSV
                                                                                 : ROWS_TABLE);
}

int main(int argc, char **argv)
{
    static struct search search;
    program_begin("encode-search", argv);
    json_set_alloc_funcs(alloc_bytes, free);
    search_options_read(&search.options, argc, argv);
    set_passive_waiting(argv, search.options.request.session.n_threads);
    open_all(&search);
    const int code = output_end(&search.output, run(&search));
    free(search.found);
    for (size_t i = 0; i < search.n_queries; i++)
        item_free(&search.queries[i]);
    encoder_close(&search.reranker.encoder);
    encoder_close(&search.encoder);
    places_close(&search.places);
    return code;
}
