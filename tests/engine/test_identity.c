/* tags: threads no-asan no-coverage long */
/* Guarantee: the vector of a text is the same to the last bit in any batch, order and
 * padding, in any session, and with any number of threads. */
#include "model/tensor.h"
#include "tests/owned.h"
#include "tests/support.h"
#include "tests/weight_surgery.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { N_TEXTS = 20, SHORT = 50, LONGEST = 150, MAX_PADDING = 12 };
enum { MAX_BATCH = 4 * N_TEXTS, N_CALLERS = 6 };

/* The texts and what each gives alone, with one thread. */
struct alone {
    engine_model *model;
    size_t width, len[N_TEXTS];
    int32_t ids[N_TEXTS][LONGEST], types[N_TEXTS][LONGEST];
    float *tokens[N_TEXTS]; /* [T, D] */
    float *pooled;          /* [N_TEXTS, D] */
};

/* Which texts, in which order, and how many padding tokens before and after each. */
struct batch {
    size_t n, text[MAX_BATCH], before[MAX_BATCH], behind[MAX_BATCH];
    engine_input inputs[MAX_BATCH];
    int32_t ids[MAX_BATCH][LONGEST + 2 * MAX_PADDING], types[MAX_BATCH][LONGEST + 2 * MAX_PADDING];
    uint8_t mask[MAX_BATCH][LONGEST + 2 * MAX_PADDING];
};

static char path[SUPPORT_PATH];

static const char *const SHAPES[] = {
    "--layers 2 --width 52 --heads 2 --feed-forward 100 --position sinusoidal --pooling mean",
    "--layers 2 --width 64 --heads 1 --feed-forward 96 --position learned --layout rows",
    "--layers 3 --width 21 --heads 3 --feed-forward 35 --position learned --type f16 --norm rms",
    "--layers 2 --width 13 --heads 13 --feed-forward 17 --position sinusoidal --mask causal",
    "--layers 2 --width 96 --heads 3 --feed-forward 200 --norm-place pre --final-norm yes",
    "--layers 2 --width 40 --heads 5 --feed-forward 48 --type int8 --gate second --token-types 2",
    "--layers 2 --width 48 --heads 2 --feed-forward 64 --type bf16 --activation silu --mask causal",
    ("--layers 2 --width 64 --heads 2 --feed-forward 144 --type int8 --norm-place pre "
     "--final-norm yes"),
    "--layers 2 --width 36 --heads 2 --feed-forward 35 --type int8 --gate first --mask causal",
    "--layers 2 --width 32 --heads 4 --feed-forward 50 --type int8 --layout rows --norm rms",
    "--layers 2 --width 40 --heads 2 --feed-forward 80 --type f16 --gate first --activation silu",
    "--layers 2 --width 64 --heads 1 --feed-forward 90 --type bf16 --gate second",
    "--layers 2 --width 48 --heads 3 --feed-forward 64 --gate first --activation gelu_tanh",
    "--layers 2 --width 44 --heads 2 --feed-forward 64 --position index --position-scale 3",
    "--layers 1 --width 20 --heads 2 --feed-forward 24 --position fourier --frequencies 0.3,0.01",
    "--layers 1 --width 20 --heads 2 --feed-forward 24 --position learned --position-scale 0.3",
    "--layers 1 --width 208 --heads 2 --feed-forward 400 --position sinusoidal",
    "--layers 1 --width 224 --heads 2 --feed-forward 416 --type bf16 --gate first",
    ("--layers 3 --width 48 --heads 3 --feed-forward 64 --gate first --norm-place pre --position "
     "none --set attention_position=rotary --set window=20 --set global_every=3 --set "
     "rotary_local_base=100 --set first_norm=no"),
    ("--layers 2 --width 40 --heads 4 --feed-forward 48 --position none --type f16 --set "
     "attention_position=rotary --set rotary_trained=40 --set rotary_factor=2 --set "
     "rotary_pairs=interleaved --set rotary_width=4"),
    ("--layers 2 --width 60 --heads 6 --feed-forward 64 --position none --set "
     "attention_position=alibi --gate first --type int8"),
    ("--layers 2 --width 48 --heads 2 --feed-forward 64 --position learned --set "
     "attention_position=distance --set distances=30 --set layer_groups=1 --embedding-width 20"),
    ("--layers 2 --width 40 --heads 4 --feed-forward 64 --position none --norm rms --norm-place "
     "sandwich --mask causal --set attention_position=rotary --set key_value_heads=2 --set "
     "head_width=20 --set query_key_norm=yes --set window=33"),
    ("--layers 2 --width 40 --heads 4 --feed-forward 64 --position none --norm-place twice --set "
     "attention_position=alibi --set query_key_norm=all --gate second"),
    ("--layers 2 --width 40 --heads 4 --feed-forward 64 --position none --set "
     "attention_position=rotary --set window=20 --set global_every=2 --set global_head_width=24 "
     "--set global_key_value_heads=1 --set value_norm=yes --set layer_input_width=20"),
    ("--layers 2 --width 40 --heads 2 --feed-forward 64 --position none --set "
     "attention_position=disentangled --set position_buckets=40 --set distances=90"),
    ("--layers 2 --width 40 --heads 2 --feed-forward 64 --position none --mask causal --set "
     "attention_position=disentangled --set distances=60 --set position_terms=p2c --type int8"),
    ("--layers 4 --width 48 --heads 2 --feed-forward 64 --position none --set "
     "attention_position=rotary --set experts=5 --set experts_used=2 --set experts_every=2"),
    ("--layers 3 --width 32 --heads 2 --feed-forward 80 --position none --set "
     "attention_position=rotary --set experts=3 --set experts_used=1 --set experts_every=3 --type "
     "int8"),
};

