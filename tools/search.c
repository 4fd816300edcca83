/* search.c - the program encode-search: queries in, the nearest texts of a corpus out. See
 * encode-search(1).
 *
 *     vectors       a file that encode wrote of the corpus, mapped (npy, zip), and searched
 *     collection    all of these; for hits, the passage of a row, by rows files and TEXTS
 *     query_hits    the hits of a query, sorted again by a cross-encoder, and printed
 *     explained     which words made a hit's score
 */
#include "tools/common/options.h"
#include "tools/common/output.h"
#include "tools/common/texts/item.h"
#include "tools/common/texts/reader.h"
#include "tools/search/explained_hits.h"
#include "tools/search/query_hits.h"
#include "tools/search/words.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Limits of a group: queries, and hits held in memory. */
enum { GROUP_QUERIES = 1024, GROUP_OF_TOKENS = 64, GROUP_HITS = 1 << 20 };

struct search_run {
    struct search_options options;
    struct collection collection;
    struct text_encoder encoder;
    struct reranker reranker;
    struct reader reader;
    struct output output;
    struct hits_printer printer;
    struct item queries[GROUP_QUERIES];
    size_t n_queries, most_queries;
    size_t n_read, n_cut, n_repaired;
    struct word_notes words;
    size_t n_wanted; /* hits of each, or candidates */
    size_t n_found;  /* rows that are searched for them */
    engine_hit *found;
    engine_fusion *fusions; /* [most_queries] of a hybrid search, or NULL */
    float *vector_offsets;  /* [most_queries] of those */
};

/* ---- Queries in groups ---- */

/* Prints the hits of a query; none for a query without text. As texts may have several rows or be
 * equal or empty, the best rows may be of too few texts: then this query is searched for more
 * rows. */
static void answer_query(struct search_run *search, size_t i)
{
    struct item *query = &search->queries[i];
    const engine_fusion *fusion = search->fusions ? search->fusions + i : NULL;
    const engine_hit *found = search->found + i * search->n_found;
    const struct collection *collection = &search->collection;
    const size_t wanted = search->n_wanted, n = collection->n_rows;
    struct query_hits hits = {.query = query,
                              .hits = alloc_zeros(wanted, sizeof *hits.hits),
                              .fusion = fusion,
                              .vector_offset = fusion ? search->vector_offsets[i] : 0};
    hits.query_id = id_text(&query->record, query->number, &hits.query_id_len);
    if (item_has_text(query)) {
        query_hits_fill(&hits, collection, found, search->n_found, wanted, &search->options);
        engine_hit *rows = NULL;
        for (size_t k = search->n_found; hits.n < wanted && k < n && found[k - 1].row < n;) {
            k = k < n / 4 ? 4 * k : n;
            free(rows);
            found = rows = alloc_zeros(k, sizeof *rows);
            collection_search(collection, &search->encoder, query, 1, k, fusion, rows);
            query_hits_fill(&hits, collection, rows, k, wanted, &search->options);
        }
        free(rows);
        if (search->options.rerank)
            query_hits_rerank(&hits, &search->reranker);
    }
    hits_print(&search->printer, &hits);
    query_hits_free(&hits);
}

/* Makes tokens of a query, and prints notes about it. Returns false if it cannot be searched. */
static bool tokenize_query(struct search_run *search, struct item *query)
{
    struct text_encoder *encoder = &search->encoder;
    if (query->record.input.ids || query->record.input.pair)
        return encoder_fail(encoder, query, ": a query is a single text");
    if (query->record.is_repaired && search->n_repaired++ == 0)
        item_note_repair(query);
    item_add_prompt(query, &encoder->query_prompt);
    if (!encoder_tokenize(encoder, query))
        return false;
    if (!item_has_text(query))
        program_note("%s has no tokens of its own, and no hits", item_name(query));
    word_notes_add(&search->words, encoder, query);
    if (query->n_dropped > 0 && search->n_cut++ == 0)
        program_note("%s was cut to %zu of its %zu tokens", item_name(query), query->n_tokens,
                     query->n_tokens + query->n_dropped);
    return true;
}

/* Reads queries until the group is full, or until reading would wait. Returns READER_RECORD if
 * there may be more. */
static enum reader_state read_group(struct search_run *search)
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
        query->is_query = true;
        search->n_queries++;
    }
    return READER_RECORD;
}

