/* rerank.c - candidates by a cross-encoder, which reads the query and a text together; see
 * hits.h. */
#include "tools/search/hits.h"

#include <stdlib.h>
#include <string.h>

bool rerank_open(struct encoder *encoder, const struct search_options *options, int *exit_code)
{
    const struct request_options request = {
        .model_path = options->rerank,
        .task = TASK_RANK,
        .n_threads = options->request.n_threads,
        .on_long = options->request.on_long,
    };
    if (!encoder_open(encoder, &request, exit_code))
        return false;
    if (!encoder->ranks_pairs)
        *exit_code = program_fail("--rerank takes a cross-encoder, a model with head sequence and "
                                  "one label; %s is none",
                                  encoder->name);
    return encoder->ranks_pairs;
}

/* The engine counts the texts of a call; here they have ids. */
static bool fail(const struct encoder *encoder, const struct hits *hits)
{
    const char *message = engine_session_message(encoder->session);
    size_t len = engine_message_input_len(message), id_len, i;
    if (len == 0) {
        program_fail("--rerank: %s", message);
        return false;
    }
    i = encoder_first_wrong(encoder, hits->n);
    const struct place *place = &hits->hits[i].place;
    const char *id = place_id(place, &id_len);
    program_fail("--rerank: the pair of the query and text %.*s (line %zu of TEXTS)%s; --on-long "
                 "truncate cuts texts",
                 (int)id_len, id, place->line, message + len);
    return false;
}

static int compare(const void *a, const void *b)
{
    const struct hit *first = a, *second = b;
    if (first->score != second->score)
        return first->score > second->score ? -1 : 1;
    return first->rank < second->rank ? -1 : first->rank > second->rank;
}

bool rerank(struct encoder *encoder, struct hits *hits)
{
    engine_input query = {.text = ""};
    engine_input *texts = alloc_zeros(hits->n, sizeof *texts);
    float *scores = alloc_zeros(hits->n, sizeof *scores);
    query.text = query_text(hits->query, &query.text_len);
    for (size_t i = 0; i < hits->n; i++)
        texts[i] = (engine_input){.text = hits->hits[i].record.input.text,
                                  .text_len = hits->hits[i].record.input.text_len};
    bool is_scored = engine_rank(encoder->session, &query, texts, hits->n, &encoder->options,
                                 scores) == ENGINE_OK ||
                     fail(encoder, hits);
    for (size_t i = 0; i < hits->n && is_scored; i++)
        hits->hits[i].score = scores[i];
    if (hits->n > 0)
        qsort(hits->hits, hits->n, sizeof *hits->hits, compare);
    free(texts);
    free(scores);
    return is_scored;
}
