/* tags: sizes */
/* config_check: settings together. What is refused, with which words; what is sound; and what
 * absent settings become. */
#include "tests/support.h"

#include "model/config.h"
#include "tests/model/sound_config.h"

#include <stdio.h>
#include <string.h>

/* A sound config with these changes, key=value, separated by blanks; a count of -1: absent. */
static struct model_config changed(const char *changes)
{
    struct model_config config = sound_config();
    static const char *const names[] = {"layers",     "width",      "heads", "feed_forward",
                                        "vocabulary", "max_tokens", NULL};
    size_t *const counts[] = {&config.layers,       &config.width,      &config.heads,
                              &config.feed_forward, &config.vocabulary, &config.max_tokens};
    char text[160], *rest = text;
    snprintf(text, sizeof text, "%s", changes);
    for (char *key = strtok_r(text, " ", &rest); key; key = strtok_r(NULL, " ", &rest)) {
        size_t i = 0;
        char *value = strchr(key, '=');
        *value++ = '\0';
        while (names[i] != NULL && strcmp(names[i], key) != 0)
            i++;
        if (strcmp(value, "-1") == 0 && names[i] != NULL)
            *counts[i] = CONFIG_ABSENT;
        else
            assert_null(config_set(&config, key, value));
    }
    return config;
}

static void check_says(const char *changes, const char *expected)
{
    struct model_config config = changed(changes);
    const char *got = config_check(&config);
    if (expected == NULL ? got != NULL : got == NULL || strcmp(got, expected) != 0)
        fail_msg("%s: '%s', expected '%s'", changes, got ? got : "sound",
                 expected ? expected : "sound");
}

#define WITH_EXPERTS                                                                               \
    "width=32 heads=4 embedding_width=32 head_width=8 rotary_width=8 feed_forward=16 experts=2 "   \
    "experts_used=1 experts_every=2"

/* What config_check says, and the changes of which it says so, with bars between them; NULL: they
 * are sound, as those with layers -1 are, which leave a tokenizer alone. */
