/* Memory of the library: the n-th allocation fails, for every n that opening a model, making a
 * session and writing a weight file take.
 *
 * The linker sends every call of an allocator in an object of the library or in this file here
 * (--wrap, see the Makefile). What OpenBLAS and libc allocate for themselves is not seen.
 *
 * Guarantee: the library survives each failing allocation. */
#include "tests/support.h"
#include "tests/tiny_model.h"
#include "tools/writer/weight_writer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Any thread may call; the n-th call from now on fails, none if n is 0. */
static long n_calls, n_live, failing_call;

static bool may_allocate(void)
{
    long call = __atomic_add_fetch(&n_calls, 1, __ATOMIC_RELAXED);
    if (call == failing_call)
        errno = ENOMEM;
    return call != failing_call;
}

static void *count_block(void *block)
{
    if (block)
        __atomic_add_fetch(&n_live, 1, __ATOMIC_RELAXED);
    return block;
}

void *__real_malloc(size_t len);
void *__wrap_malloc(size_t len);
void *__wrap_malloc(size_t len)
{
    return may_allocate() ? count_block(__real_malloc(len)) : NULL;
}

void *__real_calloc(size_t count, size_t len);
void *__wrap_calloc(size_t count, size_t len);
void *__wrap_calloc(size_t count, size_t len)
{
    return may_allocate() ? count_block(__real_calloc(count, len)) : NULL;
}

void *__real_realloc(void *block, size_t len);
void *__wrap_realloc(void *block, size_t len);
void *__wrap_realloc(void *block, size_t len)
{
    if (!may_allocate())
        return NULL;
    return block ? __real_realloc(block, len) : count_block(__real_realloc(NULL, len));
}

void *__real_aligned_alloc(size_t alignment, size_t len);
void *__wrap_aligned_alloc(size_t alignment, size_t len);
void *__wrap_aligned_alloc(size_t alignment, size_t len)
{
    return may_allocate() ? count_block(__real_aligned_alloc(alignment, len)) : NULL;
}

int __real_posix_memalign(void **block, size_t alignment, size_t len);
int __wrap_posix_memalign(void **block, size_t alignment, size_t len);
int __wrap_posix_memalign(void **block, size_t alignment, size_t len)
{
    int failure = may_allocate() ? __real_posix_memalign(block, alignment, len) : ENOMEM;
    if (failure == 0)
        count_block(*block);
    return failure;
}

char *__real_strndup(const char *text, size_t len);
char *__wrap_strndup(const char *text, size_t len);
char *__wrap_strndup(const char *text, size_t len)
{
    return may_allocate() ? count_block(__real_strndup(text, len)) : NULL;
}

char *__real_strdup(const char *text);
char *__wrap_strdup(const char *text);
char *__wrap_strdup(const char *text)
{
    return may_allocate() ? count_block(__real_strdup(text)) : NULL;
}

void __real_free(void *block);
void __wrap_free(void *block);
void __wrap_free(void *block)
{
    if (block)
        __atomic_sub_fetch(&n_live, 1, __ATOMIC_RELAXED);
    __real_free(block);
}

static void fail_call(long n)
{
    n_calls = 0;
    n_live = 0;
    failing_call = n;
}

struct fixture {
    char path[SUPPORT_PATH];
    void *bytes;
    size_t len;
};

static void make_fixture(struct fixture *fixture, const char *position)
{
    engine_error error;
    fail_call(0);
    fixture->bytes = tiny_model_bytes(position, &fixture->len);
    support_path(fixture->path, support_folder(), "file.weights");
    assert_ok(tiny_model_write(fixture->path, position, &error));
}

/* What is made of a model's bytes or file, or of a model: `made` is NULL if it fails. */
typedef engine_status making(const void *of, void **made, engine_error *error);

