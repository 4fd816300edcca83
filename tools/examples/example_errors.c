/* example_errors.c - what a program can know of a failure: a status and a reason to act on, the
 * input that failed, and words for people. After a failure the session works as before.
 *
 *     cc example_errors.c $(pkg-config --cflags --libs engine) && ./a.out [FILE.weights]
 */
#include <engine.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
    engine_encode_options options = ENGINE_ENCODE_OPTIONS(.pooling = ENGINE_POOLING_TEXT);
    engine_shape shape = ENGINE_SHAPE();
    engine_result results[2];
    engine_model *model;
    engine_session *session;
    engine_error error;
    if (engine_model_open("no-such.weights", NULL, &model, &error)) /* model is NULL now */
        printf("%s: %s\n", engine_status_name(error.status), error.message);
    if (engine_model_open(argc > 1 ? argv[1] : NULL, NULL, &model, &error) ||
        engine_shape_of(model, &options, &shape, &error) ||
        engine_session_new(model, NULL, &session, &error))
        return puts(error.message), 1;

    static char long_text[20000];
    for (size_t i = 0; i + 5 < sizeof long_text; i += 5)
        memcpy(long_text + i, "ride ", 5);
    engine_input inputs[2] = {engine_text("I ride bike"), engine_text(long_text)};
    size_t needed, width = shape.width;
    float *vectors = malloc(2 * width * sizeof *vectors);
    if (vectors == NULL)
        return puts("no memory"), 1;

    if (engine_encode(session, inputs, 1, &options, vectors, 0, &needed, NULL))
        printf("%s: room for 0 of %zu numbers\n",
               engine_status_name(engine_session_error(session)->status), needed);
    options.on_long = ENGINE_ON_LONG_ERROR;
    if (engine_encode(session, inputs, 2, &options, vectors, 2 * width, NULL, NULL)) {
        const engine_error *why = engine_session_error(session);
        printf("%s: %s\n", engine_status_name(why->status), why->message); /* of why->input */
        if (why->reason == ENGINE_REASON_LONG_TEXT)
            options.on_long = ENGINE_ON_LONG_TRUNCATE; /* cut it, and say so */
    }
    if (engine_encode(session, inputs, 2, &options, vectors, 2 * width, NULL, results))
        return puts(engine_session_message(session)), 1;
    printf("encoded; %zu tokens of input 1 are left out\n", results[1].n_dropped);
    free(vectors);
    engine_session_free(session);
    engine_model_close(model);
    return 0;
}