TEST(check)
{
    static const char *const cases[][2] = {
        {"'max_text_tokens' is 0 or more than 'max_tokens'", "max_text_tokens=0|max_text_tokens=9"},
        {NULL,
         "max_text_tokens=8|head=pooler head_dense=tanh|"
         "position=learned position_offset=1 position_skips_padding=yes|"
         "pooling=pooler head=sequence labels=1 head_dense=tanh|"
         "layers=-1 width=-1 vocabulary=7|layers=2|heads=12|heads=1|norm=rms|"
         "norm=rms norm_bias=no|norm_bias=no|position=learned position_offset=2|"
         "position=sinusoidal position_base=1e-100|position=exponential position_base=1e100|"
         "position=fourier position_frequencies=6|"
         "position=fourier width=9 position_frequencies=5|position=index position_scale=0|"
         "head=sequence labels=2 head_pooling=mean|"
         "head=sequence labels=2 head_pooling=mean head_late=yes|gate=second activation=silu|"
         "layers=0 heads=-1 feed_forward=-1 norm_eps=0|layers=0 heads=5|"
         "norm_place=pre final_norm=yes|heads=5 head_width=4|key_value_heads=1|score_scale=1|"
         "window=2 global_head_width=6 global_key_value_heads=1|value_norm=yes "
         "layer_input_width=3|" WITH_EXPERTS "|"
         "attention_position=rotary|"
         "attention_position=rotary rotary_width=2 rotary_factor=2 rotary_trained=4 "
         "rotary_pairs=interleaved|"
         "attention_position=rotary window=2 rotary_local_base=5 global_every=2 global_first=1|"
         "attention_position=distance distances=1048576|"
         "attention_position=disentangled distances=1 position_terms=c2p|"
         "attention_position=disentangled distances=9 position_buckets=15 position_terms=p2c|"
         "attention_position=rotary rotary_base=1e-100 window=1 rotary_local_base=1e100|"
         "attention_position=rotary rotary_trained=2 rotary_factor=1e100|head_width=238609294|"
         "score_scale=3.4028234663852886e38|layers=0 heads=3 feed_forward=7|"
         "embedding_scale=3.4028234663852886e38|attention_position=alibi position=learned|"
         "layer_groups=1|layers=1024 layer_groups=1|layers=1025|first_norm=no norm_place=pre|"
         "first_norm=no norm_place=sandwich|feed_forward_bias=no feed_forward_in_bias=yes|"
         "head=mask sparse=mask sparse_pooling=sum|"
         "head=mask sparse=mask sparse_activation=log_log|"
         "head=mask head_dense=gelu head_dense_bias=no sparse=mask|"
         "token_vectors=3 token_vector_first=no|"
         "token_vectors=3 token_vector_bias=no sparse=linear"},
        {"'projections' is more than 8", "projections=9"},
        {"'labels' must be 1 or more with head sequence or token, and 0 without",
         "labels=2|head=token"},
        {"head pooler needs a 'head_dense'", "head=pooler"},
        {"'head_tied' needs head mask", "head=pooler head_dense=tanh head_tied=yes"},
        {"'embedding_width' is more than 'width'", "embedding_width=13"},
        {"'head_tied' needs embedding tables of the model's width, or a 'head_dense'",
         "head=mask head_tied=yes embedding_width=6"},
        {"'head_dense' and 'head_norm' need a 'head'", "head_norm=yes|head_dense=tanh"},
        {"pooling pooler needs head pooler or sequence with a 'head_dense'",
         "pooling=pooler head=mask head_dense=tanh|pooling=pooler"},
        {"'norm_eps' is missing or 0",
         "layers=0 head=mask head_norm=yes head_dense=tanh norm_eps=0|norm_eps=0|"
         "layers=0 embedding_norm=layer norm_eps=0|layers=0 final_norm=yes norm_eps=0"},
        {"'vocabulary' is missing or 0",
         "layers=-1 width=-1 vocabulary=0|vocabulary=-1|vocabulary=0"},
        {"'layers' is missing", "layers=-1"},
        {"'width' is missing or 0", "width=-1|width=0"},
        {"'max_tokens' is missing or 0", "max_tokens=-1|max_tokens=0"},
        {"'heads' or 'feed_forward' is missing or 0",
         "heads=-1|heads=0|feed_forward=-1|feed_forward=0"},
        {"'heads' does not divide 'width'", "heads=5|heads=24"},
        {"'head_width' is 0, or 'heads' times as wide is more than 715827882",
         "head_width=0|head_width=2147483647|head_width=238609295"},
        {"'key_value_heads' does not divide 'heads'",
         "key_value_heads=2|key_value_heads=0|key_value_heads=6"},
        {"'score_scale' is 0 or more than f32 holds",
         "score_scale=0|score_scale=1e-60|score_scale=1e39"},
        {"keys that begin with 'rotary' need attention_position rotary",
         "rotary_base=500|rotary_local_base=500|rotary_width=2 attention_position=alibi|"
         "rotary_pairs=interleaved|rotary_factor=2|rotary_trained=2"},
        {"'rotary_base' or 'rotary_local_base' is not from 1e-100 to 1e100",
         "attention_position=rotary rotary_base=0|"
         "attention_position=rotary window=1 rotary_local_base=1e101|"
         "attention_position=rotary window=1 rotary_local_base=0"},
        {"'rotary_factor' is 0 or more than 1e100",
         "attention_position=rotary rotary_trained=2 rotary_factor=1.1e100|"
         "attention_position=rotary rotary_trained=2 rotary_factor=0"},
        {"'position_offset' needs position learned",
         "embedding_width=1 position_offset=1|position_offset=2|"
         "position_offset=2 position=sinusoidal"},
        {"'position_skips_padding' needs a 'position_offset' of 1 or more",
         "position=learned position_skips_padding=yes"},
        {"'position_skips_padding' cannot be combined with rotary positions",
         "position=learned position_offset=1 position_skips_padding=yes attention_position=rotary"},
        {"'rotary_local_base' needs a 'window'", "attention_position=rotary rotary_local_base=500"},
        {"'rotary_width' is not an even number from 2 to the width of a head",
         "attention_position=rotary rotary_width=0|attention_position=rotary rotary_width=3|"
         "attention_position=rotary rotary_width=6|attention_position=rotary heads=12"},
        {"'distances' must be 1 to 1048576 with attention_position distance or disentangled, and 0 "
         "without",
         "attention_position=distance|attention_position=distance distances=1048577|"
         "distances=3|attention_position=disentangled"},
        {"'position_buckets' and 'position_terms' need attention_position disentangled",
         "position_buckets=4|position_terms=p2c|attention_position=alibi position_terms=c2p|"
         "attention_position=distance distances=9 position_buckets=4"},
        {"'position_buckets' is 1, or half of it is more than 'distances' less 2",
         "attention_position=disentangled distances=9 position_buckets=1|"
         "attention_position=disentangled distances=9 position_buckets=16"},
        {"'experts_used' and 'experts_every' need 'experts'", "experts_used=1|experts_every=2"},
        {"'experts' is more than 1024, 'experts_used' is not from 1 to 'experts', or "
         "'experts_every' is less than 2",
         "experts=2 experts_every=2|experts=2 experts_used=3 experts_every=2|experts=2 "
         "experts_used=1|experts=2 experts_used=1 experts_every=1|experts=1025 experts_used=1 "
         "experts_every=2"},
        {"'experts' needs a 'width' and a 'feed_forward' that are multiples of 16",
         "experts=2 experts_used=1 experts_every=2|experts=2 experts_used=1 experts_every=2 "
         "width=48 feed_forward=8|experts=2 experts_used=1 experts_every=2 width=24 "
         "feed_forward=32"},
        {"'experts' needs gate none, norm_place post or pre, and as many 'layer_groups' as "
         "'layers'",
         WITH_EXPERTS " gate=first|" WITH_EXPERTS " norm_place=sandwich|" WITH_EXPERTS
                      " norm_place=twice|" WITH_EXPERTS " layer_groups=1"},
        {"'global_every' needs a 'window'", "global_every=3"},
        {"'global_first' is not less than 'global_every'",
         "window=4 global_first=1|window=4 global_every=3 global_first=3"},
        {"'attention_position', 'window', 'query_key_norm', 'value_norm', 'layer_input_width' and "
         "'experts' need 'layers'",
         "layers=0 window=3|layers=0 attention_position=alibi|layers=0 query_key_norm=yes|"
         "layers=0 value_norm=yes|layers=0 layer_input_width=3"},
        {"'global_head_width' is 0, or 'heads' times as wide is more than 715827882",
         "global_head_width=0|global_head_width=238609295"},
        {"'global_key_value_heads' does not divide 'heads'",
         "global_key_value_heads=2|global_key_value_heads=0"},
        {"'global_head_width' and 'global_key_value_heads' need a 'window', and as many "
         "'layer_groups' as 'layers'",
         "global_head_width=8|global_key_value_heads=1|window=4 layer_groups=1 "
         "global_head_width=8"},
        {"'global_head_width' needs heads that are rotated whole, and even widths",
         "window=4 attention_position=rotary rotary_width=2 global_head_width=8|"
         "window=4 attention_position=rotary global_head_width=7"},
        {"'layer_groups' is not from 1 to 'layers'",
         "layer_groups=0|layer_groups=3|layers=0 layer_groups=1"},
        {"'layers' is more than 1024, and there are fewer 'layer_groups'",
         "layers=1025 layer_groups=1"},
        {"'first_norm' no needs layers and norm_place pre or sandwich",
         "first_norm=no|first_norm=no norm_place=twice|first_norm=no norm_place=pre layers=0"},
        {"'first_norm' no needs as many 'layer_groups' as 'layers'",
         "first_norm=no norm_place=pre layer_groups=1"},
        {"'head_dense_bias' no needs a 'head_dense'", "head_dense_bias=no"},
        {"'token_vector_bias' no needs 'token_vectors'", "token_vector_bias=no"},
        {"sparse mask needs head mask", "sparse=mask"},
        {"'query_tokens' is more than 'max_tokens'", "query_tokens=99999"},
        {"'query_filler' needs 'query_tokens', and is an id below 'vocabulary'",
         "query_filler=1|query_tokens=2 query_filler=99999"},
        {"'query_filler_seen' no needs a 'query_filler'",
         "query_filler_seen=no|query_tokens=2 query_filler_seen=no"},
        {"'query_filler_seen' no needs a 'window' that spans all 'query_tokens'",
         "window=1 query_tokens=3 query_filler=1 query_filler_seen=no"},
        {"'query_weights' needs 'sparse' linear or mask", "query_weights=yes"},
        {"'projection_activation' has several names, but not as many as 'projections'",
         "projections=3 projection_activation=relu,layer_norm|projection_activation=relu,relu"},
        {"'joined_poolings' has pooler; expected " NAMES_OF(TOKEN_POOLINGS),
         "pooling=mean joined_poolings=max,pooler"},
        {"'joined_poolings' and 'pools_prompt' no need another 'pooling' than none and pooler",
         "joined_poolings=max|pools_prompt=no|pooling=pooler head=pooler "
         "head_dense=tanh pools_prompt=no"},
        {"'width' is too large for 'joined_poolings'",
         "layers=0 width=300000000 pooling=mean joined_poolings=max"},
        {"'token_vector_first' no needs 'token_vectors'", "token_vector_first=no"},
        {"'sparse_pooling' sum and 'sparse_activation' log_log need sparse mask",
         "sparse_pooling=sum|sparse=linear sparse_activation=log_log"},
        {"'norm' is none; expected layer, rms", "norm=none"},
        {"'norm_bias' is yes, but only layer norm has a bias", "norm=rms norm_bias=yes"},
        {"'position_base' needs position sinusoidal or exponential",
         "position_base=50|position_base=50 position=fourier"},
        {"'position_base' is not from 1e-100 to 1e100",
         "position_base=0 position=sinusoidal|position_base=1e-101 position=exponential|"
         "position_base=1.1e100 position=sinusoidal"},
        {"'position_frequencies' needs position fourier", "position_frequencies=2"},
        {"'position_frequencies' is more than half of the columns: each takes two",
         "position_frequencies=7 position=fourier|"
         "position_frequencies=2147483647 position=fourier|"
         "position_frequencies=4 position=fourier embedding_width=6"},
        {"'embedding_scale' or 'position_scale' is more than f32 holds",
         "position_scale=1e39|embedding_scale=1e39"},
        {"'head_pooling' is none or pooler; expected mean, cls, max, mean_sqrt, weighted_mean, "
         "last",
         "head=sequence labels=2 head_pooling=none|head=sequence labels=2 head_pooling=pooler"},
        {"'head_pooling' needs head sequence",
         "head_pooling=mean|head=token labels=2 head_pooling=max"},
        {"'head_late' needs 'head_pooling' mean",
         "head=sequence labels=2 head_late=yes|head=sequence labels=2 head_late=yes "
         "head_pooling=max"},
        {"pooling pooler reads the first token, but 'head_pooling' is not cls",
         "head=sequence labels=2 head_dense=tanh pooling=pooler head_pooling=mean"},
    };
    size_t n = 0;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char changes[4096], *rest = changes;
        assert_true(strlen(cases[i][1]) < sizeof changes);
        strcpy(changes, cases[i][1]);
        for (char *one; (one = strsep(&rest, "|")) != NULL; n++)
            check_says(one, cases[i][0]);
    }
    assert_int_equal(n, 203);
}