/* Returns how many allocations it takes. */
static long fail_every_call(making *make, const void *of, void (*drop)(void *made))
{
    for (long n = 1;; n++) {
        void *made = (void *)(uintptr_t)of;
        engine_error error = {.message = "old words"};
        fail_call(n);
        engine_status status = make(of, &made, &error);
        if (status == 0) {
            assert_int_equal(n_calls, n - 1);
            drop(made);
            assert_int_equal(n_live, 0);
            return n - 1;
        }
        assert_fails(MEMORY, status);
        assert_fails(MEMORY, error.status);
        assert_string_not_equal(error.message, "old words");
        assert_int_not_equal(error.message[0], 0);
        assert_null(made);
        assert_int_equal(n_live, 0);
        assert_int_equal(n_calls, n); /* it gives up at once */
    }
}

static engine_status from_file(const void *of, void **model, engine_error *error)
{
    const struct fixture *fixture = of;
    return engine_model_open(fixture->path, NULL, (engine_model **)model, error);
}

static engine_status from_memory(const void *of, void **model, engine_error *error)
{
    const struct fixture *fixture = of;
    return engine_model_open_memory(fixture->bytes, fixture->len, NULL, (engine_model **)model,
                                    error);
}

static void close_model(void *model)
{
    engine_model_close(model);
}

TEST(opening)
{
    static const char *const positions[] = {"none", "sinusoidal", "learned"};
    for (size_t i = 0; i < 3; i++) {
        struct fixture fixture;
        make_fixture(&fixture, positions[i]);
        assert_true(fail_every_call(from_file, &fixture, close_model) > 0);
        assert_true(fail_every_call(from_memory, &fixture, close_model) > 0);
    }
    /* Tables of a tokenizer; and, without instructions of ours, the memory to try OpenBLAS with. */
    struct fixture pieces = {.bytes = NULL};
    fail_call(0);
    pieces.bytes = tiny_model_pieces(&pieces.len);
    long n = fail_every_call(from_memory, &pieces, close_model);
    setenv("ENGINE_ISA", "portable", 1);
    fail_call(0);
    support_open_memory(pieces.bytes, pieces.len); /* it is loaded once */
    assert_true(fail_every_call(from_memory, &pieces, close_model) >= n);
    unsetenv("ENGINE_ISA");
}

struct session_of {
    const engine_model *model;
    engine_session_options options;
};

static engine_status new_session(const void *of, void **session, engine_error *error)
{
    const struct session_of *what = of;
    return engine_session_new(what->model, &what->options, (engine_session **)session, error);
}

static void free_session(void *session)
{
    engine_session_free(session);
}

TEST(making_a_session)
{
    static const engine_position positions[] = {ENGINE_POSITION_MODEL, ENGINE_POSITION_NONE,
                                                ENGINE_POSITION_SINUSOIDAL};
    struct fixture fixture;
    make_fixture(&fixture, "learned");
    const engine_model *model = support_open_memory(fixture.bytes, fixture.len);
    for (size_t i = 0; i < 3; i++)
        for (size_t n_threads = 1; n_threads <= 3; n_threads++) {
            struct session_of of = {
                model, ENGINE_SESSION_OPTIONS(.n_threads = n_threads, .position = positions[i])};
            /* "one block": exactly one */
            assert_int_equal(fail_every_call(new_session, &of, free_session), 1);
        }
    fail_call(0);
}

/* A text and its prompt are put together in memory that grows with the longest. */
TEST(a_prompt_without_memory)
{
    size_t len;
    float out[TINY_WIDTH], again[TINY_WIDTH];
    engine_input input = {.text = "I ride", .text_len = 6};
    engine_encode_options options = ENGINE_ENCODE_OPTIONS(.prompt = "query");
    fail_call(0);
    void *bytes = tiny_model_prompts(&len);
    engine_model *model = support_open_memory(bytes, len);
    engine_session *session = support_session(model, NULL);
    fail_call(1);
    assert_fails(MEMORY, engine_encode(session, &input, 1, &options, out, TINY_WIDTH, NULL, NULL));
    assert_non_null(strstr(engine_session_message(session),
                           "input 0: no memory for its text after the prompt, 11 bytes"));
    fail_call(0);
    assert_ok(engine_encode(session, &input, 1, &options, out, TINY_WIDTH, NULL, NULL));
    assert_ok(engine_encode(session, &input, 1, &options, again, TINY_WIDTH, NULL, NULL));
    assert_int_equal(n_calls, 1);
    assert_memory_equal(out, again, sizeof out);
}

