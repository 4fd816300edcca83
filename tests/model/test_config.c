/* tags: sizes aarch64 */
/* The settings of CONF: each key of weights/FORMAT.md to its field and back, and what is
 * refused; settings together are test_config.c's. */
#include "tests/support.h"

#include "model/config.h"
#include "tests/model/sound_config.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char whole[] = "a whole number from 0 to 2147483647";
static const char real[] = "a finite number, 0 or more";

/* A setting: its name and field; if_absent: -1: missing. `expected` is
 * whole, real, yes_no or named. */
struct key {
    const char *name;
    size_t offset, bytes;
    const char *expected;
    double if_absent;
};

/* clang-format off */
#define AT(field) \
    #field, offsetof(struct model_config, field), sizeof((struct model_config *)0)->field
static const char yes_no[] = "one of yes, no", named[] = "", listed[] = "-";
static const struct key keys[] = {
    {AT(layers), whole, -1}, {AT(width), whole, -1}, {AT(heads), whole, -1},
    {AT(feed_forward), whole, -1}, {AT(vocabulary), whole, -1}, {AT(max_tokens), whole, -1},
    {AT(token_types), whole, 0}, {AT(embedding_scale), real, 1},
    {AT(embedding_norm), named, NORM_NONE}, {AT(position), named, POSITION_NONE},
    {AT(position_offset), whole, 0}, {AT(position_skips_padding), yes_no, 0},
    {AT(position_base), real, 10000}, {AT(position_scale), real, 1},
    {AT(position_frequencies), whole, 0}, {AT(norm), named, NORM_LAYER}, {AT(norm_eps), real, 0},
    {AT(norm_bias), yes_no, -1}, {AT(norm_place), named, NORM_POST}, {AT(final_norm), yes_no, 0},
    {AT(attention_bias), yes_no, 1}, {AT(feed_forward_bias), yes_no, 1},
    {AT(activation), named, ACTIVATION_GELU}, {AT(gate), named, GATE_NONE},
    {AT(mask), named, MASK_FULL}, {AT(pooling), named, POOLING_NONE}, {AT(normalize), yes_no, 0},
    {AT(joined_poolings), listed, 0}, {AT(pools_prompt), yes_no, 1},
    {AT(embedding_width), whole, -1}, {AT(projections), whole, 0},
    {AT(projection_activation), listed, DENSE_IDENTITY}, {AT(projection_bias), yes_no, 1},
    {AT(head), named, HEAD_NONE}, {AT(head_pooling), named, POOLING_CLS},
    {AT(head_late), yes_no, 0},
    {AT(head_dense), named, 0}, {AT(head_norm), yes_no, 0}, {AT(head_tied), yes_no, 0},
    {AT(head_bias), yes_no, 1}, {AT(labels), whole, 0}, {AT(scores), named, SCORES_NONE},
    {AT(max_text_tokens), whole, -1}, {AT(attention_position), named, ATTENTION_POSITION_NONE},
    {AT(rotary_base), real, 10000}, {AT(rotary_local_base), real, -1},
    {AT(rotary_width), whole, -1}, {AT(rotary_pairs), named, ROTARY_HALF},
    {AT(rotary_factor), real, 1}, {AT(rotary_trained), whole, 0}, {AT(distances), whole, 0},
    {AT(window), whole, 0}, {AT(global_every), whole, 0}, {AT(global_first), whole, 0},
    {AT(first_norm), yes_no, 1}, {AT(layer_groups), whole, -1},
    {AT(feed_forward_in_bias), yes_no, -1}, {AT(head_width), whole, -1},
    {AT(key_value_heads), whole, -1}, {AT(global_head_width), whole, -1},
    {AT(global_key_value_heads), whole, -1}, {AT(query_key_norm), named, QUERY_KEY_NONE},
    {AT(value_norm), yes_no, 0}, {AT(layer_input_width), whole, 0}, {AT(score_scale), real, -1},
    {AT(head_dense_bias), yes_no, 1}, {AT(token_vectors), whole, 0},
    {AT(token_vector_bias), yes_no, 1}, {AT(sparse), named, SPARSE_NONE},
    {AT(token_vector_first), yes_no, 1}, {AT(sparse_pooling), named, SPARSE_MAX},
    {AT(sparse_activation), named, SPARSE_LOG}, {AT(query_weights), yes_no, 0},
    {AT(query_tokens), whole, 0}, {AT(query_filler), whole, -1}, {AT(query_filler_seen), yes_no, 1},
    {AT(position_buckets), whole, 0},
    {AT(position_terms), named, TERMS_BOTH},
    {AT(experts), whole, 0}, {AT(experts_used), whole, 0}, {AT(experts_every), whole, 0},
};
/* clang-format on */
enum { N_KEYS = sizeof keys / sizeof *keys, TEXT = 32 };

/* Reads a field of 1, 4 or 8 bytes, the low ones first; -1 has all bits set. */
static double field(const struct model_config *config, size_t index)
{
    const size_t n_unused = 64 - 8 * keys[index].bytes;
    uint64_t bits = 0;
    double number;
    memcpy(&bits, (const char *)config + keys[index].offset, keys[index].bytes);
    memcpy(&number, &bits, sizeof number);
    return keys[index].expected == real ? number
                                        : (double)((int64_t)(bits << n_unused) >> n_unused);
}

