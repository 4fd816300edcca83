/* gte.c - BERT with rotary positions: GTE, and Jina's third model. Sources: files modeling_NAME.py
 * in huggingface/transformers, and for the class NewModel the code that its models bring along
 * (Alibaba-NLP/new-impl, modeling.py). */
#include "tools/import/families/tables.h"

#include <math.h>
#include <string.h>

/* rope_scaling of NewModel: "ntk" stretches all positions, whatever the text's length. Its mixed_b
 * would be another formula. */
static void finish_gte(const struct json_file *file, struct model_config *model)
{
    const json_t *scaling = json_typed(file, "rope_scaling", JSON_OBJECT, "an object");
    double base = model->rotary_base;
    model->rotary_base = rotary_base_read(file, NULL, json_number(file, "rope_theta", base));
    if (scaling == NULL)
        return;
    const char *type = json_text(file, scaling, "type", "none");
    const json_t *factor = json_object_get(scaling, "factor");
    if (strcmp(type, "ntk") != 0 || !(json_number_value(factor) >= 1) ||
        json_member(file, scaling, "mixed_b") != NULL)
        file_die(file->name,
                 "'rope_scaling' has the type '%.100s'; expected ntk with a 'factor' of 1 or more "
                 "and no 'mixed_b', or null",
                 type);
    model->rotary_factor = json_number_value(factor);
}

// clang-format off
#define ROTARY_BERT(base, ...)                                                                     \
    BERT_SIZES, BERT_NORM, FIXED(attention_position, ATTENTION_POSITION_ROTARY),                   \
        COUNT("type_vocab_size", token_types, 1), NUMBER(NULL, rotary_base, base),                 \
        ACTIVATION("hidden_act", ACTIVATION_GELU), __VA_ARGS__
#define NEW_LAYOUT(...)                                                                            \
    LAYOUT(.embedding = PARTS(BERT_EMBEDDING),                                                     \
           .layer = PARTS({"layers.#.attention.qkv", __VA_ARGS__},                                 \
                          TO_OUTPUT(SQUARE, "encoder.layer.#.attention.o_proj"),                   \
                          TO_ATTENTION_NORM("encoder.layer.#.attn_ln"),                            \
                          TO_IN(DIM_GATED, "encoder.layer.#.mlp.up_gate_proj"),                    \
                          TO_OUT("encoder.layer.#.mlp.down_proj"),                                 \
                          TO_NORM("encoder.layer.#.mlp_ln")))
#define PACKED NEW_LAYOUT(QKV, {"encoder.layer.#.attention.qkv_proj"})
#define SEPARATE                                                                                   \
    NEW_LAYOUT(SQUARE, {"encoder.layer.#.attention.q_proj", "encoder.layer.#.attention.k_proj",    \
                        "encoder.layer.#.attention.v_proj"})
#define TRANSFORMERS_LAYOUT(...)                                                                   \
    {.embedding = PARTS(BERT_EMBEDDING),                                                           \
     .layer = PARTS(TO_QKV(SQUARE, "layers.#.self_attn.q_proj", "layers.#.self_attn.k_proj",       \
                           "layers.#.self_attn.v_proj"),                                           \
                    TO_OUTPUT(SQUARE, "layers.#.self_attn.o_proj"),                                \
                    TO_ATTENTION_NORM("layers.#.post_attention_layernorm"), __VA_ARGS__,           \
                    TO_NORM("layers.#.post_mlp_layernorm"))}
#define GTE_LEFT_OUT                                                                               \
    NAMES("embeddings.position_ids", "embeddings.token_type_ids", "pooler.", "lm_head.",           \
          "classifier.")
/* Unread is how it is computed; pack_qkv is known by the names of the tensors, and the last one is
 * read only where scores are scaled by the logarithm of the length. */
#define GTE_BODY(base)                                                                             \
    .keys = KEYS(ROTARY_BERT(base, FIXED(gate, GATE_SECOND), FIXED(feed_forward_in_bias, false))), \
    .only = ONLY(IS("position_embedding_type", "\"rope\""),                                        \
                 IS("layer_norm_type", "\"layer_norm\""), IS("logn_attention_scale", "false")),    \
    .finish = finish_gte,                                                                          \
    .unread = "pack_qkv unpad_inputs use_memory_efficient_attention logn_attention_clip1",         \
    .left_out = GTE_LEFT_OUT
// clang-format on

const struct layout GTE_LAYOUT =
    TRANSFORMERS_LAYOUT(TO_IN(DIM_FEED_FORWARD, "layers.#.mlp.up_proj", "layers.#.mlp.gate_proj"),
                        TO_OUT("layers.#.mlp.down_proj"));
static const struct layout JINA_3_LAYOUT =
    TRANSFORMERS_LAYOUT(TO_IN(DIM_FEED_FORWARD, "layers.#.mlp.fc1"), TO_OUT("layers.#.mlp.fc2"));

static const struct body NEW = {
    GTE_BODY(10000),
    .prefixes = NAMES("new.", "model."),
    .layout = PACKED,
    .other_layout = SEPARATE,
};
/* Also with the names of tensors of NewModel, as snowflake-arctic-embed-m-v2.0 has them. */
static const struct body GTE = {
    GTE_BODY(160000),
    .prefixes = NAMES("gte.", "new.", "model."),
    .layout = &GTE_LAYOUT,
    .other_layout = PACKED,
};
static const struct body JINA_3 = {
    .prefixes = NAMES("roberta.", "model."),
    .keys =
        KEYS(ROTARY_BERT(20000, FIXED(gate, GATE_NONE), NUMBER("layer_norm_eps", norm_eps, 1e-5))),
    .only = ONLY(IS("rope_scaling", "null"), IS("position_embedding_type", "\"rotary\"")),
    .layout = &JINA_3_LAYOUT,
    .other_layout = &FLASH_LAYOUT,
    .finish = finish_gte,
    .left_out = GTE_LEFT_OUT,
};

/* As transformers has the layers of the head, and as NewModel's code names them. */
#define GTE_MASK_PARTS(norm)                                                                       \
    MASK_PARTS("lm_head.dense", norm, "lm_head.decoder.weight", "lm_head.decoder.bias")
static const struct head GTE_MASK = {HEAD_MASK, DENSE_GELU,
                                     .parts = GTE_MASK_PARTS("lm_head.layer_norm")};
static const struct head NEW_MASK = {HEAD_MASK, AS_THE_MODEL,
                                     .parts = GTE_MASK_PARTS("lm_head.norm")};

const struct architecture GTE_CLASSES[] = {
    CLASSES("Gte", "gte", &GTE, &POOLER_HEAD, &GTE_MASK, &POOLED_SEQUENCE_HEAD, &TOKEN_HEAD),
    CLASSES("New", "new", &NEW, &POOLER_HEAD, &NEW_MASK, &POOLED_SEQUENCE_HEAD, &TOKEN_HEAD),
    CLASSES("JinaEmbeddingsV3", "jina_embeddings_v3", &JINA_3, &POOLER_HEAD, &ROBERTA_MASK,
            &DENSE_SEQUENCE_HEAD, &TOKEN_HEAD),
    {.class_name = NULL},
};
