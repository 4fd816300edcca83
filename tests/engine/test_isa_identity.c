/* tags: numbers aarch64 no-asan no-coverage long */
/* One number on every processor: every instruction set with fused multiply-adds gives the same
 * bits, and the fingerprints below are of these bits, so that different machines and compilers
 * agree. The portable set, which rounds products too where the CPU cannot fuse, and
 * which may leave products to OpenBLAS, is only near.
 *
 * Guarantee: vectors have the same bits on every instruction set with fused multiply-adds, by gcc
 * and clang; portable ones are within 1e-5 in f32, 0.05 in int8 and bf16; precision fast is bf16 or
 * exact. */
#include "tests/owned.h"
#include "tests/support.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* How far the portable set may be, where 1 is the size of the numbers. f32: rounding errors of some
 * hundred steps of 6e-8. int8: a number next to the border between two whole ones is rounded to the
 * other one, which is 1/127 of the largest in its row. bf16: to
 * the next number, 1/128 of itself. */
enum { N_PRECISIONS = 3 };
static const char *const PRECISIONS[N_PRECISIONS] = {"floats", "int8", "bf16"};
static const double PORTABLE_WITHIN[N_PRECISIONS] = {1e-5, 0.05, 0.05};

#define MODERNBERT                                                                                 \
    "--width 48 --heads 3 --feed-forward 96 --gate first --norm-place pre --set window=20 --set "  \
    "global_every=2 --set attention_position=rotary --set rotary_local_base=100"
#define GEMMA_4                                                                                    \
    "--width 40 --heads 4 --norm rms --norm-place sandwich --activation gelu_tanh --gate first "   \
    "--set attention_position=rotary --set window=20 --set global_every=2 --set "                  \
    "global_head_width=24 --set global_key_value_heads=1 --set value_norm=yes --set "              \
    "layer_input_width=20"
#define DEBERTA                                                                                    \
    "--width 48 --heads 2 --set attention_position=disentangled --set position_buckets=64 --set "  \
    "distances=128"

/* A change of the arithmetic changes the fingerprints: then copy the fingerprints that the test
 * prints. Nothing else may change them. */
struct shape {
    const char *options;
    uint64_t fingerprint;
};
static const struct shape SHAPES[] = {
    {"--width 96 --heads 3 --feed-forward 600 --position learned --embedding-norm layer",
     0x9156543C37F42943u},
    {"--width 52 --heads 4 --feed-forward 100 --norm-place pre --final-norm yes",
     0xBC7241C9BE919097u},
    {"--width 130 --heads 2 --feed-forward 200 --norm rms --activation gelu_tanh --gate first",
     0x7511366D48024671u},
    {"--width 63 --heads 3 --feed-forward 90 --activation silu --mask causal --layout rows",
     0x014836A635743AA6u},
    {"--width 64 --heads 1 --feed-forward 128 --activation relu --position-scale 0.3",
     0x9B95888D12409625u},
    {"--width 72 --heads 2 --feed-forward 144 --type f16 --position learned", 0x7CB4D867AC216DD7u},
    {"--width 80 --heads 5 --feed-forward 99 --type bf16 --gate second --mask causal",
     0x5FC364852A6B4467u},
    {"--width 40 --heads 2 --feed-forward 72 --position fourier --frequencies 0.3,0.01",
     0x530389452B891974u},
    {"--width 44 --heads 2 --position exponential --head pooler --head-dense tanh --pooling pooler",
     0x05562301FCE3568Cu},
    {"--width 48 --heads 2 --projections 2 --projection-activation tanh --normalize yes",
     0xCE0E225CA23D650Eu},
    {"--width 48 --heads 2 --projections 1 --projection-activation gelu --pooling weighted_mean",
     0x7A1E8B240F039D71u},
    {"--width 96 --heads 3 --feed-forward 300 --type int8 --position learned", 0x4605818990311505u},
    {"--width 100 --heads 2 --feed-forward 280 --type int8 --gate first --norm-place pre",
     0x47635F763F00CD4Au},
    {"--width 52 --heads 2 --feed-forward 68 --type int8 --layout rows --norm rms --mask causal",
     0xEA4ACAC05E491ED7u},
    {MODERNBERT, 0xE7F413DB8E136B5Cu},
    {"--width 60 --heads 6 --feed-forward 64 --gate second --set attention_position=alibi",
     0xAB9C832A95503209u},
    {"--width 48 --heads 2 --set attention_position=distance --set distances=30 --set "
     "layer_groups=1 --embedding-width 20",
     0x585F5B986EA469E3u},
    {"--width 40 --heads 4 --norm rms --norm-place sandwich --mask causal --set key_value_heads=2 "
     "--set attention_position=rotary --set rotary_pairs=interleaved --set head_width=20 --set "
     "query_key_norm=yes --set rotary_trained=50 --set rotary_factor=2",
     0xBC028CC0BB485F92u},
    {"--width 48 --heads 2 --type int8 --gate first --set attention_position=alibi --set window=40",
     0xC4638D06DE902E7Bu},
    {GEMMA_4, 0x6ADEF585DC53692Du},
    {DEBERTA, 0x57923089665CA576u},
    {"--width 48 --heads 2 --type int8 --set attention_position=disentangled --set distances=50 "
     "--set position_terms=c2p --set window=70",
     0x415DF28F74D78BDEu},
    {"--layers 4 --width 48 --heads 2 --feed-forward 64 --set attention_position=rotary --set "
     "experts=5 --set experts_used=2 --set experts_every=2",
     0x3E7394D7786A1CC3u},
};
enum { N_SHAPES = sizeof SHAPES / sizeof SHAPES[0] };

