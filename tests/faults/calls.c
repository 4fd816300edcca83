/* calls.c - a program that uses engine.h as a host would: opens a model, makes a session, encodes a
 * text, and frees both. Prints the vectors to stdout; the first call that fails is reported on
 * stderr, and ends the program with exit code 1. See test_faults_engine.c.
 *
 *     calls FILE.weights TEXT [copy]     copy: into memory
 */
#include "engine/engine.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { THREADS = 2, VALUES_MOST = 512 };

static void fail(const char *call, const char *message)
{
    fprintf(stderr, "%s: %s\n", call, message[0] != '\0' ? message : "it does not say why");
    exit(message[0] != '\0' ? 1 : 3);
}

/* The number of the next file; it grows where one is left open. */
static int next_descriptor(void)
{
    int next = dup(STDIN_FILENO);
    close(next);
    return next;
}

static engine_model *open_model(const char *path, bool copy)
{
    const engine_model_options options = ENGINE_MODEL_OPTIONS(.copy = copy);
    engine_error error = {0};
    int before = next_descriptor();
    engine_model *model = (engine_model *)&error; /* to see it set to NULL */
    engine_status status = engine_model_open(path, &options, &model, &error);
    if (status != ENGINE_OK && (model != NULL || error.status != status))
        fail("engine_model_open", "");
    if (before >= 0 && next_descriptor() > before)
        fail("engine_model_open leaves a file open", "");
    if (status != ENGINE_OK)
        fail("engine_model_open", error.message);
    if (engine_model_verify(model, &error) != ENGINE_OK)
        fail("engine_model_verify", error.message);
    return model;
}

static engine_session *open_session(const engine_model *model)
{
    const engine_session_options options = ENGINE_SESSION_OPTIONS(.n_threads = THREADS);
    engine_error error = {0};
    engine_session *session;
    if (engine_session_new(model, &options, &session, &error) != ENGINE_OK)
        fail("engine_session_new", error.message);
    return session;
}

int main(int argc, char **argv)
{
    float values[VALUES_MOST];
    size_t n;
    if (argc != 3 && argc != 4)
        return 2;
    engine_model *model = open_model(argv[1], argc == 4);
    engine_session *session = open_session(model);
    const engine_input input = {.text = argv[2], .text_len = ENGINE_NUL_TERMINATED};
    const engine_encode_options options = ENGINE_ENCODE_OPTIONS(.pooling = ENGINE_POOLING_NONE);
    if (engine_encode(session, &input, 1, &options, values, VALUES_MOST, &n, NULL) != ENGINE_OK)
        fail("engine_encode", engine_session_message(session));
    for (size_t i = 0; i < n; i++)
        printf("%a\n", (double)values[i]);
    engine_session_free(session);
    engine_model_close(model);
    return fflush(stdout) == 0 && !ferror(stdout) ? 0 : (perror("stdout"), 1);
}