/* Answers queries up to the first that fails, which ends the program. */
static void answer_group(struct search_run *search)
{
    struct text_encoder *encoder = &search->encoder;
    size_t n = 0, n_encoded;
    while (n < search->n_queries && tokenize_query(search, &search->queries[n]))
        n++;
    n_encoded = encoder_encode(encoder, search->queries, n);
    if (n_encoded > 0 && search->fusions != NULL)
        words_fuse(&search->collection, search->queries, n_encoded,
                   search->options.request.session.n_threads, search->fusions,
                   search->vector_offsets);
    if (n_encoded > 0 && search->n_wanted > 0)
        collection_search(&search->collection, encoder, search->queries, n_encoded, search->n_found,
                          search->fusions, search->found);
    for (size_t i = 0; i < n_encoded; i++)
        answer_query(search, i);
    if (n_encoded < search->n_queries)
        program_die("%s", item_fault(&search->queries[n_encoded]));
}

static int answer_all(struct search_run *search)
{
    const struct search_options *options = &search->options;
    enum reader_state state;
    const bool is_prompt =
        options->request.n_texts == 0 && isatty(STDIN_FILENO) && isatty(STDERR_FILENO);
    if (is_prompt)
        program_note("type a query; Ctrl-D ends, --help helps");
    hits_print_heading(&search->printer);
    do {
        if (is_prompt)
            fputs("> ", stderr);
        state = read_group(search);
        answer_group(search);
        if (!output_check(&search->output, state != READER_RECORD)) {
            reader_free(&search->reader);
            return PROGRAM_FAILED;
        }
    } while (state == READER_RECORD || state == READER_PENDING);
    for (size_t i = 0; i < search->collection.n_files; i++) {
        const struct vectors *vectors = &search->collection.files[i].vectors;
        if (vectors->n_skipped > 0)
            program_note("%zu of %zu rows of '%s' have no scores: they have NaN or an infinity, or "
                         "cannot be scaled to length 1",
                         vectors->n_skipped, vectors->n, vectors->file.path);
    }
    if (search->n_cut > 1)
        program_note("%zu of %zu queries were cut", search->n_cut, search->n_read);
    word_notes_end(&search->words, search->n_read, "queries");
    if (search->reranker.n_cut > 1)
        program_note("--rerank: %zu texts were cut", search->reranker.n_cut);
    const int code =
        state == READER_END ? PROGRAM_DONE : program_fail("%s", search->reader.message);
    reader_free(&search->reader);
    return code;
}

/* ---- Opening ---- */

/* Encodes an empty text: equal rows are of such texts, whose vectors mean nothing. Bits of other
 * texts may be equal, too. */
static void find_empty_row(struct search_run *search)
{
    const engine_vectors *rows = &search->collection.vectors->rows;
    struct item item = {.number = 1, .record.input.text = ""};
    struct text_encoder *encoder = &search->encoder;
    item_add_prompt(&item, &encoder->prompt);
    if (search->collection.vectors->kind == VECTORS_ROWS && rows->type != ENGINE_BINARY &&
        encoder_tokenize(encoder, &item) && encoder_encode(encoder, &item, 1) == 1) {
        void *row = alloc_zeros(engine_row_bytes(rows->type, rows->width), 1);
        engine_rows_from_f32(item.rows, 1, rows->width, rows->type, row);
        search->collection.empty_row = row;
    }
    item_free(&item);
}

/* Opens the model of the queries, and checks that it can have made the vectors. Sparse weights and
 * vectors of tokens are made by one kind of pooling. */
