/* example_threads.c - threads share a model, and each has its own session, which computes on that
 * thread alone: the way of a server, where each thread has its own requests.
 *
 *     cc example_threads.c $(pkg-config --cflags --libs engine) -pthread && ./a.out [FILE.weights]
 */
#include <engine.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N_THREADS = 4, N_TIMES = 50 };

struct work {
    const engine_model *model;
    size_t width;
    float *vector; /* [width] of the last of its calls */
    char problem[256];
};

static void *run(void *user)
{
    struct work *work = user;
    engine_session_options options = ENGINE_SESSION_OPTIONS(.n_threads = 1);
    engine_encode_options as_text = ENGINE_ENCODE_OPTIONS(.pooling = ENGINE_POOLING_TEXT);
    engine_input text = engine_text("I ride bike");
    engine_session *session;
    engine_error error;
    if (engine_session_new(work->model, &options, &session, &error)) {
        strcpy(work->problem, error.message);
        return NULL;
    }
    for (int i = 0; i < N_TIMES && !work->problem[0]; i++)
        if (engine_encode(session, &text, 1, &as_text, work->vector, work->width, NULL, NULL))
            strcpy(work->problem, engine_session_message(session));
    engine_session_free(session);
    return NULL;
}

int main(int argc, char **argv)
{
    engine_encode_options as_text = ENGINE_ENCODE_OPTIONS(.pooling = ENGINE_POOLING_TEXT);
    engine_shape shape = ENGINE_SHAPE();
    engine_error error;
    engine_model *model;
    pthread_t threads[N_THREADS];
    struct work works[N_THREADS];
    int n_different = 0;
    if (engine_model_open(argc > 1 ? argv[1] : NULL, NULL, &model, &error) ||
        engine_shape_of(model, &as_text, &shape, &error))
        return puts(error.message), 1;
    for (int i = 0; i < N_THREADS; i++) {
        works[i] = (struct work){model, shape.width, calloc(shape.width, sizeof(float)), ""};
        if (works[i].vector == NULL || pthread_create(&threads[i], NULL, run, &works[i]))
            return puts("no memory, or no thread"), 1;
    }
    for (int i = 0; i < N_THREADS; i++) {
        pthread_join(threads[i], NULL);
        if (works[i].problem[0])
            return puts(works[i].problem), 1;
        n_different += memcmp(works[0].vector, works[i].vector, shape.width * sizeof(float)) != 0;
    }
    printf("%d texts on %d threads, %d different vectors of the same text\n", N_THREADS * N_TIMES,
           N_THREADS, n_different);
    for (int i = 0; i < N_THREADS; i++)
        free(works[i].vector);
    engine_model_close(model);
    return n_different != 0;
}
