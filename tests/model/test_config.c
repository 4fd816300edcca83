/* The settings of CONF: each key of weights/FORMAT.md to its field and back, what is refused, and
 * what config_check says. */
#include "tests/support.h"

#include "model/config.h"

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

static struct model_config sound(void)
{
    struct model_config config;
    config_defaults(&config);
    config.layers = 2;
    config.width = 12;
    config.heads = 3;
    config.feed_forward = 20;
    config.vocabulary = 5;
    config.max_tokens = 8;
    config.norm_eps = 1e-5;
    return config;
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
    struct model_config config = sound();
    assert_null(config_check(&config));
    for (size_t i = 0; i < N_KEYS; i++) {
        bool later = i >= 26 || (i >= 11 && i <= 13); /* from position_base, embedding_width on */
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
        config = sound();
        assert_null(config_set(&config, derived[i], i == 1 ? "no" : "1"));
        config_settle(&config);
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
        assert_non_null(config_get(&config, 15, text, sizeof text));
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

/* ---- config_check ---- */

/* key=value, separated by blanks, upon a sound config; a value of -1: as if absent. */
static void check_says(const char *changes, const char *expected)
{
    struct model_config config = sound();
    char text[128], *rest = text;
    snprintf(text, sizeof text, "%s", changes);
    for (char *key = strtok_r(text, " ", &rest); key; key = strtok_r(NULL, " ", &rest)) {
        char *value = strchr(key, '=');
        *value++ = '\0';
        if (strcmp(value, "-1") != 0)
            assert_null(config_set(&config, key, value));
        for (size_t i = 0; i < N_KEYS && strcmp(value, "-1") == 0; i++)
            if (strcmp(keys[i].name, key) == 0)
                memcpy((char *)&config + 8 * i, &(int64_t){-1}, 8);
    }
    const char *got = config_check(&config);
    if (expected == NULL ? got != NULL : got == NULL || strcmp(got, expected) != 0)
        fail_msg("%s: '%s', expected '%s'", changes, got ? got : "sound",
                 expected ? expected : "sound");
}

TEST(check)
{
    static const char *const wrong[][2] = {
        {"max_text_tokens=0", "'max_text_tokens' is 0 or more than 'max_tokens'"},
        {"max_text_tokens=9", "'max_text_tokens' is 0 or more than 'max_tokens'"},
        {"max_text_tokens=8", NULL},
        {"projections=9", "'projections' is more than 8"},
        {"labels=2", "'labels' must be 1 or more with head sequence or token, and 0 without"},
        {"head=token", "'labels' must be 1 or more with head sequence or token, and 0 without"},
        {"head=pooler", "head pooler needs a 'head_dense'"},
        {"head=pooler head_dense=tanh", NULL},
        {"head=pooler head_dense=tanh head_tied=yes", "'head_tied' needs head mask"},
        {"embedding_width=13", "'embedding_width' is more than 'width'"},
        {"head=mask head_tied=yes embedding_width=6",
         "'head_tied' needs embedding tables of the model's width"},
        {"head_norm=yes", "'head_dense' and 'head_norm' need a 'head'"},
        {"pooling=pooler", "pooling pooler needs head pooler or sequence with a 'head_dense'"},
        {"pooling=pooler head=sequence labels=1 head_dense=tanh", NULL},
        {"layers=-1 width=-1 vocabulary=7", NULL}, /* a tokenizer alone */
        {"layers=-1 width=-1 vocabulary=0", "'vocabulary' is missing or 0"},
        {"layers=-1", "'layers' is missing"},
        {"width=-1", "'width' is missing or 0"},
        {"width=0", "'width' is missing or 0"},
        {"vocabulary=-1", "'vocabulary' is missing or 0"},
        {"vocabulary=0", "'vocabulary' is missing or 0"},
        {"max_tokens=-1", "'max_tokens' is missing or 0"},
        {"max_tokens=0", "'max_tokens' is missing or 0"},
        {"heads=-1", "'heads' or 'feed_forward' is missing or 0"},
        {"heads=0", "'heads' or 'feed_forward' is missing or 0"},
        {"feed_forward=-1", "'heads' or 'feed_forward' is missing or 0"},
        {"feed_forward=0", "'heads' or 'feed_forward' is missing or 0"},
        {"heads=5", "'heads' does not divide 'width'"},
        {"heads=24", "'heads' does not divide 'width'"},
        {"head_width=0", "'head_width' is 0, or 'heads' times as wide is more than 2147483647"},
        {"head_width=2147483647",
         "'head_width' is 0, or 'heads' times as wide is more than 2147483647"},
        {"key_value_heads=2", "'key_value_heads' does not divide 'heads'"},
        {"key_value_heads=0", "'key_value_heads' does not divide 'heads'"},
        {"key_value_heads=6", "'key_value_heads' does not divide 'heads'"},
        {"score_scale=0", "'score_scale' is 0 or more than f32 holds"},
        {"score_scale=1e-60", "'score_scale' is 0 or more than f32 holds"},
        {"score_scale=1e39", "'score_scale' is 0 or more than f32 holds"},
        {"rotary_base=500", "keys that begin with 'rotary' need attention_position rotary"},
        {"rotary_local_base=500", "keys that begin with 'rotary' need attention_position rotary"},
        {"rotary_width=2 attention_position=alibi",
         "keys that begin with 'rotary' need attention_position rotary"},
        {"rotary_pairs=interleaved",
         "keys that begin with 'rotary' need attention_position rotary"},
        {"rotary_factor=2", "keys that begin with 'rotary' need attention_position rotary"},
        {"rotary_trained=2", "keys that begin with 'rotary' need attention_position rotary"},
        {"attention_position=rotary rotary_base=0",
         "'rotary_base' or 'rotary_local_base' is not from 1e-100 to 1e100"},
        {"attention_position=rotary window=1 rotary_local_base=1e101",
         "'rotary_base' or 'rotary_local_base' is not from 1e-100 to 1e100"},
        {"attention_position=rotary rotary_local_base=500", "'rotary_local_base' needs a 'window'"},
        {"attention_position=rotary rotary_width=0",
         "'rotary_width' is not an even number from 2 to the width of a head"},
        {"attention_position=rotary rotary_width=3",
         "'rotary_width' is not an even number from 2 to the width of a head"},
        {"attention_position=rotary rotary_width=6",
         "'rotary_width' is not an even number from 2 to the width of a head"},
        {"attention_position=rotary heads=12",
         "'rotary_width' is not an even number from 2 to the width of a head"},
        {"attention_position=rotary rotary_factor=2", "'rotary_factor' needs 'rotary_trained'"},
        {"attention_position=rotary rotary_trained=2 rotary_factor=0",
         "'rotary_factor' is 0 or more than 1e100"},
        {"attention_position=distance",
         "'distances' must be 1 to 1048576 with attention_position distance, and 0 without"},
        {"attention_position=distance distances=1048577",
         "'distances' must be 1 to 1048576 with attention_position distance, and 0 without"},
        {"distances=3",
         "'distances' must be 1 to 1048576 with attention_position distance, and 0 without"},
        {"global_every=3", "'global_every' needs a 'window'"},
        {"window=4 global_first=1", "'global_first' is not less than 'global_every'"},
        {"window=4 global_every=3 global_first=3",
         "'global_first' is not less than 'global_every'"},
        {"layers=0 window=3", "'attention_position', 'window' and 'query_key_norm' need 'layers'"},
        {"layers=0 attention_position=alibi",
         "'attention_position', 'window' and 'query_key_norm' need 'layers'"},
        {"layers=0 query_key_norm=yes",
         "'attention_position', 'window' and 'query_key_norm' need 'layers'"},
        {"layer_groups=0", "'layer_groups' is not from 1 to 'layers'"},
        {"layer_groups=3", "'layer_groups' is not from 1 to 'layers'"},
        {"layers=0 layer_groups=1", "'layer_groups' is not from 1 to 'layers'"},
        {"layers=1025 layer_groups=1",
         "'layers' is more than 1024, and there are fewer 'layer_groups'"},
        {"first_norm=no", "'first_norm' no needs layers and norm_place pre or sandwich"},
        {"first_norm=no norm_place=pre layers=0",
         "'first_norm' no needs layers and norm_place pre or sandwich"},
        {"first_norm=no norm_place=pre layer_groups=1",
         "'first_norm' no needs as many 'layer_groups' as 'layers'"},
        {"head_dense_bias=no", "'head_dense_bias' no needs a 'head_dense'"},
        {"token_vector_bias=no", "'token_vector_bias' no needs 'token_vectors'"},
        {"sparse=mask", "sparse mask needs head mask"},
        {"norm=none", "'norm' is none; expected layer or rms"},
        {"norm=rms norm_bias=yes", "'norm_bias' is yes, but rms norm has none"},
        {"norm_eps=0", "'norm_eps' is missing or 0"},
        {"layers=0 embedding_norm=layer norm_eps=0", "'norm_eps' is missing or 0"},
        {"layers=0 final_norm=yes norm_eps=0", "'norm_eps' is missing or 0"},
        {"position_offset=2", "'position_offset' needs position learned"},
        {"position_offset=2 position=sinusoidal", "'position_offset' needs position learned"},
        {"position_base=50", "'position_base' needs position sinusoidal or exponential"},
        {"position_base=50 position=fourier",
         "'position_base' needs position sinusoidal or exponential"},
        {"position_base=0 position=sinusoidal", "'position_base' is not from 1e-100 to 1e100"},
        {"position_base=1e-101 position=exponential",
         "'position_base' is not from 1e-100 to 1e100"},
        {"position_base=1.1e100 position=sinusoidal",
         "'position_base' is not from 1e-100 to 1e100"},
        {"position_frequencies=2", "'position_frequencies' needs position fourier"},
        {"position_frequencies=7 position=fourier",
         "'position_frequencies' is more than half of the columns: each takes two"},
        {"position_frequencies=2147483647 position=fourier",
         "'position_frequencies' is more than half of the columns: each takes two"},
        {"position_frequencies=4 position=fourier embedding_width=6",
         "'position_frequencies' is more than half of the columns: each takes two"},
        {"position_scale=1e39", "'embedding_scale' or 'position_scale' is more than f32 holds"},
        {"embedding_scale=1e39", "'embedding_scale' or 'position_scale' is more than f32 holds"},
        {"head=sequence labels=2 head_pooling=none",
         "'head_pooling' is none or pooler; expected mean, cls, max, mean_sqrt, weighted_mean, "
         "last"},
        {"head=sequence labels=2 head_pooling=pooler",
         "'head_pooling' is none or pooler; expected mean, cls, max, mean_sqrt, weighted_mean, "
         "last"},
        {"head_pooling=mean", "'head_pooling' needs head sequence"},
        {"head=token labels=2 head_pooling=max", "'head_pooling' needs head sequence"},
        {"head=sequence labels=2 head_dense=tanh pooling=pooler head_pooling=mean",
         "pooling pooler reads the first token, but 'head_pooling' is not cls"},
    };
    static const char *const right[] = {"layers=2",
                                        "heads=12",
                                        "heads=1",
                                        "norm=rms",
                                        "norm=rms norm_bias=no",
                                        "norm_bias=no",
                                        "position=learned position_offset=2",
                                        "position=sinusoidal position_base=1e-100",
                                        "position=exponential position_base=1e100",
                                        "position=fourier position_frequencies=6",
                                        "position=fourier width=9 position_frequencies=5",
                                        "position=index position_scale=0",
                                        "head=sequence labels=2 head_pooling=mean",
                                        "gate=second activation=silu",
                                        "layers=0 heads=-1 feed_forward=-1 norm_eps=0",
                                        "layers=0 heads=5",
                                        "norm_place=pre final_norm=yes",
                                        "heads=5 head_width=4",
                                        "key_value_heads=1",
                                        "score_scale=1",
                                        "attention_position=rotary",
                                        "attention_position=rotary rotary_width=2 rotary_factor=2 "
                                        "rotary_trained=4 rotary_pairs=interleaved",
                                        "attention_position=rotary window=2 rotary_local_base=5 "
                                        "global_every=2 global_first=1",
                                        "attention_position=distance distances=1048576",
                                        "attention_position=alibi position=learned",
                                        "layer_groups=1",
                                        "layers=1024 layer_groups=1",
                                        "layers=1025",
                                        "first_norm=no norm_place=pre",
                                        "first_norm=no norm_place=sandwich",
                                        "feed_forward_bias=no feed_forward_in_bias=yes",
                                        "head=mask head_dense=gelu head_dense_bias=no sparse=mask",
                                        "token_vectors=3 token_vector_bias=no sparse=linear"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        check_says(wrong[i][0], wrong[i][1]);
    for (size_t i = 0; i < sizeof right / sizeof *right; i++)
        check_says(right[i], NULL);
}

/* Defaults that depend on other keys. */
TEST(check_settles)
{
    struct model_config config = sound();
    assert_null(config_check(&config));
    assert_int_equal(config.norm_bias, 1);
    config = sound();
    config.norm = NORM_RMS;
    assert_null(config_check(&config));
    assert_int_equal(config.norm_bias, 0);
    config = sound();
    config.norm_bias = 0;
    assert_null(config_check(&config));
    assert_int_equal(config.norm_bias, 0);
    config = sound();
    config.layers = 0;
    config.heads = config.feed_forward = -1;
    assert_null(config_check(&config));
    assert_true(config.heads == 0 && config.feed_forward == 0);
}

/* A session takes what a weight file may hold. */
TEST(limits)
{
    assert_true(ENGINE_POSITION_BASE_LEAST == POSITION_BASE_LEAST);
    assert_true(ENGINE_POSITION_BASE_MOST == POSITION_BASE_MOST);
    assert_true(ENGINE_POSITION_FREQUENCY_MOST == POSITION_FREQUENCY_MOST);
}
