/* The settings of CONF: each key of weights/FORMAT.md to its field and back, and what is
 * refused; settings together are test_config_check.c's. */
#include "tests/support.h"

#include "model/config.h"
#include "tests/model/sound_config.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char count_values[] = "a whole number from 0 to 2147483647";
static const char number_values[] = "a finite number, 0 or more";

/* names: the texts of 0, 1, 2 ..., separated by blanks; NULL: a number. if_absent: -1: missing. */
struct key {
    const char *name, *names, *expected;
    double if_absent;
};

static const struct key keys[] = {
    {"layers", NULL, count_values, -1},
    {"width", NULL, count_values, -1},
    {"heads", NULL, count_values, -1},
    {"feed_forward", NULL, count_values, -1},
    {"vocabulary", NULL, count_values, -1},
    {"max_tokens", NULL, count_values, -1},
    {"token_types", NULL, count_values, 0},
    {"embedding_scale", NULL, number_values, 1},
    {"embedding_norm", "none layer rms", "one of none, layer, rms", NORM_NONE},
    {"position", "none sinusoidal learned index binary fourier exponential",
     "one of none, sinusoidal, learned, index, binary, fourier, exponential", POSITION_NONE},
    {"position_offset", NULL, count_values, 0},
    {"position_skips_padding", "no yes", "one of yes, no", 0},
    {"position_base", NULL, number_values, 10000},
    {"position_scale", NULL, number_values, 1},
    {"position_frequencies", NULL, count_values, 0},
    {"norm", "none layer rms", "one of layer, rms", NORM_LAYER},
    {"norm_eps", NULL, number_values, 0},
    {"norm_bias", "no yes", "one of yes, no", -1},
    {"norm_place", "post pre sandwich", "one of post, pre, sandwich", NORM_POST},
    {"final_norm", "no yes", "one of yes, no", 0},
    {"attention_bias", "no yes", "one of yes, no", 1},
    {"feed_forward_bias", "no yes", "one of yes, no", 1},
    {"activation", "relu gelu gelu_tanh silu", "one of relu, gelu, gelu_tanh, silu",
     ACTIVATION_GELU},
    {"gate", "none first second", "one of none, first, second", GATE_NONE},
    {"mask", "full causal", "one of full, causal", MASK_FULL},
    {"pooling", "none mean cls max mean_sqrt weighted_mean last pooler",
     "one of none, mean, cls, max, mean_sqrt, weighted_mean, last, pooler", POOLING_NONE},
    {"normalize", "no yes", "one of yes, no", 0},
    {"embedding_width", NULL, count_values, -1},
    {"projections", NULL, count_values, 0},
    {"projection_activation", "identity relu tanh gelu gelu_tanh silu",
     "one of identity, relu, tanh, gelu, gelu_tanh, silu", DENSE_IDENTITY},
    {"projection_bias", "no yes", "one of yes, no", 1},
    {"head", "none pooler sequence token mask", "one of none, pooler, sequence, token, mask",
     HEAD_NONE},
    {"head_pooling", "none mean cls max mean_sqrt weighted_mean last pooler",
     "one of mean, cls, max, mean_sqrt, weighted_mean, last", POOLING_CLS},
    {"head_dense", "none identity relu tanh gelu gelu_tanh silu",
     "one of none, identity, relu, tanh, gelu, gelu_tanh, silu", 0},
    {"head_norm", "no yes", "one of yes, no", 0},
    {"head_tied", "no yes", "one of yes, no", 0},
    {"head_bias", "no yes", "one of yes, no", 1},
    {"labels", NULL, count_values, 0},
    {"scores", "none softmax sigmoid", "one of none, softmax, sigmoid", SCORES_NONE},
    {"max_text_tokens", NULL, count_values, -1},
    {"attention_position", "none rotary alibi distance", "one of none, rotary, alibi, distance",
     ATTENTION_POSITION_NONE},
    {"rotary_base", NULL, number_values, 10000},
    {"rotary_local_base", NULL, number_values, -1},
    {"rotary_width", NULL, count_values, -1},
    {"rotary_pairs", "half interleaved", "one of half, interleaved", ROTARY_HALF},
    {"rotary_factor", NULL, number_values, 1},
    {"rotary_trained", NULL, count_values, 0},
    {"distances", NULL, count_values, 0},
    {"window", NULL, count_values, 0},
    {"global_every", NULL, count_values, 0},
    {"global_first", NULL, count_values, 0},
    {"first_norm", "no yes", "one of yes, no", 1},
    {"layer_groups", NULL, count_values, -1},
    {"feed_forward_in_bias", "no yes", "one of yes, no", -1},
    {"head_width", NULL, count_values, -1},
    {"key_value_heads", NULL, count_values, -1},
    {"query_key_norm", "no yes", "one of yes, no", 0},
    {"score_scale", NULL, number_values, -1},
    {"head_dense_bias", "no yes", "one of yes, no", 1},
    {"token_vectors", NULL, count_values, 0},
    {"token_vector_bias", "no yes", "one of yes, no", 1},
    {"sparse", "none linear mask", "one of none, linear, mask", SPARSE_NONE},
    {"token_vector_first", "no yes", "one of yes, no", 1},
    {"sparse_pooling", "max sum", "one of max, sum", SPARSE_MAX},
    {"sparse_activation", "log log_log", "one of log, log_log", SPARSE_LOG},
};
enum { N_KEYS = sizeof keys / sizeof *keys, TEXT = 32 };