static engine_session *session_of(const struct alone *alone, size_t n_threads, size_t max_tokens)
{
    engine_session_options options =
        ENGINE_SESSION_OPTIONS(.n_threads = n_threads, .max_tokens = max_tokens);
    return support_session(alone->model, &options);
}

/* The texts of batch->text, with their padding. */
static void fill_batch(const struct alone *alone, struct batch *batch, uint64_t *state)
{
    for (size_t i = 0; i < batch->n; i++) {
        size_t text = batch->text[i], len = alone->len[text], before = batch->before[i];
        size_t n = before + len + batch->behind[i];
        support_random_ids(state, batch->ids[i], n, 26);
        memset(batch->types[i], 0, sizeof batch->types[i]);
        memset(batch->mask[i], 0, n);
        memset(batch->mask[i] + before, 1, len);
        memcpy(batch->ids[i] + before, alone->ids[text], len * sizeof *batch->ids[i]);
        memcpy(batch->types[i] + before, alone->types[text], len * sizeof *batch->types[i]);
        batch->inputs[i] = (engine_input){.ids = batch->ids[i],
                                          .types = batch->types[i],
                                          .mask = n > len ? batch->mask[i] : NULL,
                                          .n_ids = n};
    }
}

static bool all_zero(const float *values, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!(values[i] == 0.0f))
            return false;
    return true;
}

static bool same_tokens(const struct alone *alone, const struct batch *batch, const float *out)
{
    size_t width = alone->width;
    for (size_t i = 0; i < batch->n; i++) {
        size_t text = batch->text[i], n = alone->len[text] * width;
        if (!all_zero(out, batch->before[i] * width))
            return false;
        out += batch->before[i] * width;
        if (memcmp(out, alone->tokens[text], n * sizeof *out) != 0)
            return false;
        if (!all_zero(out + n, batch->behind[i] * width))
            return false;
        out += n + batch->behind[i] * width;
    }
    return true;
}

static bool same_pooled(const struct alone *alone, const struct batch *batch, const float *out)
{
    size_t width = alone->width;
    for (size_t i = 0; i < batch->n; i++)
        if (memcmp(out + i * width, alone->pooled + batch->text[i] * width, width * sizeof *out) !=
            0)
            return false;
    return true;
}