/* Defaults that depend on other keys: what is absent gets their value, and what is given stays; a
 * second check changes nothing. */
TEST(check_settles)
{
    static const char *const cases[][2] = {
        {"", "norm_bias=yes"},
        {"norm=rms", "norm_bias=no"},
        {"norm_bias=no", "norm_bias=no"},
        {"layers=0 heads=-1 feed_forward=-1", "heads=0 feed_forward=0"},
        {"layers=0 embedding_width=1 heads=1 feed_forward=1",
         "embedding_width=1 heads=1 feed_forward=1"},
        {"feed_forward_bias=no rotary_base=7 attention_position=rotary",
         "layer_groups=2 feed_forward_in_bias=no head_width=4 key_value_heads=3 rotary_width=4 "
         "score_scale=0.5 rotary_local_base=7"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct model_config config = changed(cases[i][0]), again;
        char expected[160], text[64], shown[128], *rest = expected;
        assert_null(config_check(&config));
        snprintf(expected, sizeof expected, "%s", cases[i][1]);
        for (char *one; (one = strsep(&rest, " ")) != NULL;) {
            const char *key = "";
            for (size_t k = 0; strncmp(one, key, strlen(key)) != 0 || one[strlen(key)] != '='; k++)
                assert_non_null(key = config_get(&config, k, text, sizeof text));
            snprintf(shown, sizeof shown, "%s=%s", key, text);
            assert_string_equal(shown, one);
        }
        again = config;
        assert_null(config_check(&again));
        assert_memory_equal(&config, &again, sizeof config);
    }
    struct model_config config = changed("heads=-1");
    assert_non_null(config_check(&config));
    assert_true(config.heads == CONFIG_ABSENT);
}