/* The fields one after the other, each 64 bits wide, as config.h says. */
static double field(const struct model_config *config, size_t index)
{
    const char *at = (const char *)config + 8 * index;
    int64_t whole;
    double number;
    memcpy(&whole, at, sizeof whole);
    memcpy(&number, at, sizeof number);
    return keys[index].expected == number_values ? number : (double)whole;
}

static void expect_set(size_t index, const char *value, double expected)
{
    struct model_config config, other;
    char text[TEXT];
    config_defaults(&config);
    const char *refused = config_set(&config, keys[index].name, value);
    if (refused != NULL)
        fail_msg("%s = %s: %s", keys[index].name, value, refused);
    if (field(&config, index) != expected)
        fail_msg("%s = %s: %.17g", keys[index].name, value, field(&config, index));

    assert_string_equal(config_get(&config, index, text, sizeof text), keys[index].name);
    config_defaults(&other);
    assert_null(config_set(&other, keys[index].name, text));
    assert_memory_equal(&config, &other, sizeof config); /* and no other field has changed */
}

static void expect_refused(size_t index, const char *value)
{
    struct model_config config, before;
    config_defaults(&config);
    before = config;
    const char *refused = config_set(&config, keys[index].name, value);
    if (refused == NULL)
        fail_msg("%s = '%s' was taken as %g", keys[index].name, value, field(&config, index));
    assert_string_equal(refused, keys[index].expected);
    assert_memory_equal(&config, &before, sizeof config);
}

TEST(defaults)
{
    struct model_config config;
    char text[TEXT];
    assert_int_equal(sizeof config, 8 * N_KEYS);
    config_defaults(&config);
    for (size_t i = 0; i < N_KEYS; i++) {
        assert_string_equal(config_get(&config, i, text, sizeof text), keys[i].name);
        assert_true(field(&config, i) == keys[i].if_absent);
    }
    assert_null(config_get(&config, N_KEYS, text, sizeof text));
    assert_null(config_get(&config, SIZE_MAX, text, sizeof text));
}

TEST(names)
{
    for (size_t i = 0; i < N_KEYS; i++) {
        char names[128] = "", *rest = names;
        if (keys[i].names != NULL)
            snprintf(names, sizeof names, "%s", keys[i].names);
        int64_t first = strcmp(keys[i].name, "projection_activation") == 0 ? DENSE_IDENTITY : 0;
        int64_t value = first;
        for (char *name = strtok_r(names, " ", &rest); name; name = strtok_r(NULL, " ", &rest)) {
            struct model_config config;
            config_defaults(&config);
            assert_string_equal(config_value_name(keys[i].name, value), name);
            assert_int_equal(config_value(keys[i].name, name), value);
            expect_set(i, name, (double)value++);
            assert_null(config_set(&config, keys[i].name, name));
            assert_string_equal(config_name(&config, keys[i].name), name);
        }
        assert_int_equal(value > first, keys[i].names != NULL);
        assert_null(config_value_name(keys[i].name, value));
        assert_null(config_value_name(keys[i].name, first - 1));
        assert_null(config_value_name(keys[i].name, INT64_MAX));
        assert_int_equal(config_value(keys[i].name, "?"), -1);
    }
    assert_null(config_value_name("no such key", 0));
    assert_int_equal(config_value("no such key", "none"), -1);
    assert_int_equal(config_value("position", "exponential"), POSITION_EXPONENTIAL);
    assert_int_equal(config_value("pooling", "pooler"), POOLING_POOLER);
    assert_int_equal(config_value("head_dense", "tanh"), DENSE_TANH);
    assert_int_equal(config_value("head", "mask"), HEAD_MASK);
}

static bool is_written(const struct model_config *config, const char *key)
{
    for (size_t i = 0; i < N_KEYS; i++)
        if (strcmp(keys[i].name, key) == 0)
            return config_is_written(config, i);
    return false;
}