/* NULL, or what is wrong. Called by several threads at once. */
static const char *encode_batch(const struct alone *alone, const struct batch *batch,
                                engine_session *session)
{
    engine_encode_options tokens = ENGINE_ENCODE_OPTIONS(.pooling = ENGINE_POOLING_NONE);
    engine_encode_options mean =
        ENGINE_ENCODE_OPTIONS(.pooling = ENGINE_POOLING_MEAN, .normalize = 1);
    size_t n_rows = 0, width = alone->width;
    for (size_t i = 0; i < batch->n; i++)
        n_rows += batch->inputs[i].n_ids;
    float *out = malloc((n_rows * width + 1) * sizeof *out); /* not owned: threads are here */
    const char *wrong = out ? NULL : "memory";
    if (!wrong && engine_encode(session, batch->inputs, batch->n, &tokens, out, n_rows * width,
                                NULL, NULL) != ENGINE_OK)
        wrong = "engine_encode failed";
    if (!wrong && !same_tokens(alone, batch, out))
        wrong = "a token's vector changed";
    if (!wrong && engine_encode(session, batch->inputs, batch->n, &mean, out, batch->n * width,
                                NULL, NULL) != ENGINE_OK)
        wrong = "engine_encode failed";
    if (!wrong && !same_pooled(alone, batch, out))
        wrong = "a pooled vector changed";
    free(out);
    return wrong;
}

static void encode_alone(struct alone *alone)
{
    static struct batch batch;
    engine_session *session = session_of(alone, 1, 0);
    engine_encode_options options = ENGINE_ENCODE_OPTIONS(.pooling = ENGINE_POOLING_NONE);
    uint64_t state = 1;
    size_t width = alone->width;
    alone->pooled = new_floats(N_TEXTS * width);
    for (size_t text = 0; text < N_TEXTS; text++) {
        size_t n = alone->len[text] * width;
        alone->tokens[text] = new_floats(n);
        batch = (struct batch){.n = 1, .text = {text}};
        fill_batch(alone, &batch, &state);
        options.pooling = ENGINE_POOLING_NONE;
        options.normalize = 0;
        assert_ok(
            engine_encode(session, batch.inputs, 1, &options, alone->tokens[text], n, NULL, NULL));
        assert_false(all_zero(alone->tokens[text], n));
        options.pooling = ENGINE_POOLING_MEAN;
        options.normalize = 1;
        assert_ok(engine_encode(session, batch.inputs, 1, &options, alone->pooled + text * width,
                                width, NULL, NULL));
    }
}

static void open_alone(struct alone *alone, const char *isa, engine_precision precision)
{
    engine_info info = ENGINE_INFO();
    uint64_t state = 7;
    alone->model = support_open_isa(path, isa, precision);
    assert_ok(engine_model_info(alone->model, &info, NULL));
    assert_true(info.n_vocabulary >= 26);
    alone->width = info.width;
    for (size_t i = 0; i < N_TEXTS; i++) {
        alone->len[i] = 1 + support_below(&state, SHORT);
        support_random_ids(&state, alone->ids[i], LONGEST, 26);
        memset(alone->types[i], 0, sizeof alone->types[i]);
        if (info.n_types > 0)
            support_random_ids(&state, alone->types[i], LONGEST, info.n_types);
    }
    alone->len[0] = LONGEST; /* two or three threads share its rows, five its columns */
    alone->len[1] = 1;
    alone->len[2] = SHORT;
    alone->len[3] = 100; /* attention goes other ways for longer texts */
    encode_alone(alone);
}

/* n texts in random order, repeated when n is more than there are. */
static void shuffle(struct batch *batch, size_t n, uint64_t *state)
{
    batch->n = n;
    for (size_t i = 0; i < n; i++) {
        batch->text[i] = i % N_TEXTS;
        batch->before[i] = batch->behind[i] = 0;
    }
    for (size_t i = n; i > 1; i--) {
        size_t j = support_below(state, i), text = batch->text[j];
        batch->text[j] = batch->text[i - 1];
        batch->text[i - 1] = text;
    }
}

static void check_batches(const struct alone *alone, const char *isa, const char *shape)
{
    static const size_t sizes[] = {1, 2, 3, 7, N_TEXTS, MAX_BATCH}, threads[] = {1, 2, 3, 5};
    static struct batch batch;
    uint64_t state = 11;
    const size_t step = support_emulated() ? 3 : 1, n_sizes = support_emulated() ? 5 : 6;
    for (size_t i = 0; i < sizeof threads / sizeof threads[0]; i += step) {
        engine_session *session = session_of(alone, threads[i], i % 2 ? 0 : LONGEST);
        for (size_t j = 0; j < n_sizes; j++) {
            shuffle(&batch, sizes[j], &state);
            fill_batch(alone, &batch, &state);
            const char *wrong = encode_batch(alone, &batch, session);
            if (wrong)
                fail_msg("%s, %s, %zu texts, %zu threads: %s", shape, isa, sizes[j], threads[i],
                         wrong);
        }
    }
}

