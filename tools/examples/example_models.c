/* example_models.c - several models at once: how alike do they find two texts? Vectors of different
 * models are never compared with each other.
 *
 *     cc example_models.c $(pkg-config --cflags --libs engine) && ./a.out FILE.weights ...
 */
#include <engine.h>
#include <stdio.h>
#include <stdlib.h>

/* Prints a line about the model; returns 1 if it fails. */
static int compare(const char *path)
{
    engine_encode_options as_text = ENGINE_ENCODE_OPTIONS(.pooling = ENGINE_POOLING_TEXT);
    engine_input texts[2] = {engine_text("I ride bike"), engine_text("bike ride I")};
    engine_shape shape = ENGINE_SHAPE();
    engine_model *model = NULL;
    engine_session *session = NULL;
    engine_error error;
    float *vectors = NULL;
    int failed = 1;
    if (engine_model_open(path, NULL, &model, &error) ||
        engine_shape_of(model, &as_text, &shape, &error) ||
        engine_session_new(model, NULL, &session, &error))
        printf("%s: %s\n", path != NULL ? path : "default", error.message);
    else if ((vectors = malloc(2 * shape.width * sizeof *vectors)) == NULL)
        puts("no memory");
    else if (engine_encode(session, texts, 2, &as_text, vectors, 2 * shape.width, NULL, NULL))
        puts(engine_session_message(session));
    else {
        double score = engine_similarity(shape.metric, vectors, vectors + shape.width, shape.width);
        printf("%s: width %zu, score %.4f\n", path != NULL ? path : "default", shape.width, score);
        failed = 0;
    }
    free(vectors);
    engine_session_free(session); /* before its model; NULL is allowed for both */
    engine_model_close(model);
    return failed;
}

int main(int argc, char **argv)
{
    int failed = compare(NULL);
    for (int i = 1; i < argc; i++)
        failed |= compare(argv[i]);
    return failed;
}
