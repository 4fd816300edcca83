/* nomic.c - Nomic's BERT: rotary positions, a gated feed-forward layer, GPT-2's names of sizes.
 * Sources: the code that the models bring along (nomic-ai/contrastors, modeling_hf_nomic_bert.py),
 * and modeling_nomic_bert.py in huggingface/transformers, which has other keys and names. */
#include "tools/import/families/tables.h"

#include <math.h>

static const struct json_name GATES[] = {
    {"swiglu", ACTIVATION_SILU}, {"geglu", ACTIVATION_GELU}, {NULL, 0}};

#define ROTARY                                                                                     \
    FIXED(embedding_norm, NORM_LAYER), FIXED(attention_position, ATTENTION_POSITION_ROTARY),       \
        COUNT("type_vocab_size", token_types, 2), FIXED(gate, GATE_SECOND)

/* The share of each head's columns that is turned, which the field has no room for, and the base
 * that grows with long texts where there is a factor. */
static void finish(const struct json_file *file, struct model_config *model)
{
    if (json_member(file, NULL, "n_embd") == NULL) {
        model->rotary_base = rotary_base_read(file, NULL, json_number(file, "rope_theta", 1000));
        return;
    }
    double share = json_number(file, "rotary_emb_fraction", 0);
    double columns = share * (double)model->width / (double)model->heads;
    if (!(share > 0 && share <= 1) || columns != 2 * floor(columns / 2))
        file_die(file->name,
                 "'rotary_emb_fraction' is %g; expected a share above 0 and up to 1, of an even "
                 "number of columns",
                 share);
    model->rotary_width = (size_t)columns;
    model->rotary_factor = json_number(file, "rotary_scaling_factor", 0);
    if (model->rotary_factor > 0)
        model->rotary_trained = json_count(file, NULL, "max_trained_positions", 1, 2048);
    else
        model->rotary_factor = 1;
}

static const struct body NOMIC = {
    .prefixes = NAMES("bert.", "nomic_bert.", "model."),
    .keys =
        KEYS(SIZE("n_layer", layers), SIZE("n_embd", width), SIZE("n_head", heads),
             SIZE("n_inner", feed_forward), SIZE("vocab_size", vocabulary),
             SIZE("n_positions", max_tokens), ROTARY, NUMBER("layer_norm_epsilon", norm_eps, 1e-5),
             NUMBER("rotary_emb_base", rotary_base, 1000),
             FLAG("rotary_emb_interleaved", rotary_pairs, ROTARY_HALF),
             FLAG("qkv_proj_bias", attention_bias, true),
             FLAG("mlp_fc1_bias", feed_forward_in_bias, true),
             FLAG("mlp_fc2_bias", feed_forward_bias, true),
             NAMED("activation_function", activation, GATES, "swiglu or geglu", NO_DEFAULT)),
    .other_keys = KEYS(BERT_SIZES, BERT_NORM, ROTARY, SIZE_OR("head_dim", head_width, -1),
                       FIXED(attention_bias, false), FIXED(feed_forward_bias, false),
                       ACTIVATION("hidden_act", ACTIVATION_SILU)),
    .only =
        ONLY({"prenorm", "false", false, NULL}, {"parallel_block", "false", false, NULL},
             {"parallel_block_tied_norm", "false", false, NULL}, {"causal", "false", false, NULL},
             {"use_rms_norm", "false", false, NULL}, {"rotary_emb_scale_base", "null", false, NULL},
             {"rotary_head_dim", "false", false, NULL}, {"num_heads_kv", "null", false, NULL},
             {"num_experts", "0", false, NULL}, {"moe_every_n_layers", "0", false, NULL},
             {"scale_attn_weights", "true", false, NULL},
             {"scale_attn_by_inverse_layer_idx", "false", false, NULL},
             {"rope_scaling", "null", false, NULL}),
    .layout = LAYOUT(.embedding = PARTS(EMBEDDING("emb_ln")),
                     .layer = PARTS(TO_QKV(QKV, "encoder.layers.#.attn.Wqkv"),
                                    TO_OUTPUT(SQUARE, "encoder.layers.#.attn.out_proj"),
                                    TO_ATTENTION_NORM("encoder.layers.#.norm1"),
                                    TO_IN(DIM_FEED_FORWARD, "encoder.layers.#.mlp.fc11",
                                          "encoder.layers.#.mlp.fc12"),
                                    TO_OUT("encoder.layers.#.mlp.fc2"),
                                    TO_NORM("encoder.layers.#.norm2"))),
    .other_layout =
        LAYOUT(.embedding = PARTS(BERT_EMBEDDING),
               .layer =
                   PARTS(TO_QKV(SQUARE, "layers.#.self_attn.q_proj", "layers.#.self_attn.k_proj",
                                "layers.#.self_attn.v_proj"),
                         TO_OUTPUT(SQUARE, "layers.#.self_attn.o_proj"),
                         TO_ATTENTION_NORM("layers.#.post_attention_layernorm"),
                         TO_IN(DIM_FEED_FORWARD, "layers.#.mlp.up_proj", "layers.#.mlp.gate_proj"),
                         TO_OUT("layers.#.mlp.down_proj"), TO_NORM("layers.#.post_mlp_layernorm"))),
    .finish = finish,
    .unread = "reorder_and_upcast_attn max_trained_positions last_layer_subset ffn_div",
    .left_out = NAMES("embeddings.position_ids", "embeddings.token_type_ids", "pooler.",
                      "cls.predictions.", "classifier.", "qa_outputs."),
};

static const struct head MASK = {
    HEAD_MASK, AS_THE_MODEL,
    .parts = MASK_PARTS("cls.predictions.transform.dense", "cls.predictions.transform.layer_norm",
                        "cls.predictions.decoder.weight", "cls.predictions.bias",
                        "cls.predictions.decoder.bias"),
    .keys =
        KEYS(FLAG("mlp_fc1_bias", head_dense_bias, true), FLAG("mlp_fc1_bias", head_bias, true))};

const struct architecture NOMIC_CLASSES[] = {
    {"NomicBertModel", "nomic_bert", &NOMIC, &POOLER_HEAD},
    {"NomicBertForPreTraining", "nomic_bert", &NOMIC, &MASK},
    {"NomicBertForMaskedLM", "nomic_bert", &NOMIC, &MASK},
    {"NomicBertForSequenceClassification", "nomic_bert", &NOMIC, &POOLED_SEQUENCE_HEAD},
    {"NomicBertForTokenClassification", "nomic_bert", &NOMIC, &TOKEN_HEAD},
    {.class_name = NULL},
};