/* Padding to one length before or after the texts, and of random lengths on both sides. */
static void check_padding(const struct alone *alone, const char *isa, const char *shape)
{
    enum { BEHIND, BEFORE, BOTH, N_SIDES };
    static struct batch batch;
    uint64_t state = 13;
    for (size_t side = 0; side < N_SIDES; side++) {
        engine_session *session = session_of(alone, 1 + side % 2, 0);
        shuffle(&batch, 9, &state);
        for (size_t i = 0; i < batch.n; i++) {
            size_t room = support_below(&state, MAX_PADDING);
            batch.behind[i] = side == BEFORE ? 0 : room;
            batch.before[i] = side == BEHIND ? 0 : 1 + support_below(&state, MAX_PADDING);
        }
        fill_batch(alone, &batch, &state);
        const char *wrong = encode_batch(alone, &batch, session);
        if (wrong)
            fail_msg("%s, %s, padding %zu: %s", shape, isa, side, wrong);
    }
}

static void ignore_trace(const engine_trace_view *view, void *user)
{
    *(size_t *)user += view->n_tokens;
}

static void check_traced(const struct alone *alone, const char *isa, const char *shape)
{
    static struct batch batch;
    uint64_t state = 17;
    size_t n_traced = 0;
    engine_session_options options =
        ENGINE_SESSION_OPTIONS(.n_threads = 2, .trace = ENGINE_TRACE_ALL,
                               .trace_callback = ignore_trace, .trace_user = &n_traced);
    engine_session *session = support_session(alone->model, &options);
    shuffle(&batch, 5, &state);
    fill_batch(alone, &batch, &state);
    const char *wrong = encode_batch(alone, &batch, session);
    if (wrong)
        fail_msg("%s, %s, traced: %s", shape, isa, wrong);
    assert_true(n_traced > 0);
}

TEST(company)
{
    static struct alone alone;
    size_t step = support_emulated() ? 9 : 1; /* f32 and int8 */
    for (size_t shape = 0; shape < sizeof SHAPES / sizeof SHAPES[0]; shape += step) {
        support_make_model(path, NULL, "--seed %zu --max-tokens 192 %s", shape, SHAPES[shape]);
        for (size_t i = 0; support_isa(i); i++) {
            const size_t every = support_slow() ? support_isas() : 2; /* sets take turns */
            if (i % every != shape % every)
                continue;
            const size_t mark = owned_mark();
            open_alone(&alone, support_isa(i), ENGINE_PRECISION_EXACT);
            check_batches(&alone, support_isa(i), SHAPES[shape]);
            check_padding(&alone, support_isa(i), SHAPES[shape]);
            check_traced(&alone, support_isa(i), SHAPES[shape]);
            owned_release(mark);
        }
    }
}

/* Threads may be at different layers: here of one row for each token, and of two. */
TEST(experts_in_bf16)
{
    static const char shape[] =
        "--layers 8 --width 128 --heads 2 --feed-forward 256 --max-tokens 192 --position none "
        "--set attention_position=rotary --set experts=4 --set experts_used=2 --set "
        "experts_every=2";
    static struct alone alone;
    const char *const isa = support_isa(support_isas() - 1);
    support_make_model(path, NULL, "%s", shape);
    open_alone(&alone, isa, ENGINE_PRECISION_BF16);
    check_batches(&alone, isa, shape);
}

/* ---- Layers of several types ---- */

/* Writing to its bytes writes to the file. */
static struct patient map_file(void)
{
    struct stat about;
    int fd = open(path, O_RDWR);
    assert_int_equal(fstat(fd, &about), 0);
    size_t len = (size_t)about.st_size;
    void *data = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    assert_true(data != MAP_FAILED);
    close(fd);
    return (struct patient){data, len, len};
}