/* The same of models opened with precision bf16. */
static const struct shape BF16_SHAPES[] = {
    {"--width 96 --heads 3 --feed-forward 600 --position learned", 0xF4C5E834B8BD51B8u},
    {"--width 130 --heads 2 --feed-forward 200 --norm rms --activation gelu_tanh --gate first",
     0x99E928E4481D8649u},
    {"--width 63 --heads 3 --feed-forward 90 --activation silu --mask causal --type f16",
     0x01EB7E94C10824F8u},
    {"--width 96 --heads 3 --feed-forward 300 --type int8 --gate second", 0x8201F1A4CDF04199u},
    {MODERNBERT, 0xEBD89261D8C5CD96u},
    {"--width 60 --heads 6 --feed-forward 64 --layout rows --set attention_position=alibi",
     0x1C14B2E644E00854u},
    {"--width 48 --heads 2 --activation relu --set attention_position=distance --set distances=30 "
     "--set layer_groups=1 --embedding-width 20",
     0x12C81F8104A94DB7u},
    {"--width 40 --heads 4 --norm rms --norm-place sandwich --mask causal --set key_value_heads=2 "
     "--set attention_position=rotary --set head_width=20 --set query_key_norm=yes",
     0x7EF8A9637415EA1Cu},
    {GEMMA_4, 0xAA5A42EAA8578E13u},
    {DEBERTA, 0xE3722ED15D8749F8u},
    /* All experts: of a few, those of nearly equal logits are others by other roundings. */
    {"--layers 4 --width 48 --heads 2 --feed-forward 64 --set attention_position=rotary --set "
     "experts=3 --set experts_used=3 --set experts_every=2",
     0xA9E3654865621FC9u},
};
enum { N_BF16_SHAPES = sizeof BF16_SHAPES / sizeof BF16_SHAPES[0] };

/* Attention goes one way for up to 32 tokens, another for more, and has blocks of 96. */
static const size_t LENS[] = {1, 2, 7, 16, 31, 32, 33, 64, 96, 97, 190};
enum { N_TEXTS = sizeof LENS / sizeof LENS[0], LONGEST = 190 };

