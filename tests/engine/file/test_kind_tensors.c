/* tags: sizes */
/* The tensors that the settings of the newer kinds of encoders ask for: without one of them, or
 * with one of another shape or type, a file is refused by the tensor's name. */
#include "tests/engine/file/bad_file.h"
#include "tests/support.h"

#include <string.h>

/* A small model that encode-new makes with these options, in memory. */
static struct patient made_model(const char *words)
{
    char path[SUPPORT_PATH];
    support_path(path, support_folder(), "kind.weights");
    support_make_model(path, "a", "--width 8 --heads 2 --max-tokens 12 --feed-forward 16 %s",
                       words);
    return patient_read(path);
}

/* The first letter of each tensor's name is changed, one after the other. */
TEST(each_is_asked_for)
{
    static const char *const kinds[] = {
        "--norm-place sandwich --set query_key_norm=yes --set key_value_heads=1",
        "--set value_norm=yes --set layer_input_width=5",
        "--norm-place twice --set query_key_norm=all",
        "--set attention_position=distance --set distances=3 --embedding-width 4",
        "--head mask --head-dense gelu --set token_vectors=3 --set sparse=linear",
        ("--norm-place pre --set first_norm=no --feed-forward-bias no --set "
         "feed_forward_in_bias=yes"),
        "--layers 4 --set layer_groups=2",
        "--set attention_position=disentangled --set distances=3",
    };
    for (size_t kind = 0; kind < sizeof kinds / sizeof kinds[0]; kind++) {
        struct patient made = made_model(kinds[kind]);
        const uint8_t *directory = section_data(&made, "TENS");
        for (size_t i = 0; i < get_u32(directory); i++) {
            struct patient copy = patient_copy(&made, 0);
            uint8_t *names = section_data(&copy, "TENS");
            size_t name = get_u32(names + 8 + i * TENSOR);
            names[name] ^= 1;
            heal_section(&copy, "TENS");
            assert_refused(&copy, ENGINE_ERROR_FORMAT, (const char *)directory + name);
        }
    }
}

/* A setting is changed that a tensor's shape depends on. */
TEST(shapes)
{
    static const struct {
        const char *words, *key, *value, *refusal;
    } cases[] = {
        {"--set attention_position=distance --set distances=3", "distances", "4",
         "'attention.distance.bias' is [2, 7], expected [2, 9] by the config"},
        {"--set attention_position=disentangled --set distances=3", "distances", "9",
         "'layers.0.attention.position_key.weight' is [32, 4], expected [64, 4] by the config"},
        {"", "key_value_heads", "1",
         "'layers.0.attention.qkv.weight' is [24, 8], expected [16, 8] by the config"},
        {"--set key_value_heads=1", "head_width", "6",
         "'layers.0.attention.qkv.weight' is [16, 8], expected [24, 8] by the config"},
        {"--set head_width=6 --set query_key_norm=yes --set key_value_heads=1", "key_value_heads",
         "2", "'layers.0.attention.qkv.weight' is [24, 8], expected [36, 8] by the config"},
        {"--set token_vectors=3", "token_vectors", "4",
         "'token.vector.weight' is [3, 8], expected [4, 8] by the config"},
        {"", "norm_place", "sandwich", "no tensor 'layers.0.attention.norm_after.weight'"},
        {"--set query_key_norm=yes", "query_key_norm", "all",
         "'layers.0.attention.query_norm.weight' is [4], expected [8] by the config"},
        {"", "norm_place", "twice", "no tensor 'layers.0.attention.norm_after.weight'"},
        {"", "query_key_norm", "yes", "no tensor 'layers.0.attention.query_norm.weight'"},
        {"--set window=3 --set global_every=2", "global_key_value_heads", "1",
         "'layers.0.attention.qkv.weight' is [24, 8], expected [16, 8] by the config"},
        {"--set layer_input_width=5", "layer_input_width", "6",
         "'layers.0.layer_input.in.weight' is [5, 8], expected [6, 8] by the config"},
        {"--layers 4 --set layer_groups=2", "layer_groups", "3",
         "no tensor 'layers.2.attention.norm.weight'"},
        {"", "layers", "1024", "config 'layers' is 1024, but the file has"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct patient made = made_model(cases[i].words), copy = patient_copy(&made, 4096);
        replace_setting(&copy, "CONF", cases[i].key, cases[i].value, strlen(cases[i].value));
        assert_refused(&copy, ENGINE_ERROR_FORMAT, cases[i].refusal);
    }
}

TEST(biases_are_f32)
{
    struct patient made = made_model("--set attention_position=distance --set distances=3");
    uint8_t *entry = tensor_entry(&made, "attention.distance.bias");
    put_u32(entry + 8, 2); /* f16, of half the length */
    put_u64(entry + 64, get_u64(entry + 64) / 2);
    heal_section(&made, "TENS");
    assert_refused(&made, ENGINE_ERROR_FORMAT, "'attention.distance.bias' is not in f32 and rows");
    made = made_model("--set attention_position=disentangled --set distances=3");
    put_u32(tensor_entry(&made, "layers.0.attention.position_query.weight") + 12, 0); /* rows */
    heal_section(&made, "TENS");
    assert_refused(&made, ENGINE_ERROR_FORMAT, "position_query.weight' is not in f32 and panels");
}
