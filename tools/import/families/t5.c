/* t5.c - T5's encoder, without its decoder. Sources: modeling_t5.py and configuration_t5.py in
 * huggingface/transformers. */
#include "tools/import/families/tables.h"

#include <string.h>

/* Whether the feed-forward layer has a gate and which activation: feed_forward_proj says both,
 * "gated-gelu"; keys that save_pretrained writes as well come first, as in transformers. */
static void finish_t5(const struct json_file *file, struct model_config *model)
{
    static const char expected[] = "relu, gelu, gelu_new or silu, or gated- and one of these";
    const char *proj = json_text(file, NULL, "feed_forward_proj", "relu");
    bool is_gated = strncmp(proj, "gated-", 6) == 0;
    int64_t said = json_name_value(ACTIVATION_NAMES, is_gated ? proj + 6 : proj);
    if (said < 0)
        file_die(file->name, "'feed_forward_proj' is '%.100s'; expected %s", proj, expected);
    if (strcmp(proj, "gated-gelu") == 0)
        said = ACTIVATION_GELU_TANH;
    model->activation = (enum activation)json_choice(file, "dense_act_fn", ACTIVATION_NAMES,
                                                     ACTIVATIONS_EXPECTED, said);
    is_gated = json_flag(file, NULL, "is_gated_act", is_gated);
    model->gate = is_gated ? GATE_FIRST : GATE_NONE;
    json_flag(file, NULL, "is_encoder_decoder", true); /* its encoder is read all the same */
}

/* Scores are not scaled, and all layers share the biases of the first one. */
static const struct body T5 = {
    .prefixes = NAMES("transformer."),
    .keys = KEYS(
        SIZE("num_layers", layers), SIZE("d_model", width), SIZE("num_heads", heads),
        SIZE("d_ff", feed_forward), SIZE("vocab_size", vocabulary), SIZE_OR("d_kv", head_width, 64),
        FIXED(max_tokens, 8192), NUMBER("layer_norm_epsilon", norm_eps, 1e-6),
        NUMBER(NULL, score_scale, 1), FIXED(norm, NORM_RMS), FIXED(norm_place, NORM_PRE),
        FIXED(final_norm, true), FIXED(attention_bias, false), FIXED(feed_forward_bias, false),
        FIXED(attention_position, ATTENTION_POSITION_DISTANCE), FIXED(distances, DISTANCES)),
    .only = ONLY(IS("relative_attention_num_buckets", "32"),
                 IS("relative_attention_max_distance", "128"),
                 {"hidden_size", "null", false, "the name is d_model"},
                 {"num_attention_heads", "null", false, "the name is num_heads"},
                 {"num_hidden_layers", "null", false, "the name is num_layers"},
                 {"head_dim", "null", false, "the name is d_kv"}),
    .layout =
        LAYOUT(.embedding = PARTS(
                   TO_TABLE("embedding.token.weight", DIM_VOCABULARY, "shared.weight"),
                   TO_DISTANCES(
                       "encoder.block.0.layer.0.SelfAttention.relative_attention_bias.weight")),
               .layer = PARTS(
                   TO_ATTENTION_NORM("encoder.block.#.layer.0.layer_norm"),
                   TO_QKV(GROUPED_QKV, "encoder.block.#.layer.0.SelfAttention.q",
                          "encoder.block.#.layer.0.SelfAttention.k",
                          "encoder.block.#.layer.0.SelfAttention.v"),
                   TO_OUTPUT(HEADS_OUT(PART_LINEAR), "encoder.block.#.layer.0.SelfAttention.o"),
                   TO_NORM("encoder.block.#.layer.1.layer_norm"),
                   TO_IN(DIM_FEED_FORWARD, "encoder.block.#.layer.1.DenseReluDense.wi"),
                   TO_IN(DIM_FEED_FORWARD, "encoder.block.#.layer.1.DenseReluDense.wi_0",
                         "encoder.block.#.layer.1.DenseReluDense.wi_1"),
                   TO_OUT("encoder.block.#.layer.1.DenseReluDense.wo")),
               .final = PARTS(TO_FINAL_NORM("encoder.final_layer_norm"))),
    .finish = finish_t5,
    .unread = "n_positions num_decoder_layers dropout_rate scale_decoder_outputs",
    .left_out = NAMES("decoder.", "lm_head.", "encoder.embed_tokens.", "classifier."),
};

const struct architecture T5_CLASSES[] = {
    {"T5EncoderModel", "t5", &T5, NULL},
    {"T5Model", "t5", &T5, NULL},
    {"T5ForConditionalGeneration", "t5", &T5, NULL},
    {"T5ForTokenClassification", "t5", &T5, &TOKEN_HEAD},
    {.class_name = NULL},
};