static void expect_same(const struct model_config *a, const struct model_config *b)
{
    for (size_t i = 0; i < N_KEYS; i++)
        if (memcmp((const char *)a + keys[i].offset, (const char *)b + keys[i].offset,
                   keys[i].bytes) != 0)
            fail_msg("%s differs", keys[i].name);
}

static bool is_named(size_t index)
{
    return keys[index].expected != whole && keys[index].expected != real;
}

static void expect_set(size_t index, const char *value, double expected)
{
    struct model_config config, other;
    char text[TEXT];
    config = CONFIG_DEFAULTS;
    const char *refused = config_set(&config, keys[index].name, value);
    if (refused != NULL)
        fail_msg("%s = %s: %s", keys[index].name, value, refused);
    if (field(&config, index) != expected)
        fail_msg("%s = %s: %.17g", keys[index].name, value, field(&config, index));

    assert_string_equal(config_get(&config, index, text, sizeof text), keys[index].name);
    other = CONFIG_DEFAULTS;
    assert_null(config_set(&other, keys[index].name, text));
    expect_same(&config, &other); /* and no other field has changed */
}

static void expect_refused(size_t index, const char *value)
{
    struct model_config config = CONFIG_DEFAULTS, before = config;
    const char *refused = config_set(&config, keys[index].name, value);
    if (refused == NULL)
        fail_msg("%s = '%s' was taken as %g", keys[index].name, value, field(&config, index));
    if (keys[index].expected != named && keys[index].expected != listed)
        assert_string_equal(refused, keys[index].expected);
    expect_same(&config, &before);
}

TEST(defaults)
{
    struct model_config config;
    char text[TEXT];
    config = CONFIG_DEFAULTS;
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
        int64_t first = keys[i].expected == listed ? 1 : 0;
        int64_t value = first;
        const char *name;
        for (; (name = config_value_name(keys[i].name, value)) != NULL; value++) {
            assert_int_equal(config_value(keys[i].name, name), value);
            expect_set(i, name, (double)value);
        }
        assert_int_equal(value - first >= 2, is_named(i));
        assert_null(config_value_name(keys[i].name, first - 1));
        assert_null(config_value_name(keys[i].name, INT64_MAX));
        assert_int_equal(config_value(keys[i].name, "?"), -1);
    }
    assert_null(config_value_name("no such key", 0));
    assert_int_equal(config_value("no such key", "none"), -1);
    assert_int_equal(config_value("position", "exponential"), POSITION_EXPONENTIAL);
    assert_int_equal(config_value("pooling", "pooler"), POOLING_POOLER);
    assert_int_equal(config_value("head_dense", "tanh"), DENSE_TANH);
}

/* The row of a key in a table of weights/FORMAT.md: "| `key` | its values | if absent |". */
static const char *format_row(const char *text, const char *key, char row[600])
{
    char start[64];
    snprintf(start, sizeof start, "\n| `%s` |", key);
    const char *at = strstr(text, start);
    assert_non_null(at);
    snprintf(row, 600, "%.*s", (int)strcspn(at + 1, "\n"), at + 1);
    return row;
}

TEST(names_in_format)
{
    enum { MOST = 1 << 20 };
    char *text = calloc(MOST, 1), row[600], shown[256], quoted[64];
    FILE *file = fopen("weights/FORMAT.md", "r");
    assert_non_null(file);
    assert_in_range(fread(text, 1, MOST - 1, file), 1, MOST - 2);
    fclose(file);
    struct model_config config = CONFIG_DEFAULTS;
    for (size_t i = 0; i < N_KEYS; i++) {
        const bool is_list = keys[i].expected == listed;
        if (keys[i].expected != named && !is_list)
            continue;
        const char *key = keys[i].name,
                   *of = strcmp(key, "head_dense") ? key : "projection_activation";
        const char *expected = config_set(&config, key, "?");
        const char *start = is_list ? "at most 8 of " : "one of ";
        assert_memory_equal(expected, start, strlen(start));
        snprintf(shown, sizeof shown, "%s", expected + strlen(start));
        char *end = strstr(shown, ", separated by commas");
        assert_true(is_list == (end != NULL));
        if (end != NULL)
            *end = '\0';
        char *rest = shown, *name;
        while ((name = strtok_r(rest, ", ", &rest)) != NULL) {
            snprintf(quoted, sizeof quoted, "`%s`", name);
            assert_true(config_value(key, name) >= 0);
            if (strstr(format_row(text, of, row), quoted) == NULL &&
                strstr(format_row(text, key, row), quoted) == NULL)
                fail_msg("weights/FORMAT.md does not have %s among the values of %s", quoted, key);
        }
    }
    free(text);
}