struct vectors {
    float *values;
    size_t n;
};

/* Every token's vector of a text, then its own, of all texts. */
static struct vectors encode_all(const char *path, const char *isa, engine_precision precision)
{
    engine_session_options alone = ENGINE_SESSION_OPTIONS(.n_threads = 1);
    engine_session *session = support_session(support_open_isa(path, isa, precision), &alone);
    engine_encode_options pooling = ENGINE_ENCODE_OPTIONS(.pooling = ENGINE_POOLING_NONE);
    engine_input inputs[N_TEXTS];
    static int32_t ids[N_TEXTS][LONGEST];
    uint64_t state = 1;
    size_t n_tokens, n_pooled;
    for (size_t text = 0; text < N_TEXTS; text++) {
        support_random_ids(&state, ids[text], LENS[text], 26);
        inputs[text] = support_ids(ids[text], LENS[text]);
    }
    const float *tokens = support_encode(session, inputs, N_TEXTS, &pooling, &n_tokens);
    pooling.pooling = ENGINE_POOLING_MODEL;
    const float *pooled = support_encode(session, inputs, N_TEXTS, &pooling, &n_pooled);
    const size_t width = n_pooled / N_TEXTS;
    struct vectors all = {new_floats(n_tokens + n_pooled), 0};
    for (size_t text = 0; text < N_TEXTS; text++) {
        memcpy(all.values + all.n, tokens, LENS[text] * width * sizeof *tokens);
        all.n += LENS[text] * width;
        memcpy(all.values + all.n, pooled + text * width, width * sizeof *pooled);
        all.n += width;
        tokens += LENS[text] * width;
    }
    return all;
}

/* FNV-1a of the bits, the same on machines of either order of bytes. */
static uint64_t fingerprint(const struct vectors *vectors)
{
    uint64_t hash = 0xCBF29CE484222325u;
    for (size_t i = 0; i < vectors->n; i++) {
        uint32_t bits;
        memcpy(&bits, vectors->values + i, sizeof bits);
        hash = (hash ^ bits) * 0x100000001B3u;
    }
    return hash;
}

static void check_same(const struct shape *shape, const struct vectors *first,
                       const char *first_isa, const struct vectors *other, const char *isa)
{
    assert_int_equal(first->n, other->n);
    for (size_t i = 0; i < first->n; i++)
        if (memcmp(first->values + i, other->values + i, sizeof(float)) != 0)
            fail_msg("%s: number %zu is %.9g with %s, %.9g with %s", shape->options, i,
                     (double)first->values[i], first_isa, (double)other->values[i], isa);
}

static double distance(const struct vectors *a, const struct vectors *b)
{
    double largest = 0;
    for (size_t i = 0; i < a->n; i++) {
        double difference = fabs((double)a->values[i] - (double)b->values[i]);
        difference /= fmax(1, fabs((double)b->values[i]));
        largest = difference <= largest ? largest : difference; /* NaN is the largest of all */
    }
    return largest;
}

/* The portable set is first; of NEON's, which the emulator has, those after the second have other
 * kernels for int8 alone. Returns whether the fingerprint is the expected one. */
static bool check_shape(const char *path, const struct shape *shape, engine_precision precision,
                        double *portable_distance)
{
    const size_t mark = owned_mark();
    struct vectors portable = encode_all(path, support_isa(0), precision);
    struct vectors first = encode_all(path, support_isa(1), precision);
    bool is_int8 = strstr(shape->options, "int8") != NULL;
    for (size_t i = 2; support_isa(i) != NULL && (!support_emulated() || is_int8); i++) {
        struct vectors other = encode_all(path, support_isa(i), precision);
        check_same(shape, &first, support_isa(1), &other, support_isa(i));
    }
    *portable_distance = fmax(*portable_distance, distance(&portable, &first));
    uint64_t found = fingerprint(&first);
    bool same = found == shape->fingerprint;
    if (!same)
        print_error("%s: fingerprint 0x%016" PRIX64 ", expected 0x%016" PRIX64 "\n", shape->options,
                    found, shape->fingerprint);
    owned_release(mark);
    return same;
}

