/* tags: numbers no-asan no-coverage */
/* The stack that a calling thread needs: engine.h states it. Threads run on painted stacks, and the
 * deepest byte that has changed shows what a call has used. */
#include "tests/model/tokenizer/worst_case_texts.h"
#include "tests/support.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum {
    STATED = 128 * 1024, /* in engine.h */
    PAINTED = 1 << 20,
    PAINT = 0xA5,
    N_TEXTS = 8,
    WIDTH = 96,
    MOST_NUMBERS = N_TEXTS * 1024
};

static unsigned char *stack;
static char folder[SUPPORT_PATH], path[SUPPORT_PATH];
static engine_input texts[N_TEXTS];
static float numbers[MOST_NUMBERS];

SET_UP()
{
    support_temp_dir(folder);
    support_path(path, folder, "m.weights");
    stack = mmap(NULL, PAINTED, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(stack != MAP_FAILED);
    for (size_t i = 0; i < N_TEXTS; i++)
        texts[i] = engine_text(i % 3 ? "a b c d e f g h a b c d [MASK]" : "h g f [MASK]");
}

TEAR_DOWN()
{
    munmap(stack, PAINTED);
    support_remove_dir(folder);
}

/* Bytes of the stack that the call changed, those of the C library for the thread included. */
static size_t stack_used(void *(*call)(void *), void *user)
{
    pthread_t thread;
    pthread_attr_t attributes;
    size_t untouched = 0;
    memset(stack, PAINT, PAINTED);
    pthread_attr_init(&attributes);
    assert_int_equal(pthread_attr_setstack(&attributes, stack, PAINTED), 0);
    assert_int_equal(pthread_create(&thread, &attributes, call, user), 0);
    pthread_join(thread, NULL);
    pthread_attr_destroy(&attributes);
    while (untouched < PAINTED && stack[untouched] == PAINT)
        untouched++;
    return PAINTED - untouched;
}

static void assert_enough(size_t used, const char *what, const char *with)
{
    static size_t most;
    if (used > most)
        print_message("%zu bytes of stack: %s, %s\n", most = used, what, with);
    if (used > STATED)
        fail_msg("%s, %s: %zu bytes of stack, and engine.h states %d", what, with, used, STATED);
}

/* ---- Models, with each set of kernels ---- */

/* Everything that the model has an answer for; what it refuses takes no more. */
static void call_all(engine_session *session)
{
    engine_candidate candidates[8];
    engine_entity entities[64];
    engine_token tokens[64];
    engine_window windows[16];
    size_t n;
    for (int pooling = ENGINE_POOLING_NONE; pooling <= ENGINE_POOLING_LABELS; pooling++)
        engine_encode(session, texts, N_TEXTS,
                      &ENGINE_ENCODE_OPTIONS(.pooling = (engine_pooling)pooling), numbers,
                      MOST_NUMBERS, NULL, NULL);
    engine_rank(session, texts, texts, N_TEXTS, NULL, numbers);
    engine_fill(session, &texts[1], 8, NULL, candidates, 8, NULL, NULL);
    engine_entities(session, &texts[1], NULL, entities, 64, NULL, NULL);
    engine_tokenize(session, &texts[1], NULL, tokens, 64, &n, NULL);
    engine_windows(session, tokens, n, &ENGINE_ENCODE_OPTIONS(.max_tokens = 4), windows, 16, NULL);
}

static void *use_model(void *unused)
{
    engine_info info = ENGINE_INFO();
    engine_error error;
    (void)unused;
    engine_model *model = support_open(path);
    assert_ok(engine_model_info(model, &info, &error));
    assert_ok(engine_model_verify(model, &error));
    for (size_t n_threads = 1; n_threads <= 2; n_threads++) {
        engine_session *session =
            support_session(model, &ENGINE_SESSION_OPTIONS(.n_threads = n_threads));
        call_all(session);
    }
    return NULL;
}

static void *search_rows(void *unused)
{
    enum { N = 400, K = 50, N_QUERIES = 20 };
    static float rows[N * WIDTH], queries[N_QUERIES * WIDTH];
    static unsigned char bytes[sizeof rows + N * 64];
    static engine_hit hits[N_QUERIES * K];
    (void)unused;
    for (size_t i = 0; i < N * WIDTH; i++)
        rows[i] = (float)(i * 7 % 101) - 50;
    memcpy(queries, rows, sizeof queries);
    for (int type = ENGINE_F32; type <= ENGINE_BINARY; type++) {
        const engine_vectors vectors = {bytes, N, WIDTH, (engine_element)type};
        engine_rows_from_f32(rows, N, WIDTH, vectors.type, bytes);
        for (size_t n_threads = 1; n_threads <= 2; n_threads++)
            for (size_t n = 1; n <= N_QUERIES; n += N_QUERIES - 1)
                assert_ok(engine_search(&vectors, queries, n, K,
                                        &ENGINE_SEARCH_OPTIONS(.n_threads = n_threads), hits,
                                        NULL));
    }
    return NULL;
}

TEST(models_and_searches)
{
    static const char *const shapes[] = {
        "--head none",
        "--position learned --norm rms --gate first --activation silu",
        "--head sequence --labels 3 --scores softmax",
        "--head token --labels 3 --scores softmax",
        "--head mask --head-dense gelu --head-norm yes",
        "--projections 2 --embedding-width 48 --norm-place pre --position binary"};
    static const char *const types[] = {"f32", "f16", "bf16", "int8"};
    if (support_sanitized())
        skip();
    for (size_t isa = 0; support_set_isa(isa); isa++) {
        for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
            for (size_t type = 0; type < sizeof types / sizeof *types; type++) {
                if (i % 2 && type % 3) /* f16 and bf16 are f32 when they are computed */
                    continue;
                support_make_model(path, "a b c d e f g h [MASK] [CLS]",
                                   "--width %d --heads 4 --layers 2 --feed-forward 320 --type %s "
                                   "--max-tokens 64 %s",
                                   WIDTH, types[type], shapes[i]);
                assert_enough(stack_used(use_model, NULL), support_isa(isa), types[type]);
            }
        assert_enough(stack_used(search_rows, NULL), support_isa(isa), "search");
    }
}

/* ---- Tokenizers ---- */

struct text {
    const struct worst_case_tokenizer *tokenizer;
    char *bytes;
    size_t len;
};

static void *count_tokens(void *user)
{
    const struct text *text = user;
    encode_text(&text->tokenizer->fixture, text->bytes, text->len);
    return NULL;
}

TEST(tokenizers)
{
    static char bytes[20000];
    struct worst_case_tokenizer worst;
    if (support_sanitized())
        skip();
    for (size_t i = 0; worst_case_tokenizer_open(&worst, i); i++) {
        for (size_t t = 0; worst_case_text_name(t); t++) {
            worst_case_text(t, bytes, sizeof bytes);
            assert_enough(stack_used(count_tokens, &(struct text){&worst, bytes, sizeof bytes}),
                          worst.name, worst_case_text_name(t));
        }
    }
}