/* A list of one name is that name; files have no more than eight. */
TEST(lists)
{
    struct model_config config;
    char text[128];
    config = CONFIG_DEFAULTS;
    assert_null(config_set(&config, "joined_poolings", "max,mean,weighted_mean"));
    assert_int_equal(config.joined_poolings,
                     POOLING_MAX | POOLING_MEAN << 4 | POOLING_WEIGHTED_MEAN << 8);
    for (size_t i = 0; i < N_KEYS; i++)
        if (keys[i].expected == listed && keys[i].if_absent == 0) {
            assert_non_null(config_get(&config, i, text, sizeof text));
            assert_string_equal(text, "max,mean,weighted_mean");
        }
    config.width = 3;
    assert_int_equal(config_pooled_width(&config), 12);
    assert_null(config_set(&config, "projection_activation", "relu,layer_norm"));
    assert_int_equal(config_projection(&config, 1), DENSE_LAYER_NORM);
    assert_null(config_set(&config, "projection_activation", "relu"));
    assert_int_equal(config_projection(&config, 1), DENSE_RELU);
    assert_null(config_set(&config, "joined_poolings", "max,max,max,max,max,max,max,max"));
    assert_non_null(config_set(&config, "joined_poolings", "max,max,max,max,max,max,max,max,max"));
    assert_non_null(config_set(&config, "joined_poolings", "max,,max"));
    assert_non_null(config_set(&config, "joined_poolings", "max,none"));
}

/* Names for programs are those of the lists; every one that is named is counted. */
TEST(names_for_programs)
{
    char with_base[128] = "";
    const char *name;
    for (int64_t value = 0; (name = config_value_name("position", value)) != NULL; value++) {
        size_t len = strlen(with_base);
        if (position_has_base((enum position_scheme)value))
            snprintf(with_base + len, sizeof with_base - len, "%s%s", len > 0 ? " or " : "", name);
    }
    assert_string_equal(NAMES_OF(POSITION_SCHEMES), ENGINE_POSITIONS);
    assert_string_equal(with_base, ENGINE_POSITIONS_WITH_BASE);
    assert_string_equal(NAMES_OF(TOKEN_POOLINGS) ", pooler", ENGINE_TEXT_POOLINGS);
    for (int64_t value = 0; (name = config_value_name("activation", value)) != NULL; value++)
        assert_true(config_value("head_dense", name) > DENSE_NONE); /* the importer takes it so */
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
    /* clang-format off */
    static const char *const numbers[] = {
        "0", "1", "1e-12", "1E-5", "0.1", "11.313708498984761", "0.30000000000000004", "1e22",
        "3.", "2.2250738585072014e-308", "4.9406564584124654e-324", "1.7976931348623157e308",
        "123456789", "9007199254740993"};
    /* clang-format on */
    for (size_t i = 0; i < N_KEYS; i++) {
        if (keys[i].expected == whole)
            for (size_t v = 0; v < sizeof wholes / sizeof *wholes; v++)
                expect_set(i, wholes[v], strtod(wholes[v], NULL));
        if (keys[i].expected == real)
            for (size_t v = 0; v < sizeof numbers / sizeof *numbers; v++)
                expect_set(i, numbers[v], strtod(numbers[v], NULL));
    }
}

/* Any double comes back as the same double. */
TEST(any_number)
{
    struct model_config config, other;
    uint64_t state = 1;
    config = CONFIG_DEFAULTS;
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
        expect_same(&config, &other);
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
        if (keys[i].expected == whole)
            for (size_t v = 0; v < sizeof not_whole / sizeof *not_whole; v++)
                expect_refused(i, not_whole[v]);
        if (keys[i].expected == real)
            for (size_t v = 0; v < sizeof not_number / sizeof *not_number; v++)
                expect_refused(i, not_number[v]);
        if (is_named(i))
            for (size_t v = 0; v < sizeof not_whole / sizeof *not_whole; v++)
                expect_refused(i, not_whole[v]);
    }
}

TEST(unknown_keys)
{
    static const char *const unknown[] = {"", "Layers", "layers ", "layer", "norm_epsilon", "kind"};
    struct model_config config = CONFIG_DEFAULTS, before = config;
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++)
        assert_ptr_equal(config_set(&config, unknown[i], "1"), CONFIG_UNKNOWN_KEY);
    expect_same(&config, &before);
    assert_null(config_value_name("layers", 1));
    assert_null(config_value_name("norm_bias", config.norm_bias)); /* not settled yet */
}

/* Numbers are read and written with a point in every locale of the host. */
TEST(decimal_comma)
{
    struct model_config config;
    char text[32];
    config = CONFIG_DEFAULTS;
    if (!support_comma_locale(support_folder())) {
        print_message("skipped: no locale with a decimal comma here\n");
        skip();
    }
    snprintf(text, sizeof text, "%g", 0.5);
    bool comma_printed = strcmp(text, "0,5") == 0;
    const char *refused = config_set(&config, "embedding_scale", "1234.5");
    const char *taken = config_set(&config, "embedding_scale", "12,5");
    config_get(&config, 7, text, sizeof text);
    setlocale(LC_ALL, "C");
    assert_true(comma_printed);
    assert_null(refused);
    assert_non_null(taken);
    assert_true(config.embedding_scale == 1234.5);
    assert_string_equal(text, "1234.5");
}
