/* minimal.c - the same words in another order: how alike are their vectors? Compiles as C and C++.
 *
 *     cc minimal.c $(pkg-config --cflags --libs engine) -o minimal && ./minimal [FILE.weights]
 */
#include <engine.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    engine_input texts[2] = {engine_text("I ride bike"), engine_text("bike ride I")};
    engine_encode_options options = ENGINE_ENCODE_OPTIONS();
    engine_shape shape = ENGINE_SHAPE();
    engine_error error;
    engine_model *model;
    engine_session *session;
    options.pooling = ENGINE_POOLING_TEXT; /* one vector of each text, also by models without */
    if (engine_model_open(argc > 1 ? argv[1] : NULL, NULL, &model, &error) ||
        engine_shape_of(model, &options, &shape, &error) ||
        engine_session_new(model, NULL, &session, &error))
        return puts(error.message), 1;
    float *vectors = (float *)malloc(2 * shape.width * sizeof *vectors);
    if (engine_encode(session, texts, 2, &options, vectors, 2 * shape.width, NULL, NULL))
        return puts(engine_session_message(session)), 1;
    printf("cosine %.6f\n", engine_cosine(vectors, vectors + shape.width, shape.width));
    free(vectors);
    engine_session_free(session);
    engine_model_close(model);
    return 0;
}
