/* clip.c - the text towers of models of texts and pictures. Sources: modeling_NAME.py and
 * configuration_NAME.py (clip, siglip, siglip2) in huggingface/transformers. */
#include "tools/import/families/tables.h"

static const struct json_name CLIP_ACTIVATIONS[] = {
    {"quick_gelu", ACTIVATION_SILU},
    {"gelu", ACTIVATION_GELU},
    {"gelu_new gelu_pytorch_tanh", ACTIVATION_GELU_TANH},
    {NULL, 0}};

static const struct layout TOWER = {
    .embedding = PARTS(
        TO_TABLE("embedding.token.weight", DIM_VOCABULARY, "embeddings.token_embedding.weight"),
        TO_TABLE("embedding.position.weight", DIM_POSITIONS,
                 "embeddings.position_embedding.weight")),
    .layer = PARTS(TO_ATTENTION_NORM("encoder.layers.#.layer_norm1"),
                   TO_QKV(SQUARE, "encoder.layers.#.self_attn.q_proj",
                          "encoder.layers.#.self_attn.k_proj", "encoder.layers.#.self_attn.v_proj"),
                   TO_OUTPUT(SQUARE, "encoder.layers.#.self_attn.out_proj"),
                   TO_NORM("encoder.layers.#.layer_norm2"),
                   TO_IN(DIM_FEED_FORWARD, "encoder.layers.#.mlp.fc1"),
                   TO_OUT("encoder.layers.#.mlp.fc2")),
    .final = PARTS(TO_FINAL_NORM("final_layer_norm"))};

#define LEFT_OUT_OF_PAIRS                                                                          \
    "embeddings.position_ids", "vision_model.", "visual_projection.", "logit_scale", "logit_bias", \
        "text_projection."

#define TOWER_KEYS                                                                                 \
    FIXED(position, POSITION_LEARNED), FIXED(token_types, 0), FIXED(embedding_norm, NORM_NONE),    \
        FIXED(norm_place, NORM_PRE), FIXED(final_norm, true), FIXED(pooling, POOLING_LAST)

/* A text's vector is that of its last token, which is the end token's. */
static const struct body CLIP = {
    .prefixes = NAMES("text_model."),
    .keys = KEYS(
        SIZE_OR("num_hidden_layers", layers, 12), SIZE_OR("hidden_size", width, 512),
        SIZE_OR("num_attention_heads", heads, 8), SIZE_OR("intermediate_size", feed_forward, 2048),
        SIZE_OR("vocab_size", vocabulary, 49408),
        SIZE_OR("max_position_embeddings", max_tokens, 77),
        NUMBER("layer_norm_eps", norm_eps, 1e-5), TOWER_KEYS, FLAG("is_causal", mask, MASK_CAUSAL),
        NAMED("hidden_act", activation, CLIP_ACTIVATIONS,
              "one of quick_gelu, gelu, gelu_new, gelu_pytorch_tanh", ACTIVATION_SILU)),
    .layout = &TOWER,
    .quick_gelu = 1.702,
    .unread = "projection_dim",
    .left_out = NAMES(LEFT_OUT_OF_PAIRS),
};

static const struct head CLIP_PROJECTION = {HEAD_NONE, DENSE_NONE,
                                            .parts = PARTS(TO_PROJECTION("text_projection.weight")),
                                            .is_optional = true};

/* Texts are padded to the longest one, no mask hides that, and the last token is mostly padding. */
static const struct body SIGLIP = {
    .prefixes = NAMES("text_model."),
    .keys = KEYS(SIZE_OR("num_hidden_layers", layers, 12), SIZE_OR("hidden_size", width, 768),
                 SIZE_OR("num_attention_heads", heads, 12),
                 SIZE_OR("intermediate_size", feed_forward, 3072),
                 SIZE_OR("vocab_size", vocabulary, 32000),
                 SIZE_OR("max_position_embeddings", max_tokens, 64),
                 NUMBER("layer_norm_eps", norm_eps, 1e-6), TOWER_KEYS,
                 ACTIVATION("hidden_act", ACTIVATION_GELU_TANH)),
    .layout = &TOWER,
    .pads = true,
    .unread = "projection_size",
    .left_out = NAMES(LEFT_OUT_OF_PAIRS),
};
static const struct head SIGLIP_HEAD = {
    HEAD_NONE, DENSE_NONE,
    .parts = PARTS({"projection.0", PART_LINEAR, DIM_PROJECTION, DIM_WIDTH, 0, {"head"}})};

static const struct body CLIP_WHOLE = {
    .text_type = "clip_text_model",
    .text_first = "text_config_dict",
    .unread = "projection_dim logit_scale_init_value vision_config vision_config_dict"};
static const struct body SIGLIP_WHOLE = {.text_type = "siglip_text_model",
                                         .unread = "vision_config"};
static const struct body SIGLIP2_WHOLE = {.text_type = "siglip2_text_model",
                                          .unread = "vision_config"};

/* The text part comes without a class. */
const struct architecture CLIP_CLASSES[] = {
    {"CLIPModel", "clip", &CLIP_WHOLE, NULL},
    {"SiglipModel", "siglip", &SIGLIP_WHOLE, NULL},
    {"Siglip2Model", "siglip2", &SIGLIP2_WHOLE, NULL},
    {"CLIPTextModelWithProjection", "clip_text_model", &CLIP, &CLIP_PROJECTION},
    {"CLIPTextModel", "clip_text_model", &CLIP, NULL},
    {"SiglipTextModel", "siglip_text_model", &SIGLIP, &SIGLIP_HEAD},
    {"Siglip2TextModel", "siglip2_text_model", &SIGLIP, &SIGLIP_HEAD},
    {.class_name = NULL},
};
