/* minimal.c - the same words in another order: how alike are their vectors? Compiles as C and C++.
 *
 *     cc minimal.c $(pkg-config --cflags --libs engine) -o minimal && ./minimal [FILE.weights]
 */
#include <engine.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
    engine_input texts[2] = {engine_text("I ride bike"), engine_text("bike ride I")};
    engine_encode_options options = ENGINE_ENCODE_OPTIONS();
    engine_info info = ENGINE_INFO();
    engine_error error;
    engine_model *model;
    engine_session *session;
    size_t n = 0;
    if (engine_model_open(argc > 1 ? argv[1] : NULL, NULL, &model, &error) ||
        engine_model_info(model, &info, &error) ||
        engine_session_new(model, NULL, &session, &error))
        return puts(error.message), 1;
    if (strcmp(info.pooling, "none") == 0 || strcmp(info.pooling, "colbert") == 0)
        options.pooling = ENGINE_POOLING_MEAN; /* the model itself has a vector for each token */
    engine_encode(session, texts, 2, &options, NULL, 0, &n, NULL); /* n: numbers of both vectors */
    float *vectors = (float *)malloc(n * sizeof *vectors);
    if (engine_encode(session, texts, 2, &options, vectors, n, NULL, NULL))
        return puts(engine_session_message(session)), 1;
    printf("cosine %.6f\n", engine_cosine(vectors, vectors + n / 2, n / 2));
    free(vectors);
    engine_session_free(session);
    engine_model_close(model);
    return 0;
}
