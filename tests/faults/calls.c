/* calls.c - a program that uses engine.h as a host would: opens a model, makes a session, asks for
 * all that the model can answer, and frees both. Prints the answers to stdout; the first call that
 * fails is reported on stderr, and ends the program with exit code 1. See test_faults_engine.c.
 *
 *     calls FILE.weights TEXT [copy]     copy: into memory
 */
#include "engine/engine.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { THREADS = 2, VALUES_MOST = 512, TOKENS_MOST = 32, WORDS = 2 };

struct host {
    engine_model *model;
    engine_session *session;
    engine_info info;
    engine_input input;
};

static void fail(const char *call, const char *message)
{
    fprintf(stderr, "%s: %s\n", call, message[0] != '\0' ? message : "it does not say why");
    exit(message[0] != '\0' ? 1 : 3);
}

/* The session's message is that of its last call. */
static void expect(const struct host *host, const char *call, engine_status status)
{
    if (status != ENGINE_OK)
        fail(call, engine_session_message(host->session));
}

static void print_values(const char *what, const float *values, size_t n)
{
    printf("%s", what);
    for (size_t i = 0; i < n; i++)
        printf(" %a", (double)values[i]);
    putchar('\n');
}

/* ---- Open and closed ---- */

/* The number of the next file; it grows where one is left open. */
static int next_descriptor(void)
{
    int next = dup(STDIN_FILENO);
    close(next);
    return next;
}

static void open_model(struct host *host, const char *path, bool copy)
{
    const engine_model_options options = ENGINE_MODEL_OPTIONS(.copy = copy);
    engine_error error = {0};
    int before = next_descriptor();
    host->model = (engine_model *)host; /* to see it set to NULL */
    engine_status status = engine_model_open(path, &options, &host->model, &error);
    if (status != ENGINE_OK && (host->model != NULL || error.status != status))
        fail("engine_model_open", "");
    if (before >= 0 && next_descriptor() > before)
        fail("engine_model_open leaves a file open", "");
    if (status != ENGINE_OK)
        fail("engine_model_open", error.message);
    if (engine_model_verify(host->model, &error) != ENGINE_OK)
        fail("engine_model_verify", error.message);
    host->info = ENGINE_INFO();
    if (engine_model_info(host->model, &host->info, NULL) != ENGINE_OK)
        fail("engine_model_info", "");
}

static void open_session(struct host *host)
{
    engine_session_options options = ENGINE_SESSION_OPTIONS(.n_threads = THREADS);
    engine_error error = {0};
    if (engine_session_new(host->model, &options, &host->session, &error) != ENGINE_OK)
        fail("engine_session_new", error.message);
}

/* ---- What models answer ---- */

static void tokenize(struct host *host)
{
    engine_token tokens[TOKENS_MOST];
    size_t n;
    expect(host, "engine_tokenize",
           engine_tokenize(host->session, &host->input, NULL, tokens, TOKENS_MOST, &n, NULL));
    for (size_t i = 0; i < n; i++)
        printf("token %d %zu-%zu\n", (int)tokens[i].id, tokens[i].begin, tokens[i].end);
}

/* Models that label have no vectors of their own. */
static bool makes_vectors(const struct host *host)
{
    return host->info.head != ENGINE_HEAD_SEQUENCE && host->info.head != ENGINE_HEAD_TOKEN;
}

/* By every pooling that the model has, without and with words before the text. */
static void encode(struct host *host)
{
    for (int pooling = ENGINE_POOLING_MODEL; pooling <= ENGINE_POOLING_POOLER; pooling++) {
        engine_encode_options options = ENGINE_ENCODE_OPTIONS(.pooling = (engine_pooling)pooling);
        float values[VALUES_MOST];
        size_t n;
        if (pooling == ENGINE_POOLING_POOLER && host->info.head != ENGINE_HEAD_POOLER)
            continue;
        if (pooling == ENGINE_POOLING_MODEL && !makes_vectors(host))
            continue;
        expect(
            host, "engine_encode",
            engine_encode(host->session, &host->input, 1, &options, values, VALUES_MOST, &n, NULL));
        print_values("values", values, n);
        options.prompt_text = "i ";
        expect(
            host, "engine_encode",
            engine_encode(host->session, &host->input, 1, &options, values, VALUES_MOST, &n, NULL));
        print_values("behind a prompt", values, n);
    }
}

static void answer(struct host *host)
{
    engine_candidate words[TOKENS_MOST];
    engine_entity entities[TOKENS_MOST];
    float scores[VALUES_MOST];
    size_t n;
    if (!makes_vectors(host)) {
        expect(host, "engine_encode",
               engine_encode(host->session, &host->input, 1,
                             &ENGINE_ENCODE_OPTIONS(.pooling = ENGINE_POOLING_LABELS), scores,
                             VALUES_MOST, &n, NULL));
        print_values("scores", scores, n);
    }
    if (host->info.head == ENGINE_HEAD_TOKEN) {
        expect(host, "engine_entities",
               engine_entities(host->session, &host->input, NULL, entities, TOKENS_MOST, &n, NULL));
        for (size_t i = 0; i < n; i++)
            printf("entity %zu-%zu\n", entities[i].begin, entities[i].end);
    }
    if (host->info.head == ENGINE_HEAD_MASK) {
        expect(host, "engine_fill",
               engine_fill(host->session, &host->input, WORDS, NULL, words, TOKENS_MOST, &n, NULL));
        for (size_t i = 0; i < n; i++)
            printf("word %d\n", (int)words[i].id);
    }
    if (!makes_vectors(host) && !host->info.ranks_pairs)
        return;
    expect(host, "engine_rank",
           engine_rank(host->session, &host->input, &host->input, 1, NULL, scores));
    print_values("rank", scores, 1);
}

int main(int argc, char **argv)
{
    static struct host host;
    if (argc != 3 && argc != 4)
        return 2;
    host.input.text = argv[2];
    host.input.text_len = ENGINE_NUL_TERMINATED;
    open_model(&host, argv[1], argc == 4);
    open_session(&host);
    tokenize(&host);
    encode(&host);
    answer(&host);
    engine_session_free(host.session);
    engine_model_close(host.model);
    return fflush(stdout) == 0 && !ferror(stdout) ? 0 : (perror("stdout"), 1);
}
