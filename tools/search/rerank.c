/* rerank.c - candidates by a cross-encoder, which reads the query and a text together; see
 * hits.h. */
#include "tools/search/hits.h"

#include "tools/common/texts/encoder_tokens.h"

#include <stdlib.h>

void reranker_open(struct reranker *reranker, const struct search_options *options)
{
    struct request_options request =
        REQUEST_OPTIONS(.model_path = options->rerank, .task = TASK_RANK);
    request.session.n_threads = options->request.session.n_threads;
    request.encode.on_long = options->request.encode.on_long;
    encoder_open(&reranker->encoder, &request);
    if (!reranker->encoder.ranks_pairs)
        program_die("--rerank takes a cross-encoder, a model with head sequence and one label; %s "
                    "is none",
                    reranker->encoder.name);
}

/* Counts the tokens that will be read of a pair: too many are an error, or are cut, of which the
 * first is told. */
static void check_pair(struct reranker *reranker, const engine_input *query, const struct hit *hit)
{
    struct encoder *encoder = &reranker->encoder;
    const engine_input *text = &hit->record.input;
    struct item pair = {
        .number = hit->place.line,
        .record.input = {.text = query->text,
                         .text_len = query->text_len,
                         .pair = text->text,
                         .pair_len = text->text_len},
    };
    if (!encoder_tokenize(encoder, &pair))
        program_die("--rerank: behind the query, %s", encoder->message);
    if (pair.n_dropped > 0 && reranker->n_cut++ == 0)
        program_note("--rerank: behind the query, text %zu was cut: %zu of %zu tokens are read",
                     pair.number, pair.n_tokens, pair.n_tokens + pair.n_dropped);
    item_free(&pair);
}

static int compare(const void *a, const void *b)
{
    const struct hit *first = a, *second = b;
    if (first->score != second->score)
        return first->score > second->score ? -1 : 1;
    return first->rank < second->rank ? -1 : first->rank > second->rank;
}

static void score(struct reranker *reranker, const struct hits *hits, engine_input *texts,
                  float *scores)
{
    engine_session *session = reranker->encoder.session;
    engine_input query = {.text = ""};
    query.text = query_text(hits->query, &query.text_len);
    for (size_t i = 0; i < hits->n; i++) {
        const engine_input *text = &hits->hits[i].record.input;
        texts[i] = (engine_input){.text = text->text, .text_len = text->text_len};
        check_pair(reranker, &query, &hits->hits[i]);
    }
    engine_encode_options options = reranker->encoder.options;
    options.on_long = ENGINE_ON_LONG_TRUNCATE; /* check_pair has seen which texts are cut */
    if (engine_rank(session, &query, texts, hits->n, &options, scores) != ENGINE_OK)
        program_die("--rerank: %s", engine_session_message(session));
}

void rerank(struct reranker *reranker, struct hits *hits)
{
    engine_input *texts = alloc_zeros(hits->n, sizeof *texts);
    float *scores = alloc_zeros(hits->n, sizeof *scores);
    score(reranker, hits, texts, scores);
    for (size_t i = 0; i < hits->n; i++)
        hits->hits[i].score = scores[i];
    if (hits->n > 0)
        qsort(hits->hits, hits->n, sizeof *hits->hits, compare);
    free(texts);
    free(scores);
}
