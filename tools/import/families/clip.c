/* clip.c - the text towers of models of texts and pictures. Sources: modeling_clip.py and
 * configuration_clip.py in huggingface/transformers. */
#include "tools/import/families/tables.h"

static const struct json_name CLIP_ACTIVATIONS[] = {{"quick_gelu", ACTIVATION_SILU},
                                                    {"gelu", ACTIVATION_GELU},
                                                    {"gelu_new", ACTIVATION_GELU_TANH},
                                                    {"gelu_pytorch_tanh", ACTIVATION_GELU_TANH},
                                                    {NULL, 0}};

/* A text's vector is that of its last token, which is the end token's. */
static const struct body CLIP = {
    .prefixes = NAMES("text_model."),
    .keys = KEYS(
        SIZE_OR("num_hidden_layers", layers, 12), SIZE_OR("hidden_size", width, 512),
        SIZE_OR("num_attention_heads", heads, 8), SIZE_OR("intermediate_size", feed_forward, 2048),
        SIZE_OR("vocab_size", vocabulary, 49408),
        SIZE_OR("max_position_embeddings", max_tokens, 77),
        NUMBER("layer_norm_eps", norm_eps, 1e-5), FIXED(position, POSITION_LEARNED),
        FIXED(token_types, 0), FIXED(embedding_norm, NORM_NONE), FIXED(norm_place, NORM_PRE),
        FIXED(final_norm, true), FIXED(mask, MASK_CAUSAL), FIXED(pooling, POOLING_LAST),
        NAMED("hidden_act", activation, CLIP_ACTIVATIONS,
              "one of quick_gelu, gelu, gelu_new, gelu_pytorch_tanh", ACTIVATION_SILU)),
    .layout = LAYOUT(.embedding = PARTS(TO_TABLE("embedding.token.weight", DIM_VOCABULARY,
                                                 "embeddings.token_embedding.weight"),
                                        TO_TABLE("embedding.position.weight", DIM_POSITIONS,
                                                 "embeddings.position_embedding.weight")),
                     .layer = PARTS(TO_ATTENTION_NORM("encoder.layers.#.layer_norm1"),
                                    TO_QKV(SQUARE, "encoder.layers.#.self_attn.q_proj",
                                           "encoder.layers.#.self_attn.k_proj",
                                           "encoder.layers.#.self_attn.v_proj"),
                                    TO_OUTPUT(SQUARE, "encoder.layers.#.self_attn.out_proj"),
                                    TO_NORM("encoder.layers.#.layer_norm2"),
                                    TO_IN(DIM_FEED_FORWARD, "encoder.layers.#.mlp.fc1"),
                                    TO_OUT("encoder.layers.#.mlp.fc2")),
                     .final = PARTS(TO_FINAL_NORM("final_layer_norm"))),
    .quick_gelu = 1.702,
    .unread = "projection_dim",
    .left_out = NAMES("embeddings.position_ids", "vision_model.", "visual_projection.",
                      "logit_scale", "text_projection."),
};

static const struct head CLIP_PROJECTION = {HEAD_NONE, DENSE_NONE,
                                            .parts = PARTS(TO_PROJECTION("text_projection.weight")),
                                            .is_optional = true};

/* CLIPModel's text part comes without a class. */
const struct architecture CLIP_CLASSES[] = {
    {"CLIPTextModelWithProjection", "clip_text_model", &CLIP, &CLIP_PROJECTION},
    {"CLIPTextModel", "clip_text_model", &CLIP, NULL},
    {.class_name = NULL},
};
