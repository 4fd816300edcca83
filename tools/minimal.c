/* minimal.c - the same words in another order: how alike are their vectors? Compiles as C and C++.
 *
 *     cc minimal.c $(pkg-config --cflags --libs engine) -o minimal && ./minimal [FILE.weights]
 */
#include <engine.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    static engine_input texts[2]; /* static: all zero */
    static float vectors[2][256]; /* the default model's width */
    engine_error error;
    engine_model *model;
    engine_session *session;
    if (engine_model_open(argc > 1 ? argv[1] : NULL, NULL, &model, &error) ||
        engine_session_new(model, NULL, &session, &error))
        return puts(error.message), 1;
    texts[0].text = "I ride bike", texts[0].text_len = ENGINE_NUL_TERMINATED;
    texts[1].text = "bike ride I", texts[1].text_len = ENGINE_NUL_TERMINATED;
    if (engine_encode(session, texts, 2, NULL, vectors[0], 2 * 256, NULL, NULL))
        return puts(engine_session_message(session)), 1;
    printf("cosine %.6f\n", engine_cosine(vectors[0], vectors[1], 256));
    engine_session_free(session);
    engine_model_close(model);
    return 0;
}