/* Returns the number of changed fingerprints. */
static size_t check_shapes(const struct shape *shapes, size_t n, engine_precision precision,
                           double distances[N_PRECISIONS])
{
    const size_t step = support_emulated() ? 7 : 1; /* int8 and positions in attention among them */
    size_t n_changed = 0;
    for (size_t i = 0; i < n; i += step) {
        char path[SUPPORT_PATH];
        size_t kind =
            precision == ENGINE_PRECISION_BF16 ? 2 : strstr(shapes[i].options, "int8") != NULL;
        support_path(path, support_folder(), "model.weights");
        support_make_model(path, NULL, "--seed %zu --max-tokens 192 --layers 2 %s", i,
                           shapes[i].options);
        n_changed += !check_shape(path, &shapes[i], precision, &distances[kind]);
    }
    return n_changed;
}

TEST(same_bits)
{
    double distances[N_PRECISIONS] = {0};
    if (support_isas() < 2) {
        print_message("skipped: this processor has no fused multiply-adds\n");
        return;
    }
    size_t n_changed = check_shapes(SHAPES, N_SHAPES, ENGINE_PRECISION_EXACT, distances) +
                       check_shapes(BF16_SHAPES, N_BF16_SHAPES, ENGINE_PRECISION_BF16, distances);
    for (size_t i = 1; support_isa(i) != NULL; i++)
        print_message("%s%s", i == 1 ? "the same bits: " : ", ", support_isa(i));
    print_message(" (others: not on this machine)\n");
    for (size_t i = 0; i < N_PRECISIONS; i++) {
        print_message("portable, %s: at most %.2g away (within %g)\n", PRECISIONS[i], distances[i],
                      PORTABLE_WITHIN[i]);
        assert_true(distances[i] <= PORTABLE_WITHIN[i]);
    }
    assert_int_equal(n_changed, 0);
}

/* Precision fast is bf16 in the sets that have an instruction for it, and exact in others; int8
 * layers stay so in both. */
TEST(fast_is_bf16_or_exact)
{
    static const char *const shapes[] = {"--width 64 --heads 2 --feed-forward 96",
                                         "--width 64 --heads 2 --feed-forward 96 --type int8"};
    for (size_t i = 0; i < 2 * support_isas(); i += support_emulated() ? 5 : 1) {
        char path[SUPPORT_PATH];
        const char *isa = support_isa(i / 2);
        const bool is_fast = strcmp(isa, "avx512bf16") == 0 || strcmp(isa, "amx") == 0;
        engine_info info = ENGINE_INFO();
        support_path(path, support_folder(), "model.weights");
        support_make_model(path, NULL, "--max-tokens 192 --layers 2 %s", shapes[i % 2]);
        struct vectors exact = encode_all(path, isa, ENGINE_PRECISION_EXACT);
        struct vectors bf16 = encode_all(path, isa, ENGINE_PRECISION_BF16);
        struct vectors fast = encode_all(path, isa, ENGINE_PRECISION_FAST);
        engine_model *model = support_open_isa(path, isa, ENGINE_PRECISION_FAST);
        assert_ok(engine_model_info(model, &info, NULL));
        assert_int_equal(info.precision, is_fast ? ENGINE_PRECISION_BF16 : ENGINE_PRECISION_EXACT);
        assert_false(info.is_emulated);
        assert_memory_equal(fast.values, (is_fast ? bf16 : exact).values, fast.n * sizeof(float));
        assert_memory_not_equal(exact.values, bf16.values, exact.n * sizeof(float));
        model = support_open_isa(path, isa, ENGINE_PRECISION_BF16);
        assert_ok(engine_model_info(model, &info, NULL));
        assert_int_equal(info.is_emulated, !is_fast);
    }
}
