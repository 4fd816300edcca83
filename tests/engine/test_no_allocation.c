/* Nothing in the whole process allocates while a session encodes: not the library, and not OpenBLAS
 * for it. The first call is let off: it makes the session's threads known to OpenBLAS.
 *
 * The allocators of this program stand in front of libc's, so that they are seen whoever calls;
 * sanitizers bring allocators of their own, and there the suite is skipped (test_allocation.c
 * counts there too). */
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

enum { N_TEXTS = 200 };

static void encode_many(engine_session *session, size_t n)
{
    static engine_input inputs[N_TEXTS];
    static float out[N_TEXTS * TINY_WIDTH];

    for (size_t i = 0; i < n; i++)
        inputs[i] = (engine_input){.text = "I ride a bike", .text_len = i % 14};
    assert_int_equal(engine_encode(session, inputs, n, NULL, out, N_TEXTS * TINY_WIDTH, NULL, NULL),
                     0);
}

static void whoever_calls(void **state)
{
    size_t len;
    void *bytes;
    engine_model *model;

    (void)state;
#ifdef SANITIZED
    skip();
#endif
    bytes = tiny_model_bytes("sinusoidal", &len);
    n_calls = 0;
    char *volatile copy = strdup("an allocation by libc");
    free(copy);
    assert_int_equal(n_calls, 1); /* else shared libraries are not seen */
    assert_int_equal(engine_model_open_memory(bytes, len, NULL, &model, NULL), 0);
    assert_true(n_calls > 1);
    for (size_t n_threads = 1; n_threads <= 3; n_threads++) {
        engine_session_options options = {.n_threads = n_threads};
        engine_session *session;
        assert_int_equal(engine_session_new(model, &options, &session, NULL), 0);
        for (size_t n = 1; n <= N_TEXTS; n = n * 2 + 1) {
            n_calls = 0;
            encode_many(session, n);
            if (n_calls != 0)
                fail_msg("%zu texts, %zu threads: %ld allocations", n, n_threads, n_calls);
        }
        engine_session_free(session);
    }
    engine_model_close(model);
    free(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(whoever_calls)};
    support_allow_threads(3);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