/* Makes f32 panels int8 ones: of their bytes, which are as good as any. */
static void make_int8(struct patient *file, const char *name)
{
    uint8_t *entry = tensor_entry(file, name), *data = file->data + get_u64(entry + 56);
    size_t rows = (size_t)get_u64(entry + 24), cols = (size_t)get_u64(entry + 32);
    float *scales = (float *)(void *)(data + tensor_scales_offset(LAYOUT_PANELS, rows, cols));
    for (size_t i = 0; i < rows; i++)
        scales[i] = 0x1p-11f;
    put_u32(entry + 8, TENSOR_INT8);
    put_u64(entry + 64, tensor_bytes(TENSOR_INT8, LAYOUT_PANELS, rows, cols));
}

/* As encode-import makes them where int8 does not bear some layers' numbers: what holds for a
 * shape in f32 must be learned from later layers, too. */
TEST(first_layer_in_int8)
{
    static const char *const LINEARS[] = {"attention.qkv", "attention.output", "feed_forward.in",
                                          "feed_forward.out"};
    static struct alone alone;
    support_make_model(path, NULL,
                       "--max-tokens 192 --layers 2 --width 96 --heads 2 --feed-forward 384");
    struct patient file = map_file();
    for (size_t i = 0; i < sizeof LINEARS / sizeof *LINEARS; i++) {
        char name[64];
        snprintf(name, sizeof name, "layers.0.%s.weight", LINEARS[i]);
        make_int8(&file, name);
    }
    heal_section(&file, "DATA");
    heal_section(&file, "TENS");
    munmap(file.data, file.len);
    for (size_t i = 0; support_isa(i); i++) {
        if (support_slow() && i + 1 != support_isas())
            continue;
        open_alone(&alone, support_isa(i), ENGINE_PRECISION_EXACT);
        check_batches(&alone, support_isa(i), "a layer in int8, a layer in f32");
    }
}

/* ---- Many sessions, each in a thread of the host, on one model ---- */

struct caller {
    const struct alone *alone;
    size_t index;
    const char *wrong;
    struct batch batch;
};

static void *call(void *user)
{
    struct caller *caller = user;
    uint64_t state = caller->index;
    const size_t n_rounds = support_emulated() ? 1 : 4;
    for (size_t round = 0; round < n_rounds && !caller->wrong; round++) {
        engine_session_options options =
            ENGINE_SESSION_OPTIONS(.n_threads = 1 + (caller->index + round) % 2);
        engine_session *session;
        if (engine_session_new(caller->alone->model, &options, &session, NULL) != ENGINE_OK) {
            caller->wrong = "engine_session_new failed";
            break;
        }
        shuffle(&caller->batch, 1 + support_below(&state, N_TEXTS), &state);
        fill_batch(caller->alone, &caller->batch, &state);
        caller->wrong = encode_batch(caller->alone, &caller->batch, session);
        engine_session_free(session);
    }
    return NULL;
}

TEST(many_sessions)
{
    static struct alone alone;
    static struct caller callers[N_CALLERS];
    pthread_t threads[N_CALLERS];
    size_t step = support_emulated() ? 16 : 2;
    for (size_t shape = 0; shape < sizeof SHAPES / sizeof SHAPES[0]; shape += step) {
        support_make_model(path, NULL, "--seed %zu --max-tokens 192 %s", shape, SHAPES[shape]);
        open_alone(&alone, support_isa(support_isas() - 1), ENGINE_PRECISION_EXACT);
        for (size_t i = 0; i < N_CALLERS; i++) {
            callers[i].alone = &alone;
            callers[i].index = i;
            callers[i].wrong = NULL;
            assert_int_equal(pthread_create(&threads[i], NULL, call, &callers[i]), 0);
        }
        for (size_t i = 0; i < N_CALLERS; i++)
            assert_int_equal(pthread_join(threads[i], NULL), 0);
        for (size_t i = 0; i < N_CALLERS; i++)
            if (callers[i].wrong)
                fail_msg("%s, thread %zu: %s", SHAPES[shape], i, callers[i].wrong);
    }
}

SET_UP()
{
    support_allow_threads(5);
    support_path(path, support_folder(), "model.weights");
}