/* Without this, a build that forgets to wrap would pass. */
TEST(the_wrapper_sees_the_library)
{
    struct fixture fixture;
    engine_model *model;
    engine_session *session;
    make_fixture(&fixture, "sinusoidal");
    assert_ok(engine_model_open(fixture.path, NULL, &model, NULL));
    assert_true(n_calls > 0 && n_live > 0);
    n_calls = 0;
    assert_ok(engine_session_new(model, NULL, &session, NULL));
    assert_int_equal(n_calls, 1);
    engine_session_free(session);
    engine_model_close(model);
}

SET_UP()
{
    support_allow_threads(3);
}

TEST(searching)
{
    static const float rows[6] = {1, 0, 0, 1, 1, 1};
    const engine_vectors vectors = {rows, 3, 2, ENGINE_F32};
    engine_hit hit;
    engine_error error;
    fail_call(1);
    assert_fails(MEMORY, engine_search(&vectors, rows, 1, 1, NULL, &hit, &error));
    assert_non_null(strstr(error.message, "no memory for a search of 1 queries, 1 hits of each"));
    fail_call(2); /* one block: exactly one */
    assert_ok(engine_search(&vectors, rows, 1, 1, NULL, &hit, &error));
    assert_int_equal(n_calls, 1);
    assert_int_equal(n_live, 0);
    fail_call(0);
}

/* ---- Writing ---- */

static const char *const TEXTS[] = {"a", "b", "ab"};
static const size_t LENS[] = {1, 1, 2};

/* A file of all that a writer can be given, but a config. */
static engine_status write_file(const char *path, engine_error *error)
{
    static const float values[17 * 5] = {1, 2, 3}, factors[5] = {1, 0, 0, 0, 0};
    struct weight_writer *writer;
    engine_status status = weight_writer_open(path, &writer, error);
    if (status != ENGINE_OK) {
        assert_null(writer);
        return status;
    }
    weight_writer_setting(writer, ENGINE_SETTINGS_METADATA, "key", "value", 5);
    weight_writer_vocabulary(writer, TEXTS, LENS, 3);
    weight_writer_section(writer, "MERG", values, sizeof values);
    weight_writer_begin_tensor(writer, "f32", TENSOR_F32, LAYOUT_ROWS, 2, 17, 5);
    weight_writer_rows(writer, values, 17);
    weight_writer_begin_tensor(writer, "int8", TENSOR_INT8K, LAYOUT_PANELS, 2, 17, 5);
    weight_writer_factors(writer, factors);
    weight_writer_rows(writer, values, 17);
    return weight_writer_finish(writer);
}

/* Each refused allocation is a status, and leaves no file and no block. */
TEST(writing)
{
    char path[SUPPORT_PATH];
    support_path(path, support_folder(), "new.weights");
    for (long n = 1;; n++) {
        engine_error error = {.message = "old words"};
        fail_call(n);
        engine_status status = write_file(path, &error);
        assert_int_equal(n_live, 0);
        if (status == ENGINE_OK) {
            assert_true(n > 10);
            break;
        }
        assert_fails(MEMORY, status);
        assert_fails(MEMORY, error.status);
        assert_int_equal(access(path, F_OK), -1);
    }
    struct weight_writer *writer;
    fail_call(1);
    assert_fails(MEMORY, weight_writer_open(path, &writer, NULL));
    fail_call(0);
}