static void open_encoder(struct search_run *search)
{
    struct search_options *options = &search->options;
    struct text_encoder *encoder = &search->encoder;
    const struct vectors *vectors = search->collection.vectors;
    const char *pooling =
        json_string_value(json_object_get(search->collection.files->origin, "pooling"));
    if (vectors->kind == VECTORS_TOKENS && pooling && strcmp(pooling, "none") == 0)
        program_die("'%s' has a vector for each token (encode -p none), and a search needs one for "
                    "each text: encode the texts again with -p model",
                    options->vectors[0]);
    if (vectors->kind != VECTORS_ROWS) {
        const engine_pooling only =
            vectors->kind == VECTORS_SPARSE ? ENGINE_POOLING_SPARSE : ENGINE_POOLING_COLBERT;
        if ((options->request.has_pooling && options->request.encode.pooling != only) ||
            options->has_metric)
            program_die_misused("'%s' (%s) is encoded and compared in one way only: other -p, and "
                                "--metric, cannot be combined with it",
                                options->vectors[0], vectors_kind_name(vectors));
        options->request.has_pooling = true;
        options->request.encode.pooling = only;
    }
    struct request_options request = options->request;
    if (vectors->kind == VECTORS_ROWS && !request.has_pooling && pooling &&
        engine_pooling_named(pooling) >= 0)
        request.encode.pooling = (engine_pooling)engine_pooling_named(pooling);
    if (!options->has_precision)
        request.model.precision = origin_precision(search->collection.files);
    encoder_open(encoder, &request);
    if (encoder->ranks_pairs)
        program_die_misused("'%s' is a cross-encoder, which makes no vectors: use it with "
                            "--rerank, and -m for the model of the vectors",
                            encoder->info.path);
    if (vectors->kind == VECTORS_ROWS && !encoder->is_pooled)
        program_die_misused("'%s' makes a vector for each token, and '%s' has one for each text: "
                            "use -p with the pooling that made them",
                            encoder->info.path, options->vectors[0]);
    for (size_t i = 0; i < search->collection.n_files; i++)
        vectors_check_width(&search->collection.files[i].vectors, encoder);
    if (!options->no_check)
        origin_check(&search->collection, encoder);
    const json_t *prompt = json_object_get(search->collection.files->origin, "prompt");
    if (json_is_string(prompt)) /* the prompt of texts is that of the vectors */
        encoder->prompt = (struct prompt){json_string_value(prompt), json_string_length(prompt)};
    find_empty_row(search);
    encoder->options.role = ENGINE_ROLE_QUERY;
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

static void open_all(struct search_run *search)
{
    const struct search_options *options = &search->options;
    struct collection *collection = &search->collection;
    collection_open(collection, options);
    for (size_t i = 0; i < collection->n_files; i++)
        collection->files[i].vectors.skips_rows = options->skips_rows;
    open_encoder(search);
    collection->metric = options->has_metric ? options->metric : search->encoder.shape.metric;
    collection->word_weight = options->word_weight;
    if (options->is_hybrid && collection->vectors->kind != VECTORS_ROWS)
        program_die_misused("--hybrid needs one vector for each text, and '%s' has %s",
                            options->vectors[0], vectors_kind_name(collection->vectors));
    if (options->is_hybrid)
        words_open(collection);
    if (options->rerank)
        reranker_open(&search->reranker, options);
    if (options->explains)
        explained_hits_check(collection, &search->encoder);
    reader_open(&search->reader, &options->request);
    search->n_wanted =
        least(options->rerank ? options->n_candidates : options->n_hits, collection->n_rows);
    search->most_queries = collection->vectors->kind == VECTORS_TOKENS
                               ? GROUP_OF_TOKENS
                               : least(GROUP_QUERIES, encoder_most_pooled(&search->encoder));
    search->n_found = least((collection->has_rows || options->dedup ? 4 : 1) * search->n_wanted,
                            collection->n_rows);
    if (search->n_found > 0)
        search->most_queries = least(search->most_queries, 1 + (GROUP_HITS - 1) / search->n_found);
    search->found = alloc_zeros(search->most_queries * search->n_found, sizeof *search->found);
    search->fusions =
        options->is_hybrid ? alloc_zeros(search->most_queries, sizeof *search->fusions) : NULL;
    search->vector_offsets = alloc_zeros(search->most_queries, sizeof *search->vector_offsets);
    output_open(&search->output, options->output_path, OUTPUT_STREAM);
    search->printer = (struct hits_printer){
        .options = options, .encoder = &search->encoder, .collection = collection};
    search->printer.rows =
        (struct rows)ROWS(search->output.stream, options->format == SEARCH_JSON  ? ROWS_JSON
                                                 : options->format == SEARCH_TSV ? ROWS_TSV
                                                                                 : ROWS_TABLE);
}

int main(int argc, char **argv)
{
    static struct search_run search;
    program_begin("encode-search", argv);
    json_set_alloc_funcs(alloc_bytes, free);
    search_options_read(&search.options, argc, argv);
    set_passive_waiting(argv, search.options.request.session.n_threads);
    open_all(&search);
    const int code = output_end(&search.output, answer_all(&search));
    free(search.found);
    free(search.fusions);
    free(search.vector_offsets);
    for (size_t i = 0; i < search.n_queries; i++)
        item_free(&search.queries[i]);
    encoder_close(&search.reranker.encoder);
    encoder_close(&search.encoder);
    collection_close(&search.collection);
    return code;
}
