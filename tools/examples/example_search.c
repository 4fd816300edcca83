/* example_search.c - encodes some texts once, then finds the best of them for each query.
 *
 *     cc example_search.c $(pkg-config --cflags --libs engine) && ./a.out [FILE.weights]
 */
#include <engine.h>
#include <stdio.h>
#include <stdlib.h>

static const char *const TEXTS[] = {"bread is baked at night", "a cycle ride to the sea",
                                    "the bank lends money", "dogs bark at the moon"};
static const char *const QUERIES[] = {"who rides a bike?", "where do I get a loan?"};
enum { N_TEXTS = sizeof TEXTS / sizeof *TEXTS, N_QUERIES = 2, BEST = 2 };

int main(int argc, char **argv)
{
    engine_encode_options as_document =
        ENGINE_ENCODE_OPTIONS(.pooling = ENGINE_POOLING_TEXT, .role = ENGINE_ROLE_DOCUMENT);
    engine_encode_options as_query =
        ENGINE_ENCODE_OPTIONS(.pooling = ENGINE_POOLING_TEXT, .role = ENGINE_ROLE_QUERY);
    engine_search_options how = ENGINE_SEARCH_OPTIONS();
    engine_shape shape = ENGINE_SHAPE();
    engine_input inputs[N_TEXTS], asked[N_QUERIES];
    engine_hit hits[N_QUERIES * BEST];
    engine_model *model;
    engine_session *session;
    engine_error error;
    if (engine_model_open(argc > 1 ? argv[1] : NULL, NULL, &model, &error) ||
        engine_shape_of(model, &as_document, &shape, &error) ||
        engine_session_new(model, NULL, &session, &error))
        return puts(error.message), 1;

    /* Rows of float32; engine_rows_from_f32 makes smaller ones. They may be in a mapped file. */
    size_t width = shape.width;
    float *rows = malloc(N_TEXTS * width * sizeof *rows);
    float *queries = malloc(N_QUERIES * width * sizeof *queries);
    if (rows == NULL || queries == NULL)
        return puts("no memory"), 1;
    for (int i = 0; i < N_TEXTS; i++)
        inputs[i] = engine_text(TEXTS[i]);
    for (int i = 0; i < N_QUERIES; i++)
        asked[i] = engine_text(QUERIES[i]);
    if (engine_encode(session, inputs, N_TEXTS, &as_document, rows, N_TEXTS * width, NULL, NULL) ||
        engine_encode(session, asked, N_QUERIES, &as_query, queries, N_QUERIES * width, NULL, NULL))
        return puts(engine_session_message(session)), 1;

    engine_vectors vectors = {rows, N_TEXTS, width, ENGINE_F32};
    how.metric = shape.metric;
    if (engine_search(&vectors, queries, N_QUERIES, BEST, &how, hits, &error))
        return puts(error.message), 1;
    for (int i = 0; i < N_QUERIES * BEST; i++)
        printf("%-22s  %.3f  %s\n", QUERIES[i / BEST], hits[i].score, TEXTS[hits[i].row]);
    free(queries);
    free(rows);
    engine_session_free(session);
    engine_model_close(model);
    return 0;
}
