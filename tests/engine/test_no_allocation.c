/* Nothing in the whole process allocates while a session encodes: not the library, and not OpenBLAS
 * for it.
 *
 * The allocators of this program replace libc's, so that calls from any code are seen; sanitizers
 * bring allocators of their own, and there the suite is skipped.
 *
 * Guarantee: the library allocates nothing while it encodes. */
#include "tests/support.h"
#include "tests/tiny_model.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || !defined(__GLIBC__)
#define SANITIZED
#endif

static long n_calls;

#ifndef SANITIZED
#pragma GCC visibility push(default) /* so that shared libraries call these */

static void count_call(void)
{
    __atomic_add_fetch(&n_calls, 1, __ATOMIC_RELAXED);
}

void *__libc_malloc(size_t len);
void *__libc_calloc(size_t count, size_t len);
void *__libc_realloc(void *block, size_t len);
void *__libc_memalign(size_t alignment, size_t len);

void *malloc(size_t len)
{
    count_call();
    return __libc_malloc(len);
}

void *calloc(size_t count, size_t len)
{
    count_call();
    return __libc_calloc(count, len);
}

void *realloc(void *block, size_t len)
{
    count_call();
    return __libc_realloc(block, len);
}

void *aligned_alloc(size_t alignment, size_t len)
{
    count_call();
    return __libc_memalign(alignment, len);
}

void *memalign(size_t alignment, size_t len);
void *memalign(size_t alignment, size_t len)
{
    count_call();
    return __libc_memalign(alignment, len);
}

int posix_memalign(void **block, size_t alignment, size_t len)
{
    count_call();
    *block = __libc_memalign(alignment, len);
    return *block ? 0 : ENOMEM;
}

#pragma GCC visibility pop
#endif

enum { N_TEXTS = 200, MAX_WIDTH = 32 };

/* Texts of all lengths up to that of `text`. */
static void encode_many(engine_session *session, const char *text, size_t n)
{
    static engine_input inputs[N_TEXTS];
    static float out[N_TEXTS * MAX_WIDTH];
    for (size_t i = 0; i < n; i++)
        inputs[i] = (engine_input){.text = text, .text_len = i * 37 % (strlen(text) + 1)};
    if (engine_encode(session, inputs, n, NULL, out, N_TEXTS * MAX_WIDTH, NULL, NULL))
        fail_msg("%s", engine_session_message(session));
}

static void ignore(const engine_trace_view *view, void *user)
{
    (void)view;
    ++*(size_t *)user;
}

/* Texts, pairs, ids with a mask and nothing, in each pooling, cut off, tokenized and refused. */
static void encode_all_kinds(engine_session *session)
{
    static const int32_t ids[] = {2, 4, 0, 3};
    static const uint8_t mask[] = {1, 1, 0, 1};
    engine_input inputs[4] = {{.text = "I ride a bike", .text_len = 13},
                              {.text = "the bike", .text_len = 8, .pair = "I", .pair_len = 1},
                              {.ids = ids, .mask = mask, .n_ids = 4},
                              {.text = NULL}};
    engine_encode_options options =
        ENGINE_ENCODE_OPTIONS(.on_long = ENGINE_ON_LONG_TRUNCATE, .max_tokens = 4);
    engine_token tokens[16];
    float out[4 * 16 * TINY_WIDTH];
    for (int pooling = ENGINE_POOLING_MODEL; pooling <= ENGINE_POOLING_MAX; pooling++) {
        options.pooling = (engine_pooling)pooling;
        assert_ok(engine_encode(session, inputs, 4, &options, out, sizeof out / sizeof out[0], NULL,
                                NULL));
    }
    assert_ok(engine_tokenize(session, inputs, NULL, tokens, 16, NULL, NULL));
    assert_ok(engine_tokenize(session, inputs + 1, &options, tokens, 16, NULL, NULL));
    assert_int_not_equal(engine_encode(session, inputs, 4, NULL, out, 1, NULL, NULL), 0);
}

/* From the first call on. */
static void check_sessions(const engine_model *model, const char *text)
{
    for (size_t n_threads = 1; n_threads <= 3; n_threads++) {
        engine_session_options options = ENGINE_SESSION_OPTIONS(.n_threads = n_threads);
        engine_session *session = support_session(model, &options);
        for (size_t n = N_TEXTS; n > 0; n /= 2) {
            n_calls = 0;
            encode_many(session, text, n);
            if (n_calls != 0)
                fail_msg("%zu texts, %zu threads: %ld allocations", n, n_threads, n_calls);
        }
    }
}

static void check_bytes(void *bytes, size_t len, const char *text)
{
    n_calls = 0;
    engine_model *model = support_open_memory(bytes, len);
    assert_true(n_calls > 0);
    check_sessions(model, text);
}

static void skip_if_sanitized(void)
{
#ifdef SANITIZED
    skip();
#endif
}

TEST(calls_of_every_kind)
{
    size_t len, n_views = 0;
    skip_if_sanitized();
    void *bytes = tiny_model_bytes("learned", &len);
    engine_model *model = support_open_memory(bytes, len);
    for (unsigned i = 0; i < 12; i++) {
        engine_session_options options =
            ENGINE_SESSION_OPTIONS(.n_threads = 1 + i / 4, .trace = i % 4, .trace_callback = ignore,
                                   .trace_user = &n_views);
        engine_session *session = support_session(model, &options);
        n_calls = 0;
        encode_all_kinds(session);
        assert_int_equal(n_calls, 0);
    }
    assert_true(n_views > 0);
}

TEST(whoever_calls)
{
    size_t len;
    skip_if_sanitized();
    n_calls = 0;
    char *volatile copy = strdup("an allocation by libc");
    free(copy);
    assert_int_equal(n_calls, 1); /* else shared libraries are not seen */
    void *bytes = tiny_model_bytes("sinusoidal", &len);
    check_bytes(bytes, len, "I ride a bike");
}

/* Normal forms, accents, punctuation, unknown words, added tokens. */
TEST(pieces_of_words)
{
    size_t len;
    skip_if_sanitized();
    void *bytes = tiny_model_pieces(&len);
    check_bytes(bytes, len, "R\u00EDde, [SEP] \u4E00 the\u0301!");
}

/* Attention goes other ways for longer texts. */
TEST(long_texts)
{
    char text[400];
    skip_if_sanitized();
    for (size_t i = 0; i + 1 < sizeof text; i++)
        text[i] = i % 2 ? ' ' : (char)('a' + i / 2 % 26);
    text[sizeof text - 1] = '\0';
    check_sessions(
        support_new_model(
            NULL, "--layers 2 --width 32 --heads 2 --feed-forward 64 --type int8 --max-tokens 256"),
        text);
}

/* Sparse weights and vectors of tokens, which threads make of a pass together; experts. */
TEST(answers_and_experts)
{
    static const char *const answers[] = {"--head mask --head-dense gelu --set sparse=mask",
                                          "--set sparse=linear", "--set token_vectors=8",
                                          ("--layers 2 --set experts=3 --set experts_used=2 "
                                           "--set experts_every=2")};
    skip_if_sanitized();
    for (size_t i = 0; i < 4; i++)
        check_sessions(
            support_new_model(NULL, "%s --width 16 --heads 2 --feed-forward 32 --pooling none %s",
                              i < 3 ? "--layers 1" : "", answers[i]),
            "a b c d");
}

SET_UP()
{
    support_allow_threads(3);
}
