/* minimal.c - the same words in another order: how alike are their vectors? Compiles as C and as C++.
 *     cc minimal.c $(pkg-config --cflags --libs engine) -o minimal && ./minimal weights/default.weights */
#include <engine.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    static engine_encode_options options; /* static: all zero, which means the defaults */
    static engine_input inputs[2];
    static float vectors[2 * 4096];
    engine_error error;
    engine_model *model;
    engine_session *session;
    size_t n_values; /* of both vectors */

    if (engine_model_open(argc > 1 ? argv[1] : "weights/default.weights", NULL, &model, &error) ||
        engine_session_new(model, NULL, &session, &error))
        return fprintf(stderr, "%s\n", error.message), 1;

    inputs[0].text = "I ride bike", inputs[0].text_len = 11;
    inputs[1].text = "bike ride I", inputs[1].text_len = 11;
    options.pooling = ENGINE_POOLING_MEAN; /* one vector per text */
    if (engine_encode(session, inputs, 2, &options, vectors, 2 * 4096, &n_values, NULL))
        return fprintf(stderr, "%s\n", engine_session_message(session)), 1;
    printf("cosine %.6f\n", engine_cosine(vectors, vectors + n_values / 2, n_values / 2));

    engine_session_free(session);
    engine_model_close(model);
    return 0;
}
