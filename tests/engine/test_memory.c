/* tags: no-asan no-coverage */
/* Memory of a session in the shape of all-MiniLM-L6-v2 (width 384, 12 heads, feed-forward 1536):
 * what it may be for 8,192 tokens, that it grows with them linearly and hardly with the threads,
 * and that a session touches no more of it than its texts need. */
#include "tests/owned.h"
#include "tests/support.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <unistd.h>

enum { MAX_TOKENS = 8192, WIDTH = 384, MIB = 1 << 20 };

/* The promise: activations, 9 KiB a token, and what attention and the linear layers need in
 * addition. */
static const size_t MOST_BYTES = (size_t)128 * MIB;

static engine_model *model;

static size_t bytes_of(size_t max_tokens, size_t n_threads)
{
    engine_session_options options =
        ENGINE_SESSION_OPTIONS(.max_tokens = max_tokens, .n_threads = n_threads);
    size_t bytes = engine_session_bytes(model, &options);
    assert_true(bytes > 0);
    return bytes;
}

TEST(grows_linearly)
{
    for (size_t n = 1024; n <= MAX_TOKENS; n *= 2)
        print_message("session of %zu tokens: %.1f MiB with 1 thread, %.1f with 2, %.1f with 4\n",
                      n, (double)bytes_of(n, 1) / MIB, (double)bytes_of(n, 2) / MIB,
                      (double)bytes_of(n, 4) / MIB);
    for (size_t n_threads = 1; n_threads <= 4; n_threads *= 2) {
        assert_true(bytes_of(MAX_TOKENS, n_threads) <= MOST_BYTES);
        assert_true(bytes_of(MAX_TOKENS, n_threads) <=
                    2 * bytes_of(MAX_TOKENS / 2, n_threads) + 8 * MIB);
    }
}

/* So do sessions of models whose attention depends on positions, by angles or by biases. */
TEST(kinds_grow_linearly)
{
    static const char *const kinds[] = {
        "--set attention_position=alibi",
        "--set attention_position=distance --set distances=8191",
        "--set attention_position=rotary --set window=64 --set rotary_local_base=100",
        "--set attention_position=disentangled --set position_buckets=256 --set distances=512",
    };
    engine_model *usual = model;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        model = support_new_model(
            NULL, "--layers 1 --width 384 --heads 12 --max-tokens %d --position none %s",
            MAX_TOKENS, kinds[i]);
        size_t most = bytes_of(MAX_TOKENS, 2), half = bytes_of(MAX_TOKENS / 2, 2);
        model = usual;
        print_message("%s: %.1f MiB\n", kinds[i], (double)most / MIB);
        assert_true(most <= MOST_BYTES && most <= 2 * half + 8 * MIB);
    }
}

/* Bytes of this process that are in memory. */
static size_t resident_bytes(void)
{
    char text[128] = "";
    unsigned long total, resident;
    int fd = open("/proc/self/statm", O_RDONLY);
    assert_true(fd >= 0);
    assert_true(read(fd, text, sizeof text - 1) > 0);
    close(fd);
    assert_int_equal(sscanf(text, "%lu %lu", &total, &resident), 2);
    return resident * (size_t)sysconf(_SC_PAGESIZE);
}

static void encode_ids(engine_session *session, size_t n)
{
    static int32_t ids[MAX_TOKENS];
    static float out[WIDTH];
    uint64_t state = 3;
    engine_input input = {.ids = ids, .n_ids = n};
    support_random_ids(&state, ids, n, 26);
    if (engine_encode(session, &input, 1, NULL, out, WIDTH, NULL, NULL))
        fail_msg("%s", engine_session_message(session));
    assert_true(out[0] * out[0] <= 1); /* and not NaN */
}

TEST(touches_what_it_needs)
{
    engine_session_options options =
        ENGINE_SESSION_OPTIONS(.max_tokens = MAX_TOKENS, .n_threads = 2);
    size_t longest = support_sanitized() ? 512 : MAX_TOKENS;
    const size_t mark = owned_mark();
    encode_ids(support_session(model, &options), 16); /* touches the weights */
    owned_release(mark);
    size_t before = resident_bytes();
    engine_session *session = support_session(model, &options);
    encode_ids(session, 16);
    size_t after_short = resident_bytes();
    encode_ids(session, longest);
    size_t after_long = resident_bytes();
    print_message("resident beside the weights: %.1f MiB after 16 tokens, %.1f after %zu\n",
                  ((double)after_short - (double)before) / MIB,
                  ((double)after_long - (double)before) / MIB, longest);
    if (!support_sanitized()) {
        assert_true(after_short <= before + 4 * MIB);
        assert_true(after_long <= before + bytes_of(MAX_TOKENS, 2) + 2 * MIB);
    }
}

SET_UP()
{
    prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0); /* a page of 2 MiB is in memory whole */
    support_allow_threads(4);
    model = support_new_model(
        NULL, "--layers 1 --width 384 --heads 12 --feed-forward 1536 --max-tokens 8192");
}