/* Keys that the first library did not know are written where they are not at their default. */
TEST(written)
{
    struct model_config config = sound_config();
    assert_null(config_check(&config));
    for (size_t i = 0; i < N_KEYS; i++) {
        bool later = i >= 27 || (i >= 11 && i <= 14); /* position_skips_..., embedding_width on */
        assert_int_equal(config_is_written(&config, i), !later);
    }
    config.position_base = 50;
    config.embedding_width = 6;
    config.max_text_tokens = 7;
    config.projection_bias = false;
    assert_true(is_written(&config, "position_base") && is_written(&config, "embedding_width"));
    assert_true(is_written(&config, "max_text_tokens") && is_written(&config, "projection_bias"));
    assert_false(is_written(&config, "position_scale") || is_written(&config, "head"));

    /* Those whose default is what others are */
    static const char *const derived[] = {
        "layer_groups", "feed_forward_in_bias", "head_width",       "key_value_heads",
        "score_scale",  "rotary_width",         "rotary_local_base"};
    for (size_t i = 0; i < sizeof derived / sizeof *derived; i++) {
        config = sound_config();
        assert_null(config_set(&config, derived[i], i == 1 ? "no" : "1"));
        config_resolve(&config);
        assert_true(is_written(&config, derived[i]));
    }
}

TEST(numbers)
{
    static const char *const wholes[] = {"0", "1", "12", "007", "2147483647"};
    static const char *const numbers[] = {"0",
                                          "1",
                                          "1e-12",
                                          "1E-5",
                                          "0.1",
                                          "11.313708498984761",
                                          "0.30000000000000004",
                                          "1e22",
                                          "3.",
                                          "2.2250738585072014e-308",
                                          "4.9406564584124654e-324",
                                          "1.7976931348623157e308",
                                          "123456789",
                                          "9007199254740993"};
    for (size_t i = 0; i < N_KEYS; i++) {
        if (keys[i].expected == count_values)
            for (size_t v = 0; v < sizeof wholes / sizeof *wholes; v++)
                expect_set(i, wholes[v], strtod(wholes[v], NULL));
        if (keys[i].expected == number_values)
            for (size_t v = 0; v < sizeof numbers / sizeof *numbers; v++)
                expect_set(i, numbers[v], strtod(numbers[v], NULL));
    }
}

/* Any double comes back as the same double. */
TEST(any_number)
{
    struct model_config config, other;
    uint64_t state = 1;
    config_defaults(&config);
    for (size_t i = 0; i < 20000; i++) {
        uint64_t bits = support_random(&state) >> 1;
        char text[TEXT];
        memcpy(&config.norm_eps, &bits, sizeof bits);
        if (!isfinite(config.norm_eps))
            continue;
        assert_non_null(config_get(&config, 16, text, sizeof text));
        other = config;
        other.norm_eps = 0;
        assert_null(config_set(&other, "norm_eps", text));
        assert_memory_equal(&config, &other, sizeof config);
    }
}

TEST(bad_values)
{
    static const char *const never[] = {
        "",     " ",     "-1",   "-0",   "+1",       " 1",        "1 ",  "1x",  "x",
        "0x10", "0X1p3", "nan",  "inf",  "infinity", "1,5",       "1e",  "1e+", "\n1",
        "None", "YES",   "true", "yes ", "gelu_",    "layer,rms", "\xff"};
    static const char *const not_whole[] = {
        "2147483648",          "9223372036854775807",    "1.0", "1e3", "0.5",
        "9223372036854775808", "99999999999999999999999"};
    static const char *const not_number[] = {"1e309", "1e999999", "-1e-5", ".5", "1..2", "1e5e5"};
    for (size_t i = 0; i < N_KEYS; i++) {
        for (size_t v = 0; v < sizeof never / sizeof *never; v++)
            expect_refused(i, never[v]);
        if (keys[i].expected == count_values)
            for (size_t v = 0; v < sizeof not_whole / sizeof *not_whole; v++)
                expect_refused(i, not_whole[v]);
        if (keys[i].expected == number_values)
            for (size_t v = 0; v < sizeof not_number / sizeof *not_number; v++)
                expect_refused(i, not_number[v]);
        if (keys[i].names != NULL)
            for (size_t v = 0; v < sizeof not_whole / sizeof *not_whole; v++)
                expect_refused(i, not_whole[v]);
    }
}

TEST(unknown_keys)
{
    static const char *const unknown[] = {"", "Layers", "layers ", "layer", "norm_epsilon", "kind"};
    struct model_config config, before;
    config_defaults(&config);
    before = config;
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++) {
        assert_ptr_equal(config_set(&config, unknown[i], "1"), CONFIG_UNKNOWN_KEY);
        assert_string_equal(config_name(&config, unknown[i]), "");
    }
    assert_memory_equal(&config, &before, sizeof config);
    assert_string_equal(config_name(&config, "layers"), "");
    assert_string_equal(config_name(&config, "norm_bias"), ""); /* not settled yet */
}

/* A session takes what a weight file may hold. */
TEST(limits)
{
    assert_true(ENGINE_POSITION_BASE_LEAST == POSITION_BASE_LEAST);
    assert_true(ENGINE_POSITION_BASE_MOST == POSITION_BASE_MOST);
    assert_true(ENGINE_POSITION_FREQUENCY_MOST == POSITION_FREQUENCY_MOST);
}
